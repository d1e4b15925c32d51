/* Accessors: made from views (mx_bind), and recognised again inside the arguments of a launch by their stamps. */
#include "internal.h"

#include <limits.h>
#include <string.h>

/* The parts of MX_SHAPE_CODE_. */
typedef struct shape {
    int rank, kind;
    mx_layout layout; /* DEFAULT: the instance's */
    bool constant;
    int64_t fixed[MX_MAX_RANK]; /* static extents; 0: run-time */
} shape;

static shape shape_of(uint64_t code)
{
    shape s = {(int)(code & 0xf),
               (int)(code >> 8 & 0xf),
               (mx_layout)(code >> 4 & 7),
               (code >> 7 & 1) != 0,
               {0}};
    for (int last = 0; last < 4 && last < s.rank; last++)
        s.fixed[s.rank - 1 - last] = (int64_t)(code >> (48 - 12 * last) & 0xfff);
    return s;
}

/* Strides that static extents settle are not read by MX_AT, so the view's must be the same. */
bool mx_strides_follow(const mx_record *r, const int64_t *fixed, mx_layout layout)
{
    int64_t expected = 1, known = 1; /* known: 0 from the first run-time extent on */
    if (layout == MX_LAYOUT_STRIDE) return false;
    for (int n = 0; n < r->rank; n++) {
        const int d = layout == MX_LAYOUT_LEFT ? n : r->rank - 1 - n;
        if (r->extent[d] > 1 && r->stride[d] < expected) return false;
        if (known > 0 && r->extent[d] > 1 && r->stride[d] != known) return false;
        expected = r->stride[d] * r->extent[d];
        known *= fixed != NULL ? fixed[d] : 0;
    }
    return true;
}

static mx_err check_shape(const mx_record *r, const shape *s, size_t element_size,
                          mx_layout instance)
{
    const mx_layout wanted = s->layout == MX_LAYOUT_DEFAULT ? instance : s->layout;
    MX_REQUIRE((int)MX_TYPE_KIND(r->type) == s->kind && MX_TYPE_SIZE(r->type) == element_size,
               MX_ERR_TYPE, "the view has elements %s, the accessor %s", mx_type_name(r->type),
               mx_type_name(MX_TYPE_((unsigned)s->kind, element_size)));
    MX_REQUIRE(s->constant || !r->constant, MX_ERR_CONST,
               "the view is only to be read: bind it to a const accessor");
    MX_REQUIRE(r->rank == s->rank, MX_ERR_RANK, "the view has rank %d, the accessor %d", r->rank,
               s->rank);
    for (int d = 0; d < r->rank; d++) {
        MX_REQUIRE(s->fixed[d] == 0 || s->fixed[d] == r->extent[d], MX_ERR_EXTENT,
                   "extent %d of the view is %lld, the accessor's is always %lld", d,
                   (long long)r->extent[d], (long long)s->fixed[d]);
        MX_REQUIRE(r->extent[d] <= 1 || r->stride[d] <= INT32_MAX, MX_ERR_EXTENT,
                   "stride %d of the view, %lld elements, is beyond 32 bits", d,
                   (long long)r->stride[d]);
    }
    if (wanted == MX_LAYOUT_STRIDE || r->rank == 0) return MX_OK;
    MX_REQUIRE(r->rank == 1 || r->layout == wanted, MX_ERR_LAYOUT,
               "the view has layout %s, the accessor %s%s", mx_layout_name(r->layout),
               mx_layout_name(wanted), s->layout == MX_LAYOUT_DEFAULT ? " (the context's)" : "");
    MX_REQUIRE(
        mx_strides_follow(r, s->fixed, wanted), MX_ERR_LAYOUT,
        "the view is padded between static extents, or not contiguous along the %s index: bind it to a strided accessor",
        wanted == MX_LAYOUT_LEFT ? "first" : "last");
    return MX_OK;
}

