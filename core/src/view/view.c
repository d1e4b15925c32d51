/* Views: creating, sharing, resizing and destroying them. view_table.c explains handles. */
#include "base/events.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- creating ---- */

static mx_err describe(mx_ctx ctx, const char *label, mx_type type, int rank,
                       const int64_t *extents, const mx_view_options *options, mx_record *r)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "a view needs a context");
    MX_REQUIRE(label != NULL && label[0] != '\0', MX_ERR_ARG, "a view needs a label");
    MX_REQUIRE(strlen(label) < sizeof r->label, MX_ERR_ARG,
               "label '%.20s...': got %zu characters, expected at most %zu", label, strlen(label),
               sizeof r->label - 1);
    MX_REQUIRE(rank >= 0 && rank <= MX_MAX_RANK, MX_ERR_RANK,
               "view '%s': rank: got %d, expected 0 to %d", label, rank, MX_MAX_RANK);
    MX_REQUIRE(rank == 0 || extents != NULL, MX_ERR_ARG, "view '%s': rank %d without extents",
               label, rank);
    MX_REQUIRE(mx_is_type(type), MX_ERR_TYPE,
               "view '%s': element type: got 0x%x, expected MX_F64 or another mx_type", label,
               type);
    strcpy(r->label, label);
    r->type = type;
    r->rank = rank;
    for (int d = 0; d < rank; d++) {
        MX_REQUIRE(extents[d] >= 0, MX_ERR_EXTENT,
                   "view '%s': extent %d: got %lld, expected 0 or more", label, d,
                   (long long)extents[d]);
        r->extent[d] = extents[d];
    }
    r->space = options->space == MX_SPACE_DEFAULT   ? ctx->backend->memory.space
               : options->space == MX_SPACE_STAGING ? mx_staging_space(ctx)
                                                    : options->space;
    r->device = (ctx->backend->memory.of_device & MX_SPACE_BIT(r->space)) ? ctx->device : -1;
    r->layout = options->layout == MX_LAYOUT_DEFAULT ? ctx->layout : options->layout;
    MX_REQUIRE((unsigned)r->layout < MX_LAYOUT_COUNT_ && r->layout != MX_LAYOUT_STRIDE,
               MX_ERR_LAYOUT,
               "view '%s': layout: got %d, expected a layout of layout.h other than stride", label,
               (int)r->layout);
    MX_REQUIRE(
        ctx->backend->memory.accessible & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
        "view '%s': %s cannot access memory space %s; leave the space to the context, and copy "
        "host arrays by mx_import and mx_export",
        label, ctx->backend->info.name, mx_space_name(r->space));
    r->padding = options->padding;
    return mx_record_lay_out(r);
}

static void free_data(const mx_record *r)
{
    mx_tool_memory(r, false);
    r->release(r->space, r->data);
}

static mx_err allocate(mx_ctx ctx, mx_record *r, bool uninitialized)
{
    const unsigned char zero = 0;
    const size_t size = MX_TYPE_SIZE(r->type);
    MX_TRY(mx_ctx_idle(ctx, "mx_view_create"));
    /* never empty: an accessor's data is never NULL */
    const size_t bytes = (size_t)(r->span > 0 ? r->span : 1) * size;
    MX_REQUIRE(ctx->backend->memory.allocates_in & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s does not allocate in memory space %s (every backend does in "
               "MX_SPACE_STAGING)",
               r->label, ctx->backend->info.name, mx_space_name(r->space));
    r->release = ctx->backend->memory.release;
    const mx_err err = ctx->backend->memory.allocate(ctx, r->space, bytes, &r->data);
    if (err != MX_OK)
        return MX_FAIL(err, "view '%s': no %zu bytes in memory space %s", r->label, bytes,
                       mx_space_name(r->space));
    mx_tool_memory(r, true);
    if (uninitialized) return MX_OK;
    const char *const kernel = "minx::View::initialization";
    const uint64_t id = mx_tool_begin(ctx, MX_PATTERN_FOR, kernel, r->label);
    const bool is_zero = (ctx->backend->memory.allocates_zeros & MX_SPACE_BIT(r->space)) != 0;
    const mx_err filled =
        is_zero ? MX_OK : ctx->backend->memory.fill(ctx, r->data, (int64_t)bytes, &zero, 1);
    mx_tool_end(MX_PATTERN_FOR, id);
    /* host code may access host memory at once; other memory is accessed by kernels of this
     * context, in order */
    const bool host_accesses =
        filled == MX_OK && (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space)) != 0;
    const mx_err done = host_accesses ? mx_fence_event(ctx, kernel, false) : filled;
    if (done != MX_OK) free_data(r);
    return done;
}

