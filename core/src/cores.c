/* The cores of this process, and where the threads of a launch run on them.
 *
 * A thread of a launch is in one of three states:
 *   1. on a core: its context has cores of its own, and the thread is bound to one of them;
 *   2. on a place: OpenMP binds threads (OMP_PROC_BIND and its like), and the thread is bound to the place that it has in this
 *      launch;
 *   3. free: it may run wherever it could before it came to a core.
 * A thread changes its state at the beginning of a launch, and only where something is new: the context's cores, the number of
 * threads, or the thread's number among them.
 *
 * Why OpenMP does not bind its threads alone: libgomp, asked to bind by `true`, leaves a thread on the core where it was created
 * when a later region has another number of threads, although omp_get_place_num tells of another place. After one region
 * with more threads than places, a region of two threads has both of them on the first core. So a thread asks for its place
 * and binds itself to it. In a launch with more threads than places libgomp deals them out in runs (0 0 0 0 1 1 1); here they
 * take places in turn (0 1 0 1 0 1 0), so that a smaller region of the program's own, which libgomp runs on the first of these
 * threads, finds each of them on another place. */
#include "context.h"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum { MAX_CPUS = 8192 }; /* that Linux can be configured for */
typedef union mask {
    cpu_set_t set;
    unsigned char bytes[MAX_CPUS / 8];
} mask;

static mask process;                  /* all CPUs that threads of a launch may use */
static int cpus[MAX_CPUS], cpu_count; /* the same, in the order of the places */
static bool bound;                    /* does OpenMP bind threads to places? */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_cpu(int cpu)
{
    if (cpu < 0 || cpu >= MAX_CPUS || CPU_ISSET_S(cpu, sizeof process, &process.set)) return;
    CPU_SET_S(cpu, sizeof process, &process.set);
    cpus[cpu_count++] = cpu;
}

/* The CPUs of a place, to be freed; NULL if there is no memory. */
static int *cpus_of_place(int place, int *count)
{
    *count = omp_get_place_num_procs(place);
    int *const ids = malloc(((size_t)*count + 1) * sizeof *ids);
    if (ids != NULL) omp_get_place_proc_ids(place, ids);
    return ids;
}

static void add_place(int place)
{
    int count;
    int *const ids = cpus_of_place(place, &count);
    for (int p = 0; ids != NULL && p < count; p++) add_cpu(ids[p]);
    free(ids);
}

/* Bound by `primary`, all threads share the place of the one that launches. */
static void read_process(void)
{
    mask allowed;
    CPU_ZERO_S(sizeof allowed, &allowed.set);
    if (sched_getaffinity(0, sizeof allowed, &allowed.set) != 0)
        CPU_SET_S(0, sizeof allowed, &allowed.set);
    bound = omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
    if (bound && omp_get_proc_bind() == omp_proc_bind_master)
        add_place(omp_get_place_num());
    else
        for (int p = 0; bound && p < omp_get_num_places(); p++) add_place(p);
    const bool placed = cpu_count > 0;
    for (int cpu = 0; !placed && cpu < MAX_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, sizeof allowed, &allowed.set)) add_cpu(cpu);
}

int mx_host_cores(void)
{
    pthread_once(&once, read_process);
    return cpu_count;
}

static int reserved; /* contexts with cores of their own, so far */

mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last)
{
    const int count = mx_host_cores();
    MX_REQUIRE(last < count, MX_ERR_INPUT, "%s: cores: this process has %d, numbered from 0",
               ctx->name, count);
    ctx->core_count = (int)(last - first + 1);
    ctx->core = malloc((size_t)ctx->core_count * sizeof *ctx->core);
    MX_REQUIRE(ctx->core != NULL, MX_ERR_MEMORY, "%s: no memory for its cores", ctx->name);
    for (int c = 0; c < ctx->core_count; c++) ctx->core[c] = cpus[first + c];
    ctx->cores = __atomic_add_fetch(&reserved, 1, __ATOMIC_RELAXED);
    if (ctx->threads == 0) ctx->threads = ctx->core_count;
    return MX_OK;
}

/* ---- binding the calling thread ---- */

__thread int64_t mx_cores_bound = -1; /* no launch yet */
static __thread int place_now = -1;   /* that this thread has bound itself to */
static __thread int core_now = -1;    /* likewise; -1: on no core */
static __thread mask home;            /* while on a core: where the thread was before */

static void bind_to_core(int core)
{
    mask m;
    CPU_ZERO_S(sizeof m, &m.set);
    CPU_SET_S(core, sizeof m, &m.set);
    /* where the system does not let it, the thread stays where it is: slower, but not wrong */
    sched_setaffinity(0, sizeof m, &m.set);
    place_now = -1;
    core_now = core;
}

/* The place of a thread in the region that it runs. */
static int place_of(int thread)
{
    const int places = omp_get_num_places();
    const bool in_turn = omp_get_proc_bind() == omp_proc_bind_true && omp_get_level() == 1 &&
                         omp_get_num_threads() > places;
    return in_turn ? thread % places : omp_get_place_num();
}

static void bind_to_place(int place)
{
    mask m;
    int count;
    if (place == place_now) return;
    int *const ids = cpus_of_place(place, &count);
    CPU_ZERO_S(sizeof m, &m.set);
    for (int p = 0; ids != NULL && p < count; p++) CPU_SET_S(ids[p], sizeof m, &m.set);
    if (ids != NULL) sched_setaffinity(0, sizeof m, &m.set);
    free(ids);
    place_now = place;
}

void mx_cores_rebind_thread(mx_ctx ctx, int thread, int64_t launch)
{
    const int place = bound && thread > 0 && ctx->cores == 0 ? place_of(thread) : -1;
    /* a thread that OpenMP starts inherits the core of the one that launches, unless OpenMP binds it itself */
    const bool inherits = mx_cores_bound < 0 && thread > 0 && !bound &&
                          __atomic_load_n(&reserved, __ATOMIC_RELAXED) > 0;
    mx_cores_bound = launch;
    if (inherits)
        home = process;
    else if (ctx->cores != 0 && core_now < 0)
        sched_getaffinity(0, sizeof home, &home.set);
    if (ctx->cores != 0)
        bind_to_core(ctx->core[thread % ctx->core_count]);
    else if (place >= 0)
        bind_to_place(place);
    else if (core_now >= 0 || inherits)
        sched_setaffinity(0, sizeof home, &home.set);
    if (ctx->cores == 0) core_now = -1;
}

bool mx_cores_thread_moved(void)
{
    mask now;
    if (!bound || sched_getaffinity(0, sizeof now, &now.set) != 0) return false;
    return CPU_COUNT_S(sizeof now, &now.set) != 1 || !CPU_ISSET_S(core_now, sizeof now, &now.set);
}

mx_err mx_cores_open(mx_ctx ctx)
{
    mask before;
    pthread_once(&once, read_process);
    mx_cores_bind_thread(ctx, 0, 0, 1);
    const bool widen = bound && sched_getaffinity(0, sizeof before, &before.set) == 0;
    if (widen) sched_setaffinity(0, sizeof process, &process.set);
    const mx_err err = ctx->backend->info.open(ctx);
    if (widen) sched_setaffinity(0, sizeof before, &before.set);
    return err;
}
