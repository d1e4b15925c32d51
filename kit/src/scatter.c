/* Scatter views: what drivers call. All copies are in one array. Two views in the target's shape
 * wrap the first copy. One is reserved for the context whose threads have the copies, so a launch
 * on another context with an accessor for copies is an error. To the other view kernels of any
 * context may add by atomics. */
#include "minx/kit/scatter.h"
#include "containers.h"

#include <string.h>

/* The first copy, in the target's shape. */
static mx_err wrap_first(mx_ctx ctx, const mx_scatter *s, const mx_view_info *target, mx_view *view)
{
    mx_view_info memory;
    MX_TRY(mx_view_get_info(s->memory, &memory));
    const mx_view_options options = {
        .space = memory.space,
        .layout = target->layout == MX_LAYOUT_STRIDE ? MX_LAYOUT_DEFAULT : target->layout};
    return (mx_view_wrap)(ctx, target->label, target->type, target->rank, target->extent,
                          target->stride, &options, memory.data, view);
}

/* The number of copies to which threads add by atomics: at most 32, with at most 65536 elements
 * together. On an H200 more copies were not faster, and several copies of a view of 131072 elements
 * were slower than one. */
static int shared_copies(int64_t span)
{
    enum { ELEMENTS = 65536, MAX_COPIES = 32 };
    int copies = 1;
    while (copies < MAX_COPIES && 2 * copies * span <= ELEMENTS) copies *= 2;
    return copies;
}

static mx_err create(mx_ctx ctx, const mx_view_info *target, mx_scatter *s)
{
    mx_ctx_details details;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_REQUIRE(!details.records, MX_ERR_ARG,
               "scatter view of '%s': it cannot be created while the context records a graph",
               target->label);
    const int64_t span = (int64_t)(target->bytes / MX_TYPE_SIZE(target->type));
    const mx_view_options options = {.uninitialized = true};
    s->owner_id = details.id;
    if (details.instance == MX_INSTANCE_HOST) {
        /* There is a page between the copies of two threads. The prefetchers of a core load lines
         * of the same page behind the lines that the core uses. Without that page they would load
         * lines that the other core writes. */
        const int64_t page = 4096 / (int64_t)MX_TYPE_SIZE(target->type);
        s->count = info.threads;
        s->step = (span + page + 63) & ~(int64_t)63;
    } else {
        s->count = shared_copies(span);
        s->step = (span + 64) & ~(int64_t)63;
    }
    MX_TRY(mx_expect(s->step <= INT64_MAX / s->count, MX_ERR_EXTENT, target, "scatter view",
                     "a view of which copies for all threads fit the address space"));
    const int64_t all = s->count * s->step;
    MX_TRY((mx_view_create)(ctx, target->label, target->type, 1, &all, &options, &s->memory));
    MX_TRY(wrap_first(ctx, s, target, &s->copies));
    MX_TRY(wrap_first(ctx, s, target, &s->shared));
    MX_TRY(mx_view_reserve(ctx, s->copies));
    return mx_scatter_reset(ctx, s);
}

mx_err mx_scatter_create_(mx_ctx ctx, mx_view target, int op, mx_scatter *s)
{
    mx_view_info t;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "the pointer to the scatter view is NULL");
    memset(s, 0, sizeof *s);
    MX_TRY(mx_view_usable(ctx, target, false, "scatter view", &t));
    MX_TRY(mx_expect(MX_TYPE_KIND(t.type) != 0 && t.type != MX_U8, MX_ERR_TYPE, &t, "scatter view",
                     "elements f64 f32 i32 i64 u32 or u64"));
    MX_TRY(mx_expect(t.rank > 0, MX_ERR_RANK, &t, "scatter view", "rank 1 or more"));
    s->op = op;
    const mx_err err = create(ctx, &t, s);
    if (err != MX_OK) (void)mx_scatter_destroy(s);
    return err;
}

mx_err mx_scatter_bind_(mx_ctx ctx, const mx_scatter *s, void *accessor, uint64_t code,
                        size_t element_size, int64_t *step, int op, const char *expression,
                        const char *file, int line, const char *func)
{
    static const char *const names[] = {"MX_SUM", "MX_PROD", "MX_MIN", "MX_MAX"};
    mx_ctx_details details;
    mx_view_info info;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "bind %s: no scatter view", expression);
    MX_TRY(mx_ctx_get_details(ctx, &details));
    const bool has_copies = details.id == s->owner_id && !details.checked;
    MX_TRY(mx_bind_(ctx, has_copies ? s->copies : s->shared, NULL, accessor, code, element_size,
                    expression, file, line, func));
    MX_TRY(mx_view_get_info(s->memory, &info));
    MX_TRY(mx_expect(op == s->op, MX_ERR_TYPE, &info, names[op], names[s->op]));
    /* as at MX_SHARED_COPY_BYTES_ */
    const bool shared = details.instance != MX_INSTANCE_HOST;
    const int log2_count = shared ? __builtin_ctz((unsigned)s->count) : 0;
    *step = has_copies ? s->step * (int64_t)element_size | log2_count : -1;
    return MX_OK;
}

