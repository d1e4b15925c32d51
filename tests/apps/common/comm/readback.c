/* Numbers read back on every backend that is here: the host gets those of the begin, also where the
 * device has overwritten them before the end. */
#include "comm/readback.h"
#include "check.h"
#include "minx/minx.h"

enum { ROUNDS = 50, ELEMENTS = 1 << 20, LATER = 4 };

static mx_err run_rounds(mx_ctx ctx, mx_view view, app_readback *readback)
{
    const int64_t later = -1;
    MX_TRY(app_readback_create(ctx, view, readback));
    for (int64_t round = 0; round < ROUNDS; round++) {
        int64_t *data, wrong = 0;
        mx_ctx_info before, after;
        MX_TRY(mx_fill(ctx, view, &round));
        MX_TRY(app_readback_begin(readback));
        MX_TRY(mx_ctx_get_info(ctx, &before));
        for (int n = 0; n < LATER && app_readback_overlaps(readback); n++)
            MX_TRY(mx_fill(ctx, view, &later));
        MX_TRY(app_readback_end(readback, (void **)&data));
        MX_TRY(mx_ctx_get_info(ctx, &after));
        if (app_readback_overlaps(readback)) /* the host has not waited for the later ones */
            CHECK_I64(after.synchronisations, before.synchronisations);
        for (int i = 0; i < ELEMENTS; i++) wrong += data[i] != round;
        CHECK_I64(wrong, 0);
    }
    return MX_OK;
}

static mx_err try_backend(const char *backend)
{
    app_readback readback = {0};
    mx_ctx_info info;
    mx_ctx ctx;
    mx_view view;
    MX_TRY(mx_ctx_create(backend, &ctx));
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(mx_view_create_1d(ctx, "numbers", MX_I64, ELEMENTS, &view));
    MX_TRY(run_rounds(ctx, view, &readback));
    CHECK_I64(app_readback_overlaps(&readback), info.device >= 0);
    app_readback_destroy(&readback);
    MX_TRY(mx_view_destroy(&view));
    mx_ctx_destroy(&ctx);
    return MX_OK;
}

int main(int argc, char **argv)
{
    app_comm comm;
    const char *backend;
    CHECK_OK(app_comm_open(&argc, &argv, &comm));
    CHECK_OK(mx_init());
    for (int b = 0; (backend = mx_backend_name(b)) != NULL; b++)
        if (mx_backend_available(backend, NULL)) CHECK_OK(try_backend(backend));
    mx_finalize();
    const int code = check_exit(comm);
    app_comm_close(&comm);
    return code;
}
