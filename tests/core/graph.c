/* Graphs: a diamond of kernels with two independent reductions is recorded and run several times.
 * Its results are compared with those of single launches and of a plain loop. Also what must not be
 * recorded or run. */
#include "graph.h"
#include "check.h"

enum { N = 20000, ROUNDS = 5 };

typedef struct diamond {
    mx_view x, b, c, d, sums, scale;
    gr_args to_b, to_c, to_d, sum_b, sum_c, shift, scan;
} diamond;

static void set_up(mx_ctx ctx, diamond *g)
{
    memset(g, 0, sizeof *g);
    gr_args unbound = {0};
    mx_bind_none(&unbound.from);
    mx_bind_none(&unbound.more);
    mx_bind_none(&unbound.to);
    mx_bind_none(&unbound.scale);
    g->to_b = g->to_c = g->sum_b = g->sum_c = g->to_d = g->shift = g->scan = unbound;
    MUST(mx_view_create_1d(ctx, "x", MX_I64, N, &g->x));
    MUST(mx_view_create_1d(ctx, "b", MX_I64, N, &g->b));
    MUST(mx_view_create_1d(ctx, "c", MX_I64, N, &g->c));
    MUST(mx_view_create_1d(ctx, "d", MX_I64, N, &g->d));
    MUST(mx_view_create_1d(ctx, "sums", MX_I64, 3, &g->sums));
    MUST(mx_view_create_0d(ctx, "scale", MX_I64, &g->scale));
    MUST(mx_bind(ctx, g->x, &g->to_b.from));
    MUST(mx_bind(ctx, g->b, &g->to_b.to));
    g->to_b.factor = 3;
    MUST(mx_bind(ctx, g->x, &g->to_c.from));
    MUST(mx_bind(ctx, g->c, &g->to_c.to));
    g->to_c.factor = -2;
    MUST(mx_bind(ctx, g->b, &g->sum_b.from));
    MUST(mx_bind(ctx, g->c, &g->sum_c.from));
    MUST(mx_bind(ctx, g->b, &g->to_d.from));
    MUST(mx_bind(ctx, g->c, &g->to_d.more));
    MUST(mx_bind(ctx, g->d, &g->to_d.to));
    MUST(mx_bind(ctx, g->d, &g->shift.to));
    MUST(mx_bind(ctx, g->scale, &g->shift.scale));
    MUST(mx_bind(ctx, g->d, &g->scan.from));
    MUST(mx_bind(ctx, g->x, &g->scan.to));
}

