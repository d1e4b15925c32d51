/* The kernels by which Kokkos is taught, on small whole numbers, so that every sum is exact, against plain loops. */
#include "seeds.h"
#include "check.h"

enum { N = 10007, ROWS = 601, MOST = 9 };

static mx_view new_view(mx_ctx ctx, const char *label, mx_type type, int64_t n, const void *data)
{
    mx_view view;
    MUST(mx_view_create_1d(ctx, label, type, n, &view));
    check_upload(ctx, view, data);
    return view;
}

static void check_vectors(mx_ctx ctx)
{
    double *const x = check_memory(2 * N * sizeof *x), *const y = x + N, sum = -1, dot = 0,
                  squares = 0, wrong = 0;
    seeds_top top = {0, 0}, expected = {-INFINITY, 0};
    seeds_dot_args args;
    seeds_axpy_args axpy;
    memset(&args, 0, sizeof args);
    memset(&axpy, 0, sizeof axpy);
    for (int i = 0; i < N; i++) {
        x[i] = (double)check_random_int(-100, 100);
        y[i] = (double)check_random_int(-100, 100);
        dot += x[i] * y[i];
        squares += x[i] * x[i];
        if (x[i] + y[i] > expected.value) expected = (seeds_top){x[i] + y[i], 0};
        expected.count += x[i] + y[i] == expected.value;
    }
    mx_view vx = new_view(ctx, "x", MX_F64, N, x), vy = new_view(ctx, "y", MX_F64, N, y);
    MUST(mx_bind(ctx, vx, &args.x));
    MUST(mx_bind(ctx, vy, &args.y));
    CHECK_OK(seeds_dot(mx_range_1d(ctx, 0, N), &args, &sum));
    CHECK_F64(sum, dot, 0);
    CHECK_OK(seeds_squares(mx_range_1d(ctx, 0, N), &args, &sum));
    CHECK_F64(sum, squares, 0);
    CHECK_OK(seeds_max_plus(mx_range_1d(ctx, 0, N), &args, &top));
    CHECK_F64(top.value, expected.value, 0);
    CHECK_I64(top.count, expected.count);
    MUST(mx_bind(ctx, vx, &axpy.x));
    MUST(mx_bind(ctx, vy, &axpy.y));
    axpy.a = 3;
    CHECK_OK(seeds_axpy(mx_range_1d(ctx, 0, N), &axpy));
    double *const got = check_memory(N * sizeof *got);
    check_download(ctx, vy, got);
    for (int i = 0; i < N; i++) wrong += fabs(got[i] - (y[i] + 3 * x[i]));
    CHECK_F64(wrong, 0, 0);
    free(got);
    free(x);
    MUST(mx_view_destroy(&vx));
    MUST(mx_view_destroy(&vy));
}

static void check_matrix(mx_ctx ctx)
{
    int32_t begin[ROWS + 1] = {0}, column[ROWS * MOST];
    double value[ROWS * MOST], x[ROWS], y[ROWS] = {0}, wrong = 0;
    seeds_matrix_args args = {.rows = ROWS, .rows_a_team = 5};
    memset(column, 0, sizeof column);
    memset(value, 0, sizeof value);
    for (int r = 0; r < ROWS; r++) {
        x[r] = (double)check_random_int(-50, 50);
        begin[r + 1] = begin[r] + (int32_t)check_random_int(0, MOST);
        for (int k = begin[r]; k < begin[r + 1]; k++) {
            column[k] = (int32_t)check_random_int(0, ROWS - 1);
            value[k] = (double)check_random_int(-50, 50);
        }
    }
    mx_view views[] = {new_view(ctx, "begin", MX_I32, ROWS + 1, begin),
                       new_view(ctx, "column", MX_I32, ROWS * MOST, column),
                       new_view(ctx, "value", MX_F64, ROWS * MOST, value),
                       new_view(ctx, "x", MX_F64, ROWS, x), new_view(ctx, "y", MX_F64, ROWS, y)};
    MUST(mx_bind(ctx, views[0], &args.begin));
    MUST(mx_bind(ctx, views[1], &args.column));
    MUST(mx_bind(ctx, views[2], &args.value));
    MUST(mx_bind(ctx, views[3], &args.x));
    MUST(mx_bind(ctx, views[4], &args.y));
    for (int by_team = 0; by_team < 2; by_team++) {
        const double spoilt = -7777;
        MUST(mx_fill(ctx, views[4], &spoilt));
        if (by_team)
            CHECK_OK(seeds_spmv_team(mx_league(ctx, (ROWS + 4) / 5, MX_AUTO, MX_AUTO), &args));
        else
            CHECK_OK(seeds_spmv(mx_range_1d(ctx, 0, ROWS), &args));
        check_download(ctx, views[4], y);
        for (int r = 0; r < ROWS; r++) {
            double sum = 0;
            for (int k = begin[r]; k < begin[r + 1]; k++) sum += value[k] * x[column[k]];
            wrong += fabs(y[r] - sum);
        }
        CHECK_F64(wrong, 0, 0);
    }
    for (int v = 0; v < 5; v++) MUST(mx_view_destroy(&views[v]));
}

static void test(mx_ctx ctx)
{
    check_vectors(ctx);
    check_matrix(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
