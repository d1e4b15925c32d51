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

static mx_err check_wait(mx_ctx ctx, const char *what, const char *call)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "%s: no context", what);
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG, "%s: %s records a graph", what, ctx->name);
    return mx_ctx_idle(ctx, call);
}

mx_err mx_ctx_wait(mx_ctx ctx, mx_ctx other)
{
    MX_TRY(check_wait(ctx, "wait of a context for another", "mx_ctx_wait"));
    MX_TRY(check_wait(other, "wait of a context for another", "mx_ctx_wait"));
    if (ctx == other) return MX_OK;
    /* launches of hosts are done on return; copies of simt are not */
    if (other->backend->host.run != NULL) return other->backend->launch.fence(other);
    if (ctx->backend != other->backend || other->backend->launch.wait == NULL)
        return mx_fence(other);
    return other->backend->launch.wait(ctx, other);
}

static mx_err wait_queue(mx_ctx ctx, void *stream, bool stream_waits, const char *call)
{
    const char *const what =
        stream_waits ? "wait of a stream for a context" : "wait of a context for a stream";
    MX_TRY(check_wait(ctx, what, call));
    MX_REQUIRE(ctx->backend->launch.wait_queue != NULL, MX_ERR_ARG,
               "%s: %s has no streams: fence instead", what, ctx->backend->info.name);
    return ctx->backend->launch.wait_queue(ctx, stream, stream_waits);
}

mx_err mx_ctx_wait_stream(mx_ctx ctx, void *stream)
{
    return wait_queue(ctx, stream, false, "mx_ctx_wait_stream");
}

mx_err mx_stream_wait_ctx(void *stream, mx_ctx ctx)
{
    return wait_queue(ctx, stream, true, "mx_stream_wait_ctx");
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
