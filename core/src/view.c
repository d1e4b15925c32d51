/* Views: making, sharing, copying. What a handle stands for is in table.c. */
#include "runtime.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *mx_type_name(mx_type type)
{
    static const char *const names[] = {"user", "f64", "f32", "i32", "i64", "u8", "u32", "u64"};
    static _Thread_local char texts[2][32]; /* two, for messages that name two types */
    static _Thread_local unsigned turn;
    const unsigned kind = MX_TYPE_KIND(type);
    if (kind > 0 && kind < sizeof names / sizeof names[0]) return names[kind];
    char *const text = texts[turn++ % 2];
    snprintf(text, sizeof texts[0], "user[%zu]", MX_TYPE_SIZE(type));
    return text;
}

mx_err mx_record_find(mx_view view, mx_record **record)
{
    *record = mx_record_of(view);
    MX_REQUIRE(*record != NULL, MX_ERR_STALE,
               "a handle of a view that does not exist (any more): slot %u, generation %u",
               view.slot, view.generation);
    return MX_OK;
}

mx_err mx_view_set_null(mx_view *view)
{
    MX_REQUIRE(view != NULL, MX_ERR_ARG, "a view, and nowhere to put it");
    *view = MX_VIEW_NULL;
    return MX_OK;
}

static mx_err check_writable(const mx_record *r)
{
    MX_REQUIRE(!r->constant, MX_ERR_CONST, "view '%s' is only to be read", r->label);
    return MX_OK;
}

/* ---- making ---- */

/* Strides in elements, and the span from the first to behind the last. Padding rounds the contiguous extent up so that
 * the next row starts at a multiple of 64 bytes; layouts of layout.h round as they need. */
static mx_err lay_out(const char *label, mx_record *r, bool padding)
{
    const int64_t size = (int64_t)MX_TYPE_SIZE(r->type);
    const int64_t limit = PTRDIFF_MAX / size;
    const bool special = r->layout > MX_LAYOUT_STRIDE;
    uint64_t extent[MX_MAX_RANK], stride[MX_MAX_RANK];
    int64_t step = 1;
    bool fits = true;
    memcpy(extent, r->extent, sizeof extent);
#define MX_LAYOUT_SETTLE(NAME, name, prefix, ...) \
    if (r->layout == MX_LAYOUT_##NAME)            \
        fits = prefix##_strides(r->rank, extent, stride, __VA_ARGS__);
    MX_LAYOUTS_(MX_LAYOUT_SETTLE)
    MX_REQUIRE(fits, MX_ERR_RANK, "view '%s': layout %s is not for rank %d", label,
               mx_layout_name(r->layout), r->rank);
    r->count = 1;
    for (int n = 0; n < r->rank; n++) {
        const int d = r->layout == MX_LAYOUT_LEFT ? n : r->rank - 1 - n;
        MX_REQUIRE(extent[d] <= (uint64_t)limit - 64, MX_ERR_EXTENT,
                   "view '%s' does not fit the address space", label);
        int64_t rounded = (int64_t)extent[d];
        r->stride[d] = special ? (int64_t)stride[d] : step;
        if (padding && !special && n == 0 && r->rank > 1 && 64 % size == 0) {
            const int64_t chunk = 64 / size;
            rounded = (rounded + chunk - 1) / chunk * chunk;
        }
        MX_REQUIRE(rounded == 0 || step <= limit / rounded, MX_ERR_EXTENT,
                   "view '%s' does not fit the address space", label);
        step *= rounded;
        r->count *= r->extent[d];
    }
    r->span = step;
    return MX_OK;
}

int64_t mx_view_offset(const mx_view_info *info, const int64_t *index)
{
    int64_t offset = 0;
    for (int d = 0; d < info->rank; d++)
        offset += mx_term_((int)info->layout, info->rank, d, index[d], info->stride[d]);
    return offset;
}

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
    MX_REQUIRE(MX_TYPE_SIZE(type) > 0 && MX_TYPE_KIND(type) <= MX_TYPE_KIND(MX_U64), MX_ERR_TYPE,
               "view '%s': element type: got 0x%x, expected MX_F64 or the like", label, type);
    strcpy(r->label, label);
    r->type = type;
    r->rank = rank;
    for (int d = 0; d < rank; d++) {
        MX_REQUIRE(extents[d] >= 0, MX_ERR_EXTENT,
                   "view '%s': extent %d: got %lld, expected 0 or more", label, d,
                   (long long)extents[d]);
        r->extent[d] = extents[d];
    }
    r->space = options->space == MX_SPACE_DEFAULT ? ctx->backend->space : options->space;
    r->device = r->space == MX_SPACE_CUDA ? ctx->device : -1;
    r->layout = options->layout == MX_LAYOUT_DEFAULT ? ctx->layout : options->layout;
    MX_REQUIRE(
        (unsigned)r->layout < MX_LAYOUT_COUNT_ && r->layout != MX_LAYOUT_STRIDE, MX_ERR_LAYOUT,
        "view '%s': layout: got %d, expected left or right, or another of layout.h but stride",
        label, (int)r->layout);
    MX_REQUIRE(ctx->backend->accessible & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s cannot reach memory space %s", label, ctx->backend->name,
               mx_space_name(r->space));
    r->padding = options->padding;
    return lay_out(label, r, options->padding);
}

