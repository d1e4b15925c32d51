/* Calls from inside the body of a kernel, on hosts. A call that would change or end what the launch
 * uses (its context, views, graph, or the run time) must be an error that changes nothing, and the
 * launch an error that names the call. Other calls work. */
#include "inside.h"
#include "check.h"
#include "minx/graph.h"
#include "minx/kit/dual.h"
#include "minx/kit/scatter.h"
#include "minx/kit/sort.h"
#include "minx/kit/token.h"

#include <pthread.h>

enum { N = 8 };

/* What the calls use; there is one program-wide, as the functions that bodies call have no argument. */
static struct {
    mx_ctx ctx, other;  /* the launch is on ctx */
    mx_view x, y, free; /* the launch has x and y */
    mx_view whole;      /* y is a part of it if this is not null */
    mx_view result;     /* of a reduction */
    mx_graph graph;
    mx_err err; /* of the call */
    int calls;
    int from; /* the first call that does something */
} w;

/* ---- calls that must fail ---- */

static double value = 1;
static int64_t more[] = {2 * N};

static mx_err destroy_context(void)
{
    mx_ctx ctx = w.ctx;
    mx_err_clear();
    mx_ctx_destroy(&ctx);
    return ctx == w.ctx && mx_err_message()[0] != '\0' ? MX_ERR_ARG : MX_OK;
}

static mx_err finalize(void)
{
    mx_err_clear();
    mx_finalize();
    return mx_err_message()[0] != '\0' ? MX_ERR_ARG : MX_OK;
}

static mx_err destroy_graph(void)
{
    mx_graph graph = w.graph;
    mx_err_clear();
    mx_graph_destroy(&graph);
    return graph == w.graph && mx_err_message()[0] != '\0' ? MX_ERR_ARG : MX_OK;
}

static mx_err initialize(void) { return mx_init(); }
static mx_err check_against(void) { return mx_ctx_check_against(w.ctx, "serial", 0); }
static mx_err end_check(void) { return mx_ctx_check_against(w.ctx, NULL, 0); }
static mx_err fence(void) { return mx_fence(w.ctx); }
static mx_err fence_all(void) { return mx_fence_all(); }
static mx_err wait_for_other(void) { return mx_ctx_wait(w.ctx, w.other); }
static mx_err other_waits(void) { return mx_ctx_wait(w.other, w.ctx); }
static mx_err create_view(void)
{
    mx_view view;
    return mx_view_create_1d(w.ctx, "v", MX_F64, N, &view);
}
static mx_err fill_view(void) { return mx_fill(w.ctx, w.free, &value); }
static mx_err copy_view(void) { return mx_deep_copy(w.ctx, w.free, w.x); }
static mx_err remap_view(void) { return mx_remap(w.ctx, w.free, w.x); }
static mx_err import_view(void) { return mx_import(w.ctx, w.free, (double[N]){0}, NULL); }
static mx_err export_view(void) { return mx_export(w.ctx, w.free, (double[N]){0}, NULL); }
static mx_err read_element(void) { return mx_read_element(w.ctx, w.free, 0, &value); }
static mx_err write_element(void) { return mx_write_element(w.ctx, w.free, 0, &value); }
static mx_err sort(void) { return mx_sort(w.ctx, w.free); }
static mx_err get_scratch(void) { return mx_ctx_scratch(w.ctx, 1 << 20, &(void *){NULL}); }
static mx_err create_graph(void) { return mx_graph_create(w.ctx, &(mx_graph){NULL}); }
static mx_err resize_other(void) { return mx_view_resize(w.ctx, &w.free, more); }
static mx_err destroy_argument(void) { return mx_view_destroy(&w.y); }
static mx_err resize_argument(void) { return mx_view_resize(w.other, &w.y, more); }
static mx_err realloc_argument(void) { return mx_view_realloc(w.other, &w.y, more); }
static mx_err mark_argument(void) { return mx_view_set_unchecked(w.y); }
static mx_err scale_argument(void) { return mx_view_set_check_scale(w.y, 1); }
static mx_err reserve_argument(void) { return mx_view_reserve(w.other, w.y); }
static mx_err destroy_result(void) { return mx_view_destroy(&w.result); }
static mx_err run_graph(void) { return mx_graph_run(w.graph); }

