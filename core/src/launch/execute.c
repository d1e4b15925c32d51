/* Runs one launch that is checked and planned: sets the target of its result, and calls the
 * backend. */
#include "base/events.h"
#include "launches.h"
#include "view/memory.h"

mx_err mx_launch_set_result(mx_ctx ctx, mx_launch *l, const mx_result *result)
{
    const mx_kernel *k = l->kernel;
    if (result == NULL) return MX_OK;
    if (l->result != result->host) l->result = result->host;
    /* the total of a scan is optional */
    if (result->host != NULL || (k->pattern == MX_PATTERN_SCAN && result->view.generation == 0))
        return MX_OK;
    const mx_record *info = mx_record_of(result->view);
    MX_REQUIRE(info != NULL, MX_ERR_STALE,
               "kernel %s: the result pointer is NULL, or its view does not exist (any more)",
               k->name);
    const int64_t extent = info->rank == 0 ? 1 : info->extent[0];
    MX_REQUIRE(!info->constant, MX_ERR_CONST, "kernel %s: result into view '%s': it is read-only",
               k->name, info->label);
    MX_REQUIRE(MX_TYPE_SIZE(info->type) == k->value_size, MX_ERR_TYPE,
               "kernel %s: its result has %zu bytes, the elements of view '%s' %zu", k->name,
               k->value_size, info->label, MX_TYPE_SIZE(info->type));
    /* a single number needs a view of its type; a struct or a value of the user a view of the same
     * element size */
    MX_REQUIRE(k->field_count != 1 || MX_TYPE_KIND(info->type) == 0 ||
                   MX_TYPE_KIND(k->fields[0].type) == 0 || info->type == k->fields[0].type,
               MX_ERR_TYPE, "kernel %s: its result is %s, the elements of view '%s' are %s",
               k->name, mx_type_name(k->fields[0].type), info->label, mx_type_name(info->type));
    MX_REQUIRE(info->rank <= 1, MX_ERR_RANK,
               "kernel %s: result into view '%s': got rank %d, expected 0 or 1", k->name,
               info->label, info->rank);
    MX_REQUIRE(result->index >= 0 && result->index < extent, MX_ERR_BOUNDS,
               "kernel %s: result into view '%s': index %lld, its extent is %lld", k->name,
               info->label, (long long)result->index, (long long)extent);
    MX_REQUIRE(result->length <= 1 ||
                   (info->layout <= MX_LAYOUT_STRIDE && info->span == info->count),
               MX_ERR_LAYOUT, "kernel %s: result into view '%s': its elements are not contiguous",
               k->name, info->label);
    MX_REQUIRE(mx_ctx_can_access(ctx, info), MX_ERR_SPACE,
               "kernel %s: result into view '%s': it is in memory space %s, which %s cannot access",
               k->name, info->label, mx_space_name(info->space), ctx->name);
    void *const to = (char *)info->data + (size_t)(result->index * info->stride[0]) * k->value_size;
    if (l->result != to) l->result = to;
    return MX_OK;
}

void mx_launch_count(mx_ctx ctx, const mx_launch *l)
{
    mx_core(ctx)->recent[mx_core(ctx)->unfenced++ % MX_RECENT_KERNELS] = l->kernel->name;
    mx_core(ctx)->launches++;
}

/* The first chunk of a reduction into an array can sum its items in the result, unless the body may
 * read the old values there: in its arguments, through an accessor, or through a plain pointer. */
static void set_sums_in_result(mx_launch *l, const void *args)
{
    const mx_kernel *k = l->kernel;
    const bool sums_in_result =
        !k->not_checked &&
        !mx_args_overlap(args, k->args_size, l->result, (size_t)l->length * k->value_size);
    /* stores only a value that changed, because other threads read the cache line */
    if (l->sums_in_result != sums_in_result) l->sums_in_result = sums_in_result;
}

mx_err mx_launch_execute(mx_ctx ctx, mx_launch *l, const void *args, const mx_result *result)
{
    mx_launch_count(ctx, l);
    const mx_kernel *k = l->kernel;
    const uint64_t id = mx_tool_begin(ctx, k->pattern, k->name, NULL);
    mx_ctx_begin_launch(ctx, l);
    if (k->pattern == MX_PATTERN_REDUCE_ARRAY) set_sums_in_result(l, args);
    const mx_err run = ctx->backend->launch.run(ctx, l, args, result);
    const mx_err err = mx_ctx_end_launch(ctx, k->name, run);
    mx_tool_end(k->pattern, id);
    return err;
}
