/* fork(): the child process has none of the threads of its parent. What needs them must be an error
 * there, and not wait for ever; serial works; the parent goes on as before. */
#define _GNU_SOURCE
#include "fork.h"
#include "check.h"
#include "minx/graph.h"
#include "minx/kit/sort.h"

#include <omp.h> /* of which run time? */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define STARTS_NO_THREADS /* in a child process of one with threads, it ends the program */
#endif
#endif

enum { N = 100000 }; /* enough for copies by several threads */

typedef struct world {
    mx_ctx ctx;
    mx_view x; /* N ones */
    fk_args args;
    mx_graph graph;
    bool has_threads; /* or a device */
} world;

static void make_world(world *w, const char *resource)
{
    const double one = 1;
    mx_ctx_info info;
    double sum = 0;
    MUST(mx_ctx_create(resource, &w->ctx));
    MUST(mx_ctx_get_info(w->ctx, &info));
    w->has_threads = info.threads > 1 || check_runs_device_code(w->ctx);
    MUST(mx_view_create_1d(w->ctx, "x", MX_F64, N, &w->x));
    MUST(mx_fill(w->ctx, w->x, &one));
    MUST(mx_bind(w->ctx, w->x, &w->args.x));
    MUST(mx_graph_create(w->ctx, &w->graph));
    MUST(fk_team(mx_league(w->ctx, 4, 1, 1), &w->args));
    MUST(mx_graph_finish(w->graph));
    MUST(fk_sum(mx_range_1d(w->ctx, 0, N), &w->args, &sum));
    MUST(fk_team(mx_league(w->ctx, 4, MX_AUTO, MX_AUTO), &w->args));
    MUST(mx_fence(w->ctx));
}

static void end_world(world *w)
{
    mx_graph_destroy(&w->graph);
    MUST(mx_view_destroy(&w->x));
    mx_ctx_destroy(&w->ctx);
    CHECK(w->ctx == NULL);
}

/* The context of the parent process. */
static void use_old(world *w)
{
    static double array[N];
    mx_view view = MX_VIEW_NULL;
    double value = 0;
    const mx_err errors[] = {
        fk_sum(mx_range_1d(w->ctx, 0, N), &w->args, &value),
        fk_team(mx_league(w->ctx, 4, MX_AUTO, MX_AUTO), &w->args),
        mx_graph_run(w->graph),
        mx_fill(w->ctx, w->x, &value),
        mx_import(w->ctx, w->x, array, NULL),
        mx_export(w->ctx, w->x, array, NULL),
        mx_read_element(w->ctx, w->x, 0, &value),
        mx_sort(w->ctx, w->x),
        mx_fence(w->ctx),
        mx_view_create_1d(w->ctx, "new", MX_F64, N, &view),
        mx_ctx_check_against(w->ctx, "serial", 0),
    };
    for (size_t n = 0; n < sizeof errors / sizeof errors[0]; n++)
        CHECK_I64(errors[n], w->has_threads ? MX_ERR_ARG : MX_OK);
    if (w->has_threads)
        CHECK_FAILS(fk_sum(mx_range_1d(w->ctx, 0, N), &w->args, &value), MX_ERR_ARG,
                    "kernel fk_sum: ");
    if (w->has_threads) CHECK_TEXT(mx_err_message(), "was created before fork()");
    MUST(mx_view_destroy(&view));
}

/* GNU's OpenMP cannot start threads here, LLVM's can. */
static void use_new(const char *resource, bool has_threads)
{
#ifdef KMP_VERSION_MAJOR
    const bool starts = true;
#else
    const bool starts = false;
#endif
    const bool openmp = strncmp(resource, "openmp", 6) == 0 || strncmp(resource, "simt", 4) == 0;
    const bool team_of_openmp = openmp || strstr(resource, "shuffled") != NULL;
    world w = {.ctx = NULL};
#ifdef STARTS_NO_THREADS
    if (has_threads) return;
#endif
    if (openmp && has_threads && !starts) {
        CHECK_FAILS(mx_ctx_create(resource, &w.ctx), MX_ERR_BACKEND, "before fork()");
        return;
    }
    if (team_of_openmp && !starts) { /* several members are several threads */
        MUST(mx_ctx_create(resource, &w.ctx));
        MUST(mx_view_create_1d(w.ctx, "x", MX_F64, N, &w.x));
        MUST(mx_bind(w.ctx, w.x, &w.args.x));
        CHECK(fk_team(mx_league(w.ctx, 4, 2, 2), &w.args) != MX_OK);
        MUST(mx_view_destroy(&w.x));
        mx_ctx_destroy(&w.ctx);
        return;
    }
    make_world(&w, resource);
    end_world(&w);
}

static int run_child(world *w)
{
    alarm(60); /* what waits for ever ends by a signal */
    check_failures = 0;
    use_old(w);
    const bool cuda = check_is_gpu(w->ctx);
    end_world(w);
    use_new("serial", false);
    if (!cuda) use_new(check_resource, w->has_threads);
    return check_failures > 0;
}

/* Runs `child` in a child process, which has to end and to find nothing wrong. */
static void run_in_child(int (*child)(world *w), world *w)
{
    int status = -1;
    fflush(NULL);
    const pid_t process = fork();
    CHECK(process >= 0);
    if (process == 0) _exit(child(w));
    CHECK_I64(waitpid(process, &status, 0), process);
    if (WIFSIGNALED(status)) fprintf(stderr, "child: signal %d\n", WTERMSIG(status));
    CHECK_I64(status, 0);
}