static mx_err create_scatter(void)
{
    mx_scatter s;
    return mx_scatter_create(w.ctx, w.free, MX_SUM, &s);
}

static mx_err launch(void)
{
    bd_args args = {.call = NULL};
    MX_TRY(mx_bind(w.ctx, w.x, &args.x));
    MX_TRY(mx_bind(w.ctx, w.y, &args.y));
    return bd_for(mx_range_1d(w.ctx, 0, N), &args);
}

/* Its name in the message of the launch. */
typedef struct a_call {
    mx_err (*make)(void);
    const char *name;
} a_call;
static const a_call wrong[] = {
    {destroy_context, "mx_ctx_destroy was called"},
    {finalize, "mx_finalize was called"},
    {initialize, "mx_init was called"},
    {check_against, "mx_ctx_check_against was called"},
    {end_check, "mx_ctx_check_against was called"},
    {fence, "mx_fence was called"},
    {fence_all, "mx_fence was called"},
    {wait_for_other, "mx_ctx_wait was called"},
    {other_waits, "mx_ctx_wait was called"},
    {create_view, "mx_view_create was called"},
    {fill_view, "a copy or fill was called"},
    {copy_view, "a copy or fill was called"},
    {remap_view, "a copy or fill was called"},
    {import_view, "a copy or fill was called"},
    {export_view, "a copy or fill was called"},
    {read_element, "a copy or fill was called"},
    {write_element, "a copy or fill was called"},
    {sort, "mx_view_usable was called"},
    {get_scratch, "mx_ctx_scratch was called"},
    {create_graph, "mx_graph_create was called"},
    {create_scatter, "mx_view_usable was called"},
    {resize_other, "mx_view_create was called"},
    {destroy_argument, "mx_view_destroy was called"},
    {resize_argument, "mx_view_resize was called"},
    {realloc_argument, "mx_view_realloc was called"},
    {mark_argument, "mx_view_set_unchecked was called"},
    {scale_argument, "mx_view_set_check_scale was called"},
    {reserve_argument, "mx_view_reserve was called"},
    {launch, "kernel bd_for was launched"},
};
enum { WRONG = sizeof wrong / sizeof wrong[0] };

/* ---- calls that must work ---- */

static mx_err use_other_context(void)
{
    mx_ctx ctx;
    mx_view view;
    double got = 0;
    MX_TRY(mx_ctx_create("serial", &ctx));
    MX_TRY(mx_view_create_1d(ctx, "v", MX_F64, N, &view));
    MX_TRY(mx_fill(ctx, view, &(double){7}));
    MX_TRY(mx_read_element(ctx, view, 1, &got));
    MX_TRY(mx_view_destroy(&view));
    mx_ctx_destroy(&ctx);
    return ctx == NULL && got == 7 ? MX_OK : MX_FAIL(MX_ERR_MISMATCH, "got %g", got);
}

static mx_err use_parts(void)
{
    mx_view part;
    mx_view_info info;
    MX_TRY(mx_subview(w.y, MX_SLICES(mx_span(1, 3)), &part));
    MX_TRY(mx_view_get_info(part, &info));
    MX_TRY(mx_view_destroy(&part)); /* the whole keeps the memory */
    MX_TRY(mx_view_retain(w.y));
    return mx_view_destroy(&(mx_view){w.y.slot, w.y.generation});
}

static const a_call right[] = {{use_other_context, ""}, {use_parts, ""}};

/* ---- launches ---- */

static const a_call *now;

/* What item 3 calls. Scans call it twice. */
static void make_call(void)
{
    const int call = __atomic_fetch_add(&w.calls, 1, __ATOMIC_RELAXED);
    if (call >= w.from && (call == w.from || w.err != MX_OK)) w.err = now->make();
}

static void begin(mx_ctx ctx)
{
    const double one = 1;
    w.calls = w.from = 0;
    w.err = MX_OK;
    w.graph = NULL;
    w.whole = w.result = MX_VIEW_NULL;
    MUST(mx_view_create_1d(ctx, "x", MX_F64, N, &w.x));
    MUST(mx_view_create_1d(ctx, "y", MX_F64, N, &w.y));
    MUST(mx_view_create_1d(ctx, "free", MX_F64, N, &w.free));
    MUST(mx_fill(ctx, w.x, &one));
}

