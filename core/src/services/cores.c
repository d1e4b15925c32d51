/* The cores of this process, and where the threads of a launch run on them.
 *
 * A thread of a launch is in one of three states:
 *   1. bound to a core: its context has cores of its own, and the thread is bound to one of them;
 *   2. bound to a place: OpenMP binds threads (OMP_PROC_BIND and similar), and the thread is bound to the place that it has in this
 *      launch;
 *   3. not bound: it may run on all cores on which it could run before it was bound to a core.
 * A thread changes its state only at the beginning of a launch, and only if one of these has
 * changed: the context's cores, the number of threads, or the number of this thread.
 *
 * Why this is not left to OpenMP: with OMP_PROC_BIND=true, libgomp binds a thread when it creates
 * it. If a later region has another number of threads, omp_get_place_num gives another place, but
 * the thread stays where it is. After one region with more threads than places, a region of two
 * threads has both on the first core. So here each thread gets the number of its place and binds
 * itself to it.
 *
 * In a launch with more threads than places, libgomp gives neighbouring threads the same place (0 0
 * 0 0 1 1 1). Here the places take turns (0 1 0 1 0 1 0). A later, smaller parallel region of the
 * program runs on the first of these threads, and then each has a place of its own. */
#include "base/parse.h"
#include "services.h"

#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CPUS = 8192 }; /* the largest number that Linux can be configured for */
typedef union mask {
    cpu_set_t set;
    unsigned char bytes[MAX_CPUS / 8];
} mask;

static mask process;       /* all CPUs that threads of a launch may use */
static int cpus[MAX_CPUS]; /* the same, in the order of the places */
static int cpu_count;
static bool openmp_binds; /* does OpenMP bind threads to places? */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void add_cpu(int cpu)
{
    if (cpu < 0 || cpu >= MAX_CPUS || CPU_ISSET_S(cpu, sizeof process, &process.set)) return;
    CPU_SET_S(cpu, sizeof process, &process.set);
    cpus[cpu_count++] = cpu;
}

/* The CPUs of a place. The caller frees the array. NULL: no memory. */
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

/* With OMP_PROC_BIND=primary, all threads share the place of the thread that launches. */
static void read_process(void)
{
    mask allowed;
    CPU_ZERO_S(sizeof allowed, &allowed.set);
    if (sched_getaffinity(0, sizeof allowed, &allowed.set) != 0)
        CPU_SET_S(0, sizeof allowed, &allowed.set);
    openmp_binds = omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
    if (openmp_binds && omp_get_proc_bind() == omp_proc_bind_master)
        add_place(omp_get_place_num());
    else
        for (int p = 0; openmp_binds && p < omp_get_num_places(); p++) add_place(p);
    const bool has_places = cpu_count > 0;
    for (int cpu = 0; !has_places && cpu < MAX_CPUS; cpu++)
        if (CPU_ISSET_S(cpu, sizeof allowed, &allowed.set)) add_cpu(cpu);
}

int mx_host_cores(void)
{
    pthread_once(&once, read_process);
    return cpu_count;
}

/* ---- the number of threads ---- */

int mx_cores_max_threads(void)
{
    enum { PER_CORE = 8 }; /* a mistyped number of threads must not overload the machine */
    const int threads = PER_CORE * mx_host_cores();
    return threads < SHRT_MAX ? threads : SHRT_MAX; /* mx_thread_ is a short */
}

/* The first number of a list, which has one for each level of nested regions. Blanks around it are
 * allowed, as OpenMP allows them. */
mx_err mx_cores_openmp_threads(int *threads, const char **origin)
{
    static const char name[] = "OMP_NUM_THREADS", blanks[] = " \t";
    const char *text = getenv(name);
    char first[16];
    int64_t number;
    *threads = mx_host_cores();
    *origin = NULL;
    if (text == NULL || text[0] == '\0') return MX_OK;
    text += strspn(text, blanks);
    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, " \t,"), text);
    const char *const behind = text + strlen(first) + strspn(text + strlen(first), blanks);
    const bool is_item = behind[0] == ',' || behind[0] == '\0';
    MX_TRY(mx_parse_number("environment", name, is_item ? first : text, 1, mx_cores_max_threads(),
                           &number));
    const bool limited = number > omp_get_thread_limit();
    *threads = limited ? omp_get_thread_limit() : (int)number;
    *origin = limited ? "OMP_THREAD_LIMIT" : name;
    return MX_OK;
}

/* ---- contexts with cores of their own ---- */

static int reserved; /* the number of contexts that have had cores of their own so far */

mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last)
{
    const int count = mx_host_cores();
    MX_REQUIRE(last < count, MX_ERR_INPUT,
               "%s: cores: got %lld, expected at most %d: this process has %d cores, numbered "
               "from 0",
               ctx->name, (long long)last, count - 1, count);
    mx_core(ctx)->cpu_count = (int)(last - first + 1);
    mx_core(ctx)->cpus = malloc((size_t)mx_core(ctx)->cpu_count * sizeof *mx_core(ctx)->cpus);
    MX_REQUIRE(mx_core(ctx)->cpus != NULL, MX_ERR_MEMORY, "%s: no memory for its cores", ctx->name);
    for (int c = 0; c < mx_core(ctx)->cpu_count; c++) mx_core(ctx)->cpus[c] = cpus[first + c];
    ctx->cores = __atomic_add_fetch(&reserved, 1, __ATOMIC_RELAXED);
    if (ctx->threads == 0) ctx->threads = mx_core(ctx)->cpu_count;
    return MX_OK;
}

/* ---- binding the calling thread ---- */

__thread int64_t mx_cores_bound = -1; /* -1: no launch yet */
static __thread int bound_place =
    -1;                              /* the place to which this thread has bound itself; -1: none */
static __thread int bound_core = -1; /* the core to which it has bound itself; -1: none */
static __thread mask before_core;    /* the CPUs that it could use before it was bound to a core */

static void bind_to_core(int core)
{
    mask m;
    CPU_ZERO_S(sizeof m, &m.set);
    CPU_SET_S(core, sizeof m, &m.set);
    /* if the system refuses, the thread stays where it is: the results are the same, only slower */
    sched_setaffinity(0, sizeof m, &m.set);
    bound_place = -1;
    bound_core = core;
}

/* The place of a thread in the parallel region that it runs. */
static int place_of(int thread)
{
    const int places = omp_get_num_places();
    const bool more_threads_than_places = omp_get_proc_bind() == omp_proc_bind_true &&
                                          omp_get_level() == 1 && omp_get_num_threads() > places;
    return more_threads_than_places ? thread % places : omp_get_place_num();
}

static void bind_to_place(int place)
{
    mask m;
    int count;
    if (place == bound_place) return;
    int *const ids = cpus_of_place(place, &count);
    CPU_ZERO_S(sizeof m, &m.set);
    for (int p = 0; ids != NULL && p < count; p++) CPU_SET_S(ids[p], sizeof m, &m.set);
    if (ids != NULL) sched_setaffinity(0, sizeof m, &m.set);
    free(ids);
    bound_place = place;
}

void mx_cores_rebind_thread(mx_ctx ctx, int thread, int64_t launch)
{
    const int place = openmp_binds && thread > 0 && ctx->cores == 0 ? place_of(thread) : -1;
    /* a thread that OpenMP starts inherits the core of the thread that launches, unless OpenMP
     * binds it */
    const bool inherits_core = mx_cores_bound < 0 && thread > 0 && !openmp_binds &&
                               __atomic_load_n(&reserved, __ATOMIC_RELAXED) > 0;
    mx_cores_bound = launch;
    if (inherits_core)
        before_core = process;
    else if (ctx->cores != 0 && bound_core < 0)
        sched_getaffinity(0, sizeof before_core, &before_core.set);
    if (ctx->cores != 0)
        bind_to_core(mx_core(ctx)->cpus[thread % mx_core(ctx)->cpu_count]);
    else if (place >= 0)
        bind_to_place(place);
    else if (bound_core >= 0 || inherits_core)
        sched_setaffinity(0, sizeof before_core, &before_core.set);
    if (ctx->cores == 0) bound_core = -1;
}

bool mx_cores_thread_moved(void)
{
    mask now;
    if (!openmp_binds || sched_getaffinity(0, sizeof now, &now.set) != 0) return false;
    return CPU_COUNT_S(sizeof now, &now.set) != 1 || !CPU_ISSET_S(bound_core, sizeof now, &now.set);
}

mx_err mx_cores_open(mx_ctx ctx)
{
    mask before;
    pthread_once(&once, read_process);
    mx_cores_bind_thread(ctx, 0, 0, 1);
    const bool unbind = openmp_binds && sched_getaffinity(0, sizeof before, &before.set) == 0;
    if (unbind) sched_setaffinity(0, sizeof process, &process.set);
    const mx_err err = ctx->backend->info.open(ctx);
    if (unbind) sched_setaffinity(0, sizeof before, &before.set);
    return err;
}
