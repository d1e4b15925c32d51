/* Determinism: every run gives the same bits, for any number of threads, and openmp gives the bits
 * of serial. The numbers have different magnitudes and signs, so that sums in another order have
 * other bits. */
#include "determinism.h"
#include "check.h"

enum { N0 = 60, N1 = 70, N2 = 30, N = N0 * N1 * N2, BINS = 7, ROWS = 600, TEAMS = ROWS / 4 };

typedef struct results {
    double sum_1d, tiled, dynamic, sum_of_threes, sum_2d, sum_3d, nested;
    dt_value fields, threes;
    dt_custom moments;
    double bins[4][BINS],
        into; /* bins: with the chunks of the backend, in parts of 1000 and of 97 items, dynamic */
    double team, rows[ROWS];
    double graph_1d, graph_2d, graph_3d; /* sum_1d and so on, recorded in a graph */
    dt_custom graph_moments;
} results;

static void measure_bins(mx_ctx ctx, const dt_args *args, results *r)
{
    CHECK_OK(dt_bins(mx_range_1d(ctx, 0, N), args, BINS, r->bins[0]));
    CHECK_OK(dt_bins(mx_tiled_1d(mx_range_1d(ctx, 0, N), 1000), args, BINS, r->bins[1]));
    CHECK_OK(dt_bins(mx_tiled_1d(mx_range_1d(ctx, 0, N), 97), args, BINS, r->bins[2]));
    CHECK_OK(dt_bins(mx_dynamic_1d(mx_range_1d(ctx, 0, N)), args, BINS, r->bins[3]));
}

static void measure_teams(mx_ctx ctx, const dt_args *args, results *r)
{
    mx_view rows;
    dt_team_args team = {.x = args->x, .columns = N / ROWS};
    MUST(mx_view_create_1d(ctx, "rows", MX_F64, ROWS, &rows));
    MUST(mx_bind(ctx, rows, &team.rows));
    CHECK_OK(dt_team(mx_league(ctx, TEAMS, 1, 1), &team, &r->team));
    MUST(mx_export(ctx, rows, r->rows, NULL));
    MUST(mx_view_destroy(&rows));
}

/* No node waits for another: on cuda they may run at the same time, so each needs partial results
 * of its own. */
static void measure_graph(mx_ctx ctx, const dt_args *args, results *r)
{
    mx_graph graph;
    mx_view sums, moments;
    const dt_args plane = {.x = args->x, .columns = N1 * N2};
    double got[3];
    MUST(mx_view_create_1d(ctx, "sums", MX_F64, 3, &sums));
    MUST(mx_view_create_0d(ctx, "moments", MX_USER(dt_custom), &moments));
    MUST(mx_graph_create(ctx, &graph));
    CHECK_OK(dt_sum_1d_into(mx_range_1d(ctx, 0, N), args, sums, 0));
    MUST(mx_graph_after(graph, 0, NULL));
    CHECK_OK(dt_sum_2d_into(mx_range_2d(ctx, 0, N0, 0, N1 * N2), &plane, sums, 1));
    MUST(mx_graph_after(graph, 0, NULL));
    CHECK_OK(dt_sum_3d_into(mx_range_3d(ctx, 0, N0, 0, N1, 0, N2), args, sums, 2));
    MUST(mx_graph_after(graph, 0, NULL));
    CHECK_OK(dt_moments_into(mx_range_1d(ctx, 0, N), args, moments, 0));
    MUST(mx_graph_finish(graph));
    MUST(mx_graph_run(graph));
    MUST(mx_graph_run(graph));
    MUST(mx_export(ctx, sums, got, NULL));
    MUST(mx_read_element(ctx, moments, 0, &r->graph_moments));
    r->graph_1d = got[0];
    r->graph_2d = got[1];
    r->graph_3d = got[2];
    mx_graph_destroy(&graph);
    MUST(mx_view_destroy(&sums));
    MUST(mx_view_destroy(&moments));
}

