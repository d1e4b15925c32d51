/* Misuse gives an error, never undefined behaviour. The tables of cases have a mistake each, with
 * its error and words of its message (what was wrong, what it got, what was expected). After each
 * case everything must be as before: an object that the call should have created is null, no
 * additional view exists, views have their old contents, and the context runs a kernel correctly.
 *
 * A mistake that cannot be reported to a caller (a barrier at which some threads never arrive) ends
 * the program with a message. Such a case runs this program again as a child process, because
 * threads do not survive a fork. Mistakes that must not compile are in compile_errors.c,
 * compile_drivers.c and compile_kernels.c; indices out of bounds, in builds that check them, in
 * bounds.c. */
#include "misuse.h"
#include "check.h"
#include "minx/kit/token.h"
#include "minx/tools.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const mx_view garbage = {77777, 77777};

static void make_world(mx_ctx ctx, mu_world *w)
{
    const int64_t extents[] = {MU_ROWS, MU_COLUMNS};
    const mx_view_options tiled = {MX_SPACE_DEFAULT, MX_LAYOUT_TILED, false, false};
    double row[MU_N];
    int32_t ints[MU_N];
    int64_t at[] = {0, 0};
    mx_view mirror;
    memset(w, 0, sizeof *w);
    w->ctx = ctx;
    MUST(mx_ctx_get_info(ctx, &w->info));
    w->other_layout = w->info.layout == MX_LAYOUT_LEFT ? MX_LAYOUT_RIGHT : MX_LAYOUT_LEFT;
    MUST(mx_view_create_1d(ctx, "row", MX_F64, MU_N, &w->row));
    MUST(mx_view_create_1d(ctx, "to", MX_F64, MU_N, &w->to));
    MUST(mx_view_create_2d(ctx, "grid", MX_F64, MU_ROWS, MU_COLUMNS, &w->grid));
    MUST(mx_view_create_1d(ctx, "ints", MX_I32, MU_N, &w->ints));
    MUST(mx_view_create_0d(ctx, "number", MX_F64, &w->number));
    MUST(mx_view_constant(w->row, &w->fixed));
    MUST(mx_view_create(ctx, "tiled", MX_F64, 2, extents, &tiled, &w->tiled));
    MUST(mx_view_create_1d(ctx, "gone", MX_F64, MU_N, &w->gone));
    for (int i = 0; i < MU_N; i++) row[i] = ints[i] = i;
    check_upload(ctx, w->row, row);
    check_upload(ctx, w->ints, ints);
    MUST(mx_mirror_create(w->grid, &mirror));
    const mx_view_info info = check_info(mirror);
    do {
        *(double *)check_at(&info, at) = (double)(10 * at[0] + at[1]);
    } while (check_next(&info, at));
    MUST(mx_deep_copy(ctx, w->grid, mirror));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&mirror));
    MUST(mx_bind(ctx, w->row, &w->args.from));
    MUST(mx_bind(ctx, w->to, &w->args.to));
    MUST(mx_bind(ctx, w->grid, &w->args.grid));
    mx_bind_none(&w->args.tokens);
    mx_view last = w->gone;
    MUST(mx_view_destroy(&last));
}

static void end_world(mu_world *w)
{
    mx_view *const views[] = {&w->row,    &w->to,    &w->grid, &w->ints,
                              &w->number, &w->fixed, &w->tiled};
    for (int v = 0; v < 7; v++) MUST(mx_view_destroy(views[v]));
}

