/* The kernels of seeds.h compared with plain loops. Numbers are small integers, so that every sum
 * is exact. */
#include "seeds.h"
#include "check.h"

enum { N = 10007 };

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

int main(int argc, char **argv) { return check_main(argc, argv, check_vectors); }
