#include "fields.h"

#include "fields_kernels.h"

/* A kernel goes over the extents of one view, so the other must have the same. */
static mx_err same_extent(int dimension, int64_t got, int64_t expected)
{
    MX_REQUIRE(got == expected, MX_ERR_EXTENT, "extent %d differs: %lld and %lld", dimension,
               (long long)got, (long long)expected);
    return MX_OK;
}

mx_err fields_axpy(mx_ctx ctx, double a, mx_view x, mx_view y)
{
    axpy_args args = {.a = a};
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));
    MX_TRY(same_extent(0, MX_EXTENT(args.x, 0), MX_EXTENT(args.y, 0)));
    return axpy(mx_range_1d(ctx, 0, MX_EXTENT(args.y, 0)), &args);
}

mx_err fields_dot(mx_ctx ctx, mx_view x, mx_view y, double *result)
{
    dot_args args;
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));
    MX_TRY(same_extent(0, MX_EXTENT(args.x, 0), MX_EXTENT(args.y, 0)));
    return dot(mx_range_1d(ctx, 0, MX_EXTENT(args.x, 0)), &args, result);
}

mx_err fields_smooth(mx_ctx ctx, mx_view u, mx_view out)
{
    smooth_args args;
    MX_TRY(mx_bind(ctx, u, &args.u));
    MX_TRY(mx_bind(ctx, out, &args.out));
    const int64_t rows = MX_EXTENT(args.u, 0), columns = MX_EXTENT(args.u, 1);
    MX_TRY(same_extent(0, MX_EXTENT(args.out, 0), rows));
    MX_TRY(same_extent(1, MX_EXTENT(args.out, 1), columns));
    return smooth(mx_range_2d(ctx, 1, rows - 1, 1, columns - 1), &args);
}

mx_err fields_largest(mx_ctx ctx, mx_view u, double *result)
{
    largest_args args;
    MX_TRY(mx_bind(ctx, u, &args.u));
    return largest(mx_range_2d(ctx, 0, MX_EXTENT(args.u, 0), 0, MX_EXTENT(args.u, 1)), &args,
                   result);
}
