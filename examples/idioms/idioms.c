/* The idioms of docs/idioms.md: idioms [BACKEND]. The page shows lines of this file; a test compares them. main checks each result
 * with numbers that follow from x(i) = i. */
#include <minx/graph.h>
#include <minx/kernel.h>
#include <minx/kit/random.h>
#include <minx/kit/scatter.h>
#include <minx/kit/sort.h>
#include <minx/minx.h>
#include <minx/scan.h>
#include <minx/team.h>
#include <minx/tools.h>

typedef struct moments {
    double count, mean, m2;
} moments;
#define LIMITS(FIELD) FIELD(double, least, MX_MIN) FIELD(double, most, MX_MAX)
MX_VALUE(limits, LIMITS)

MX_ARGS(vector_args, (mx_f64_1, y)(mx_cf64_1, x), double alpha;);
MX_ARGS(grid_args, (mx_f64_2, fresh)(mx_cf64_2, u));
MX_ARGS(matrix_args, (mx_cf64_2, a)(mx_f64_1, sums));
MX_ARGS(list_args, (mx_i32_1, begin)(mx_ci32_1, count));
MX_ARGS(bins_args, (mx_ci32_1, bin)(mx_f64_1, sums));
MX_ARGS(scatter_args, (mx_ci32_1, bin)(MX_SCATTER_OF(mx_f64_1, MX_SUM), sums, MX_SCATTER_ACCESSOR));
MX_DECLARE_FOR(1D, axpy, vector_args)
MX_DECLARE_FOR(2D, smooth, grid_args)
MX_DECLARE_REDUCE(1D, dot, vector_args, double)
MX_DECLARE_REDUCE(1D, range_of, vector_args, limits)
MX_DECLARE_REDUCE(1D, moments_of, vector_args, moments)
MX_DECLARE_SCAN(1D, offsets, list_args, int32_t)
MX_DECLARE_FOR(TEAM, row_sums, matrix_args)
MX_DECLARE_FOR(TEAM, reversed, vector_args)
MX_DECLARE_FOR(1D, histogram, bins_args)
MX_DECLARE_FOR(1D, scattered, scatter_args)
MX_DECLARE_REDUCE_ARRAY(1D, counts_of, bins_args, double)
MX_DECLARE_FOR(1D, noise, vector_args)

/* for */
MX_BODY void axpy_body(const vector_args *a, int i) { MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i); }
MX_FOR(1D, axpy)

/* 2-D for */
MX_BODY void smooth_body(const grid_args *a, int i, int j)
{
    MX_AT(a->fresh, i, j) = 0.5 * (MX_AT(a->u, i - 1, j) + MX_AT(a->u, i + 1, j));
}
MX_FOR(2D, smooth)

/* reduce */
MX_BODY void dot_body(const vector_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->y, i);
}
MX_REDUCE(1D, dot, MX_SUM)

/* several results */
MX_BODY void range_of_body(const vector_args *a, int i, limits *v)
{
    const double x = MX_AT(a->x, i);
    v->least = x < v->least ? x : v->least;
    v->most = v->most < x ? x : v->most;
}
MX_REDUCE_FIELDS(1D, range_of, LIMITS)

/* custom reduce: mean and variance */
MX_BODY void moments_init(moments *v) { v->count = v->mean = v->m2 = 0; }
MX_BODY void moments_join(moments *into, const moments *v)
{
    const double count = into->count + v->count, d = v->mean - into->mean;
    if (count == 0) return;
    into->mean += d * v->count / count;
    into->m2 += v->m2 + d * d * into->count * v->count / count;
    into->count = count;
}
MX_BODY void moments_of_body(const vector_args *a, int i, moments *v)
{
    const moments one = {1, MX_AT(a->x, i), 0};
    moments_join(v, &one);
}
MX_REDUCE_CUSTOM(1D, moments_of, moments_init, moments_join)

