/* Scratch memory for one launch. The next launch on the context uses it again, because launches on
 * a context run in order. */
#include "base/events.h"
#include "services.h"
#include "view/memory.h"

#include <stdlib.h>

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

/* ---- memory that is kept ---- */

typedef struct mx_kept {
    void *data; /* NULL: none */
    size_t bytes;
    bool taken;
} mx_kept;

/* The smallest piece that is large enough; else one that is free, to be replaced; else NULL. */
static mx_kept *find_kept(mx_core_ctx *core, size_t bytes)
{
    mx_kept *best = NULL;
    for (int k = 0; k < core->kept_count; k++) {
        mx_kept *const one = &core->kept[k];
        if (one->taken) continue;
        const bool fits = one->bytes >= bytes, best_fits = best != NULL && best->bytes >= bytes;
        if (best == NULL || (fits && (!best_fits || one->bytes < best->bytes))) best = one;
    }
    return best;
}

static mx_err add_kept(mx_ctx ctx, mx_kept **added)
{
    mx_core_ctx *const core = mx_core(ctx);
    mx_kept *const more = realloc(core->kept, ((size_t)core->kept_count + 1) * sizeof *more);
    MX_REQUIRE(more != NULL, MX_ERR_MEMORY, "%s: no memory for a list", ctx->name);
    core->kept = more;
    *added = &core->kept[core->kept_count++];
    **added = (mx_kept){0};
    return MX_OK;
}

static void free_kept(mx_ctx ctx, mx_kept *one)
{
    if (one->data != NULL) ctx->backend->memory.release(mx_staging_space(ctx), one->data);
    *one = (mx_kept){0};
}

mx_err mx_kept_take(mx_ctx ctx, size_t bytes, void **data)
{
    mx_kept *one = find_kept(mx_core(ctx), bytes);
    if (one == NULL) MX_TRY(add_kept(ctx, &one));
    if (one->data == NULL || one->bytes < bytes) {
        free_kept(ctx, one);
        MX_TRY(ctx->backend->memory.allocate(ctx, mx_staging_space(ctx), bytes, &one->data));
        one->bytes = bytes;
    }
    one->taken = true;
    *data = one->data;
    return MX_OK;
}

void mx_kept_return(mx_ctx ctx)
{
    for (int k = 0; k < mx_core(ctx)->kept_count; k++) mx_core(ctx)->kept[k].taken = false;
}

void mx_scratch_destroy(mx_ctx ctx)
{
    if (mx_core(ctx)->scratch != NULL)
        ctx->backend->memory.release(ctx->backend->memory.space, mx_core(ctx)->scratch);
    mx_core(ctx)->scratch = NULL;
    for (int k = 0; k < mx_core(ctx)->kept_count; k++) free_kept(ctx, &mx_core(ctx)->kept[k]);
    free(mx_core(ctx)->kept);
    mx_core(ctx)->kept = NULL;
    mx_core(ctx)->kept_count = 0;
}