/* The identity of each reducer, for each type. */
static const uint64_t identity[][4] = {
    /* by kind, of sum, prod, min and max; little-endian */
    {0},
    {0, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000},
    {0, 0x3f800000, 0x7f800000, 0xff800000},
    {0, 1, INT32_MAX, (uint32_t)INT32_MIN},
    {0, 1, INT64_MAX, (uint64_t)INT64_MIN},
    {0},
    {0, 1, UINT32_MAX, 0},
    {0, 1, UINT64_MAX, 0}};

/* The elements that a team joins, on hosts. A block of 512 stays in cache while its copies are
 * joined. One team, so one thread, joins up to 4096 elements of all copies: starting the other
 * threads would take longer. */
static int64_t block_of(int64_t span, int64_t copies)
{
    enum { BLOCK = 512, FEW_ELEMENTS = 4096 };
    return span > BLOCK && span * copies <= FEW_ELEMENTS ? span : BLOCK;
}

#define JOIN(tag, T)                                                                            \
    static mx_err join_##tag(mx_ctx ctx, const mx_scatter *s, mx_view target,                   \
                             const mx_view_info *t, bool overwrite)                             \
    {                                                                                           \
        const bool gaps = mx_view_has_gaps(target); /* with elements of other views */          \
        const int64_t span = t->count > 0 ? (int64_t)(t->bytes / sizeof(T)) : 0;                \
        mx_join_##tag##_args args;                                                              \
        memset(&args, 0, sizeof args);                                                          \
        mx_ctx_details details;                                                                 \
        MX_TRY(mx_ctx_get_details(ctx, &details));                                              \
        const bool by_blocks = !gaps && details.instance == MX_INSTANCE_HOST;                   \
        MX_TRY(mx_bind_any(ctx, target, &args.to));                                             \
        MX_TRY(mx_bind_any(ctx, s->shared, &args.from));                                        \
        memcpy(&args.identity, &identity[MX_TYPE_KIND(t->type)][s->op], sizeof args.identity);  \
        args.step = s->step;                                                                    \
        args.span = span;                                                                       \
        args.block = block_of(span, s->count);                                                  \
        args.copies = s->count;                                                                 \
        args.op = s->op;                                                                        \
        args.rank = gaps ? t->rank : 0;                                                         \
        args.overwrite = overwrite;                                                             \
        if (by_blocks)                                                                          \
            return mx_scatter_join_blocks_##tag(                                                \
                mx_league(ctx, (span + args.block - 1) / args.block, MX_AUTO, MX_AUTO), &args); \
        return mx_scatter_join_##tag(mx_range_1d(ctx, 0, gaps ? t->count : span), &args);       \
    }
MX_SCATTER_TYPES_(JOIN)

static mx_err join(mx_ctx ctx, const mx_scatter *s, mx_view target, bool overwrite,
                   const char *what)
{
    mx_view_info to, from;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "%s: no scatter view", what);
    MX_TRY(mx_view_usable(ctx, target, true, what, &to));
    MX_TRY(mx_view_usable(ctx, s->shared, true, what, &from));
    MX_TRY(mx_expect(to.type == from.type && to.rank == from.rank &&
                         memcmp(to.extent, from.extent, sizeof to.extent) == 0 &&
                         memcmp(to.stride, from.stride, sizeof to.stride) == 0,
                     MX_ERR_EXTENT, &to, what, "the type, extents and strides of its target"));
    switch (to.type) {
    case MX_F64: return join_f64(ctx, s, target, &to, overwrite);
    case MX_F32: return join_f32(ctx, s, target, &to, overwrite);
    case MX_I32: return join_i32(ctx, s, target, &to, overwrite);
    case MX_I64: return join_i64(ctx, s, target, &to, overwrite);
    case MX_U32: return join_u32(ctx, s, target, &to, overwrite);
    default: return join_u64(ctx, s, target, &to, overwrite);
    }
}

mx_err mx_scatter_contribute(mx_ctx ctx, const mx_scatter *s, mx_view target)
{
    return join(ctx, s, target, false, "scatter: contribute");
}

mx_err mx_scatter_overwrite(mx_ctx ctx, const mx_scatter *s, mx_view target)
{
    return join(ctx, s, target, true, "scatter: overwrite");
}

mx_err mx_scatter_reset(mx_ctx ctx, const mx_scatter *s)
{
    mx_view_info info;
    MX_REQUIRE(s != NULL, MX_ERR_ARG, "scatter: reset: no scatter view");
    MX_TRY(mx_view_usable(ctx, s->memory, true, "scatter: reset", &info));
    return mx_fill(ctx, s->memory, (const void *)&identity[MX_TYPE_KIND(info.type)][s->op]);
}

mx_err mx_scatter_destroy(mx_scatter *s)
{
    if (s == NULL) return MX_OK;
    MX_TRY(mx_view_destroy(&s->copies));
    MX_TRY(mx_view_destroy(&s->shared));
    return mx_view_destroy(&s->memory);
}