/* scan */
MX_BODY void offsets_body(const list_args *a, int i, int32_t *sum, bool final)
{
    if (final) MX_AT(a->begin, i) = *sum;
    *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, offsets, MX_SUM)

/* team */
MX_BODY void row_sums_body(const matrix_args *a, mx_team *t)
{
    const int row = t->league_rank;
    MX_TEAM_FOR (t, part, 0, 1) {
        double sum;
        MX_VECTOR_SUM (t, j, 0, (int)MX_EXTENT(a->a, 1), sum) sum += MX_AT(a->a, row, j);
        MX_VECTOR_SINGLE (t) MX_AT(a->sums, row) = sum;
    }
}
MX_FOR(TEAM, row_sums)

/* scratch, barrier: each team turns its 64 elements round */
MX_BODY void reversed_body(const vector_args *a, mx_team *t)
{
    const int begin = t->league_rank * 64;
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, part, 64);
    MX_TEAM_VECTOR_FOR(t, i, 0, 64)
    MX_AT(part, i) = MX_AT(a->x, begin + i);
    mx_team_barrier(t);
    MX_TEAM_VECTOR_FOR(t, i, 0, 64)
    MX_AT(a->y, begin + i) = MX_AT(part, 63 - i);
}
MX_FOR(TEAM, reversed)

/* atomic */
MX_BODY void histogram_body(const bins_args *a, int i)
{
    mx_atomic_add(&MX_AT(a->sums, MX_AT(a->bin, i)), 1.0);
}
MX_FOR(1D, histogram)

/* scatter */
MX_BODY void scattered_body(const scatter_args *a, int i)
{
    MX_SCATTER(a->sums, 1.0, MX_AT(a->bin, i));
}
MX_FOR(1D, scattered)

/* reduce into an array */
MX_BODY void counts_of_body(const bins_args *a, int i, counts_of_array counts)
{
    mx_array_add(counts, MX_AT(a->bin, i), 1.0);
}
MX_REDUCE_ARRAY(1D, counts_of, MX_SUM)

/* random */
MX_BODY void noise_body(const vector_args *a, int i)
{
    mx_random r = mx_random_at(42, (uint64_t)i, 0);
    MX_AT(a->y, i) = mx_random_f64(&r);
}
MX_FOR(1D, noise)

#ifdef MX_DRIVER
#include <math.h>

enum { N = 4096, ROWS = 24, COLUMNS = 40, BINS = 10 };

#define EXPECT(value, expected)                                                      \
    MX_REQUIRE(fabs((value) - (expected)) <= 1e-9 * fabs(expected), MX_ERR_MISMATCH, \
               "%s is %.17g, expected %.17g", #value, (double)(value), (double)(expected))

static mx_err elements(mx_ctx ctx, mx_view x, mx_view y)
{
    static double host[N], back[N];
    vector_args args = {.alpha = 2};
    double sum, last;
    limits range;
    moments m;
    for (int i = 0; i < N; i++) host[i] = i;

    /* copy from and to the host */
    MX_TRY(mx_import(ctx, x, host, NULL));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));

    MX_TRY(axpy(mx_range_1d(ctx, 0, N), &args));
    MX_TRY(mx_export(ctx, y, back, NULL));
    EXPECT(back[N - 1], 2.0 * (N - 1));
    MX_TRY(dot(mx_range_1d(ctx, 0, N), &args, &sum));
    EXPECT(sum, 2.0 * (N - 1) * N * (2 * N - 1) / 6);
    MX_TRY(range_of(mx_range_1d(ctx, 0, N), &args, &range));
    EXPECT(range.most - range.least, N - 1.0);
    MX_TRY(moments_of(mx_range_1d(ctx, 0, N), &args, &m));
    EXPECT(m.mean, (N - 1) / 2.0);
    EXPECT(m.m2 / N, ((double)N * N - 1) / 12);

    const mx_teams teams = mx_league(ctx, N / 64, MX_AUTO, MX_AUTO);
    MX_TRY(reversed(mx_with_scratch(teams, 0, 64 * sizeof(double), 0), &args));
    MX_TRY(mx_read_element(ctx, y, 64, &last));
    EXPECT(last, 127.0);
    MX_TRY(noise(mx_range_1d(ctx, 0, N), &args));
    MX_TRY(mx_sort(ctx, y));
    MX_TRY(mx_export(ctx, y, back, NULL));
    for (int i = 1; i < N; i++)
        MX_REQUIRE(back[i - 1] <= back[i], MX_ERR_MISMATCH, "not sorted at %d", i);
    return MX_OK;
}

