/* minx as a C library without kernels of one's own. */
#include <minx/minx.h>
#include <stdio.h>

static mx_err run(void)
{
    mx_ctx ctx;
    mx_view view;
    double value = 2.5, got = 0;
    MX_TRY(mx_init());
    MX_TRY(mx_ctx_create("openmp", &ctx));
    MX_TRY(mx_view_create_1d(ctx, "v", MX_F64, 100, &view));
    MX_TRY(mx_fill(ctx, view, &value));
    MX_TRY(mx_read_element(ctx, view, 99, &got));
    MX_REQUIRE(got == 2.5, MX_ERR_MISMATCH, "got %g, expected 2.5", got);
    MX_TRY(mx_view_destroy(&view));
    mx_ctx_destroy(&ctx);
    mx_finalize();
    return MX_OK;
}

int main(void)
{
    if (run() == MX_OK) return 0;
    fprintf(stderr, "%s\n%s", mx_err_message(), mx_err_trace());
    return 1;
}