void mx_accessor_write(void *at, mx_ctx ctx, const mx_record *record, mx_view view, mx_layout needs)
{
    char *p = at;
    const int slots = record->rank > 0 ? record->rank : 1;
    const uint64_t stamp = mx_stamp_make(record, view, needs);
    memcpy(p, &record->data, sizeof record->data);
    p += sizeof record->data;
    memcpy(p, &stamp, sizeof stamp);
    p += sizeof stamp;
#ifdef MINX_BOUNDS_CHECK
    mx_fault *const fault = ctx != NULL ? ctx->fault : NULL;
    memcpy(p, &fault, sizeof fault);
    p += sizeof fault;
#else
    (void)ctx;
#endif
    memcpy(p, record->extent, (size_t)slots * sizeof record->extent[0]);
    p += (size_t)slots * sizeof record->extent[0];
    for (int d = 0; d < slots; d++) {
        const mx_stride stride = (mx_stride)record->stride[d];
        memcpy(p + (size_t)d * sizeof stride, &stride, sizeof stride);
    }
}

mx_err mx_bind_(mx_ctx ctx, mx_view view, void *accessor, uint64_t code, size_t element_size,
                const char *expression, const char *file, int line, const char *func)
{
    const shape s = shape_of(code);
    const mx_record *r = mx_record_of(view);
    if (r == NULL)
        return (mx_fail_(file, line, func,
                         "bind %s: the view does not exist (any more): slot %u, generation %u",
                         expression, view.slot, view.generation),
                MX_ERR_STALE);
    if (ctx != NULL ? !mx_ctx_reaches(ctx, r) : !(MX_HOST_REACH & MX_REACH(r->space)))
        return (mx_fail_(file, line, func,
                         "bind %s to view '%s': it is in memory space %s, which %s cannot reach",
                         expression, r->label, mx_space_name(r->space),
                         ctx != NULL ? ctx->name : "the host"),
                MX_ERR_SPACE);
    const mx_err err =
        check_shape(r, &s, element_size, ctx != NULL ? ctx->layout : MX_LAYOUT_STRIDE);
    if (err != MX_OK)
        return (mx_fail_(file, line, func, "bind %s to view '%s': %s", expression, r->label,
                         mx_err_message()),
                err);
    /* without a context the accessor is the host's, in any layout; a kernel must still have the view's */
    const bool any = s.layout == MX_LAYOUT_STRIDE || r->rank < 2,
               fixed = s.layout != MX_LAYOUT_DEFAULT;
    mx_accessor_write(accessor, ctx, r, view,
                      any     ? MX_LAYOUT_DEFAULT
                      : fixed ? MX_LAYOUT_STRIDE
                              : r->layout);
    return MX_OK;
}

/* An accessor is found by its stamp: argument structs are aligned, so stamps stand at multiples of 8 bytes. */
mx_err mx_accessors_check(mx_ctx ctx, const char *kernel, const void *args, size_t size)
{
    for (size_t at = MX_STAMP_OFFSET; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        uint64_t word;
        mx_stamp stamp;
        memcpy(&word, (const char *)args + at, sizeof word);
        if (!mx_stamp_read(word, &stamp)) continue;
        const mx_record *r = mx_record_of_stamp(&stamp);
        MX_REQUIRE(
            r != NULL, MX_ERR_STALE,
            "kernel %s: the accessor at byte %zu of its arguments was bound to a view that is gone; bind it again",
            kernel, at - MX_STAMP_OFFSET);
        MX_REQUIRE(mx_ctx_reaches(ctx, r), MX_ERR_SPACE,
                   "kernel %s: view '%s' is in memory space %s, which %s cannot reach", kernel,
                   r->label, mx_space_name(r->space), ctx->name);
        MX_REQUIRE(
            stamp.needs == MX_LAYOUT_DEFAULT || stamp.needs == MX_LAYOUT_STRIDE ||
                stamp.needs == ctx->layout,
            MX_ERR_LAYOUT,
            "kernel %s: the accessor of view '%s' was bound for layout %s, the context has %s",
            kernel, r->label, mx_layout_name(stamp.needs), mx_layout_name(ctx->layout));
    }
    return MX_OK;
}

#ifdef MINX_BOUNDS_CHECK
void mx_accessors_adopt(mx_ctx ctx, void *args, size_t size)
{
    for (size_t at = MX_STAMP_OFFSET; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        uint64_t word;
        mx_stamp stamp;
        memcpy(&word, (char *)args + at, sizeof word);
        if (mx_stamp_read(word, &stamp))
            memcpy((char *)args + at + sizeof word, &ctx->fault, sizeof ctx->fault);
    }
}
#endif