static mx_err graph_of(mx_ctx ctx, mx_view y, const vector_args *args)
{
    mx_graph graph;
    double last;
    MX_TRY(mx_fill(ctx, y, &(double){0}));
    MX_TRY(mx_graph_create(ctx, &graph));
    MX_TRY(axpy(mx_range_1d(ctx, 0, N), args));
    MX_TRY(mx_graph_finish(graph));
    for (int step = 0; step < 10; step++) MX_TRY(mx_graph_run(graph));
    mx_graph_destroy(&graph);
    MX_TRY(mx_read_element(ctx, y, 1, &last));
    EXPECT(last, 10 * args->alpha);
    return MX_OK;
}

static mx_err bins_of(mx_ctx ctx)
{
    static int32_t host[N];
    static double sums[BINS], totals[BINS];
    mx_view bin, counts;
    bins_args plain;
    scatter_args args;
    mx_scatter s;
    for (int i = 0; i < N; i++) host[i] = i % BINS;
    MX_TRY(mx_view_create_1d(ctx, "bin", MX_I32, N, &bin));
    MX_TRY(mx_view_create_1d(ctx, "counts", MX_F64, BINS, &counts));
    MX_TRY(mx_import(ctx, bin, host, NULL));
    MX_TRY(mx_bind(ctx, bin, &plain.bin));
    MX_TRY(mx_bind(ctx, counts, &plain.sums));
    MX_TRY(mx_bind(ctx, bin, &args.bin));

    MX_TRY(histogram(mx_range_1d(ctx, 0, N), &plain));
    MX_TRY(mx_scatter_create(ctx, counts, MX_SUM, &s));
    MX_TRY(mx_scatter_bind(ctx, &s, &args.sums));
    MX_TRY(scattered(mx_range_1d(ctx, 0, N), &args));
    MX_TRY(mx_scatter_contribute(ctx, &s, counts));

    MX_TRY(counts_of(mx_range_1d(ctx, 0, N), &plain, BINS, totals));
    EXPECT(totals[0], (double)((N + BINS - 1) / BINS));

    MX_TRY(mx_export(ctx, counts, sums, NULL));
    EXPECT(sums[0], 2.0 * ((N + BINS - 1) / BINS));
    MX_TRY(mx_scatter_destroy(&s));
    MX_TRY(mx_view_destroy(&counts));
    return mx_view_destroy(&bin);
}

static mx_err lists(mx_ctx ctx)
{
    mx_view count, begin;
    list_args args;
    int32_t total;
    MX_TRY(mx_view_create_1d(ctx, "count", MX_I32, N, &count));
    MX_TRY(mx_view_create_1d(ctx, "begin", MX_I32, N, &begin));
    MX_TRY(mx_fill(ctx, count, &(int32_t){3}));
    MX_TRY(mx_bind(ctx, count, &args.count));
    MX_TRY(mx_bind(ctx, begin, &args.begin));
    MX_TRY(offsets(mx_range_1d(ctx, 0, N), &args, &total));
    EXPECT((double)total, 3.0 * N);
    MX_TRY(mx_view_destroy(&begin));
    return mx_view_destroy(&count);
}

