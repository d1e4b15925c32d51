/* The cores of this process, and threads that stay on some of them. */
#include "internal.h"

#include <omp.h>
#include <sched.h>
#include <stdlib.h>

enum { MOST_CPUS = 8192 }; /* that Linux can be configured for */
typedef union mask {
    cpu_set_t set;
    unsigned char room[MOST_CPUS / 8];
} mask;

static bool read_mask(mask *m) { return sched_getaffinity(0, sizeof *m, &m->set) == 0; }

int mx_host_cores(void)
{
    /* with OMP_PROC_BIND this thread is bound already, to one core of those that the process has */
    mask m;
    const int masked = read_mask(&m) ? CPU_COUNT_S(sizeof m, &m.set) : 1,
              processors = omp_get_num_procs();
    return processors > masked ? processors : masked;
}

/* The CPUs of the process: those of all OpenMP places where threads are bound to some, else those of this thread. */
static int list_cpus(int *cpus)
{
    int count = 0;
    for (int p = 0; p < omp_get_num_places(); p++) {
        if (count + omp_get_place_num_procs(p) > MOST_CPUS) break;
        omp_get_place_proc_ids(p, cpus + count);
        count += omp_get_place_num_procs(p);
    }
    mask m;
    if (count > 0 || !read_mask(&m)) return count;
    for (int cpu = 0; cpu < MOST_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, sizeof m, &m.set)) cpus[count++] = cpu;
    return count;
}

mx_err mx_cores_take(mx_ctx ctx, int64_t first, int64_t last)
{
    static int made; /* contexts with cores of their own */
    int cpus[MOST_CPUS];
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

__thread int mx_cores_now;
static __thread mask before; /* where this thread was before it came to the cores of a context */

void mx_cores_change(mx_ctx ctx, int thread)
{
    mask m;
    if (mx_cores_now == 0 && !read_mask(&before)) return;
    mx_cores_now = ctx->cores;
    CPU_ZERO_S(sizeof m, &m.set);
    if (ctx->cores != 0) CPU_SET_S(ctx->core[thread % ctx->core_count], sizeof m, &m.set);
    /* where the system does not let it, the thread stays where it is: slower, but not wrong */
    sched_setaffinity(0, sizeof m, ctx->cores != 0 ? &m.set : &before.set);
}
