/* Plans of launches: each is made once, however many kernels and ranges take turns; and each launch
 * gets its own, so that its result is right. */
#include "check.h"
#include "reduce_joins.h"

static int64_t plans_of(mx_ctx ctx)
{
    mx_ctx_details details;
    MUST(mx_ctx_get_details(ctx, &details));
    return details.plans;
}

/* The sum of begin to end - 1. */
static int64_t sum_of(int64_t begin, int64_t end)
{
    return end > begin ? (end - begin) * (begin + end - 1) / 2 : 0;
}

static void launch_line(mx_range_1 range)
{
    const rj_no_args args = {.factor = 3};
    int64_t sum = -1;
    CHECK_OK(rj_line(range, &args, &sum));
    CHECK_I64(sum, 3 * sum_of(range.begin[0], range.end[0]));
}

/* One kernel of each number of dimensions, over begin to end - 1 and short rows. */
static void launch_all(mx_ctx ctx, int64_t begin, int64_t end)
{
    enum { J = 3, K = 2 };
    const rj_no_args args = {.factor = 5};
    const int64_t sum = 5 * sum_of(begin, end), n = end > begin ? end - begin : 0;
    int64_t got = -1;
    launch_line(mx_range_1d(ctx, begin, end));
    CHECK_OK(rj_large(mx_range_2d(ctx, begin, end, 0, J), &args, &got));
    CHECK_I64(got, sum * J + n * sum_of(0, J));
    CHECK_OK(rj_planes(mx_range_3d(ctx, begin, end, 0, J, 0, K), &args, &got));
    CHECK_I64(got, sum * J * K + n * sum_of(0, J) * K + n * J * sum_of(0, K));
}

/* A cycle of multigrid: on each level kernels run over all points, and without those of one side or
 * of both. */
enum { LEVELS = 10, PARTS = 4, KERNELS = 3, KEYS = LEVELS * PARTS * KERNELS };
static void run_cycle(mx_ctx ctx)
{
    for (int level = 1; level <= LEVELS; level++)
        for (int part = 0; part < PARTS; part++)
            launch_all(ctx, part & 1, ((int64_t)1 << level) - (part >> 1));
}

static void test_cycles(mx_ctx ctx)
{
    const int64_t before = plans_of(ctx);
    for (int n = 0; n < 3; n++) {
        run_cycle(ctx);
        CHECK_I64(plans_of(ctx) - before, KEYS);
    }
}

/* What belongs to a key beside kernel and range. A launch that fails leaves no plan. */
static void test_keys(mx_ctx ctx)
{
    const mx_range_1 range = mx_range_1d(ctx, 0, 5000);
    const int64_t before = plans_of(ctx);
    const rj_no_args args = {.factor = 3};
    int64_t sum;
    for (int n = 0; n < 3; n++) {
        launch_line(range);
        launch_line(mx_tiled_1d(range, 100));
        launch_line(mx_tiled_1d(range, 200));
        launch_line(mx_dynamic_1d(range));
        CHECK_FAILS(rj_line(mx_tiled_1d(range, -1), &args, &sum), MX_ERR_ARG, "tile 0: got -1");
    }
    CHECK_I64(plans_of(ctx) - before, 4);
}

/* The table does not grow without end. Afterwards a cycle is planned once more, or twice, if the
 * table became full meanwhile. */
static void test_many(mx_ctx ctx)
{
    enum { MANY = 5000 }; /* more than the 4096 slots that the table may have */
    const int64_t before = plans_of(ctx);
    for (int64_t n = 0; n < MANY; n++) launch_line(mx_range_1d(ctx, n, n + 1));
    CHECK(plans_of(ctx) - before >= MANY - 2); /* a cycle has two of these ranges */
    run_cycle(ctx);
    run_cycle(ctx);
    const int64_t twice = plans_of(ctx);
    run_cycle(ctx);
    CHECK_I64(plans_of(ctx), twice);
}

/* The table of plans grows while plans with a prologue are in it. A graph that was recorded before
 * still computes the same. The context has no plans yet. */
static void launch_doubled(mx_ctx ctx, int64_t end, int factor)
{
    const rj_no_args args = {.factor = factor};
    int64_t sum = -1;
    CHECK_OK(rj_doubled(mx_range_1d(ctx, 0, end), &args, &sum));
    CHECK_I64(sum, 2 * factor * sum_of(0, end));
}

static void test_growth(mx_ctx ctx)
{
    enum { NODES = 5, MANY = 600 }; /* more than the table has slots at first, several times */
    int64_t sums[NODES];
    mx_graph graph;
    mx_view view;
    MUST(mx_view_create_1d(ctx, "sums", MX_I64, NODES, &view));
    MUST(mx_graph_create(ctx, &graph));
    for (int n = 0; n < NODES; n++) {
        const rj_no_args args = {.factor = n + 1};
        CHECK_OK(rj_doubled_into(mx_range_1d(ctx, 0, 1000 + n), &args, view, n));
    }
    MUST(mx_graph_finish(graph));
    for (int64_t n = 1; n <= MANY; n++) {
        launch_doubled(ctx, n, 3);
        launch_doubled(ctx, n / 2 + 1, 5); /* a plan that was made before */
    }
    CHECK_I64(plans_of(ctx), NODES + MANY);
    for (int64_t n = 1; n <= MANY; n++) launch_doubled(ctx, n, 7);
    CHECK_I64(plans_of(ctx), NODES + MANY);
    MUST(mx_fill(ctx, view, &(int64_t){-1}));
    CHECK_OK(mx_graph_run(graph));
    check_download(ctx, view, sums);
    for (int n = 0; n < NODES; n++) CHECK_I64(sums[n], 2 * (n + 1) * sum_of(0, 1000 + n));
    mx_graph_destroy(&graph);
    MUST(mx_view_destroy(&view));
}

static void test(mx_ctx ctx)
{
    test_growth(ctx);
    test_cycles(ctx);
    test_keys(ctx);
    test_many(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