static void start(mx_ctx ctx, const diamond *g)
{
    int64_t *const x = check_memory(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = i % 11 - 3;
    check_upload(ctx, g->x, x);
    free(x);
}

/* x -> b, c; sums of both beside each other; b + c -> d, shifted by a sum; the scan of d -> x. */
static void launch_all(mx_ctx ctx, diamond *g, mx_graph graph)
{
    const mx_range_1 r = mx_range_1d(ctx, 0, N);
    mx_node b = -1, c = -1, d = -1, sums[2] = {-1, -1};
    MUST(gr_scale(r, &g->to_b));
    if (graph != NULL) b = mx_graph_last(graph);
    if (graph != NULL) MUST(mx_graph_after(graph, 0, NULL));
    MUST(gr_scale(r, &g->to_c));
    if (graph != NULL) c = mx_graph_last(graph);
    if (graph != NULL) MUST(mx_graph_after(graph, 1, &b));
    MUST(gr_sum_into(r, &g->sum_b, g->scale, 0));
    if (graph != NULL) sums[0] = mx_graph_last(graph);
    if (graph != NULL) MUST(mx_graph_after(graph, 1, &c));
    MUST(gr_sum_into(r, &g->sum_c, g->sums, 1));
    if (graph != NULL) sums[1] = mx_graph_last(graph);
    if (graph != NULL) MUST(mx_graph_after(graph, 2, (const mx_node[]){b, c}));
    MUST(gr_add(r, &g->to_d));
    if (graph != NULL) d = mx_graph_last(graph);
    if (graph != NULL) MUST(mx_graph_after(graph, 3, (const mx_node[]){sums[0], sums[1], d}));
    MUST(gr_by_scalar(r, &g->shift));
    MUST(gr_scan_into(r, &g->scan, g->sums, 2));
}

static void plain_round(int64_t *x, int64_t *sum_c)
{
    int64_t sum_b = 0, scan = 0;
    *sum_c = 0;
    for (int i = 0; i < N; i++) {
        sum_b += 3 * x[i] + 1;
        *sum_c += -2 * x[i] + 1;
    }
    for (int i = 0; i < N; i++) {
        scan += (x[i] + 2 + sum_b % 7) % 5;
        x[i] = scan;
    }
}

static void check_replay(mx_ctx ctx, diamond *g)
{
    mx_graph graph;
    int64_t x[N], once[N], expected[N], sum_c = 0, got = 0;
    start(ctx, g);
    check_download(ctx, g->x, expected);
    MUST(mx_graph_create(ctx, &graph));
    CHECK_I64(mx_graph_last(graph), -1);
    launch_all(ctx, g, graph);
    CHECK_I64(mx_graph_last(graph), 6);
    CHECK_OK(mx_graph_finish(graph));
    check_download(ctx, g->x, x);
    CHECK(memcmp(x, expected, sizeof x) == 0); /* recording ran nothing */
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_OK(mx_graph_run(graph));
        plain_round(expected, &sum_c);
    }
    check_download(ctx, g->x, x);
    CHECK(memcmp(x, expected, sizeof x) == 0);
    MUST(mx_read_element(ctx, g->sums, 1, &got));
    CHECK_I64(got, sum_c);
    start(ctx, g);
    for (int round = 0; round < ROUNDS; round++) launch_all(ctx, g, NULL);
    check_download(ctx, g->x, once);
    CHECK(memcmp(once, x, sizeof x) == 0);
    mx_graph_destroy(&graph);
    CHECK(graph == NULL);
}

static void check_errors(mx_ctx ctx, diamond *g)
{
    const mx_range_1 r = mx_range_1d(ctx, 0, N);
    mx_graph graph, second;
    int64_t sum = 0;
    mx_view gone;
    gr_args args = g->to_b;
    CHECK_FAILS(mx_graph_create(NULL, &graph), MX_ERR_ARG, "context");
    MUST(mx_graph_create(ctx, &graph));
    CHECK_FAILS(mx_graph_create(ctx, &second), MX_ERR_ARG, "records a graph already");
    CHECK(second == NULL);
    CHECK_FAILS(gr_sum(r, &g->sum_b, &sum), MX_ERR_ARG, "gr_sum_into");
    CHECK_FAILS(mx_graph_after(graph, 1, (const mx_node[]){0}), MX_ERR_ARG, "node 0");
    CHECK_FAILS(mx_graph_run(graph), MX_ERR_ARG, "still records");
    CHECK_FAILS(mx_write_element(ctx, g->sums, 0, &sum), MX_ERR_ARG, "records a graph");
    MUST(mx_view_create_1d(ctx, "gone", MX_I64, N, &gone));
    MUST(mx_bind(ctx, gone, &args.to));
    MUST(gr_scale(r, &args));
    MUST(mx_graph_finish(graph));
    CHECK_FAILS(mx_graph_finish(graph), MX_ERR_ARG, "expected a graph that records");
    CHECK_OK(mx_graph_run(graph));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&gone));
    CHECK_FAILS(mx_graph_run(graph), MX_ERR_STALE, "gr_scale");
    mx_graph_destroy(&graph);
    mx_graph_destroy(&graph);
    mx_graph_destroy(NULL);
    MUST(mx_graph_create(ctx, &graph));
    MUST(mx_view_create_1d(ctx, "gone", MX_I64, 1, &gone));
    CHECK_FAILS(mx_ctx_check_against(ctx, "serial", 0), MX_ERR_ARG, "records a graph");
    MUST(gr_sum_into(r, &g->sum_b, gone, 0));
    MUST(mx_graph_finish(graph));
    CHECK_OK(mx_graph_run(graph));
    MUST(mx_fence(ctx));
    MUST(mx_view_destroy(&gone));
    CHECK_FAILS(mx_graph_run(graph), MX_ERR_STALE, "gr_sum");
    mx_graph_destroy(&graph);
}

