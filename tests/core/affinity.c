/* On which CPUs the threads of a launch run. Bodies ask the operating system. Contexts of all host
 * backends are created, used and destroyed in one process, in a random order, between parallel
 * regions of the program itself. The environment of the test sets how OpenMP binds threads
 * (OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, OMP_WAIT_POLICY). TEST_PLACES=KIND is for settings
 * that depend on the CPUs of the machine:
 *
 *     reversed   OMP_PLACES with a place for each CPU, the last one first
 *     whole      OMP_PLACES with one place of all CPUs
 *     last       OMP_PLACES with the last CPU only
 *     gomp       GOMP_CPU_AFFINITY with all CPUs, the last one first
 *     gomp_one   GOMP_CPU_AFFINITY with the first CPU only
 *
 * Expected: threads that are not bound may run on all CPUs of the process. A bound thread runs on
 * the CPUs of one place. Each thread has a place for itself; if there are more threads than places,
 * no place is empty (libgomp does not always distribute them evenly). With `primary` all threads
 * run on the place of the calling thread. If a context has cores of its own, each of its threads
 * runs on one core, in the order of the cores. */
#define _GNU_SOURCE
#include "affinity.h"
#include "check.h"

#include <omp.h>
#include <sched.h>
#include <unistd.h>

enum { MAX_THREADS = 4096, ITEMS = 1 << 17, STEPS = 100, MANY_EXTRA = 3 };

/* ---- what the process has ---- */

static cpu_set_t process;                /* all CPUs that it may use */
static cpu_set_t caller_mask;            /* those of the calling thread */
static int cpus[CPU_SETSIZE], cpu_count; /* in the order of the places */
static bool bound, primary;

static cpu_set_t mask_of_thread(void)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CHECK_I64(sched_getaffinity(0, sizeof mask, &mask), 0);
    return mask;
}

static cpu_set_t mask_of_place(int place)
{
    cpu_set_t mask;
    int ids[CPU_SETSIZE];
    CPU_ZERO(&mask);
    omp_get_place_proc_ids(place, ids);
    for (int p = 0; p < omp_get_place_num_procs(place); p++) CPU_SET(ids[p], &mask);
    return mask;
}

static void list_cpus_of_place(int place)
{
    int ids[CPU_SETSIZE];
    omp_get_place_proc_ids(place, ids);
    for (int p = 0; p < omp_get_place_num_procs(place); p++) {
        if (!CPU_ISSET(ids[p], &process)) cpus[cpu_count++] = ids[p];
        CPU_SET(ids[p], &process);
    }
}

static void ask_process(void)
{
    bound = omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
    primary = bound && omp_get_proc_bind() == omp_proc_bind_master;
    if (!bound) {
        process = caller_mask = mask_of_thread();
        for (int c = 0; c < CPU_SETSIZE; c++)
            if (CPU_ISSET(c, &process)) cpus[cpu_count++] = c;
        return;
    }
    const int place = omp_get_place_num();
    caller_mask = mask_of_place(place);
    if (primary) list_cpus_of_place(place);
    for (int p = 0; !primary && p < omp_get_num_places(); p++) list_cpus_of_place(p);
}

/* ---- what the threads record ---- */

typedef struct record {
    int thread, cpu;
    cpu_set_t mask;
} record;
static record records[MAX_THREADS];
static int record_count;

void af_record(int launch)
{
    static __thread int recorded;
    if (recorded == launch) return;
    recorded = launch;
    record *n = &records[__atomic_fetch_add(&record_count, 1, __ATOMIC_RELAXED)];
    n->thread = omp_get_thread_num();
    n->mask = mask_of_thread();
    n->cpu = sched_getcpu();
}

/* ---- who launches ---- */

typedef enum placement { BY_OPENMP, ON_CORES, CALLING_THREAD, ANYWHERE } placement;
typedef struct actor {
    char name[64]; /* a resource, or what the program does itself */
    placement rule;
    int threads;     /* that it has to have; 0: unknown */
    bool in_program; /* a parallel region of the program, not a launch */
    mx_ctx ctx;      /* NULL: not open */
} actor;
enum { ACTORS = 12 };
static actor actors[ACTORS];
static int launches;
static const char *last = "start";