static void end(mx_ctx ctx)
{
    mx_view *const views[] = {&w.x, &w.y, &w.free, &w.whole, &w.result};
    bd_args args = {.call = NULL};
    double sum = 0;
    MUST(mx_bind(ctx, w.x, &args.x));
    MUST(mx_bind(ctx, w.y, &args.y));
    CHECK_OK(bd_sum(mx_range_1d(ctx, 0, N), &args, &sum)); /* the context is as before */
    CHECK_F64(sum, N, 0);
    for (int v = 0; v < 5; v++) MUST(mx_view_destroy(views[v]));
}

static mx_err run(mx_ctx ctx, int kernel, const bd_args *args, mx_view result)
{
    double sum;
    switch (kernel) {
    case 0: return bd_for(mx_range_1d(ctx, 0, N), args);
    case 1: return bd_sum(mx_range_1d(ctx, 0, N), args, &sum);
    case 2: return bd_scan(mx_range_1d(ctx, 0, N), args, NULL);
    case 3: return bd_team(mx_league(ctx, N, MX_AUTO, MX_AUTO), args);
    default: return bd_sum_into(mx_range_1d(ctx, 0, N), args, result, 0);
    }
}

static void test_call(mx_ctx ctx, int kernel, const a_call *call, int from)
{
    const int before = check_failures;
    bd_args args = {.call = make_call};
    begin(ctx);
    now = call;
    w.from = from;
    if (kernel == 4) MUST(mx_view_create_1d(ctx, "result", MX_F64, 1, &w.result));
    MUST(mx_bind(ctx, w.x, &args.x));
    MUST(mx_bind(ctx, w.y, &args.y));
    const mx_err err = run(ctx, kernel, &args, w.result);
    if (call->name[0] != '\0') {
        CHECK_I64(w.err, MX_ERR_ARG);
        CHECK_FAILS(err, MX_ERR_ARG, call->name);
    } else {
        CHECK_OK(err);
        CHECK_OK(w.err);
    }
    end(ctx);
    if (check_failures > before)
        fprintf(stderr, "... call %d ('%s') from kernel %d\n", from, call->name, kernel);
}

/* The memory of y ends with a part of it. */
static void test_last_part(mx_ctx ctx)
{
    static const a_call destroy_part = {destroy_result, "mx_view_destroy was called"};
    bd_args args = {.call = make_call};
    begin(ctx);
    now = &destroy_part;
    MUST(mx_bind(ctx, w.x, &args.x));
    MUST(mx_bind(ctx, w.y, &args.y));
    MUST(mx_subview(w.y, MX_SLICES(mx_span(1, 3)), &w.result));
    mx_view y = w.y;
    MUST(mx_view_destroy(&y));
    CHECK_FAILS(bd_for(mx_range_1d(ctx, 0, N), &args), MX_ERR_ARG, destroy_part.name);
    CHECK_I64(w.err, MX_ERR_ARG);
    MUST(mx_view_destroy(&w.result));
    MUST(mx_view_create_1d(ctx, "y", MX_F64, N, &w.y));
    end(ctx);
}

static void test_graph(mx_ctx ctx)
{
    static const a_call calls[] = {{destroy_graph, "mx_graph_destroy was called"},
                                   {run_graph, "mx_graph_run was called"}};
    for (int c = 0; c < 2; c++) {
        bd_args args = {.call = make_call};
        begin(ctx);
        now = &calls[c];
        MUST(mx_bind(ctx, w.x, &args.x));
        MUST(mx_bind(ctx, w.y, &args.y));
        MUST(mx_graph_create(ctx, &w.graph));
        MUST(bd_for(mx_range_1d(ctx, 0, N), &args));
        MUST(mx_graph_finish(w.graph));
        CHECK_FAILS(mx_graph_run(w.graph), MX_ERR_ARG, calls[c].name);
        CHECK_I64(w.err, MX_ERR_ARG);
        mx_graph_destroy(&w.graph);
        CHECK(w.graph == NULL);
        end(ctx);
    }
}