static void release(const mx_record *r)
{
    if (mx_rt.tool) mx_tool_memory(r, false);
    r->owner->release(r->space, r->data);
}

static mx_err allocate(mx_ctx ctx, mx_record *r, bool uninitialized)
{
    const unsigned char zero = 0;
    const size_t size = MX_TYPE_SIZE(r->type);
    /* never empty: an accessor's data is never NULL */
    const size_t bytes = (size_t)(r->span > 0 ? r->span : 1) * size;
    MX_REQUIRE(ctx->backend->allocates_in & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s does not allocate in memory space %s", r->label, ctx->backend->name,
               mx_space_name(r->space));
    r->owner = ctx->backend;
    const mx_err err = ctx->backend->allocate(ctx, r->space, bytes, &r->data);
    if (err != MX_OK)
        return MX_FAIL(err, "view '%s': no %zu bytes in memory space %s", r->label, bytes,
                       mx_space_name(r->space));
    if (mx_rt.tool) mx_tool_memory(r, true);
    if (uninitialized) return MX_OK;
    const char *const kernel = "minx::View::initialization";
    const uint64_t id = mx_rt.tool ? mx_tool_begin(ctx, MX_PATTERN_FOR, kernel, r->label) : 0;
    const mx_err filled = ctx->backend->fill(ctx, r->data, (int64_t)bytes, &zero, 1);
    if (mx_rt.tool) mx_tool_end(MX_PATTERN_FOR, id);
    /* what the host can reach it may use at once; other memory only kernels of this context, in order */
    const bool wait = filled == MX_OK && (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space)) != 0;
    const mx_err done = wait ? mx_ctx_wait(ctx, kernel, false) : filled;
    if (done != MX_OK) release(r);
    return done;
}

/* Enters a complete record in the table, which owns its data from then on; on failure the data is freed. */
static mx_err enter(const mx_record *described, mx_view *view)
{
    const mx_err err = mx_record_insert(described, view);
    if (err != MX_OK) release(described);
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
    return enter(&described, view);
}

