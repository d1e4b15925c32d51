/* Accessors. mx_bind makes them from views. A launch finds them in its arguments by the stamps that
 * they contain. */
#include "memory.h"
#include "minx/extend.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The parts of MX_SHAPE_CODE_. */
typedef struct shape {
    int rank, kind;
    mx_layout layout; /* DEFAULT: that of the instance */
    bool constant;
    int64_t fixed[MX_MAX_RANK]; /* static extents; 0: run-time */
} shape;

static shape shape_of(uint64_t code)
{
    shape s = {(int)(code & 0xf),
               (int)(code >> 8 & 7),
               (mx_layout)(code >> 4 & 0xf),
               (code >> 11 & 1) != 0,
               {0}};
    for (int last = 0; last < 4 && last < s.rank; last++)
        s.fixed[s.rank - 1 - last] = (int64_t)(code >> (48 - 12 * last) & 0xfff);
    return s;
}

/* Can an accessor of this layout be bound to the view? For rank 1 the layouts left, right and
 * stride are the same. */
static bool layouts_agree(const mx_record *r, const int64_t *fixed, mx_layout expected)
{
    if (r->layout == expected || r->layout > MX_LAYOUT_STRIDE || expected > MX_LAYOUT_STRIDE)
        return r->layout == expected;
    return r->rank < 2 || expected == MX_LAYOUT_STRIDE ||
           (r->layout == MX_LAYOUT_STRIDE && mx_strides_follow(r, fixed, expected));
}

/* Can the accessor be bound to the view? kernel: the layout for which kernels compile the accessor.
 * host: the accessor is for host code, which uses the strides of any layout. */
static mx_err check_shape(const mx_record *r, const shape *s, size_t element_size, mx_layout kernel,
                          bool host, const int64_t *origin)
{
    const mx_layout expected = host ? MX_LAYOUT_STRIDE : kernel;
    MX_REQUIRE((int)MX_TYPE_KIND(r->type) == s->kind && MX_TYPE_SIZE(r->type) == element_size,
               MX_ERR_TYPE, "the view has elements %s, the accessor %s", mx_type_name(r->type),
               mx_type_name(MX_TYPE_((unsigned)s->kind, element_size)));
    MX_REQUIRE(s->constant || !r->constant, MX_ERR_CONST,
               "the view is read-only: bind it to a const accessor");
    MX_REQUIRE(r->rank == s->rank, MX_ERR_RANK, "the view has rank %d, the accessor %d", r->rank,
               s->rank);
    for (int d = 0; d < r->rank; d++) {
        MX_REQUIRE(s->fixed[d] == 0 || s->fixed[d] == r->extent[d], MX_ERR_EXTENT,
                   "extent %d of the view is %lld, the accessor's is always %lld", d,
                   (long long)r->extent[d], (long long)s->fixed[d]);
        MX_REQUIRE(r->extent[d] <= 1 || r->stride[d] <= INT32_MAX, MX_ERR_EXTENT,
                   "stride %d of the view, %lld elements, is beyond 32 bits", d,
                   (long long)r->stride[d]);
        MX_REQUIRE(origin == NULL || (origin[d] >= INT32_MIN && origin[d] <= INT32_MAX),
                   MX_ERR_EXTENT, "origin %d, %lld, is beyond 32 bits", d, (long long)origin[d]);
    }
    MX_REQUIRE(layouts_agree(r, s->fixed, expected), MX_ERR_LAYOUT,
               "the view has layout %s, the accessor %s%s", mx_layout_name(r->layout),
               mx_layout_name(expected), s->layout == MX_LAYOUT_DEFAULT ? " (the context's)" : "");
    MX_REQUIRE(origin == NULL || r->layout <= MX_LAYOUT_STRIDE, MX_ERR_LAYOUT,
               "an origin needs layout left, right or stride, the view has %s",
               mx_layout_name(r->layout));
    if (kernel >= MX_LAYOUT_STRIDE || (host && !mx_strides_follow(r, NULL, kernel))) return MX_OK;
    MX_REQUIRE(
        mx_strides_follow(r, s->fixed, kernel), MX_ERR_LAYOUT,
        "the view has padding between static extents, or is not contiguous along the %s index: "
        "bind it to a strided accessor",
        kernel == MX_LAYOUT_LEFT ? "first" : "last");
    return MX_OK;
}