/* All results on a context of this resource. */
static results measure(const char *resource)
{
    mx_ctx ctx;
    mx_view x, into;
    results r;
    dt_args args;
    memset(&r, 0, sizeof r); /* compared as bytes: padding too */
    memset(&args, 0, sizeof args);
    MUST(mx_ctx_create(resource, &ctx));
    MUST(mx_view_create_1d(ctx, "x", MX_F64, N, &x));
    MUST(mx_view_create_0d(ctx, "into", MX_F64, &into));
    double *const host = check_memory(N * sizeof *host);
    check_random_state = 88172645463325252u; /* the same numbers in every call */
    for (int i = 0; i < N; i++)
        host[i] =
            ldexp((double)check_random_int(-1000000, 1000000), (int)check_random_int(-30, 10));
    check_upload(ctx, x, host);
    free(host);
    MUST(mx_bind(ctx, x, &args.x));
    args.columns = N1;
    args.planes = N2;
    CHECK_OK(dt_sum_1d(mx_range_1d(ctx, 0, N), &args, &r.sum_1d));
    CHECK_OK(dt_sum_1d(mx_tiled_1d(mx_range_1d(ctx, 3, N), 1000), &args, &r.tiled));
    CHECK_OK(dt_sum_1d(mx_dynamic_1d(mx_range_1d(ctx, 3, N)), &args, &r.dynamic));
    CHECK_OK(dt_sum_3d(mx_range_3d(ctx, 0, N0, 0, N1, 0, N2), &args, &r.sum_3d));
    CHECK_OK(dt_nested(mx_range_2d(ctx, 0, N0, 0, N1), &args, &r.nested));
    CHECK_OK(dt_moments(mx_range_1d(ctx, 0, N), &args, &r.moments));
    measure_bins(ctx, &args, &r);
    measure_teams(ctx, &args, &r);
    measure_graph(ctx, &args, &r);
    args.columns = 3;
    CHECK_OK(dt_sum_2d(mx_range_2d(ctx, 0, N / 3, 0, 3), &args, &r.sum_of_threes));
    CHECK_OK(dt_fields(mx_range_2d(ctx, 0, N / 3, 0, 3), &args, &r.threes));
    args.columns = N1 * N2;
    CHECK_OK(dt_sum_2d(mx_range_2d(ctx, 0, N0, 0, N1 * N2), &args, &r.sum_2d));
    CHECK_OK(dt_fields(mx_range_2d(ctx, 0, N0, 0, N1 * N2), &args, &r.fields));
    CHECK_OK(dt_sum_2d_into(mx_range_2d(ctx, 0, N0, 0, N1 * N2), &args, into, 0));
    MUST(mx_read_element(ctx, into, 0, &r.into));
    MUST(mx_view_destroy(&x));
    MUST(mx_view_destroy(&into));
    mx_ctx_destroy(&ctx);
    return r;
}

static bool same_bits(const void *a, const void *b, size_t size) { return memcmp(a, b, size) == 0; }