/* Adds a complete record to the table, which then owns its data. On failure the data is freed. */
static mx_err insert_record(const mx_record *described, mx_view *view)
{
    const mx_err err = mx_record_insert(described, view);
    if (err != MX_OK) free_data(described);
    return err;
}

static const mx_view_options defaults = {MX_SPACE_DEFAULT, MX_LAYOUT_DEFAULT, false, false};

mx_err(mx_view_create)(mx_ctx ctx, const char *label, mx_type type, int rank,
                       const int64_t *extents, const mx_view_options *options, mx_view *view)
{
    mx_record described;
    memset(&described, 0, sizeof described);
    MX_TRY(mx_view_set_null(view));
    if (options == NULL) options = &defaults;
    MX_TRY(describe(ctx, label, type, rank, extents, options, &described));
    MX_TRY(allocate(ctx, &described, options->uninitialized));
    return insert_record(&described, view);
}

/* Is the memory in the space of the options? MX_SPACE_HOST accepts every space that host code can
 * access. */
static mx_err check_wrapped(const mx_record *r, const void *data)
{
    static const char *const names[] = {"MX_SPACE_DEFAULT", "MX_SPACE_HOST",   "MX_SPACE_CUDA",
                                        "MX_SPACE_MANAGED", "MX_SPACE_PINNED", "MX_SPACE_SIMT",
                                        "MX_SPACE_HIP"};
    int device = -1;
    const mx_space found = mx_memory_space(data, &device);
    const bool host = (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(found)) != 0;
    if (r->count == 0 || (r->space == MX_SPACE_HOST && host)) return MX_OK;
    MX_REQUIRE(found != MX_SPACE_HOST, MX_ERR_SPACE,
               "view '%s': the memory at %p is ordinary host memory, not memory space %s: create a "
               "view, and copy the array into it by mx_import",
               r->label, data, mx_space_name(r->space));
    MX_REQUIRE(found == r->space, MX_ERR_SPACE,
               "view '%s': the memory at %p is in memory space %s, not %s: wrap it with "
               ".space = %s in the options, and a context that can access it",
               r->label, data, mx_space_name(found), mx_space_name(r->space), names[found]);
    MX_REQUIRE(device == r->device, MX_ERR_SPACE,
               "view '%s': the memory at %p belongs to device %d, the context to device %d",
               r->label, data, device, r->device);
    return MX_OK;
}

mx_err(mx_view_wrap)(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                     const int64_t *strides, const mx_view_options *options, void *data,
                     mx_view *view)
{
    mx_record r;
    memset(&r, 0, sizeof r);
    MX_TRY(mx_view_set_null(view));
    if (options == NULL) options = &defaults;
    MX_TRY(describe(ctx, label, type, rank, extents, options, &r));
    const size_t alignment = MX_TYPE_KIND(type) > 0 ? MX_TYPE_SIZE(type) : 1;
    MX_REQUIRE(data != NULL && (uintptr_t)data % alignment == 0, MX_ERR_ARG,
               "view '%s': memory at %p, expected an address aligned to %zu bytes", label, data,
               alignment);
    if (strides != NULL) MX_TRY(mx_record_strided(&r, "strides"));
    if (strides != NULL) MX_TRY(mx_record_set_strides(&r, strides, options->layout));
    if (r.layout <= MX_LAYOUT_STRIDE) mx_record_measure(&r);
    MX_TRY(check_wrapped(&r, data));
    r.data = data;
    return mx_record_insert(&r, view);
}

/* ---- views in use ---- */

static bool is_argument(const mx_launch *l, mx_view view)
{
    const mx_args_table *const table = l->kernel->table();
    for (size_t n = 0; l->args != NULL && n < table->count; n++) {
        mx_stamp stamp;
        const size_t at = table->accessor[n].offset + MX_STAMP_OFFSET;
        if (mx_stamp_read((const char *)l->args + at, &stamp) && stamp.slot == view.slot)
            return true;
    }
    return false;
}