/* Is everything as make_world left it, and does the context still run kernels? */
static void check_world(mu_world *w)
{
    double row[MU_N], sum = -1;
    int32_t ints[MU_N];
    int64_t at[] = {0, 0};
    const double minus = -1;
    MUST(mx_fill(w->ctx, w->to, &minus));
    CHECK_OK(mu_double(mx_range_1d(w->ctx, 0, MU_N), &w->args));
    CHECK_OK(mu_sum(mx_range_1d(w->ctx, 0, MU_N), &w->args, &sum));
    CHECK_F64(sum, MU_N * (MU_N - 1) / 2, 0);
    CHECK_OK(mu_grid(mx_range_2d(w->ctx, 0, MU_ROWS, 0, MU_COLUMNS), &w->args));
    CHECK_OK(mx_fence(w->ctx));
    check_download(w->ctx, w->to, row);
    for (int i = 0; i < MU_N; i++) CHECK_F64(row[i], 2 * i, 0);
    check_download(w->ctx, w->row, row);
    check_download(w->ctx, w->ints, ints);
    for (int i = 0; i < MU_N; i++) CHECK(row[i] == i && ints[i] == i);
    check_download(w->ctx, w->number, row);
    CHECK_F64(row[0], 0, 0);
    mx_view mirror = check_fetch(w->ctx, w->grid);
    const mx_view_info info = check_info(mirror);
    do {
        CHECK_F64(*(double *)check_at(&info, at), (double)(10 * at[0] + at[1]), 0);
    } while (check_next(&info, at));
    MUST(mx_view_destroy(&mirror));
}

static bool is_null_or(mx_view view, mx_view before)
{
    return (view.slot == 0 && view.generation == 0) ||
           (view.slot == before.slot && view.generation == before.generation);
}

static void run_case(mu_world *w, const mu_case *c)
{
    const int before = check_failures, alive = mx_views_alive();
    const mx_ctx no_context = (mx_ctx)(void *)w; /* garbage */
    const mu_args args = w->args;
    w->out = garbage;
    w->made = no_context;
    mx_err_clear();
    const mx_err err = c->wrong(w);
    CHECK_FAILS(err, c->code, c->words);
    CHECK_TEXT(mx_err_message(), c->more);
    CHECK(is_null_or(w->out, garbage));
    CHECK(w->made == NULL || w->made == no_context);
    CHECK_I64(mx_views_alive(), alive);
    w->args = args;
    check_world(w);
    if (check_failures > before) fprintf(stderr, "... after case '%s'\n", c->name);
}

/* The thread sanitizer would find what lanes without a single do before any message could tell. */
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define MU_RACES_END_IT
#endif
#endif
#ifdef MU_RACES_END_IT
enum { MU_RACES = false };
#else
enum { MU_RACES = true };
#endif

static void run_cases(mu_world *w)
{
    static const mu_case *const tables[] = {mu_view_cases,  mu_copy_cases,    mu_launch_cases,
                                            mu_graph_cases, mu_context_cases, mu_kit_cases};
    const bool cuda = check_is_gpu(w->ctx), simt = check_is(w->ctx, "simt");
    const bool applies[] = {[MU_ALL] = true,
                            [MU_HOSTS] = !cuda,
                            [MU_CORES] = !cuda && !simt && strchr(w->info.backend, ':') == NULL,
                            [MU_SIMT] = simt && MU_RACES,
                            [MU_DEVICES] = !w->info.host_accessible,
                            [MU_CUDA] = cuda};
    int run = 0;
    check_world(w);
    for (int t = 0; t < 6; t++)
        for (const mu_case *c = tables[t]; c->name != NULL; c++)
            if (applies[c->on]) {
                run_case(w, c);
                run++;
            }
    CHECK(run >= 200);
}

/* Names of what there is not. */
static void check_names(void)
{
    const char *why = NULL;
    CHECK_TEXT(mx_layout_name((mx_layout)99), "unknown");
    CHECK_TEXT(mx_layout_name((mx_layout)-1), "unknown");
    CHECK_TEXT(mx_space_name((mx_space)99), "unknown");
    CHECK_TEXT(mx_err_name((mx_err)99), "unknown");
    CHECK(mx_backend_name(-1) == NULL && mx_backend_name(1000) == NULL);
    CHECK(!mx_backend_available(NULL, &why));
    CHECK_TEXT(why, "no such backend");
    CHECK_I64(mx_backend_devices(NULL), 0);
    CHECK_I64(mx_backend_devices("opencl"), 0);
}

/* What is no mistake: to end nothing, to run nothing. */
static void check_nothing(mu_world *w)
{
    mx_view null = MX_VIEW_NULL;
    mx_ctx none = NULL;
    mx_region_pop();
    mx_section_create(NULL, NULL);
    mx_event_mark(NULL);
    mx_metadata(NULL, NULL);
    mx_ctx_destroy(NULL);
    mx_ctx_destroy(&none);
    CHECK_OK(mx_view_destroy(NULL));
    CHECK_OK(mx_view_destroy(&null));
    CHECK_OK(mu_scratch(mx_league(w->ctx, 0, 1, 1), &w->args));
    CHECK_OK(mu_double(mx_range_1d(w->ctx, 5, 5), &w->args));
    CHECK_OK(mu_double(mx_range_1d(w->ctx, 5, -5), &w->args)); /* backwards is empty */
}