/* The body of the first node destroys what the second one uses. */
static mx_err destroy_free(void) { return mx_view_destroy(&w.free); }

static void test_later_node(mx_ctx ctx)
{
    static const a_call destroy_later = {destroy_free, ""};
    bd_args first = {.call = make_call}, second = {.call = NULL};
    begin(ctx);
    now = &destroy_later;
    MUST(mx_bind(ctx, w.x, &first.x));
    MUST(mx_bind(ctx, w.y, &first.y));
    MUST(mx_bind(ctx, w.free, &second.x));
    MUST(mx_bind(ctx, w.y, &second.y));
    MUST(mx_graph_create(ctx, &w.graph));
    MUST(bd_for(mx_range_1d(ctx, 0, N), &first));
    MUST(bd_for(mx_range_1d(ctx, 0, N), &second));
    MUST(mx_graph_finish(w.graph));
    CHECK_FAILS(mx_graph_run(w.graph), MX_ERR_STALE, "kernel bd_for: ");
    CHECK_I64(w.calls, 1);
    CHECK_OK(w.err);
    mx_graph_destroy(&w.graph);
    end(ctx);
}

/* ---- a body launches on another context ---- */

static struct {
    mx_ctx ctx;
    mx_view x, y;
    mx_err err; /* of what its body calls */
} inner;

static void destroy_outer_argument(void) { inner.err = destroy_argument(); }

static mx_err launch_inner(void)
{
    bd_args args = {.call = destroy_outer_argument};
    MX_TRY(mx_bind(inner.ctx, inner.x, &args.x));
    MX_TRY(mx_bind(inner.ctx, inner.y, &args.y));
    MX_TRY(bd_for(mx_range_1d(inner.ctx, 0, N), &args));
    return inner.err;
}

/* The body of the inner launch must not destroy what the outer one uses. With two threads item 3
 * is on one that the inner launch started. */
static void test_inner(mx_ctx ctx, const char *resource)
{
    static const a_call nested = {launch_inner, "mx_view_destroy was called"};
    MUST(mx_ctx_create(resource, &inner.ctx));
    MUST(mx_view_create_1d(inner.ctx, "inner x", MX_F64, N, &inner.x));
    MUST(mx_view_create_1d(inner.ctx, "inner y", MX_F64, N, &inner.y));
    test_call(ctx, 0, &nested, 0);
    MUST(mx_view_destroy(&inner.x));
    MUST(mx_view_destroy(&inner.y));
    mx_ctx_destroy(&inner.ctx);
}

enum { MAX_PARTS = 64 };

static struct {
    mx_ctx ctx[MAX_PARTS]; /* one for each part */
    int number[MAX_PARTS]; /* of the thread, after the launch */
    int wrong;             /* launches that failed */
} own;

static void launch_on_own(void *work, int64_t first, int64_t last)
{
    bd_args args = {.call = NULL};
    double sum;
    (void)work;
    for (int64_t p = first; p < last; p++) {
        const mx_ctx ctx = own.ctx[p];
        const int before = mx_thread_;
        const bool failed = mx_bind(ctx, w.x, &args.x) != MX_OK ||
                            mx_bind(ctx, w.y, &args.y) != MX_OK ||
                            bd_sum(mx_range_1d(ctx, 0, N), &args, &sum) != MX_OK;
        __atomic_fetch_add(&own.wrong, failed || mx_thread_ != before, __ATOMIC_RELAXED);
        own.number[p] = mx_thread_;
    }
}

/* Each thread of a launch keeps its number while its body launches elsewhere. */
static void test_numbers(mx_ctx ctx)
{
    mx_ctx_info info;
    begin(ctx);
    MUST(mx_ctx_get_info(ctx, &info));
    const int parts = info.threads < MAX_PARTS ? info.threads : MAX_PARTS;
    for (int p = 0; p < parts; p++) MUST(mx_ctx_create("serial", &own.ctx[p]));
    if (info.space == MX_SPACE_HOST) {
        CHECK_OK(mx_ctx_run(ctx, launch_on_own, NULL, parts));
        for (int p = 0; p < parts; p++) CHECK_I64(own.number[p], p);
        CHECK_I64(own.wrong, 0);
    }
    for (int p = 0; p < parts; p++) mx_ctx_destroy(&own.ctx[p]);
    end(ctx);
}