/* Strides of the user's: no two elements may share memory, so each dimension steps over those of smaller strides. */
static mx_err take_strides(mx_record *r, const int64_t *strides, mx_layout asked)
{
    for (int d = 0; d < r->rank; d++) {
        int64_t inside = 1; /* elements from the first to behind the last of the smaller strides */
        r->stride[d] = strides[d];
        if (r->extent[d] <= 1) continue;
        MX_REQUIRE(strides[d] <=
                       PTRDIFF_MAX / MX_MAX_RANK / (int64_t)MX_TYPE_SIZE(r->type) / r->extent[d],
                   MX_ERR_EXTENT, "view '%s' does not fit the address space", r->label);
        for (int e = 0; e < r->rank; e++)
            if (strides[e] < strides[d] || (strides[e] == strides[d] && e < d))
                inside += r->extent[e] > 1 && strides[e] > 0 ? (r->extent[e] - 1) * strides[e] : 0;
        MX_REQUIRE(strides[d] >= inside, MX_ERR_LAYOUT,
                   "view '%s': stride %d: got %lld, expected %lld or more, what is inside it",
                   r->label, d, (long long)strides[d], (long long)inside);
    }
    const bool follow = mx_strides_follow(r, NULL, r->layout);
    MX_REQUIRE(follow || asked == MX_LAYOUT_DEFAULT, MX_ERR_LAYOUT,
               "view '%s': the strides given do not follow layout %s", r->label,
               mx_layout_name(asked));
    if (!follow) r->layout = MX_LAYOUT_STRIDE;
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
    if (strides != NULL) MX_TRY(take_strides(&r, strides, options->layout));
    if (r.layout <= MX_LAYOUT_STRIDE) mx_record_measure(&r);
    r.data = data;
    return mx_record_insert(&r, view);
}

/* ---- sharing and ending ---- */

mx_err mx_view_retain(mx_view view)
{
    mx_record *record;
    MX_TRY(mx_record_find(view, &record));
    mx_record_retain(record, 1, 0);
    return MX_OK;
}

static mx_err leave(mx_view view, bool part)
{
    mx_record last = {0};
    MX_TRY(mx_record_release(view, part, &last));
    if (last.root.generation != 0) return leave(last.root, true);
    if (last.owner != NULL) release(&last);
    return MX_OK;
}

mx_err mx_view_destroy(mx_view *view)
{
    mx_record *record;
    if (view == NULL || view->generation == 0) return MX_OK;
    MX_TRY(mx_record_find(*view, &record));
    MX_TRY(leave(*view, false));
    *view = MX_VIEW_NULL;
    return MX_OK;
}

mx_err mx_view_replace_(mx_ctx ctx, mx_view *view, const int64_t *extents, bool keep)
{
    mx_record *old;
    mx_view made;
    int64_t common[MX_MAX_RANK];
    MX_REQUIRE(view != NULL, MX_ERR_ARG, "resize: no view");
    MX_TRY(mx_record_find(*view, &old));
    MX_TRY(check_writable(old));
    MX_REQUIRE(ctx == NULL || mx_ctx_can_access(ctx, old), MX_ERR_SPACE,
               "resize '%s': %s cannot reach memory space %s", old->label, ctx->name,
               mx_space_name(old->space));
    if (keep) MX_TRY(mx_record_strided(old, "resize"));
    const mx_view_options options = {old->space, old->layout, false, old->padding};
    MX_TRY((mx_view_create)(ctx, old->label, old->type, old->rank, extents, &options, &made));
    for (int d = 0; d < old->rank; d++)
        common[d] = old->extent[d] < extents[d] ? old->extent[d] : extents[d];
    const char *const kernel = keep && mx_rt.tool ? "minx::View::resize" : NULL;
    const uint64_t id = kernel ? mx_tool_begin(ctx, MX_PATTERN_FOR, kernel, old->label) : 0;
    const mx_err err =
        keep ? mx_strided_copy(ctx, mx_record_of(made), old->data, old->stride, common, NULL)
             : MX_OK;
    if (kernel) mx_tool_end(MX_PATTERN_FOR, id);
    mx_view_destroy(err == MX_OK ? view : &made);
    if (err == MX_OK) *view = made;
    return err;
}

mx_err mx_view_get_info(mx_view view, mx_view_info *info)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(info != NULL, MX_ERR_ARG, "view '%s': nowhere to put its info", r->label);
    info->label = r->label, info->type = r->type, info->rank = r->rank;
    info->space = r->space, info->layout = r->layout, info->constant = r->constant;
    memcpy(info->extent, r->extent, sizeof info->extent);
    memcpy(info->stride, r->stride, sizeof info->stride);
    info->data = r->data, info->count = r->count;
    info->bytes = (size_t)r->span * MX_TYPE_SIZE(r->type);
    info->references = mx_record_retain(r, 0, 0).references;
    return MX_OK;
}

