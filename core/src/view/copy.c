/* Copies between views, whatever their strides and layouts are. Each dimension of the views becomes
 * an axis of the copy. The axis that is contiguous in the destination is the last, so that
 * neighbouring items write neighbouring elements. Two axes that follow each other without a gap in
 * both views are merged. If one axis without gaps is left, the copy is one memory copy. Axes of
 * layouts without strides (tiled, morton) are neither sorted nor merged. Not done: tiles for
 * transposes. A transpose reads one element from each cache line of the source. */
#include "base/events.h"
#include "memory.h"

#include <math.h>
#include <string.h>

static void add_axis(mx_strided *c, mx_strided_axis axis)
{
    int at = c->axes++;
    for (; at > 0 && c->axis[at - 1].to < axis.to; at--) c->axis[at] = c->axis[at - 1];
    c->axis[at] = axis;
}

static bool follow_each_other(const mx_strided_axis *outer, const mx_strided_axis *inner)
{
    return !inner->indexed && !outer->indexed && outer->to == inner->extent * inner->to &&
           outer->from == inner->extent * inner->from;
}

static void merge_axes(mx_strided *c)
{
    int last = 0;
    for (int n = 1; n < c->axes; n++) {
        mx_strided_axis axis = c->axis[n];
        if (follow_each_other(&c->axis[last], &axis))
            axis.extent *= c->axis[last].extent;
        else
            last++;
        c->axis[last] = axis;
    }
    c->axes = last + 1;
}

/* Merges the axes of a copy between views with strides; there is at least one axis then. */
static void finish_axes(mx_strided *c)
{
    if (c->axes == 0) add_axis(c, (mx_strided_axis){.extent = 1, .to = 1, .from = 1});
    merge_axes(c);
}

static bool has_no_strides(const mx_record *r) { return r->layout > MX_LAYOUT_STRIDE; }

bool mx_strided_describe(mx_strided *c, const mx_record *to, const mx_record *from)
{
    const bool no_strides = has_no_strides(to) || has_no_strides(from);
    *c = (mx_strided){.to = to->data,
                      .from = from->data,
                      .size = MX_TYPE_SIZE(to->type),
                      .count = mx_count_elements(to->rank, to->extent),
                      .rank = to->rank,
                      .to_layout = has_no_strides(to) ? to->layout : MX_LAYOUT_DEFAULT,
                      .from_layout = has_no_strides(from) ? from->layout : MX_LAYOUT_DEFAULT};
    for (int d = 0; d < to->rank; d++) {
        const mx_strided_axis axis = {
            .extent = to->extent[d], .to = to->stride[d], .from = from->stride[d], .dimension = d};
        if (no_strides)
            c->axis[c->axes++] = axis;
        else if (axis.extent > 1)
            add_axis(c, axis);
    }
    if (c->count > 0 && !no_strides) finish_axes(c);
    return c->count > 0;
}

static mx_err run_copy(mx_ctx ctx, const mx_strided *c)
{
    const mx_strided_axis *axis = &c->axis[0];
    const bool strides =
        c->to_layout == MX_LAYOUT_DEFAULT && c->from_layout == MX_LAYOUT_DEFAULT && !axis->indexed;
    if (strides && c->axes == 1 && axis->to == 1 && axis->from == 1)
        return ctx->backend->memory.copy(ctx, c->to, c->from, (size_t)c->count * c->size);
    return ctx->backend->memory.copy_strided(ctx, c);
}

mx_err mx_record_copy(mx_ctx ctx, const mx_record *to, const mx_record *from)
{
    mx_strided c;
    return mx_strided_describe(&c, to, from) ? run_copy(ctx, &c) : MX_OK;
}

mx_err mx_strided_copy(mx_ctx ctx, const mx_record *to, const void *from,
                       const int64_t *from_stride, const int64_t *extent, const mx_strided *gather)
{
    mx_strided c = gather != NULL ? *gather : (mx_strided){0};
    c.to = to->data;
    c.from = from;
    c.size = MX_TYPE_SIZE(to->type);
    c.count = mx_count_elements(to->rank, extent);
    if (c.count == 0) return MX_OK;
    for (int d = 0; d < to->rank; d++) {
        const mx_strided_axis axis = {.extent = extent[d],
                                      .to = to->stride[d],
                                      .from = from_stride[d],
                                      .dimension = d,
                                      .indexed = gather != NULL && d == 0};
        if (axis.extent > 1 || axis.indexed) add_axis(&c, axis);
    }
    finish_axes(&c);
    return run_copy(ctx, &c);
}

/* ---- views ---- */