static void set_actor(int a, placement rule, int threads, bool in_program, const char *name)
{
    actors[a] = (actor){.rule = rule, .threads = threads, .in_program = in_program};
    snprintf(actors[a].name, sizeof actors[a].name, "%s", name);
}

static void set_actors(void)
{
    char name[64];
    const int places = bound ? omp_get_num_places() : cpu_count;
    const int few = places < cpu_count ? places : cpu_count, many = 2 * few + MANY_EXTRA;
    set_actor(0, BY_OPENMP, few, true, "own few");
    set_actor(1, BY_OPENMP, many, true, "own many");
    set_actor(2, CALLING_THREAD, 1, false, "serial");
    set_actor(3, CALLING_THREAD, 1, false, "serial:order=shuffled");
    set_actor(4, BY_OPENMP, cpu_count, false, "openmp");
    set_actor(5, BY_OPENMP, 2, false, "openmp:threads=2");
    snprintf(name, sizeof name, "openmp:threads=%d", many);
    set_actor(6, BY_OPENMP, many, false, name);
    set_actor(7, BY_OPENMP, 4, false, "simt");
    set_actor(8, ON_CORES, 1, false, "openmp:cores=0");
    snprintf(name, sizeof name, "openmp:cores=0-%d", cpu_count - 1);
    set_actor(9, ON_CORES, cpu_count, false, name);
    set_actor(10, ON_CORES, 3, false, "openmp:cores=0,threads=3");
    set_actor(11, ANYWHERE, 3, false, "pthreads:threads=3");
}

static void launch_in_program(const actor *a, int launch)
{
#pragma omp parallel num_threads(a->threads)
    af_record(launch);
}

/* By a loop, or by teams of all its threads. */
static void launch_on(const actor *a, af_args args)
{
    mx_ctx_info info;
    MUST(mx_ctx_get_info(a->ctx, &info));
    CHECK_I64(info.threads, a->threads);
    if (a->rule == BY_OPENMP && a->threads <= 64 && check_random() % 2 == 0)
        MUST(af_team(mx_league(a->ctx, 1, a->threads, 1), &args));
    else
        MUST(af_where(mx_range_1d(a->ctx, 0, ITEMS), &args));
}

/* ---- what is expected ---- */

/* Every thread on a place: alone there while there are places enough, else no place is empty. */
static bool well_placed(int threads)
{
    const int places = omp_get_num_places();
    bool well = true;
    int all = 0;
    for (int p = 0; p < places; p++) {
        const cpu_set_t mask = mask_of_place(p);
        int count = 0;
        for (int n = 0; n < record_count; n++) count += CPU_EQUAL(&records[n].mask, &mask) ? 1 : 0;
        well = well && (threads > places ? count > 0 : count <= 1);
        all += count;
    }
    return well && all == threads;
}

static bool record_fits(const actor *a, const record *n)
{
    const cpu_set_t *expected = bound && !primary ? NULL : bound ? &caller_mask : &process;
    cpu_set_t core;
    if (!CPU_ISSET(n->cpu, &n->mask)) return false;
    if (a->rule == ANYWHERE) /* threads of the backend's own, and the calling one */
        return CPU_EQUAL(&n->mask, &process) || CPU_EQUAL(&n->mask, &caller_mask);
    if (a->rule == ON_CORES) {
        CPU_ZERO(&core);
        CPU_SET(cpus[strchr(a->name, '-') != NULL ? n->thread : 0], &core);
        expected = &core;
    } else if (n->thread == 0) {
        expected = &caller_mask;
    }
    return expected == NULL || CPU_EQUAL(&n->mask, expected);
}

static void check_records(const actor *a)
{
    bool good = record_count == a->threads;
    for (int n = 0; n < record_count; n++) good = good && record_fits(a, &records[n]);
    if (a->rule == BY_OPENMP && bound && !primary) good = good && well_placed(a->threads);
    CHECK(good);
    if (good) return;
    fprintf(stderr, "  %s after %s: %d threads, expected %d;", a->name, last, record_count,
            a->threads);
    for (int n = 0; n < record_count; n++)
        fprintf(stderr, " %d: %d CPUs, on %d;", records[n].thread, CPU_COUNT(&records[n].mask),
                records[n].cpu);
    fprintf(stderr, "\n");
}

