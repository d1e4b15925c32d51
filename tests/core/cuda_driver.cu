/* A driver in CUDA C++: it binds views and launches kernels that C headers declare. */
#include "stream.h"

#include <cstdio>
#include <cstring>

enum { N = 1000, SKIPPED = 77 };

static mx_err sum_of_products(mx_ctx ctx, double *sum)
{
    static double b[N], c[N];
    mx_view view[3];
    stream_args args = {};
    for (int i = 0; i < N; i++) {
        b[i] = i;
        c[i] = 2;
    }
    args.s = 3;
    MX_TRY(mx_view_create_1d(ctx, "a", MX_F64, N, &view[0]));
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, N, &view[1]));
    MX_TRY(mx_view_create_1d(ctx, "c", MX_F64, N, &view[2]));
    MX_TRY(mx_import(ctx, view[1], b, NULL));
    MX_TRY(mx_import(ctx, view[2], c, NULL));
    MX_TRY(mx_bind(ctx, view[0], &args.a));
    MX_TRY(mx_bind(ctx, view[1], &args.b));
    MX_TRY(mx_bind(ctx, view[2], &args.c));
    MX_TRY(stream_triad(mx_range_1d(ctx, 0, N), &args)); /* a = b + 3 c = i + 6 */
    MX_TRY(mx_bind(ctx, view[0], &args.b));
    MX_TRY(stream_dot(mx_range_1d(ctx, 0, N), &args, sum));
    for (int v = 0; v < 3; v++) MX_TRY(mx_view_destroy(&view[v]));
    return MX_OK;
}

/* The types of accessors and of pointers are known in C++ too. */
static bool types_are_checked(mx_ctx ctx)
{
    static const float numbers[N] = {0};
    const float one = 1;
    float got;
    stream_args args = {};
    mx_view floats, doubles;
    if (mx_view_create_1d(ctx, "floats", MX_F32, N, &floats) != MX_OK ||
        mx_view_create_1d(ctx, "doubles", MX_F64, N, &doubles) != MX_OK)
        return false;
    const bool checked = mx_bind(ctx, floats, &args.b) == MX_ERR_TYPE &&
                         mx_import(ctx, doubles, numbers, NULL) == MX_ERR_TYPE &&
                         mx_fill(ctx, doubles, &one) == MX_ERR_TYPE &&
                         mx_read_element(ctx, doubles, 0, &got) == MX_ERR_TYPE &&
                         mx_import(ctx, floats, numbers, NULL) == MX_OK &&
                         mx_import(ctx, floats, (const void *)numbers, NULL) == MX_OK;
    return mx_view_destroy(&floats) == MX_OK && mx_view_destroy(&doubles) == MX_OK && checked;
}

int main(int argc, char **argv)
{
    const char *const resource = argc > 1 ? argv[1] : "serial";
    const double expected = 2 * (N * (N - 1) / 2 + 6.0 * N); /* exact: integers */
    const char *why;
    double sum = -1;
    mx_ctx ctx;
    if (mx_init() != MX_OK) return 1;
    if (!mx_backend_available(resource, &why)) {
        printf("skipped: %s: %s\n", resource, why);
        return SKIPPED;
    }
    if (mx_ctx_create(resource, &ctx) != MX_OK || sum_of_products(ctx, &sum) != MX_OK) {
        printf("%s\n", mx_err_message());
        return 1;
    }
    const bool checked = types_are_checked(ctx);
    mx_ctx_destroy(&ctx);
    mx_finalize();
    if (sum != expected) printf("the sum is %.17g, expected %.17g\n", sum, expected);
    if (!checked) printf("a type is wrong: %s\n", mx_err_message());
    return sum == expected && checked ? 0 : 1;
}