mx_err mx_view_host_data(mx_view view, void **data)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(data != NULL, MX_ERR_ARG, "view '%s': nowhere to put its data", r->label);
    MX_REQUIRE(MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s' is in memory space %s, which the host cannot reach: copy it to a mirror",
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
    copy.space = MX_SPACE_HOST, copy.device = -1, copy.owner = &mx_backend_serial;
    copy.root = MX_VIEW_NULL, copy.constant = copy.tokens = false;
    MX_TRY(mx_host_allocate(NULL, MX_SPACE_HOST, bytes, &copy.data));
    if (mx_rt.tool) mx_tool_memory(&copy, true);
    memset(copy.data, 0, bytes);
    return enter(&copy, mirror);
}

mx_err(mx_mirror_view_create)(mx_view source, mx_view *mirror)
{
    mx_record *r;
    MX_TRY(mx_view_set_null(mirror));
    MX_TRY(mx_record_find(source, &r));
    if (!(MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space))) return (mx_mirror_create)(source, mirror);
    MX_TRY(mx_view_retain(source));
    *mirror = source;
    return MX_OK;
}

/* ---- copies ---- */

static mx_err check_accessible(mx_ctx ctx, const mx_record *r)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "view '%s': copied without a context", r->label);
    MX_REQUIRE(ctx->graph == NULL, MX_ERR_ARG, /* what it cannot replay is not done once either */
               "view '%s': copied or filled while %s records a graph, which takes kernels only",
               r->label, ctx->name);
    const unsigned both = ctx->backend->accessible |
                          MX_HOST_ACCESSIBLE; /* a device's copy engine also moves host memory */
    MX_REQUIRE(both & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s cannot move memory space %s", r->label, ctx->backend->name,
               mx_space_name(r->space));
    return MX_OK;
}

/* plain: of memory, as it lies; else element by element. */
static mx_err copy(mx_ctx ctx, mx_view destination, mx_view source, bool plain)
{
    mx_record *d, *s;
    int k = 0; /* the first dimension whose strides differ and matter */
    MX_TRY(mx_record_find(destination, &d));
    MX_TRY(mx_record_find(source, &s));
    MX_TRY(check_writable(d));
    MX_REQUIRE(d->type == s->type, MX_ERR_TYPE,
               "copy '%s' from '%s': element types differ: %s and %s", d->label, s->label,
               mx_type_name(d->type), mx_type_name(s->type));
    MX_REQUIRE(d->rank == s->rank, MX_ERR_RANK, "copy '%s' from '%s': ranks differ: %d and %d",
               d->label, s->label, d->rank, s->rank);
    for (int e = 0; e < d->rank; e++)
        MX_REQUIRE(d->extent[e] == s->extent[e], MX_ERR_EXTENT,
                   "copy '%s' from '%s': extent %d differs: %lld and %lld", d->label, s->label, e,
                   (long long)d->extent[e], (long long)s->extent[e]);
    while (k < d->rank && (d->extent[k] <= 1 || d->stride[k] == s->stride[k])) k++;
    MX_REQUIRE(!plain || d->rank < 2 || d->layout == s->layout, MX_ERR_LAYOUT,
               "copy '%s' from '%s': layouts differ: %s and %s; mx_remap copies between them",
               d->label, s->label, mx_layout_name(d->layout), mx_layout_name(s->layout));
    MX_REQUIRE(
        !plain || k == d->rank, MX_ERR_LAYOUT,
        "copy '%s' from '%s': stride %d differs (padding): %lld and %lld; mx_remap copies between them",
        d->label, s->label, k, (long long)d->stride[k], (long long)s->stride[k]);
    if (!plain) MX_TRY(mx_record_strided(d, "remap"));
    if (!plain) MX_TRY(mx_record_strided(s, "remap"));
    MX_TRY(check_accessible(ctx, d));
    MX_TRY(check_accessible(ctx, s));
    if (d->data == s->data && k == d->rank) return MX_OK;
    MX_REQUIRE(!mx_views_overlap(destination, source), MX_ERR_ARG,
               "copy '%s' from '%s': the views overlap", d->label, s->label);
    const bool strided = (!plain || mx_record_has_gaps(d) || mx_record_has_gaps(s)) &&
                         mx_ctx_can_access(ctx, d) && mx_ctx_can_access(ctx, s);
    MX_REQUIRE(
        strided || (plain && !mx_record_has_gaps(d)), MX_ERR_SPACE,
        "copy '%s' from '%s': %s does not reach both, to copy element by element; use a view of the same strides "
        "without gaps in between",
        d->label, s->label, ctx->name);
    /* spans differ where the padding of a single row does */
    const int64_t shared = s->span < d->span ? s->span : d->span;
    const size_t bytes = (size_t)(strided ? s->count : shared) * MX_TYPE_SIZE(s->type);
    if (mx_rt.tool) mx_tool_copy(d, d->data, s, s->data, bytes);
    if (strided)
        return mx_tool_copied(mx_strided_copy(ctx, d, s->data, s->stride, d->extent, NULL));
    return mx_tool_copied(bytes > 0 ? ctx->backend->copy(ctx, d->data, s->data, bytes) : MX_OK);
}