mx_err mx_view_not_in_use(mx_view view, const char *call)
{
    for (mx_ctx ctx = mx_body_ctx_; ctx != NULL; ctx = mx_core(ctx)->outer) {
        const mx_kernel *const running = mx_ctx_running(ctx);
        const mx_launch *const l = mx_core(ctx)->launch;
        const mx_record *const r = mx_record_of(view);
        if (running == NULL || (!is_argument(l, view) &&
                                (l->result == NULL || !mx_record_overlaps_memory(r, l->result, 1))))
            continue;
        (void)mx_ctx_refuse_(ctx, running, call, false);
        return MX_FAIL(MX_ERR_ARG,
                       "%s of view '%s': the body of kernel %s, which uses it, must not", call,
                       r->label, l->kernel->name);
    }
    return MX_OK;
}

/* The same for the view, if the caller is its last owner, and for the roots that end with it. */
static mx_err end_not_in_use(mx_view view, const char *call)
{
    while (mx_body_ctx_ != NULL && view.generation != 0) {
        const mx_record *const r = mx_record_of(view);
        if (r == NULL || r->references > 1) return MX_OK;
        MX_TRY(mx_view_not_in_use(view, call));
        view = r->root;
    }
    return MX_OK;
}

/* ---- sharing and destroying ---- */

mx_err mx_view_retain(mx_view view)
{
    mx_record *record;
    MX_TRY(mx_record_find(view, &record));
    mx_record_retain(record, 1, 0);
    return MX_OK;
}

mx_err mx_view_swap(mx_view *a, mx_view *b)
{
    MX_REQUIRE(a != NULL && b != NULL, MX_ERR_ARG, "swap: a pointer to a view is NULL");
    const mx_view handles[2] = {*a, *b};
    mx_record *r[2];
    for (int v = 0; v < 2; v++) MX_TRY(mx_record_find(handles[v], &r[v]));
    for (int v = 0; v < 2; v++) MX_TRY(mx_view_not_in_use(handles[v], "mx_view_swap"));
    MX_REQUIRE(r[0]->type == r[1]->type && r[0]->rank == r[1]->rank, MX_ERR_TYPE,
               "swap of view '%s' (%s, rank %d) and view '%s' (%s, rank %d)", r[0]->label,
               mx_type_name(r[0]->type), r[0]->rank, r[1]->label, mx_type_name(r[1]->type),
               r[1]->rank);
    if (r[0] == r[1]) return MX_OK;
    for (int v = 0; v < 2; v++) __atomic_add_fetch(&r[v]->swaps, 1, __ATOMIC_RELAXED);
    *a = handles[1];
    *b = handles[0];
    return MX_OK;
}

static mx_err remove_owner(mx_view view, bool part)
{
    mx_record last = {0};
    MX_TRY(mx_record_release(view, part, &last));
    if (last.root.generation != 0) return remove_owner(last.root, true);
    if (last.data == NULL) return MX_OK; /* there are other owners */
    mx_memory_leave(last.data, (size_t)last.span * MX_TYPE_SIZE(last.type), last.release != NULL);
    if (last.release != NULL) free_data(&last);
    return MX_OK;
}

mx_err mx_view_destroy(mx_view *view)
{
    mx_record *record;
    if (view == NULL || view->generation == 0) return MX_OK;
    MX_TRY(mx_record_find(*view, &record));
    MX_TRY(end_not_in_use(*view, "mx_view_destroy"));
    MX_TRY(remove_owner(*view, false));
    *view = MX_VIEW_NULL;
    return MX_OK;
}