/* The start of an accessor. After it come the origin (only in builds that check indices), the
 * extents (64 bits each) and the strides (32 bits each). */
typedef struct head {
    char *data;
    uint64_t stamp;
#ifdef MINX_BOUNDS_CHECK
    mx_fault_ *fault;
#endif
} head;
enum { HAS_ORIGIN = sizeof(head) > MX_STAMP_OFFSET + sizeof(uint64_t) };
#define SLOTS(r) ((r)->rank > 0 ? (size_t)(r)->rank : 1)
#define STRIDES(at, r) ((at) + sizeof(head) + (HAS_ORIGIN + 1) * SLOTS(r) * sizeof(int64_t))
static const int64_t zeros[MX_MAX_RANK];

/* The strides that MX_AT uses. In a dimension of extent 1 the view may have any stride. If MX_AT
 * computes the stride from static extents, that one counts, so that an origin in this dimension
 * gives the right shift. */
static void read_strides(const mx_record *r, const int64_t *fixed, mx_layout layout,
                         mx_stride *stride)
{
    int64_t known = layout < MX_LAYOUT_STRIDE; /* 0 from the first run-time extent on */
    for (int n = 0; n < r->rank; n++) {
        const int d = layout == MX_LAYOUT_LEFT ? n : r->rank - 1 - n;
        stride[d] = (mx_stride)(known > 0 && r->extent[d] <= 1 ? known : r->stride[d]);
        known *= fixed[d];
    }
}

/* An origin shifts the data pointer, and MX_AT adds what it has subtracted. */
static mx_err check_origin(const mx_record *r, const mx_stride *stride, const int64_t *origin)
{
    const int64_t limit = MX_MAX_ELEMENTS(r->type);
    int64_t shift = 0;
    for (int d = 0; d < r->rank; d++)
        MX_REQUIRE(mx_add_product(&shift, llabs(origin[d]), llabs(stride[d]), limit) &&
                       mx_add_product(&shift, r->extent[d], llabs(stride[d]), limit),
                   MX_ERR_EXTENT, "origin %d, %lld, with stride %lld is beyond the address space",
                   d, (long long)origin[d], (long long)stride[d]);
    return MX_OK;
}

/* An origin shifts the data pointer. Builds that check indices keep the origin instead, and
 * subtract it at each access. */
static void write_accessor(char *at, mx_ctx ctx, const mx_record *r, mx_view view, mx_layout needs,
                           const mx_stride *stride, const int64_t *origin, ptrdiff_t shift)
{
    const size_t slots = SLOTS(r);
    head h = {.data = r->data, .stamp = mx_stamp_make(r, view, needs)};
#ifdef MINX_BOUNDS_CHECK
    h.fault = ctx != NULL ? mx_core(ctx)->fault : NULL;
    memmove(at + sizeof h, origin, slots * sizeof *origin);
#else
    for (int d = 0; d < r->rank; d++)
        shift -= origin[d] * stride[d] * (int64_t)MX_TYPE_SIZE(r->type);
    (void)ctx;
#endif
    h.data += shift;
    memcpy(at, &h, sizeof h);
    memcpy(STRIDES(at, r) - slots * sizeof(int64_t), r->extent, slots * sizeof(int64_t));
    /* an odd number of strides has padding behind it: whatever stood there must not look like a
     * stamp */
    memset(STRIDES(at, r), 0, (slots + 1) / 2 * sizeof(int64_t));
    memcpy(STRIDES(at, r), stride, slots * sizeof stride[0]);
}