mx_err mx_deep_copy(mx_ctx ctx, mx_view to, mx_view from) { return copy(ctx, to, from, true); }

mx_err mx_remap(mx_ctx ctx, mx_view to, mx_view from) { return copy(ctx, to, from, false); }

mx_err mx_fill(mx_ctx ctx, mx_view view, const void *value)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(check_accessible(ctx, r));
    MX_REQUIRE(value != NULL, MX_ERR_ARG, "fill '%s': without a value", r->label);
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "fill '%s': %s cannot reach memory space %s", r->label, ctx->name,
               mx_space_name(r->space));
    MX_TRY(check_writable(r));
    if (r->count == 0) return MX_OK;
    const size_t size = MX_TYPE_SIZE(r->type);
    if (mx_rt.tool) mx_tool_copy(r, r->data, NULL, value, (size_t)r->count * size);
    if (!mx_record_has_gaps(r))
        return mx_tool_copied(ctx->backend->fill(ctx, r->data, r->span, value, size));
    /* from one element again and again: on a host the value, on a device, which cannot read that, the first */
    static const int64_t still[MX_MAX_RANK];
    const bool host = ctx->backend->run != NULL;
    const mx_err err = host ? MX_OK : ctx->backend->copy(ctx, r->data, value, size);
    if (err != MX_OK) return mx_tool_copied(err);
    return mx_tool_copied(mx_strided_copy(ctx, r, host ? value : r->data, still, r->extent, NULL));
}

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
    MX_TRY(check_accessible(ctx, r));
    *at = (char *)r->data + (size_t)(index * r->stride[0]) * MX_TYPE_SIZE(r->type);
    return MX_OK;
}

mx_err mx_read_element(mx_ctx ctx, mx_view view, int64_t index, void *value)
{
    mx_record *r;
    char *at;
    MX_TRY(element(ctx, view, index, value, &r, &at));
    if (mx_rt.tool) mx_tool_copy(NULL, value, r, at, MX_TYPE_SIZE(r->type));
    MX_TRY(mx_tool_copied(ctx->backend->copy(ctx, value, at, MX_TYPE_SIZE(r->type))));
    return mx_fence(ctx);
}

mx_err mx_write_element(mx_ctx ctx, mx_view view, int64_t index, const void *value)
{
    mx_record *r;
    char *at;
    MX_TRY(element(ctx, view, index, value, &r, &at));
    MX_TRY(check_writable(r));
    if (mx_rt.tool) mx_tool_copy(r, at, NULL, value, MX_TYPE_SIZE(r->type));
    /* ordinary memory is read before the call returns */
    return mx_tool_copied(ctx->backend->copy(ctx, at, value, MX_TYPE_SIZE(r->type)));
}