mx_err mx_record_recordable(mx_ctx ctx, const mx_record *r)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "view '%s': a copy needs a context", r->label);
    MX_TRY(mx_ctx_idle(ctx, "a copy or fill"));
    MX_REQUIRE(mx_core(ctx)->graph == NULL || mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "view '%s': it is in memory space %s, which kernels of %s cannot access, so a graph "
               "cannot record this copy (use pinned memory)",
               r->label, mx_space_name(r->space), ctx->name);
    /* the copy engine of a device copies host memory too */
    const unsigned copyable = ctx->backend->memory.accessible | MX_HOST_ACCESSIBLE;
    MX_REQUIRE(copyable & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s cannot copy memory space %s", r->label, ctx->backend->info.name,
               mx_space_name(r->space));
    return MX_OK;
}

mx_err mx_record_copyable(mx_ctx ctx, const mx_record *r)
{
    MX_REQUIRE(ctx == NULL || mx_core(ctx)->graph == NULL, MX_ERR_ARG,
               "view '%s': host code reads or writes it while %s records a graph; a graph cannot "
               "record such a copy",
               r->label, ctx->name);
    return mx_record_recordable(ctx, r);
}

mx_err mx_record_check_type(const mx_record *r, const char *what, mx_type type)
{
    const bool any = type == 0 || (MX_TYPE_KIND(r->type) == 0 && mx_is_type(type));
    MX_REQUIRE(any || type == r->type, MX_ERR_TYPE,
               "%s '%s': the view has elements %s, the pointer is to %s", what, r->label,
               mx_type_name(r->type), mx_type_name(type));
    return MX_OK;
}

mx_err mx_records_check_shapes(const mx_record *to, const mx_record *from)
{
    MX_TRY(mx_record_writable(to));
    MX_REQUIRE(to->type == from->type, MX_ERR_TYPE,
               "copy '%s' from '%s': element types differ: %s and %s", to->label, from->label,
               mx_type_name(to->type), mx_type_name(from->type));
    MX_REQUIRE(to->rank == from->rank, MX_ERR_RANK, "copy '%s' from '%s': ranks differ: %d and %d",
               to->label, from->label, to->rank, from->rank);
    for (int d = 0; d < to->rank; d++)
        MX_REQUIRE(to->extent[d] == from->extent[d], MX_ERR_EXTENT,
                   "copy '%s' from '%s': extent %d differs: %lld and %lld", to->label, from->label,
                   d, (long long)to->extent[d], (long long)from->extent[d]);
    return MX_OK;
}

/* The first dimension whose strides differ and matter; the rank if there is none. */
static int differing_stride(const mx_record *a, const mx_record *b)
{
    int d = 0;
    while (d < a->rank && (a->extent[d] <= 1 || a->stride[d] == b->stride[d])) d++;
    return d;
}

bool mx_records_identical(const mx_record *a, const mx_record *b)
{
    return a->data == b->data && (a->rank < 2 || a->layout == b->layout) &&
           differing_stride(a, b) == a->rank;
}

static mx_err check_same_layout(const mx_record *to, const mx_record *from)
{
    const int d = differing_stride(to, from);
    MX_REQUIRE(to->rank < 2 || to->layout == from->layout, MX_ERR_LAYOUT,
               "copy '%s' from '%s': layouts differ: %s and %s; mx_remap copies between them",
               to->label, from->label, mx_layout_name(to->layout), mx_layout_name(from->layout));
    MX_REQUIRE(
        d == to->rank, MX_ERR_LAYOUT,
        "copy '%s' from '%s': stride %d differs (padding): %lld and %lld; mx_remap copies between them",
        to->label, from->label, d, (long long)to->stride[d], (long long)from->stride[d]);
    return MX_OK;
}