mx_err mx_accessor_move(char *at, mx_ctx ctx, const mx_record *from, const mx_record *to,
                        mx_view view, mx_layout needs)
{
    head h;
    mx_stride stride[MX_MAX_RANK] = {0};
    memcpy(&h, at, sizeof h);
    const ptrdiff_t shift = h.data - (char *)from->data;
    read_strides(to, zeros, MX_LAYOUT_STRIDE, stride);
    MX_REQUIRE(
        shift == 0 || memcmp(STRIDES(at, to), stride, SLOTS(to) * sizeof stride[0]) == 0,
        MX_ERR_LAYOUT,
        "view '%s' has an accessor with an origin: a check needs a context with the same layout, "
        "and a view without padding",
        from->label);
    const void *origin = HAS_ORIGIN ? at + sizeof h : (const char *)zeros;
    write_accessor(at, ctx, to, view, needs, stride, origin, shift);
    return MX_OK;
}

/* The layout for which kernels compile the accessor. An accessor for host code (ctx NULL) has the
 * layout of the view, so that a kernel with that layout can use it too. */
static mx_layout layout_for(mx_ctx ctx, const mx_record *r, const shape *s)
{
    if (s->layout != MX_LAYOUT_DEFAULT) return s->layout;
    if (ctx != NULL) return ctx->layout;
    return r->layout == MX_LAYOUT_STRIDE ? MX_LAYOUT_RIGHT : r->layout;
}

/* The layout that an instance must have to use the accessor: see mx_stamp. */
static mx_layout needs_of(const mx_record *r, const shape *s, mx_layout layout)
{
    const bool row = r->rank < 2 && mx_strides_follow(r, NULL, MX_LAYOUT_RIGHT);
    if (row || s->layout == MX_LAYOUT_STRIDE) return MX_LAYOUT_DEFAULT;
    return s->layout != MX_LAYOUT_DEFAULT ? MX_LAYOUT_STRIDE : layout;
}

/* Advice for the user, if the context (NULL: the host) cannot access a view. */
static const char *advice(mx_ctx ctx, const mx_record *r)
{
    if (ctx == NULL) return ": export it (mx_export), or bind a mirror";
    return r->space == MX_SPACE_HOST ? ": create a view with this context, and copy the data into "
                                       "it (mx_import)"
                                     : "";
}

static bool can_access(mx_ctx ctx, const mx_record *r)
{
    return ctx != NULL ? mx_ctx_can_access(ctx, r)
                       : (MX_HOST_ACCESSIBLE & MX_SPACE_BIT(r->space)) != 0;
}

mx_err mx_bind_(mx_ctx ctx, mx_view view, const int64_t *origin, void *accessor, uint64_t code,
                size_t element_size, const char *expression, const char *file, int line,
                const char *func)
{
    const shape s = shape_of(code);
    const mx_record *r = mx_record_of(view);
    mx_stride stride[MX_MAX_RANK] = {0};
#define BIND_REQUIRE(holds, err, ...) /* the message names the caller's line */ \
    if (!(holds)) return (mx_fail_(file, line, func, __VA_ARGS__), (err))
    BIND_REQUIRE(accessor != NULL, MX_ERR_ARG, "bind %s: no accessor", expression);
    BIND_REQUIRE(r != NULL || view.generation != 0, MX_ERR_STALE,
                 "bind %s: the view " MX_EMPTY_HANDLE, expression);
    BIND_REQUIRE(r != NULL, MX_ERR_STALE,
                 "bind %s: the view does not exist (any more): slot %u, generation %u", expression,
                 view.slot, view.generation);
    BIND_REQUIRE(can_access(ctx, r), MX_ERR_SPACE,
                 "bind %s to view '%s': it is in memory space %s, which %s cannot access%s",
                 expression, r->label, mx_space_name(r->space),
                 ctx != NULL ? ctx->name : "the host", advice(ctx, r));
    const bool host = s.layout == MX_LAYOUT_DEFAULT && ctx == NULL;
    const mx_layout layout = layout_for(ctx, r, &s);
    mx_err err = check_shape(r, &s, element_size, layout, host, origin);
    if (err == MX_OK) read_strides(r, s.fixed, layout, stride);
    if (err == MX_OK && origin != NULL) err = check_origin(r, stride, origin);
    BIND_REQUIRE(err == MX_OK, err, "bind %s to view '%s': %s", expression, r->label,
                 mx_err_message());
    write_accessor(accessor, ctx, r, view, needs_of(r, &s, layout), stride,
                   origin != NULL ? origin : zeros, 0);
    return MX_OK;
}

