/* Copies between any strides. The dimensions become axes, the destination's contiguous one last, so that neighbouring items
 * write to neighbouring elements; those that follow each other without a gap on both sides become one, and one without gaps
 * is a plain copy. Not done: tiles for transposes, which read across the cache lines of the source. */
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
        return ctx->backend->copy(ctx, c.to, c.from, (size_t)c.count * c.size);
    return ctx->backend->copy_strided(ctx, &c);
}