/* ---- what ends the program ---- */

static void diverge(mu_world *w, mx_err (*kernel)(mx_teams, const mu_args *), int size, int lanes)
{
    CHECK_OK(kernel(mx_league(w->ctx, 2, size, lanes), &w->args));
}

static void barrier(mu_world *w) { diverge(w, mu_barrier, 2, 1); }
static void barrier_of_lanes(mu_world *w) { diverge(w, mu_barrier, 2, 4); }
static void require(mu_world *w) { diverge(w, mu_require, 2, 1); }
static void collective(mu_world *w) { diverge(w, mu_collective, 3, 1); }
static void vector_sum(mu_world *w) { diverge(w, mu_lanes, 1, 4); }

static void tokens_of_another(mu_world *w)
{
    mx_view tokens; /* as those of a context with one thread */
    MUST(mx_view_create_1d(w->ctx, "tokens", MX_I32, 1, &tokens));
    MUST(mx_bind(w->ctx, tokens, &w->args.tokens));
    CHECK_OK(mu_token(mx_range_1d(w->ctx, 0, 100000), &w->args)); /* enough for all threads */
}

static const struct end {
    const char *name;
    void (*wrong)(mu_world *w);
    bool simt;
    const char *words, *more;
} ends[] = {
    {"barrier", barrier, true, "kernel mu_barrier: only some threads", "GPU would hang"},
    {"barrier of lanes", barrier_of_lanes, true, "kernel mu_barrier", "control flow diverges"},
    {"require", require, true, "kernel mu_require: only some threads", "no work for thread 0"},
    {"require on openmp", require, false, "kernel mu_require: only some", "no work for thread 0"},
    {"collective", collective, true, "kernel mu_collective", "a barrier of the team"},
    {"vector sum", vector_sum, true, "kernel mu_lanes", "the end of a vector loop"},
    {"tokens", tokens_of_another, false, "mx_token_acquire: thread", "another context"},
};

static const char *program, *wanted;

/* A child takes some seconds to see that nothing moves: all run beside each other. */
typedef struct child {
    pid_t id;
    int output;
} child;

static child begin_child(const struct end *e)
{
    int pipes[2];
    MUST(pipe(pipes) == 0 ? MX_OK : MX_ERR_ARG);
    const child c = {fork(), pipes[0]};
    if (c.id == 0) {
        dup2(pipes[1], STDERR_FILENO);
        execl(program, program, check_resource, e->name, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    return c;
}

static void end_child(const struct end *e, child c)
{
    int status = 0;
    char text[2048] = "";
    size_t used = 0;
    ssize_t got;
    while (used < sizeof text - 1 &&
           (got = read(c.output, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)got;
    close(c.output);
    CHECK(waitpid(c.id, &status, 0) == c.id);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    CHECK_TEXT(text, e->words);
    CHECK_TEXT(text, e->more);
}

static void test(mx_ctx ctx)
{
    enum { ENDS = sizeof ends / sizeof ends[0] };
    mu_world w;
    child children[ENDS];
    bool begun[ENDS];
    make_world(ctx, &w);
    for (int e = 0; e < ENDS; e++) {
        if (wanted != NULL && strcmp(wanted, ends[e].name) == 0) ends[e].wrong(&w);
        begun[e] = wanted == NULL && (ends[e].simt ? check_is(ctx, "simt")
                                                   : check_is(ctx, "openmp") && w.info.threads > 1);
        if (begun[e]) children[e] = begin_child(&ends[e]);
    }
    if (wanted == NULL) {
        check_names();
        check_nothing(&w);
        run_cases(&w);
    }
    for (int e = 0; e < ENDS; e++)
        if (begun[e]) end_child(&ends[e], children[e]);
    end_world(&w);
}

int main(int argc, char **argv)
{
    program = argv[0];
    wanted = argc > 2 ? argv[2] : NULL;
    return check_main(argc, argv, test);
}