mx_err mx_bind_any_(mx_ctx ctx, mx_view view, void *accessor, uint64_t code, size_t element_size,
                    const char *expression)
{
    const shape s = shape_of(code);
    mx_record *r;
    mx_stride stride[MX_MAX_RANK] = {0};
    MX_TRY(mx_record_find(view, &r));
    MX_TRY(mx_record_strided(r, "bind"));
    MX_REQUIRE(ctx != NULL && mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "bind %s to view '%s': it is in memory space %s, which %s cannot access", expression,
               r->label, mx_space_name(r->space), ctx != NULL ? ctx->name : "no context");
    MX_REQUIRE(s.rank == MX_MAX_RANK && s.layout == MX_LAYOUT_STRIDE, MX_ERR_RANK,
               "bind %s to view '%s': the accessor has rank %d, expected %d and any strides",
               expression, r->label, s.rank, MX_MAX_RANK);
    mx_record all = *r; /* with the dimensions that the view lacks */
    all.rank = MX_MAX_RANK;
    for (int d = r->rank; d < MX_MAX_RANK; d++) {
        all.extent[d] = 1;
        all.stride[d] = 0;
    }
    const mx_err err = check_shape(&all, &s, element_size, MX_LAYOUT_STRIDE, false, NULL);
    if (err != MX_OK)
        return MX_FAIL(err, "bind %s to view '%s': %s", expression, r->label, mx_err_message());
    read_strides(&all, s.fixed, MX_LAYOUT_STRIDE, stride);
    write_accessor(accessor, ctx, &all, view, MX_LAYOUT_DEFAULT, stride, zeros, 0);
    return MX_OK;
}

/* May a kernel on this context use the accessor with this stamp? */
static mx_err check_accessor(mx_ctx ctx, const char *kernel, const char *name,
                             const mx_stamp *stamp, bool swapped_is_ok)
{
    const mx_record *const r = mx_record_bound_to(stamp);
    MX_REQUIRE(r == NULL || swapped_is_ok || mx_record_of_stamp(stamp) != NULL, MX_ERR_STALE,
               "kernel %s: accessor '%s' was bound to view '%s' before mx_view_swap: bind it again "
               "behind each swap",
               kernel, name, r->label);
    MX_REQUIRE(r != NULL, MX_ERR_STALE,
               "kernel %s: accessor '%s' was bound to a view that is destroyed; bind it again",
               kernel, name);
    MX_REQUIRE(mx_ctx_can_access(ctx, r), MX_ERR_SPACE,
               "kernel %s: accessor '%s': view '%s' is in memory space %s, which %s cannot access",
               kernel, name, r->label, mx_space_name(r->space), ctx->name);
    MX_REQUIRE(
        r->reserved_for == 0 || r->reserved_for == mx_core(ctx)->id, MX_ERR_ARG,
        "kernel %s: accessor '%s': view '%s' (tokens, or a scatter view) was made or bound for "
        "launches on another context, not on %s; bind a scatter view again for this one",
        kernel, name, r->label, ctx->name);
    MX_REQUIRE(
        stamp->needs == MX_LAYOUT_DEFAULT || stamp->needs == MX_LAYOUT_STRIDE ||
            (stamp->needs == ctx->layout &&
             (r->layout != MX_LAYOUT_STRIDE || mx_strides_follow(r, NULL, ctx->layout))),
        MX_ERR_LAYOUT,
        "kernel %s: accessor '%s' of view '%s' was bound for layout %s, or for host code; the context "
        "has %s: bind it with this context",
        kernel, name, r->label, mx_layout_name(stamp->needs), mx_layout_name(ctx->layout));
    return MX_OK;
}

