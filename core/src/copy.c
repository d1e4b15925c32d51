/* Copies between any strides. The dimensions become axes, the destination's contiguous one last, so that neighbouring items
 * write to neighbouring elements; those that follow each other without a gap on both sides become one, and one without gaps
 * is a plain copy. Not done: tiles for transposes, which read across the cache lines of the source. */
#include "events.h"
#include "memory.h"

static void add_axis(mx_strided *c, mx_strided_axis axis)
{
    int at = c->axes++;
    for (; at > 0 && c->axis[at - 1].to < axis.to; at--) c->axis[at] = c->axis[at - 1];
    c->axis[at] = axis;
}

static void merge_axes(mx_strided *c)
{
    int last = 0;
    for (int n = 1; n < c->axes; n++) {
        const mx_strided_axis inner = c->axis[n];
        mx_strided_axis *outer = &c->axis[last];
        if (!inner.indexed && !outer->indexed && outer->to == inner.extent * inner.to &&
            outer->from == inner.extent * inner.from)
            *outer = (mx_strided_axis){outer->extent * inner.extent, inner.to, inner.from, false};
        else
            c->axis[++last] = inner;
    }
    c->axes = last + 1;
}

mx_err mx_strided_copy(mx_ctx ctx, const mx_record *to, const void *from,
                       const int64_t *from_stride, const int64_t *extent, const mx_strided *gather)
{
    mx_strided c = gather != NULL ? *gather : (mx_strided){0};
    c.to = to->data, c.from = from;
    c.size = MX_TYPE_SIZE(to->type), c.count = 1;
    for (int d = 0; d < to->rank; d++) {
        c.count *= extent[d];
        const bool indexed = gather != NULL && d == 0;
        if (extent[d] > 1 || indexed)
            add_axis(&c, (mx_strided_axis){extent[d], to->stride[d], from_stride[d], indexed});
    }
    if (c.count == 0) return MX_OK;
    if (c.axes == 0) add_axis(&c, (mx_strided_axis){1, 1, 1, false});
    merge_axes(&c);
    if (c.axes == 1 && !c.axis[0].indexed && c.axis[0].to == 1 && c.axis[0].from == 1)
        return ctx->backend->memory.copy(ctx, c.to, c.from, (size_t)c.count * c.size);
    return ctx->backend->memory.copy_strided(ctx, &c);
}

/* ---- views ---- */

mx_err mx_record_movable(mx_ctx ctx, const mx_record *r)
{
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "view '%s': copied without a context", r->label);
    MX_REQUIRE(ctx->graph == NULL, MX_ERR_ARG, /* what it cannot replay is not done once either */
               "view '%s': copied or filled while %s records a graph, which takes kernels only",
               r->label, ctx->name);
    const unsigned both = ctx->backend->memory.accessible |
                          MX_HOST_ACCESSIBLE; /* a device's copy engine also moves host memory */
    MX_REQUIRE(both & MX_SPACE_BIT(r->space), MX_ERR_SPACE,
               "view '%s': %s cannot move memory space %s", r->label, ctx->backend->info.name,
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
    MX_TRY(mx_record_writable(d));
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
    MX_TRY(mx_record_movable(ctx, d));
    MX_TRY(mx_record_movable(ctx, s));
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
    mx_tool_copy(d, d->data, s, s->data, bytes);
    if (strided)
        return mx_tool_copied(mx_strided_copy(ctx, d, s->data, s->stride, d->extent, NULL));
    return mx_tool_copied(bytes > 0 ? ctx->backend->memory.copy(ctx, d->data, s->data, bytes)
                                    : MX_OK);
}

mx_err mx_deep_copy(mx_ctx ctx, mx_view to, mx_view from) { return copy(ctx, to, from, true); }

mx_err mx_remap(mx_ctx ctx, mx_view to, mx_view from) { return copy(ctx, to, from, false); }

mx_err mx_fill(mx_ctx ctx, mx_view view, const void *value)
{
    mx_record *r;
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(mx_record_movable(ctx, r));
    MX_REQUIRE(value != NULL, MX_ERR_ARG, "fill '%s': without a value", r->label);
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "fill '%s': %s cannot reach memory space %s", r->label, ctx->name,
               mx_space_name(r->space));
    MX_TRY(mx_record_writable(r));
    if (r->count == 0) return MX_OK;
    const size_t size = MX_TYPE_SIZE(r->type);
    mx_tool_copy(r, r->data, NULL, value, (size_t)r->count * size);
    if (!mx_record_has_gaps(r))
        return mx_tool_copied(ctx->backend->memory.fill(ctx, r->data, r->span, value, size));
    /* from one element again and again: on a host the value, on a device, which cannot read that, the first */
    static const int64_t still[MX_MAX_RANK];
    const bool host = ctx->backend->host.run != NULL;
    const mx_err err = host ? MX_OK : ctx->backend->memory.copy(ctx, r->data, value, size);
    if (err != MX_OK) return mx_tool_copied(err);
    return mx_tool_copied(mx_strided_copy(ctx, r, host ? value : r->data, still, r->extent, NULL));
}
