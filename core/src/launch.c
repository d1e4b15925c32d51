/* Launches: everything that can be wrong is found here, then the backend runs what is left. */
#include "internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Dimensions in loop order: the contiguous one of the context's layout last. */
static mx_err plan_range(mx_launch *l, mx_layout layout, const int64_t *begin, const int64_t *end,
                         const int64_t *tile)
{
    for (int n = 0; n < l->dims; n++) {
        const int d = layout == MX_LAYOUT_LEFT ? l->dims - 1 - n : n;
        MX_REQUIRE(tile[d] >= 0, MX_ERR_ARG, "kernel %s: tile %d: got %lld, expected 0 or more",
                   l->kernel->name, d, (long long)tile[d]);
        MX_REQUIRE(l->kernel->wide || (begin[d] >= INT32_MIN && end[d] <= MX_INDEX_END),
                   MX_ERR_EXTENT,
                   "kernel %s: range %lld to %lld is beyond its 32-bit indices: stamp a _64 form",
                   l->kernel->name, (long long)begin[d], (long long)end[d]);
        l->begin[n] = begin[d];
        l->end[n] = end[d] > begin[d] ? end[d] : begin[d];
        l->tile[n] = tile[d];
    }
    return MX_OK;
}

static bool is_empty(const mx_launch *l)
{
    for (int d = 0; d < l->dims; d++)
        if (l->begin[d] == l->end[d]) return true;
    return false;
}

static mx_err place_result(mx_ctx ctx, mx_launch *l, const mx_result *result)
{
    const mx_kernel *k = l->kernel;
    if (result == NULL) return MX_OK;
    l->length = result->length;
    l->result = result->host;
    MX_REQUIRE(l->length >= 0, MX_ERR_ARG, "kernel %s: a result of %lld values", k->name,
               (long long)l->length);
    if (result->host != NULL) return MX_OK;
    const mx_record *info = mx_record_of(result->view);
    MX_REQUIRE(info != NULL, MX_ERR_STALE,
               "kernel %s: its result goes to a view that does not exist (any more)", k->name);
    const int64_t extent = info->rank == 0 ? 1 : info->extent[0];
    MX_REQUIRE(MX_TYPE_SIZE(info->type) == k->value_size, MX_ERR_TYPE,
               "kernel %s: its result has %zu bytes, the elements of view '%s' %zu", k->name,
               k->value_size, info->label, MX_TYPE_SIZE(info->type));
    /* one number goes into a view of that type; a struct, or a value of the user's, into any of its size */
    MX_REQUIRE(k->field_count != 1 || MX_TYPE_KIND(info->type) == 0 ||
                   info->type == k->fields[0].type,
               MX_ERR_TYPE, "kernel %s: its result is %s, the elements of view '%s' are %s",
               k->name, mx_type_name(k->fields[0].type), info->label, mx_type_name(info->type));
    MX_REQUIRE(info->rank <= 1, MX_ERR_RANK,
               "kernel %s: result into view '%s': got rank %d, expected 0 or 1", k->name,
               info->label, info->rank);
    MX_REQUIRE(result->index >= 0 && result->index < extent, MX_ERR_BOUNDS,
               "kernel %s: result into view '%s': index %lld, its extent is %lld", k->name,
               info->label, (long long)result->index, (long long)extent);
    MX_REQUIRE(mx_ctx_reaches(ctx, info), MX_ERR_SPACE,
               "kernel %s: result into view '%s': it is in memory space %s, which %s cannot reach",
               k->name, info->label, mx_space_name(info->space), ctx->name);
    l->result = (char *)info->data +
                (size_t)(info->rank == 0 ? 0 : result->index * info->stride[0]) * k->value_size;
    return MX_OK;
}

mx_err mx_launch_run(mx_ctx ctx, mx_launch *l, const mx_result *result)
{
    ctx->recent[ctx->unfenced++ % MX_RECENT_KERNELS] = l->kernel->name;
    ctx->launches++;
    return ctx->backend->launch(ctx, l, result);
}

static mx_err launch(mx_ctx ctx, mx_launch *l, const mx_result *result)
{
    return ctx->check != NULL ? mx_launch_checked(ctx, l, result) : mx_launch_run(ctx, l, result);
}

/* In builds that check indices, with a copy of the arguments whose accessors note faults with this context. */
static mx_err launch_with_own_faults(mx_ctx ctx, mx_launch *l, const mx_result *result)
{
#ifdef MINX_BOUNDS_CHECK
    void *copy = malloc(l->kernel->args_size);
    MX_REQUIRE(copy != NULL, MX_ERR_MEMORY, "kernel %s: no memory for a copy of its arguments",
               l->kernel->name);
    memcpy(copy, l->args, l->kernel->args_size);
    mx_accessors_adopt(ctx, copy, l->kernel->args_size);
    l->args = copy;
    const mx_err err = launch(ctx, l, result);
    free(copy);
    return err;
#else
    return launch(ctx, l, result);
#endif
}

mx_err mx_launch_(const mx_kernel *kernel, mx_ctx ctx, const int64_t *begin, const int64_t *end,
                  const int64_t *tile, const void *args, const mx_result *result)
{
    mx_launch l;
    memset(&l, 0, sizeof l);
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "kernel %s: launched without a context", kernel->name);
    MX_REQUIRE(args != NULL, MX_ERR_ARG, "kernel %s: launched without arguments", kernel->name);
    MX_REQUIRE(kernel->instance[ctx->backend->instance][ctx->layout] != NULL, MX_ERR_BACKEND,
               "kernel %s: no instance for %s with layout %s in this build "
               "(are its kernel files compiled with nvcc, and for both layouts?)",
               kernel->name, ctx->backend->name, mx_layout_name(ctx->layout));
    l.ctx = ctx;
    l.kernel = kernel;
    l.args = args;
    l.dims = kernel->dims;
    l.length = 1;
    MX_TRY(plan_range(&l, ctx->layout, begin, end, tile));
    MX_TRY(place_result(ctx, &l, result));
    MX_TRY(mx_accessors_check(ctx, kernel->name, args, kernel->args_size));
    if (is_empty(&l) && kernel->pattern == MX_PATTERN_FOR) return MX_OK;
    return launch_with_own_faults(ctx, &l, result);
}
