#include "solver.h"

#include "kernels.h"

mx_err solve(const char *resource, int n, double *sum)
{
    mx_ctx ctx;
    mx_view x, y;
    axpy_args args = {.a = 3};
    const double one = 1, two = 2;
    MX_TRY(mx_ctx_create(resource, &ctx));
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, n, &x));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, n, &y));
    MX_TRY(mx_fill(ctx, x, &two));
    MX_TRY(mx_fill(ctx, y, &one));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));
    mx_err err = axpy(mx_range_1d(ctx, 0, n), &args);
    if (err == MX_OK) err = total(mx_range_1d(ctx, 0, n), &args, sum);
    MX_TRY(mx_view_destroy(&x));
    MX_TRY(mx_view_destroy(&y));
    mx_ctx_destroy(&ctx);
    return err;
}
