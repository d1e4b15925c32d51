/* A driver in CUDA C++: it binds views and launches kernels that C headers declare. */
#include "stream.h"

#include <cstdio>

enum { N = 1000, SKIPPED = 77 };

/* n is no constant, as in most programs. */
static mx_err sum_of_products(mx_ctx ctx, int64_t n, double *sum)
{
    static double b[N], c[N];
    mx_view view[3], part;
    stream_args args = {};
    for (int i = 0; i < N; i++) {
        b[i] = i;
        c[i] = 2;
    }
    args.s = 3;
    MX_TRY(mx_view_create_1d(ctx, "a", MX_F64, n, &view[0]));
    MX_TRY(mx_view_create_1d(ctx, "b", MX_F64, n, &view[1]));
    MX_TRY(mx_view_create_1d(ctx, "c", MX_F64, n, &view[2]));
    MX_TRY(mx_import(ctx, view[1], b, NULL));
    MX_TRY(mx_import(ctx, view[2], c, NULL));
    MX_TRY(mx_bind(ctx, view[0], &args.a));
    MX_TRY(mx_subview(view[1], MX_SLICES(mx_span(0, n)), &part));
    MX_TRY(mx_bind(ctx, part, &args.b));
    MX_TRY(mx_bind(ctx, view[2], &args.c));
    MX_TRY(stream_triad(mx_range_1d(ctx, 0, n), &args)); /* a = b + 3 c = i + 6 */
    MX_TRY(mx_bind(ctx, view[0], &args.b));
    MX_TRY(stream_dot(mx_range_1d(ctx, 0, n), &args, sum));
    MX_TRY(mx_view_destroy(&part));
    for (int v = 0; v < 3; v++) MX_TRY(mx_view_destroy(&view[v]));
    return MX_OK;
}

static bool gives(const char *call, mx_err got, mx_err expected)
{
    if (got != expected)
        printf("%s: got error %d (%s), expected %d\n", call, (int)got, mx_err_message(),
               (int)expected);
    return got == expected;
}

/* The types of accessors and of pointers are known in C++ too. */
static bool types_are_checked(mx_ctx ctx)
{
    static const float numbers[N] = {0};
    const float one = 1;
    const long long integer = 7;
    float got;
    stream_args args = {};
    mx_view floats, doubles, empty;
    bool good = true;
#define GIVES(call, expected) good = gives(#call, call, expected) && good
    GIVES(mx_view_create_1d(ctx, "floats", MX_F32, N, &floats), MX_OK);
    GIVES(mx_view_create_1d(ctx, "doubles", MX_F64, N, &doubles), MX_OK);
    GIVES(mx_view_create_1d(ctx, "empty", MX_F64, 0, &empty), MX_OK);
    GIVES(mx_bind(ctx, floats, &args.b), MX_ERR_TYPE);
    GIVES(mx_import(ctx, doubles, numbers, NULL), MX_ERR_TYPE);
    GIVES(mx_fill(ctx, doubles, &one), MX_ERR_TYPE);
    GIVES(mx_fill(ctx, doubles, &integer), MX_ERR_TYPE);
    GIVES(mx_read_element(ctx, doubles, 0, &got), MX_ERR_TYPE);
    GIVES(mx_import(ctx, floats, numbers, NULL), MX_OK);
    GIVES(mx_import(ctx, floats, (const void *)numbers, NULL), MX_OK);
    GIVES(mx_import(ctx, empty, NULL, NULL), MX_OK);
    GIVES(mx_view_destroy(&floats), MX_OK);
    GIVES(mx_view_destroy(&doubles), MX_OK);
    GIVES(mx_view_destroy(&empty), MX_OK);
    return good;
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
    if (mx_ctx_create(resource, &ctx) != MX_OK || sum_of_products(ctx, N, &sum) != MX_OK) {
        printf("%s\n", mx_err_message());
        return 1;
    }
    const bool good = types_are_checked(ctx);
    mx_ctx_destroy(&ctx);
    mx_finalize();
    if (sum != expected) printf("the sum is %.17g, expected %.17g\n", sum, expected);
    return sum == expected && good ? 0 : 1;
}
