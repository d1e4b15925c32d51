/* fork(): the child process has none of the threads of its parent. What needs them must be an error
 * there, and not wait for ever; serial works; the parent goes on as before. */
#define _GNU_SOURCE
#include "fork.h"
#include "check.h"
#include "minx/graph.h"
#include "minx/sort.h"

#include <omp.h> /* of which run time? */
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
    const bool cuda = check_is(w->ctx, "cuda");
    end_world(w);
    use_new("serial", false);
    if (!cuda) use_new(check_resource, w->has_threads);
    return check_failures > 0;
}

static void test(mx_ctx ctx)
{
    world w = {.ctx = NULL};
    double sum = 0;
    int status = -1;
    (void)ctx;
    make_world(&w, check_resource);
    fflush(NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) _exit(run_child(&w));
    CHECK_I64(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) fprintf(stderr, "child: signal %d\n", WTERMSIG(status));
    CHECK_I64(status, 0);
    CHECK_OK(fk_sum(mx_range_1d(w.ctx, 0, N), &w.args, &sum)); /* the parent's threads are there */
    CHECK_F64(sum, N + 4, 0);
    end_world(&w);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
