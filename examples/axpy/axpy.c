/* y = alpha x + y on any backend: axpy [BACKEND] */
#include <minx/kernel.h>
#include <minx/minx.h>
MX_ARGS(axpy_args,
    (mx_f64_1, y)
    (mx_cf64_1, x),
    double alpha;
);
MX_DECLARE_FOR(1D, axpy, axpy_args)
MX_BODY void axpy_body(const axpy_args *a, int i) { MX_AT(a->y, i) += a->alpha * MX_AT(a->x, i); }
MX_FOR(1D, axpy)
#ifdef MX_DRIVER /* the rest is compiled once, as C */
static mx_err run(mx_ctx ctx, int n)
{
    mx_view x, y;
    axpy_args args = {.alpha = 2};
    double last;
    MX_TRY(mx_view_create_1d(ctx, "x", MX_F64, n, &x));
    MX_TRY(mx_view_create_1d(ctx, "y", MX_F64, n, &y)); /* zeros */
    MX_TRY(mx_fill(ctx, x, 1.5));
    MX_TRY(mx_bind(ctx, x, &args.x));
    MX_TRY(mx_bind(ctx, y, &args.y));
    MX_TRY(axpy(mx_range_1d(ctx, 0, n), &args));
    MX_TRY(mx_read_element(ctx, y, n - 1, &last));
    MX_REQUIRE(last == 3, MX_ERR_MISMATCH, "y[%d] is %g, expected 3", n - 1, last);
    MX_TRY(mx_view_destroy(&x));
    return mx_view_destroy(&y);
}
int main(int argc, char **argv)
{
    mx_ctx ctx = NULL;
    mx_err err = mx_init();
    if (err == MX_OK) err = mx_ctx_create(argc > 1 ? argv[1] : "serial", &ctx);
    if (err == MX_OK) err = run(ctx, 1000);
    if (err != MX_OK)
        fprintf(stderr, "%s: %s\n%s", mx_err_name(err), mx_err_message(), mx_err_trace());
    mx_ctx_destroy(&ctx);
    mx_finalize();
    return err != MX_OK;
}
#endif