mx_err mx_deep_copy(mx_ctx ctx, mx_view destination, mx_view source)
{
    mx_record *to, *from;
    MX_TRY(mx_record_find(destination, &to));
    MX_TRY(mx_record_find(source, &from));
    MX_TRY(mx_records_check_shapes(to, from));
    MX_TRY(check_same_layout(to, from));
    MX_TRY(mx_record_recordable(ctx, to));
    MX_TRY(mx_record_recordable(ctx, from));
    if (mx_records_identical(to, from)) return MX_OK;
    MX_REQUIRE(!mx_views_overlap(destination, source), MX_ERR_ARG,
               "copy '%s' from '%s': the views overlap", to->label, from->label);
    const bool by_elements = (mx_record_has_gaps(to) || mx_record_has_gaps(from)) &&
                             mx_ctx_can_access(ctx, to) && mx_ctx_can_access(ctx, from);
    MX_REQUIRE(by_elements || !mx_record_has_gaps(to), MX_ERR_SPACE,
               "copy '%s' from '%s': there are elements of other views between those of the "
               "destination, and %s cannot access both views to copy element by element; mx_remap "
               "can copy them, through staging memory",
               to->label, from->label, ctx->name);
    if (mx_core(ctx)->graph != NULL && to->count > 0) {
        const mx_move move = {.to = destination, .from = source, .plain = true};
        return mx_core(ctx)->record_move(mx_core(ctx)->graph, &move);
    }
    /* the spans differ if the views have a single row, with different padding behind it */
    const int64_t shared = from->span < to->span ? from->span : to->span;
    const size_t size = MX_TYPE_SIZE(from->type);
    const size_t bytes = (size_t)(by_elements ? from->count : shared) * size;
    mx_tool_copy(to, to->data, from, from->data, bytes);
    if (by_elements) return mx_tool_copied(mx_record_copy(ctx, to, from));
    return mx_tool_copied(bytes > 0 ? ctx->backend->memory.copy(ctx, to->data, from->data, bytes)
                                    : MX_OK);
}

/* The largest element that the fill of every backend takes (view.h). A recorded fill keeps a copy
 * of its value; a recorded copy would read the value when the graph runs. */
enum { MAX_FILL_BYTES = 1024 };

mx_err mx_fill_(mx_ctx ctx, mx_view view, const void *value, mx_type type)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(mx_record_recordable(ctx, r));
    MX_REQUIRE(value != NULL, MX_ERR_ARG, "fill '%s': no value", r->label);
    MX_TRY(mx_record_check_type(r, "fill", type));
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "fill '%s': %s cannot access memory space %s", r->label, ctx->name,
               mx_space_name(r->space));
    MX_TRY(mx_record_writable(r));
    if (r->count == 0) return MX_OK;
    if (mx_core(ctx)->graph != NULL) {
        const mx_move move = {.to = view, .value = value};
        return mx_core(ctx)->record_move(mx_core(ctx)->graph, &move);
    }
    const size_t size = MX_TYPE_SIZE(r->type);
    mx_tool_copy(r, r->data, NULL, value, (size_t)r->count * size);
    if (!mx_record_has_gaps(r))
        return mx_tool_copied(ctx->backend->memory.fill(ctx, r->data, r->span, value, size));
    /* A view with gaps is filled by a copy whose source strides are 0: each element becomes a copy
     * of one element. On hosts this element is the value. A device cannot read the value, so there
     * the first element of the view is set, and then copied to all. */
    static const int64_t zero_strides[MX_MAX_RANK];
    const bool host = ctx->backend->host.run != NULL;
    const mx_backend_memory *memory = &ctx->backend->memory;
    const mx_err err = host                     ? MX_OK
                       : size <= MAX_FILL_BYTES ? memory->fill(ctx, r->data, 1, value, size)
                                                : memory->copy(ctx, r->data, value, size);
    if (err != MX_OK) return mx_tool_copied(err);
    return mx_tool_copied(
        mx_strided_copy(ctx, r, host ? value : r->data, zero_strides, r->extent, NULL));
}

/* The number as an element of this type. false: an integer type that does not have it, or no type
 * of numbers. */
static bool number_as(mx_type type, long double number, void *element)
{
    switch (type) {
#define MX_NUMBER_AS(tag, T, kind)                                                     \
    case MX_TYPE_((unsigned)(kind), sizeof(T)): {                                      \
        const bool real = (T)0.5 != 0, negative = (T)-1 < (T)1;                        \
        const long double end = ldexpl(1, 8 * (int)sizeof(T) - negative);              \
        if (!real && !(number >= (negative ? -end : 0) && number < end)) return false; \
        const T exact = (T)number;                                                     \
        if (!real && (long double)exact != number) return false;                       \
        memcpy(element, &exact, sizeof exact);                                         \
        return true;                                                                   \
    }
        MX_NUMBER_TYPES_(MX_NUMBER_AS)
    default: return false;
    }
}

mx_err mx_fill_number_(mx_ctx ctx, mx_view view, long double number, mx_type none)
{
    uint64_t element = 0;
    mx_record *r;
    (void)none;
    MX_TRY(mx_record_find(view, &r));
    MX_REQUIRE(number_as(r->type, number, &element), MX_ERR_TYPE,
               "fill '%s': %.17Lg is no element of type %s", r->label, number,
               mx_type_name(r->type));
    return mx_fill_(ctx, view, &element, 0);
}
