#include "minx/kit/dual.h"
#include "minx/tools.h"

mx_err(mx_dual_create)(mx_ctx ctx, const char *label, mx_type type, int rank,
                       const int64_t *extents, const mx_view_options *options, mx_dual *dual)
{
    MX_REQUIRE(dual != NULL, MX_ERR_ARG, "the pointer to the dual view is NULL");
    *dual = (mx_dual){MX_VIEW_NULL, MX_VIEW_NULL, {false, false}};
    MX_TRY((mx_view_create)(ctx, label, type, rank, extents, options, &dual->device));
    const mx_err err = (mx_mirror_if_needed)(dual->device, &dual->host);
    if (err != MX_OK) (void)mx_view_destroy(&dual->device);
    return err;
}

mx_err mx_dual_destroy(mx_dual *dual)
{
    if (dual == NULL) return MX_OK;
    MX_TRY(mx_view_destroy(&dual->host));
    return mx_view_destroy(&dual->device);
}

void mx_dual_modify(mx_dual *dual, mx_side side)
{
    mx_view_info info;
    if (dual == NULL) return;
    dual->modified[side != MX_SIDE_HOST] = true;
    if (mx_view_get_info(dual->device, &info) == MX_OK)
        mx_tool_dual_modify(info.label, info.data, side == MX_SIDE_DEVICE);
}

mx_err mx_dual_sync(mx_ctx ctx, mx_dual *dual, mx_side side)
{
    const bool to_host = side == MX_SIDE_HOST;
    mx_view_info info;
    MX_TRY(mx_view_get_info(dual != NULL ? dual->device : MX_VIEW_NULL, &info));
    MX_REQUIRE(!dual->modified[MX_SIDE_HOST] || !dual->modified[MX_SIDE_DEVICE], MX_ERR_ARG,
               "sync of dual view '%s': both sides were modified since the last sync", info.label);
    if (!mx_dual_need_sync(dual, side)) return MX_OK;
    mx_tool_dual_sync(info.label, info.data, !to_host);
    MX_TRY(mx_deep_copy(ctx, to_host ? dual->host : dual->device,
                        to_host ? dual->device : dual->host));
    if (to_host) MX_TRY(mx_fence(ctx));
    mx_dual_clear(dual);
    return MX_OK;
}