/* Two steps with a swap behind each. A node means memory, whatever handles mean later. */
static void check_swaps(mx_ctx ctx, diamond *g)
{
    mx_graph graph;
    int64_t x[N], got[N];
    gr_args step = g->to_b;
    start(ctx, g);
    check_download(ctx, g->x, x);
    MUST(mx_graph_create(ctx, &graph));
    for (int s = 0; s < 2; s++) {
        MUST(mx_bind(ctx, g->x, &step.from));
        MUST(mx_bind(ctx, g->b, &step.to));
        CHECK_OK(gr_scale(mx_range_1d(ctx, 0, N), &step));
        CHECK_OK(mx_view_swap(&g->x, &g->b));
    }
    CHECK_FAILS(gr_scale(mx_range_1d(ctx, 0, N), &step), MX_ERR_STALE, "before mx_view_swap");
    CHECK_OK(mx_graph_finish(graph));
    for (int round = 0; round < 3; round++) {
        CHECK_OK(mx_graph_run(graph));
        for (int i = 0; i < N; i++) x[i] = 3 * (3 * x[i] + 1) + 1;
    }
    check_download(ctx, g->x, got);
    CHECK(memcmp(got, x, sizeof x) == 0);
    /* a destroyed view is an error also behind a swap */
    MUST(mx_view_destroy(&g->b));
    CHECK_FAILS(mx_graph_run(graph), MX_ERR_STALE, "destroyed");
    mx_graph_destroy(&graph);
    MUST(mx_view_create_1d(ctx, "b", MX_I64, N, &g->b));
}

/* A plan under check=races has other teams, and runs other code. */
static void check_race_check(mx_ctx ctx, diamond *g)
{
    mx_graph graph, watched;
    MUST(mx_graph_create(ctx, &graph));
    MUST(gr_teams(mx_league(ctx, 8, MX_AUTO, MX_AUTO), &g->to_b));
    MUST(mx_graph_finish(graph));
    if (mx_ctx_check_against(ctx, "races", 0) == MX_OK) {
        CHECK_FAILS(mx_graph_run(graph), MX_ERR_ARG, "check=races has begun since it was recorded");
        MUST(mx_graph_create(ctx, &watched));
        MUST(gr_teams(mx_league(ctx, 8, MX_AUTO, MX_AUTO), &g->to_b));
        MUST(mx_graph_finish(watched));
        CHECK_OK(mx_graph_run(watched));
        MUST(mx_ctx_check_against(ctx, NULL, 0));
        CHECK_FAILS(mx_graph_run(watched), MX_ERR_ARG, "check=races has ended since");
        mx_graph_destroy(&watched);
    }
    CHECK_OK(mx_graph_run(graph));
    MUST(mx_fence(ctx));
    mx_graph_destroy(&graph);
}

static void test(mx_ctx ctx)
{
    diamond g;
    set_up(ctx, &g);
    check_replay(ctx, &g);
    check_errors(ctx, &g);
    check_race_check(ctx, &g);
    check_swaps(ctx, &g);
    MUST(mx_view_destroy(&g.x));
    MUST(mx_view_destroy(&g.b));
    MUST(mx_view_destroy(&g.c));
    MUST(mx_view_destroy(&g.d));
    MUST(mx_view_destroy(&g.sums));
    MUST(mx_view_destroy(&g.scale));
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
