/* The cores of this process, and threads that stay on some of them. */
#include "backend.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { MOST_CPUS = 8192 }; /* that Linux can be configured for */
typedef union mask {
    cpu_set_t set;
    unsigned char room[MOST_CPUS / 8];
} mask;

static mask process; /* of the thread that asked first, before any context had cores of its own */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_process(void)
{
    if (sched_getaffinity(0, sizeof process, &process.set) != 0) CPU_SET(0, &process.set);
}

int mx_host_cores(void)
{
    pthread_once(&once, read_process);
    /* with OMP_PROC_BIND this thread is bound already, to one core of those that the process has */
    const int masked = CPU_COUNT_S(sizeof process, &process.set), processors = omp_get_num_procs();
    return processors > masked ? processors : masked;
}

/* The CPUs of the process: those of all OpenMP places where threads are bound to some, else its mask. */
static int list_cpus(int *cpus)
{
    int count = 0;
    for (int p = 0; p < omp_get_num_places(); p++) {
        if (count + omp_get_place_num_procs(p) > MOST_CPUS) break;
        omp_get_place_proc_ids(p, cpus + count);
        count += omp_get_place_num_procs(p);
    }
    for (int cpu = 0; omp_get_num_places() == 0 && cpu < MOST_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, sizeof process, &process.set)) cpus[count++] = cpu;
    return count;
}

static int made; /* contexts with cores of their own */

mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last)
{
    int cpus[MOST_CPUS];
    pthread_once(&once, read_process);
    const int found = list_cpus(cpus);
    MX_REQUIRE(last < found, MX_ERR_INPUT, "%s: cores: this process has %d, numbered from 0",
               ctx->name, found);
    ctx->core_count = (int)(last - first + 1);
    ctx->core = malloc((size_t)ctx->core_count * sizeof *ctx->core);
    MX_REQUIRE(ctx->core != NULL, MX_ERR_MEMORY, "%s: no memory for its cores", ctx->name);
    for (int c = 0; c < ctx->core_count; c++) ctx->core[c] = cpus[first + c];
    ctx->cores = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    if (ctx->threads == 0) ctx->threads = ctx->core_count;
    return MX_OK;
}

__thread int mx_cores_bound = -1; /* no launch yet */
static __thread mask home;        /* where this thread belongs */

void mx_cores_rebind_thread(mx_ctx ctx, int thread)
{
    mask m;
    const bool fresh = mx_cores_bound < 0;
    const bool bound = omp_get_num_places() > 0;
    /* a thread that OpenMP starts inherits the core of the one that launches, unless OpenMP binds it itself */
    if (fresh && thread > 0 && !bound && __atomic_load_n(&made, __ATOMIC_RELAXED) > 0)
        home = process;
    else if (fresh && sched_getaffinity(0, sizeof home, &home.set) != 0)
        return;
    mx_cores_bound = ctx->cores;
    CPU_ZERO_S(sizeof m, &m.set);
    if (ctx->cores != 0) CPU_SET_S(ctx->core[thread % ctx->core_count], sizeof m, &m.set);
    /* where the system does not let it, the thread stays where it is: slower, but not wrong */
    sched_setaffinity(0, sizeof m, ctx->cores != 0 ? &m.set : &home.set);
}