mx_err mx_view_replace_(mx_ctx ctx, mx_view *view, const int64_t *extents, bool keep)
{
    mx_record *old;
    mx_view replacement;
    int64_t common[MX_MAX_RANK];
    MX_REQUIRE(view != NULL, MX_ERR_ARG, "resize: no view");
    MX_TRY(mx_record_find(*view, &old));
    MX_TRY(end_not_in_use(*view, keep ? "mx_view_resize" : "mx_view_realloc"));
    MX_TRY(mx_record_writable(old));
    MX_REQUIRE(ctx == NULL || mx_ctx_can_access(ctx, old), MX_ERR_SPACE,
               "resize '%s': %s cannot access memory space %s", old->label, ctx->name,
               mx_space_name(old->space));
    if (keep) MX_TRY(mx_record_strided(old, "resize"));
    const mx_view_options options = {old->space, old->layout, false, old->padding};
    MX_TRY(
        (mx_view_create)(ctx, old->label, old->type, old->rank, extents, &options, &replacement));
    mx_record_of(replacement)->unchecked = old->unchecked;
    mx_record_of(replacement)->check_scale = old->check_scale;
    for (int d = 0; d < old->rank; d++)
        common[d] = old->extent[d] < extents[d] ? old->extent[d] : extents[d];
    const char *const kernel = keep ? "minx::View::resize" : NULL;
    const uint64_t id = kernel ? mx_tool_begin(ctx, MX_PATTERN_FOR, kernel, old->label) : 0;
    const mx_err err =
        keep ? mx_strided_copy(ctx, mx_record_of(replacement), old->data, old->stride, common, NULL)
             : MX_OK;
    if (kernel) mx_tool_end(MX_PATTERN_FOR, id);
    (void)mx_view_destroy(err == MX_OK ? view : &replacement);
    if (err == MX_OK) *view = replacement;
    return err;
}

mx_err mx_view_set_unchecked(mx_view view)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(mx_view_not_in_use(view, "mx_view_set_unchecked"));
    r->unchecked = true;
    return MX_OK;
}

mx_err mx_view_set_check_scale(mx_view view, double scale)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(scale >= 0 && isfinite(scale), MX_ERR_ARG,
               "view '%s': scale of checks: got %g, expected 0 or more", r->label, scale);
    MX_TRY(mx_view_not_in_use(view, "mx_view_set_check_scale"));
    r->check_scale = scale;
    return MX_OK;
}

mx_err mx_view_get_info(mx_view view, mx_view_info *info)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(info != NULL, MX_ERR_ARG, "view '%s': the pointer to its info is NULL", r->label);
    info->label = r->label;
    info->type = r->type;
    info->rank = r->rank;
    info->space = r->space;
    info->layout = r->layout;
    info->constant = r->constant;
    memcpy(info->extent, r->extent, sizeof info->extent);
    memcpy(info->stride, r->stride, sizeof info->stride);
    info->data = r->data;
    info->count = r->count;
    info->bytes = (size_t)r->span * MX_TYPE_SIZE(r->type);
    info->references = mx_record_retain(r, 0, 0).references;
    return MX_OK;
}

mx_err mx_view_host_data(mx_view view, void **data)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(data != NULL, MX_ERR_ARG, "view '%s': the pointer to its data is NULL", r->label);
    MX_REQUIRE(
        MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
        "view '%s' is in memory space %s, which the host cannot access: copy it by mx_export, "
        "or to a mirror",
        r->label, mx_space_name(r->space));
    *data = r->data;
    return MX_OK;
}

mx_err(mx_mirror_create)(mx_view source, mx_view *mirror)
{
    mx_record *r;
    MX_TRY(mx_view_set_null(mirror));
    MX_TRY(mx_record_find(source, &r));
    mx_record copy = mx_record_retain(r, 0, 0); /* same strides, padding included, in host memory */
    const size_t bytes = (size_t)(r->span > 0 ? r->span : 1) * MX_TYPE_SIZE(r->type);
    copy.space = MX_SPACE_HOST;
    copy.device = -1;
    copy.release = mx_host_release;
    copy.root = MX_VIEW_NULL;
    copy.constant = false;
    copy.reserved_for = 0;
    MX_TRY(mx_host_allocate(NULL, MX_SPACE_HOST, bytes, &copy.data));
    mx_tool_memory(&copy, true);
    memset(copy.data, 0, bytes);
    return insert_record(&copy, mirror);
}

mx_err(mx_mirror_if_needed)(mx_view source, mx_view *mirror)
{
    mx_record *r;
    MX_TRY(mx_view_set_null(mirror));
    MX_TRY(mx_record_find(source, &r));
    if (!(MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space))) return (mx_mirror_create)(source, mirror);
    MX_TRY(mx_view_retain(source));
    *mirror = source;
    return MX_OK;
}
