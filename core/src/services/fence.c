/* Fences: of one context, of all, and of one context for another. */
#include "base/events.h"
#include "services.h"

mx_err mx_fence(mx_ctx ctx)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "fence: no context");
    MX_TRY(mx_ctx_idle(ctx, "mx_fence"));
    return mx_fence_launch(ctx);
}

mx_err mx_fence_launch(mx_ctx ctx)
{
    MX_TRY(mx_fence_event(ctx, "minx::fence", false));
    MX_TRY(mx_overflow_check(ctx));
    MX_TRY(mx_fault_check(ctx));
    mx_core(ctx)->unfenced = 0;
    return MX_OK;
}

static mx_err check_wait(mx_ctx ctx)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "wait of a context for another: no context");
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG,
               "wait of a context for another: %s records a graph", ctx->name);
    return mx_ctx_idle(ctx, "mx_ctx_wait");
}

mx_err mx_ctx_wait(mx_ctx ctx, mx_ctx other)
{
    MX_TRY(check_wait(ctx));
    MX_TRY(check_wait(other));
    const bool done = other->backend->host.run != NULL; /* launches of hosts are done on return */
    if (done || ctx == other) return MX_OK;
    if (ctx->backend != other->backend || other->backend->launch.wait == NULL)
        return mx_fence(other);
    return other->backend->launch.wait(ctx, other);
}

static mx_err fence_one(mx_ctx ctx, const char *name)
{
    (void)name;
    return mx_fence(ctx);
}

mx_err mx_fence_all(void) { return MX_PASS(mx_ctx_each(fence_one, NULL)); }

static mx_err fence_for_tool(mx_ctx ctx, const char *name)
{
    /* another thread may be recording a graph on it now */
    if (mx_core(ctx)->graph == NULL) (void)mx_fence_event(ctx, name, true);
    return MX_OK;
}

void mx_fence_for_tool(const char *name) { (void)mx_ctx_each(fence_for_tool, name); }