static void compare(const results *got, const results *expected, const char *a, const char *b)
{
    const int failures = check_failures;
    CHECK(same_bits(&got->sum_1d, &expected->sum_1d, sizeof got->sum_1d));
    CHECK(same_bits(&got->tiled, &expected->tiled, sizeof got->tiled));
    CHECK(same_bits(&got->dynamic, &expected->dynamic, sizeof got->dynamic));
    CHECK(same_bits(&got->sum_2d, &expected->sum_2d, sizeof got->sum_2d));
    CHECK(same_bits(&got->sum_of_threes, &expected->sum_of_threes, sizeof got->sum_of_threes));
    CHECK(same_bits(&got->threes.sum, &expected->threes.sum, sizeof got->threes.sum));
    CHECK(same_bits(&got->sum_3d, &expected->sum_3d, sizeof got->sum_3d));
    CHECK(same_bits(&got->nested, &expected->nested, sizeof got->nested));
    CHECK(same_bits(&got->fields.sum, &expected->fields.sum, sizeof got->fields.sum));
    CHECK(same_bits(&got->fields.small, &expected->fields.small, sizeof got->fields.small));
    CHECK(same_bits(&got->fields.largest, &expected->fields.largest, sizeof got->fields.largest));
    CHECK(same_bits(&got->moments, &expected->moments, sizeof got->moments));
    /* on cuda arrays are joined by atomics, in no fixed order */
    if (check_gpu() == NULL) CHECK(same_bits(got->bins, expected->bins, sizeof got->bins));
    CHECK(same_bits(&got->team, &expected->team, sizeof got->team));
    CHECK(same_bits(got->rows, expected->rows, sizeof got->rows));
    /* into a view, in a graph, or to the host: one number */
    CHECK(same_bits(&got->into, &got->sum_2d, sizeof got->into));
    CHECK(same_bits(&got->graph_1d, &got->sum_1d, sizeof got->graph_1d));
    CHECK(same_bits(&got->graph_2d, &got->sum_2d, sizeof got->graph_2d));
    CHECK(same_bits(&got->graph_3d, &got->sum_3d, sizeof got->graph_3d));
    CHECK(same_bits(&got->graph_moments, &got->moments, sizeof got->graph_moments));
    if (check_failures > failures) fprintf(stderr, "  %s against %s\n", a, b);
}

/* Are the sums right at all? Against long double, which is 11 bits longer: the error of N additions
 * in double is at most N * 2^-53 times the sum of magnitudes. */
static void check_value(const results *r)
{
    long double sum = 0, magnitude = 0, bins[BINS] = {0};
    check_random_state = 88172645463325252u;
    for (int i = 0; i < N; i++) {
        const double x =
            ldexp((double)check_random_int(-1000000, 1000000), (int)check_random_int(-30, 10));
        sum += x;
        magnitude += fabs(x);
        bins[i % BINS] += x;
    }
    const double tolerance = (double)((long double)N * ldexpl(1, -53) * magnitude);
    CHECK_F64(r->sum_1d, (double)sum, tolerance);
    CHECK_F64(r->sum_2d, (double)sum, tolerance);
    CHECK_F64(r->sum_of_threes, (double)sum, tolerance);
    CHECK_F64(r->threes.sum, (double)sum, tolerance);
    CHECK_F64(r->sum_3d, (double)sum, tolerance);
    CHECK_F64(r->nested, (double)sum, tolerance);
    CHECK_F64(r->fields.sum, (double)sum, tolerance);
    CHECK_F64(r->moments.sum, (double)sum, tolerance);
    CHECK_F64(r->team, (double)sum, tolerance);
    for (int b = 0; b < BINS; b++)
        for (int k = 0; k < 4; k++) CHECK_F64(r->bins[k][b], (double)bins[b], tolerance);
    CHECK_I64(r->moments.count, N);
}

static void test(mx_ctx ctx)
{
    static const int threads[] = {1, 2, 3, 5, 7};
    mx_ctx_info info;
    MUST(mx_ctx_get_info(ctx, &info));
    const results first = measure(check_resource), again = measure(check_resource);
    check_value(&first);
    compare(&again, &first, check_resource, "itself");
    if (check_gpu() != NULL) return;
    const bool host = strcmp(info.backend, "simt") != 0 && strchr(info.backend, ':') == NULL;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        char resource[64];
        snprintf(resource, sizeof resource, "%s:threads=%d,layout=%s", host ? "openmp" : "simt",
                 threads[t], mx_layout_name(info.layout));
        const results other = measure(resource);
        compare(&other, &first, resource, check_resource);
    }
    if (!host) return;
    char serial[64];
    snprintf(serial, sizeof serial, "serial:layout=%s", mx_layout_name(info.layout));
    const results other = measure(serial);
    compare(&first, &other, check_resource, serial);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