/* What cannot be expected of a region of the program's own: threads that it shares with a context
 * that has cores of its own stay there until they run another launch; and libgomp, set to bind by
 * `true`, leaves the threads of a larger region of the program's own where they are, so that a
 * smaller one may find them all on one place. */
static int away;     /* threads that may be on cores of a context */
static bool spoiled; /* by a region of the program's own */

static void run_actor(actor *a)
{
    const int launch = ++launches;
    record_count = 0;
    if (!a->in_program && a->ctx == NULL) MUST(mx_ctx_create(a->name, &a->ctx));
    if (a->in_program)
        launch_in_program(a, launch);
    else
        launch_on(a, (af_args){launch});
    if (!a->in_program || (away == 0 && (!spoiled || a->threads > omp_get_num_places())))
        check_records(a);
    if ((a->rule == ON_CORES || (a->in_program && away > 0)) && a->threads > away)
        away = a->threads;
    if (a->rule == BY_OPENMP && !a->in_program && a->threads >= away) away = 0;
    if (a->rule == BY_OPENMP && a->threads > 1)
        spoiled = a->in_program && a->threads > omp_get_num_places();
    last = a->name;
    if (!a->in_program && check_random() % 2 == 0) mx_ctx_destroy(&a->ctx);
}

static void test(mx_ctx ctx)
{
    af_args args = {++launches};
    const cpu_set_t before = mask_of_thread();
    MUST(af_where(mx_range_1d(ctx, 0, ITEMS), &args)); /* the first launch of the process */
    CHECK_I64(mx_host_cores(), cpu_count);
    set_actors();
    for (int s = 0; s < STEPS; s++) {
        actor *a = &actors[check_random_int(0, ACTORS - 1)];
        if (strncmp(a->name, "pthreads", 8) == 0 && !mx_backend_available("pthreads", NULL))
            continue;
        run_actor(a);
    }
    for (int a = 0; a < ACTORS; a++) mx_ctx_destroy(&actors[a].ctx);
    const cpu_set_t after = mask_of_thread();
    CHECK(CPU_EQUAL(&before, &caller_mask));
    CHECK(CPU_EQUAL(&after, &caller_mask));
}

/* ---- TEST_PLACES ---- */

static void append(char *text, size_t size, const char *before, int cpu, const char *after)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%d%s", before, cpu, after);
}

static void set_places(const char *kind)
{
    char list[8 * CPU_SETSIZE] = "", one[32];
    const cpu_set_t mask = mask_of_thread();
    int first = -1, end = 0;
    for (int c = 0; c < CPU_SETSIZE; c++)
        if (CPU_ISSET(c, &mask)) {
            first = first < 0 ? c : first;
            end = c;
        }
    for (int c = end; c >= first; c--) {
        if (!CPU_ISSET(c, &mask)) continue;
        if (strcmp(kind, "reversed") == 0) append(list, sizeof list, c < end ? ",{" : "{", c, "}");
        if (strcmp(kind, "whole") == 0) append(list, sizeof list, c < end ? "," : "{", c, "");
        if (strcmp(kind, "gomp") == 0) append(list, sizeof list, c < end ? " " : "", c, "");
    }
    if (strcmp(kind, "whole") == 0) strcat(list, "}");
    snprintf(one, sizeof one, "{%d}", end);
    if (strcmp(kind, "last") == 0) strcpy(list, one);
    snprintf(one, sizeof one, "%d", first);
    if (strcmp(kind, "gomp_one") == 0) strcpy(list, one);
    setenv(kind[0] == 'g' ? "GOMP_CPU_AFFINITY" : "OMP_PLACES", list, 1);
}

int main(int argc, char **argv)
{
    const char *const kind = getenv("TEST_PLACES");
    if (kind != NULL) { /* OpenMP reads its environment as a program starts */
        set_places(kind);
        unsetenv("TEST_PLACES");
        execv("/proc/self/exe", argv);
        return 1;
    }
    ask_process();
    return check_main(argc, argv, test);
}