/* ---- checked against a context with threads ---- */

static int launch_checked(world *w)
{
    const fk_calls calls = {.call = NULL};
    int64_t count = 0;
    alarm(60);
    check_failures = 0;
    CHECK_FAILS(fk_count(mx_range_1d(w->ctx, 0, N), &calls, &count), MX_ERR_ARG,
                "kernel fk_count: openmp:threads=2 was created before fork()");
    CHECK_OK(mx_ctx_check_against(w->ctx, NULL, 0));
    CHECK_OK(fk_count(mx_range_1d(w->ctx, 0, N), &calls, &count));
    CHECK_I64(count, N);
    return check_failures > 0;
}

static void test_check(void)
{
    const fk_calls calls = {.call = NULL};
    world w = {.ctx = NULL};
    int64_t count = 0;
    MUST(mx_ctx_create("serial:check=openmp:threads=2", &w.ctx));
    MUST(fk_count(mx_range_1d(w.ctx, 0, N), &calls, &count));
    run_in_child(launch_checked, &w);
    CHECK_OK(fk_count(mx_range_1d(w.ctx, 0, N), &calls, &count));
    mx_ctx_destroy(&w.ctx);
}

/* ---- another thread runs a launch at fork() ---- */

static int launch_runs, launch_may_end;

static void wait_for_fork(void)
{
    __atomic_store_n(&launch_runs, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&launch_may_end, __ATOMIC_ACQUIRE)) usleep(1000);
}

static void *launch_and_wait(void *ctx)
{
    const fk_calls calls = {.call = wait_for_fork};
    int64_t count = 0;
    CHECK_OK(fk_count(mx_range_1d(ctx, 0, N), &calls, &count));
    CHECK_I64(count, N);
    return NULL;
}

static int use_busy(world *w)
{
    const fk_calls calls = {.call = NULL};
    int64_t count = 0;
    alarm(60);
    check_failures = 0;
    CHECK_FAILS(fk_count(mx_range_1d(w->ctx, 0, N), &calls, &count), MX_ERR_ARG,
                "kernel fk_count: another thread ran a launch on serial at fork()");
    CHECK_FAILS(mx_fence(w->ctx), MX_ERR_ARG, "use a new context");
    mx_ctx_destroy(&w->ctx);
    CHECK(w->ctx == NULL);
    MUST(mx_ctx_create("serial", &w->ctx));
    CHECK_OK(fk_count(mx_range_1d(w->ctx, 0, N), &calls, &count));
    CHECK_I64(count, N);
    mx_ctx_destroy(&w->ctx);
    return check_failures > 0;
}

static void test_busy(void)
{
    pthread_t thread;
    world w = {.ctx = NULL};
    MUST(mx_ctx_create("serial", &w.ctx));
    CHECK_I64(pthread_create(&thread, NULL, launch_and_wait, w.ctx), 0);
    while (!__atomic_load_n(&launch_runs, __ATOMIC_ACQUIRE)) usleep(1000);
    run_in_child(use_busy, &w);
    __atomic_store_n(&launch_may_end, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    mx_ctx_destroy(&w.ctx);
}

/* ---- another thread holds a lock at fork() ---- */

enum { FORKS = 40, FEW = 8 };

static int forks_done;

static void *use_locks(void *of_world)
{
    world *w = of_world;
    const double two = 2;
    mx_view_info info;
    while (!__atomic_load_n(&forks_done, __ATOMIC_ACQUIRE)) {
        CHECK_OK(mx_fill(w->ctx, w->x, &two));
        for (int n = 0; n < 20; n++) CHECK_OK(mx_view_get_info(w->x, &info));
    }
    return NULL;
}

/* What takes the locks of views, of contexts and of simt's memory. */
static int take_locks(world *w)
{
    double array[FEW] = {0};
    mx_ctx ctx;
    mx_view view;
    alarm(20);
    check_failures = 0;
    CHECK_OK(mx_ctx_create("serial", &ctx));
    CHECK_OK(mx_view_create_1d(ctx, "view", MX_F64, FEW, &view));
    CHECK_OK(mx_import(ctx, view, array, NULL));
    CHECK_OK(mx_view_destroy(&view));
    CHECK_OK(mx_view_destroy(&w->x));
    mx_ctx_destroy(&ctx);
    return check_failures > 0;
}

static void test_locks(const char *resource)
{
    pthread_t thread;
    world w = {.ctx = NULL};
    MUST(mx_ctx_create(resource, &w.ctx));
    MUST(mx_view_create_1d(w.ctx, "x", MX_F64, FEW, &w.x));
    CHECK_I64(pthread_create(&thread, NULL, use_locks, &w), 0);
    for (int n = 0; n < FORKS && check_failures == 0; n++) run_in_child(take_locks, &w);
    __atomic_store_n(&forks_done, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    MUST(mx_view_destroy(&w.x));
    mx_ctx_destroy(&w.ctx);
}

static void test(mx_ctx ctx)
{
    world w = {.ctx = NULL};
    double sum = 0;
    const bool serial = strcmp(check_resource, "serial") == 0;
    (void)ctx;
    make_world(&w, check_resource);
    run_in_child(run_child, &w);
    if (serial) test_busy(); /* before there are contexts with threads */
    if (serial) test_check();
    if (serial || check_is(ctx, "simt")) test_locks(check_resource);
    CHECK_OK(fk_sum(mx_range_1d(w.ctx, 0, N), &w.args, &sum)); /* the parent's threads are there */
    CHECK_F64(sum, N + 4, 0);
    end_world(&w);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