/* ---- parts of mx_ctx_run, which are bodies too ---- */

static void call_from_part(void *work, int64_t first, int64_t last)
{
    (void)work;
    (void)last;
    if (first == 0) w.err = now->make();
}

static void test_parts(mx_ctx ctx)
{
    static const a_call calls[] = {{destroy_context, "mx_ctx_destroy was called"},
                                   {fence, "mx_fence was called"},
                                   {launch, "kernel bd_for was launched"}};
    for (int c = 0; c < 3; c++) {
        begin(ctx);
        now = &calls[c];
        CHECK_FAILS(mx_ctx_run(ctx, call_from_part, NULL, 1), MX_ERR_ARG, calls[c].name);
        CHECK_I64(w.err, MX_ERR_ARG);
        end(ctx);
    }
}

/* ---- calls from another thread ---- */

enum { LAUNCHES = 200000 };

static int launches_done;

static void *call_meanwhile(void *ctx)
{
    while (!__atomic_load_n(&launches_done, __ATOMIC_ACQUIRE)) {
        const mx_err err = mx_ctx_copy(ctx, NULL, NULL, 0);
        if (err != MX_OK) CHECK_FAILS(err, MX_ERR_ARG, "mx_ctx_copy: called while kernel bd_sum");
    }
    return NULL;
}

/* The call fails or works, as it comes; the launch that it met fails. */
static void test_other_thread(mx_ctx ctx)
{
    pthread_t thread;
    bd_args args = {.call = NULL};
    double sum;
    begin(ctx);
    MUST(mx_bind(ctx, w.x, &args.x));
    MUST(mx_bind(ctx, w.y, &args.y));
    CHECK_I64(pthread_create(&thread, NULL, call_meanwhile, ctx), 0);
    for (int n = 0; n < LAUNCHES; n++) {
        const mx_err err = bd_sum(mx_range_1d(ctx, 0, N), &args, &sum);
        if (err != MX_OK) CHECK_FAILS(err, MX_ERR_ARG, "mx_ctx_copy was called while it ran");
    }
    __atomic_store_n(&launches_done, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    (void)bd_sum(mx_range_1d(ctx, 0, N), &args, &sum); /* a call behind the last launch */
    end(ctx);
}

/* Both runs of a checked launch, and only the second one, which has copies of the views. */
static void test_checked(mx_ctx ctx)
{
    static const char *const calls[] = {"mx_ctx_destroy was called", "mx_view_destroy was called",
                                        "mx_ctx_check_against was called",
                                        "kernel bd_for was launched"};
    MUST(mx_ctx_check_against(ctx, "serial", 1e-9));
    for (int n = 0; n < WRONG; n++)
        for (int c = 0; c < 4; c++)
            for (int from = 0; from < 2 && strcmp(wrong[n].name, calls[c]) == 0; from++)
                test_call(ctx, 0, &wrong[n], from);
    MUST(mx_ctx_check_against(ctx, NULL, 0));
}

static void test(mx_ctx ctx)
{
    static const a_call end_result = {destroy_result, "mx_view_destroy was called"};
    w.ctx = ctx;
    if (check_is_gpu(ctx)) return; /* a body there cannot call functions of the host */
    MUST(mx_ctx_create("serial", &w.other));
    for (int kernel = 0; kernel < 4; kernel++) {
        for (int n = 0; n < WRONG; n++) test_call(ctx, kernel, &wrong[n], 0);
        for (int n = 0; n < 2; n++) test_call(ctx, kernel, &right[n], 0);
    }
    test_call(ctx, 4, &end_result, 0);
    test_last_part(ctx);
    test_graph(ctx);
    test_later_node(ctx);
    test_inner(ctx, "serial");
    test_inner(ctx, "openmp:threads=2");
    test_numbers(ctx);
    test_parts(ctx);
    test_checked(ctx);
    if (strcmp(check_resource, "serial") == 0) test_other_thread(ctx);
    mx_ctx_destroy(&w.other);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
