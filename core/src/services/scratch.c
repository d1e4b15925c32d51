/* Scratch memory for one launch. The next launch on the context uses it again, because launches on
 * a context run in order. */
#include "base/events.h"
#include "services.h"

/* Sizes are multiples of this number of bytes, so that a slightly larger request needs no new
 * memory. */
enum { STEP = 0x10000 };

/* Waits for the launches that may use the memory, and frees it. */
static mx_err free_scratch(mx_ctx ctx)
{
    if (mx_core(ctx)->scratch == NULL) return MX_OK;
    MX_TRY(mx_fence_event(ctx, "minx::Context::scratch", false));
    ctx->backend->memory.release(ctx->backend->memory.space, mx_core(ctx)->scratch);
    mx_core(ctx)->scratch = NULL;
    mx_core(ctx)->scratch_bytes = 0;
    return MX_OK;
}

mx_err mx_scratch(mx_ctx ctx, size_t bytes, void **scratch)
{
    const mx_backend_memory *memory = &ctx->backend->memory;
    if (mx_core(ctx)->node_memory != NULL) {
        MX_TRY(memory->allocate(ctx, memory->space, bytes, mx_core(ctx)->node_memory));
        *scratch = *mx_core(ctx)->node_memory;
        return MX_OK;
    }
    MX_REQUIRE(bytes <= PTRDIFF_MAX / 2, MX_ERR_MEMORY, "%s: no %zu bytes of scratch", ctx->name,
               bytes);
    if (bytes > mx_core(ctx)->scratch_bytes) {
        const size_t rounded = (bytes + bytes / 2 + STEP - 1) & ~(size_t)(STEP - 1);
        MX_TRY(free_scratch(ctx));
        MX_TRY(memory->allocate(ctx, memory->space, rounded, &mx_core(ctx)->scratch));
        mx_core(ctx)->scratch_bytes = rounded;
    }
    *scratch = mx_core(ctx)->scratch;
    return MX_OK;
}

void mx_scratch_destroy(mx_ctx ctx)
{
    if (mx_core(ctx)->scratch != NULL)
        ctx->backend->memory.release(ctx->backend->memory.space, mx_core(ctx)->scratch);
    mx_core(ctx)->scratch = NULL;
}
