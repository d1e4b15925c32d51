#include "readback.h"

#include <stdio.h>

mx_err app_readback_create(mx_ctx ctx, mx_view source, app_readback *readback)
{
    const mx_view_options pinned = {.space = MX_SPACE_PINNED}; /* else the copy would wait */
    char resource[64];
    mx_ctx_info info;
    mx_view_info from;
    *readback = (app_readback){.ctx = ctx, .source = source};
    MX_TRY(mx_ctx_get_info(ctx, &info));
    if (info.device < 0) return mx_mirror_if_needed(source, &readback->host);
    MX_TRY(mx_view_get_info(source, &from));
    MX_TRY(mx_view_create(ctx, from.label, from.type, from.rank, from.extent, &pinned,
                          &readback->host));
    snprintf(resource, sizeof resource, "%s:device=%d", info.backend, info.device);
    return mx_ctx_create(resource, &readback->beside);
}

void app_readback_destroy(app_readback *readback)
{
    (void)mx_view_destroy(&readback->host);
    mx_ctx_destroy(&readback->beside);
    *readback = (app_readback){0};
}

bool app_readback_overlaps(const app_readback *readback) { return readback->beside != NULL; }

mx_err app_readback_begin(app_readback *readback)
{
    MX_TRY(mx_deep_copy(readback->ctx, readback->host, readback->source));
    return app_readback_overlaps(readback) ? mx_ctx_wait(readback->beside, readback->ctx) : MX_OK;
}

mx_err app_readback_end(app_readback *readback, void **data)
{
    readback->waits++;
    /* where a kernel failed, the fence of ctx names it */
    if (!app_readback_overlaps(readback) || mx_fence(readback->beside) != MX_OK)
        MX_TRY(mx_fence(readback->ctx));
    return mx_view_host_data(readback->host, data);
}
