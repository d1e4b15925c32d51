/* Values between host code and views. These calls may wait for the context, which makes them a layer above contexts. */
#include "events.h"
#include "memory.h"

static mx_err element(mx_ctx ctx, mx_view view, int64_t index, const void *value,
                      mx_record **record, char **at)
{
    MX_TRY(mx_record_find(view, record));
    const mx_record *r = *record;
    MX_REQUIRE(value != NULL, MX_ERR_ARG, "element of view '%s': no value", r->label);
    const int64_t extent = r->rank == 0 ? 1 : r->extent[0];
    MX_REQUIRE(r->rank <= 1, MX_ERR_RANK, "element of view '%s': got rank %d, expected 0 or 1",
               r->label, r->rank);
    MX_REQUIRE(index >= 0 && index < extent, MX_ERR_BOUNDS,
               "view '%s': index %lld, its extent is %lld", r->label, (long long)index,
               (long long)extent);
    MX_TRY(mx_record_movable(ctx, r));
    *at = (char *)r->data + (size_t)(index * r->stride[0]) * MX_TYPE_SIZE(r->type);
    return MX_OK;
}

mx_err mx_read_element(mx_ctx ctx, mx_view view, int64_t index, void *value)
{
    mx_record *r;
    char *at;
    MX_TRY(element(ctx, view, index, value, &r, &at));
    mx_tool_copy(NULL, value, r, at, MX_TYPE_SIZE(r->type));
    MX_TRY(mx_tool_copied(ctx->backend->memory.copy(ctx, value, at, MX_TYPE_SIZE(r->type))));
    return mx_fence(ctx);
}

mx_err mx_write_element(mx_ctx ctx, mx_view view, int64_t index, const void *value)
{
    mx_record *r;
    char *at;
    MX_TRY(element(ctx, view, index, value, &r, &at));
    MX_TRY(mx_record_writable(r));
    mx_tool_copy(r, at, NULL, value, MX_TYPE_SIZE(r->type));
    /* ordinary memory is read before the call returns */
    return mx_tool_copied(ctx->backend->memory.copy(ctx, at, value, MX_TYPE_SIZE(r->type)));
}