mx_err mx_accessors_check(mx_ctx ctx, const char *kernel, const mx_args_table *table,
                          const void *args, bool swapped_is_ok)
{
    for (size_t n = 0; n < table->count; n++) {
        const char *const name = table->accessor[n].name;
        const char *const word = (const char *)args + table->accessor[n].offset + MX_STAMP_OFFSET;
        mx_stamp stamp;
        if (mx_stamp_read(word, &stamp)) {
            MX_TRY(check_accessor(ctx, kernel, name, &stamp, swapped_is_ok));
        } else {
            MX_REQUIRE(
                mx_stamp_is_none(word), MX_ERR_ARG,
                "kernel %s: accessor '%s' of its arguments (%s) was never bound: call mx_bind%s, "
                "or mx_bind_none where this kernel does not use it",
                kernel, name, table->type,
                strchr(name, '.') != NULL ? " (for a scatter view mx_scatter_bind)" : "");
        }
    }
    return MX_OK;
}

bool mx_args_overlap(const void *args, size_t args_size, const void *memory, size_t size)
{
    const char *const begin = args;
    if (begin < (const char *)memory + size && (const char *)memory < begin + args_size)
        return true;
    for (size_t at = MX_STAMP_OFFSET; at + sizeof(uint64_t) <= args_size; at += sizeof(uint64_t)) {
        mx_stamp stamp;
        if (!mx_stamp_read((const char *)args + at, &stamp)) continue;
        const mx_record *const r = mx_record_bound_to(&stamp);
        if (r != NULL && mx_record_overlaps_memory(r, memory, size)) return true;
    }
    return false;
}

static bool is_listed(const mx_args_table *table, size_t offset)
{
    for (size_t n = 0; n < table->count; n++)
        if (table->accessor[n].offset == offset) return true;
    return false;
}

bool mx_accessor_is_const(const mx_args_table *table, size_t offset)
{
    for (size_t n = 0; n < table->count; n++)
        if (table->accessor[n].offset == offset) return shape_of(table->accessor[n].shape).constant;
    return false;
}

/* Argument structs are aligned, so the stamps in them are at multiples of 8 bytes. */
mx_err mx_accessors_check_table(const char *kernel, const mx_args_table *table, const void *args,
                                size_t size)
{
    mx_stamp stamp;
    for (size_t at = 0; at + MX_STAMP_OFFSET + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        if (!mx_stamp_read((const char *)args + at + MX_STAMP_OFFSET, &stamp)) continue;
        const mx_record *r = mx_record_of_stamp(&stamp);
        const char *const label = r != NULL ? r->label : "(destroyed)";
        MX_REQUIRE(is_listed(table, at), MX_ERR_ARG,
                   "kernel %s: the accessor of %s that is bound to view '%s' is not in the list of "
                   "MX_ARGS(%s, ...)",
                   kernel, table->type, label, table->type);
    }
    return MX_OK;
}

#ifdef MINX_BOUNDS_CHECK
void mx_accessors_adopt(mx_ctx ctx, void *args, size_t size)
{
    for (size_t at = MX_STAMP_OFFSET; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        mx_stamp stamp;
        char *const word = (char *)args + at;
        if (mx_stamp_read(word, &stamp))
            memcpy(word + sizeof(uint64_t), &mx_core(ctx)->fault, sizeof mx_core(ctx)->fault);
    }
}
#endif
