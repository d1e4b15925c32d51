/* The listener to events, and the fence, which is an event. */
#include "events.h"

const mx_listener *mx_tool;

mx_err mx_fence_event(mx_ctx ctx, const char *name, bool for_all)
{
    if (mx_tool == NULL) return ctx->backend->launch.fence(ctx);
    const uint64_t id = mx_tool->fence_begins(ctx, name, for_all);
    const mx_err err = ctx->backend->launch.fence(ctx);
    mx_tool->fence_ends(id);
    return err;
}
