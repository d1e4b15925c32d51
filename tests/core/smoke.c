#include "smoke.h"
#include <stdio.h>
static mx_err run(const char *resource)
{
    mx_ctx ctx;
    MX_TRY(mx_ctx_create(resource, &ctx));
    mx_view x, y;
    MX_TRY(mx_view_create_2d(ctx, "x", MX_F64, 300, 400, &x));
    MX_TRY(mx_view_create_2d(ctx, "y", MX_F64, 300, 400, &y));
    smoke_args a = {.f = 2};
    MX_TRY(mx_bind(ctx, x, &a.x));
    MX_TRY(mx_bind(ctx, y, &a.y));
    double s = -1;
    MX_TRY(smoke_fill(mx_range_2d(ctx, 0, 300, 0, 400), &a));
    MX_TRY(smoke_dot(mx_range_2d(ctx, 1, 299, 1, 399), &a, &s));
    printf("%s %.17g\n", resource, s);
    MX_TRY(mx_view_destroy(&x));
    MX_TRY(mx_view_destroy(&y));
    mx_ctx_destroy(&ctx);
    return MX_OK;
}
int main(void)
{
    const char *r[] = {"serial", "openmp", "openmp:threads=3", "simt", "serial:order=shuffled", "openmp:check=simt", "cuda"};
    if (mx_init()) return 1;
    for (int i = 0; i < 7; i++)
        if (run(r[i])) printf("%s: %s\n%s", r[i], mx_err_message(), mx_err_trace());
    mx_finalize();
    return 0;
}