static mx_err grids(mx_ctx ctx)
{
    mx_view u, fresh, row, sums, mirror;
    grid_args args;
    matrix_args matrix;
    double first;
    void *data;

    /* allocate; layout */
    MX_TRY(mx_view_create_2d(ctx, "u", MX_F64, ROWS, COLUMNS, &u));
    const mx_view_options options = {.layout = MX_LAYOUT_LEFT};
    MX_TRY(
        mx_view_create(ctx, "left", MX_F64, 2, (const int64_t[]){ROWS, COLUMNS}, &options, &fresh));
    MX_TRY(mx_view_destroy(&fresh));

    MX_TRY(mx_view_create_2d(ctx, "fresh", MX_F64, ROWS, COLUMNS, &fresh));
    MX_TRY(mx_view_create_1d(ctx, "sums", MX_F64, ROWS, &sums));
    MX_TRY(mx_fill(ctx, u, &(double){1.5}));
    MX_TRY(mx_bind(ctx, u, &args.u));
    MX_TRY(mx_bind(ctx, fresh, &args.fresh));
    MX_TRY(smooth(mx_range_2d(ctx, 1, ROWS - 1, 0, COLUMNS), &args));
    MX_TRY(mx_bind(ctx, fresh, &matrix.a));
    MX_TRY(mx_bind(ctx, sums, &matrix.sums));
    MX_TRY(row_sums(mx_league(ctx, ROWS, 1, MX_AUTO), &matrix));
    MX_TRY(mx_read_element(ctx, sums, 1, &first));
    EXPECT(first, 1.5 * COLUMNS);

    /* subview */
    MX_TRY(mx_subview(u, MX_SLICES(mx_index(3), mx_all()), &row));
    MX_TRY(mx_fill(ctx, row, &(double){4}));

    /* mirror, deep copy, fence */
    MX_TRY(mx_mirror_create(u, &mirror));
    MX_TRY(mx_deep_copy(ctx, mirror, u));
    MX_TRY(mx_fence(ctx));
    MX_TRY(mx_view_host_data(mirror, &data));
    mx_view_info info;
    MX_TRY(mx_view_get_info(mirror, &info));
    EXPECT(((double *)data)[mx_view_offset(&info, (const int64_t[]){3, 0})], 4.0);

    mx_view *const views[] = {&row, &mirror, &sums, &fresh, &u};
    for (int v = 0; v < 5; v++) MX_TRY(mx_view_destroy(views[v]));
    return MX_OK;
}

/* streams: two contexts, one after the other */
static mx_err streams(mx_ctx ctx, const char *resource, mx_view x, mx_view y)
{
    vector_args args = {.alpha = 1};
    mx_ctx other;
    MX_TRY(mx_ctx_create(resource, &other));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));

    MX_TRY(axpy(mx_range_1d(ctx, 0, N), &args));
    MX_TRY(mx_ctx_wait(other, ctx));
    MX_TRY(axpy(mx_range_1d(other, 0, N), &args));

    MX_TRY(mx_fence(other));
    MX_TRY(graph_of(ctx, y, &args));
    mx_ctx_destroy(&other);
    return MX_OK;
}

static mx_err run(const char *resource)
{
    mx_ctx ctx;
    mx_view x, y;
    MX_TRY(mx_ctx_create(resource, &ctx));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, N, &x));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, N, &y));
    mx_region_push("elements");
    MX_TRY(elements(ctx, x, y));
    mx_region_pop();
    MX_TRY(bins_of(ctx));
    MX_TRY(lists(ctx));
    MX_TRY(grids(ctx));
    MX_TRY(streams(ctx, resource, x, y));
    MX_TRY(mx_view_destroy(&x));
    MX_TRY(mx_view_destroy(&y));
    mx_ctx_destroy(&ctx);
    return MX_OK;
}

int main(int argc, char **argv)
{
    mx_err err = mx_init();
    if (err == MX_OK) err = run(argc > 1 ? argv[1] : "serial");
    if (err != MX_OK)
        fprintf(stderr, "%s: %s\n%s", mx_err_name(err), mx_err_message(), mx_err_trace());
    mx_finalize();
    return err != MX_OK;
}
#endif
