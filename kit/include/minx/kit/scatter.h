/* Scatter views: for kernels whose items add to the same elements of a view.
 *
 *     argument  (MX_SCATTER_OF(mx_f64_1, MX_SUM), h, MX_SCATTER_ACCESSOR)
 *               in the list of MX_ARGS or MX_ARGS_FROM: an accessor's type, and one of MX_SUM, MX_PROD, MX_MIN, MX_MAX
 *     body      MX_SCATTER(a->h, 1.0, bin);             element (bin) += 1.0; a body only adds, it does not read
 *     driver    mx_scatter_create(ctx, histogram, MX_SUM, &s);
 *               mx_scatter_bind(ctx, &s, &args.h);
 *               launch; mx_scatter_contribute(ctx, &s, histogram);      adds the sums to the histogram
 *               launch; mx_scatter_contribute(ctx, &s, histogram);      and so on
 *
 * MX_SCATTER is a statement. It evaluates the value and the indices once, the scatter view several
 * times, and converts the value to the element's type.
 *
 * Items add to memory of the scatter view. On hosts each thread has a copy of its own and needs no
 * atomics. contribute joins the copies in the order of threads, so results do not depend on timing;
 * sums of doubles depend on the number of threads and, with a dynamic schedule, on which thread ran
 * which items. On cuda and simt items use atomics, so sums of doubles depend on timing; with
 * serial:order=shuffled they depend on the order of items. A target of few elements has up to 32
 * copies there, and each multiprocessor (on simt, each thread) adds to one of them, because atomics
 * to the same cache line wait for each other. On hosts whose launches are
 * checked against another backend there is one copy, and items use atomics too. For f64 f32 i32 i64
 * u32 u64 and rank 1 or more.
 *
 * An accessor that is bound on the context that created the scatter view is for launches on that
 * context; a launch on another is MX_ERR_ARG. Other contexts may bind the scatter view too. Their
 * items add to the first copy by atomics. Several such contexts may run at the same time, but not
 * while a kernel of the creating context adds. A context whose launches are checked uses atomics as
 * well: bind again when checks begin. */
#pragma once
#include "minx/kit/token.h"

typedef struct mx_scatter {
    mx_view memory; /* all copies, one after the other */
    mx_view copies; /* the first copy, for kernels of the creating context, which use all copies */
    mx_view shared; /* the first copy, for other kernels, which add to it only, by atomics */
    int64_t step;   /* elements from one copy to the next */
    /* The number of copies; a power of two on cuda and simt, and with serial:order=shuffled. */
    int count;
    int op;            /* the reducer */
    uint64_t owner_id; /* the id of the context whose threads have the copies */
} mx_scatter;

#ifdef __cplusplus
extern "C" {
#endif
/* Creates a scatter view for a target like this view. Each copy needs as much memory as the
 * target, and a page more on hosts. Each element starts at the reducer's identity. On failure
 * *scatter is all zero. Errors: MX_ERR_TYPE (element type), MX_ERR_RANK (0), MX_ERR_LAYOUT
 * (tiled, Morton), MX_ERR_ARG (ctx records a graph), those of mx_view_create. */
#define mx_scatter_create(ctx, target, R, s) \
    MX_AT_SOURCE_LINE_(mx_scatter_create_((ctx), (target), R##_CODE_, (s)))
mx_err mx_scatter_create_(mx_ctx ctx, mx_view target, int op, mx_scatter *scatter);

/* Binds an MX_SCATTER_OF member, as mx_bind does; another reducer is MX_ERR_TYPE. */
/* clang-format off */
#define mx_scatter_bind(ctx, s, to) MX_IF_(to, *MX_POINTED_(to).code, \
    mx_scatter_bind_((ctx), (s), MX_SCATTER_MEMBERS_(to), #to, __FILE__, __LINE__, __func__))
/* clang-format on */
#define MX_SCATTER_MEMBERS_(to)                                                            \
    &(to)->view, (uint64_t)(sizeof((to)->view.shape->code) - 1), sizeof(*(to)->view.data), \
        &(to)->step, (int)sizeof *(to)->code - 1
mx_err mx_scatter_bind_(mx_ctx ctx, const mx_scatter *scatter, void *accessor, uint64_t code,
                        size_t element_size, int64_t *step, int op, const char *expression,
                        const char *file, int line, const char *func);

/* These two join the contributions of all items into a view of the target's type, extents and
 * strides (else MX_ERR_EXTENT), and then reset the scatter view. contribute joins them with the
 * elements of the view. overwrite replaces the elements: an element without contributions gets the
 * reducer's identity, which is 0, 1, the largest or the smallest number (infinities). Both are
 * ordered on ctx, and graphs record them. */
mx_err mx_scatter_contribute(mx_ctx ctx, const mx_scatter *scatter, mx_view target);
mx_err mx_scatter_overwrite(mx_ctx ctx, const mx_scatter *scatter, mx_view target);

/* Resets every element to the reducer's identity. Ordered on ctx; graphs record it. */
mx_err mx_scatter_reset(mx_ctx ctx, const mx_scatter *scatter);

/* Frees the memory. Accepts a scatter view that is all zero. */
mx_err mx_scatter_destroy(mx_scatter *scatter);
#ifdef __cplusplus
}
#endif

enum { MX_SUM_CODE_, MX_PROD_CODE_, MX_MIN_CODE_, MX_MAX_CODE_ };
/* In a sum or a product, `b` is part of the expression: clang fuses a product and a sum only within
 * an expression. */
#define MX_SCATTER_JOIN_(op, a, b)                             \
    ((op) == MX_SUM_CODE_    ? (a) + (__typeof__(a))(b)        \
     : (op) == MX_PROD_CODE_ ? (a) * (__typeof__(a))(b)        \
     : (op) == MX_MIN_CODE_  ? mx_min((a), (__typeof__(a))(b)) \
                             : mx_max((a), (__typeof__(a))(b)))
#define MX_SCATTER_ACCESSOR(ACCESSOR, m) ACCESSOR(m.view)
#define MX_SCATTER_OF(ACCESSOR, R)                        \
    struct {                                              \
        ACCESSOR view;                                    \
        union {                                           \
            int64_t step; /* see MX_SHARED_COPY_BYTES_ */ \
            char (*code)[1 + R##_CODE_];                  \
        };                                                \
    }
/* `step` of an accessor: where the copy of an item is.
 *   < 0               items add to the first copy, by atomics
 *   hosts             the distance between the copies of two threads, in bytes
 *   cuda and simt     step & ~63 is the distance between two copies, in bytes; step & 63 is the
 *                     logarithm of their number. Each multiprocessor (on simt, each thread) adds to
 *                     one of them, by atomics. So does serial:order=shuffled, to the first copy
 * MX_SHARED_COPY_BYTES_ is the offset of such a copy, in bytes. */
#ifdef MX_GPU_CODE_
#define MX_SHARER_NUMBER_ mx_gpu_multiprocessor_()
#else
#define MX_SHARER_NUMBER_ MX_THREAD_NUMBER_
#endif
#define MX_SHARED_COPY_BYTES_(step)    \
    (!MX_NUMBERS_SHARED_ || (step) < 0 \
         ? 0                           \
         : ((step) & ~63) * (MX_SHARER_NUMBER_ & ((1u << ((step)&63)) - 1)))
/* Adds to a copy that threads share, by an atomic. Rarely used on hosts with copies, where it is a
 * function of its own: without the loops of atomics compilers can move the test of `step` out of a
 * loop over items. `op` is a constant where it is called. */
#if defined(MX_GPU_CODE_) || defined(MX_CHECKS_BODIES_)
#define MX_SCATTER_SHARED_ MX_INLINE
#else
#define MX_SCATTER_SHARED_ static __attribute__((noinline, cold, unused))
#endif
#define MX_SCATTER_FN_(tag, T)                                                                   \
    MX_SCATTER_SHARED_ void MX_TYPED_(mx_scatter_shared, tag)(T * at, int64_t step, int op, T v) \
    {                                                                                            \
        T *const element = (T *)((char *)at + MX_SHARED_COPY_BYTES_(step));                      \
        if (op == MX_SUM_CODE_) mx_atomic_add(element, v);                                       \
        if (op == MX_PROD_CODE_) mx_atomic_mul(element, v);                                      \
        if (op == MX_MIN_CODE_) mx_atomic_min(element, v);                                       \
        if (op == MX_MAX_CODE_) mx_atomic_max(element, v);                                       \
    }
#define MX_SCATTER_TYPES_(M) \
    M(f64, double) M(f32, float) M(i32, int32_t) M(i64, int64_t) M(u32, uint32_t) M(u64, uint64_t)
MX_SCATTER_TYPES_(MX_SCATTER_FN_)

#define MX_SCATTER_OP_(s) ((int)sizeof *(s).code - 1)
#define MX_ADD_SHARED_(at, s, value) \
    MX_PICK_NUMBER_(mx_scatter_shared, at, *)((at), (s).step, MX_SCATTER_OP_(s), (value))
#ifdef MX_GPU_CODE_
#define MX_SCATTER(s, value, ...)                                \
    do {                                                         \
        MX_ADD_SHARED_(&MX_AT((s).view, __VA_ARGS__), s, value); \
    } while (0)
#else
#define MX_SCATTER(s, value, ...)                                                              \
    do {                                                                                       \
        const __typeof__((s).view.data) mx_at_ = &MX_AT((s).view, __VA_ARGS__);                \
        if (MX_NUMBERS_SHARED_ || (s).step < 0) {                                              \
            MX_ADD_SHARED_(mx_at_, s, value);                                                  \
        } else {                                                                               \
            const uintptr_t mx_bytes_ = (uintptr_t)(s).step * (uintptr_t)MX_THREAD_NUMBER_;    \
            const __typeof__((s).view.data) mx_copy_ =                                         \
                (__typeof__((s).view.data))MX_COPY_ADDRESS_(mx_at_, (s).view.data, mx_bytes_); \
            MX_UPDATE_COPY_(mx_copy_, MX_SCATTER_OP_(s), (value));                             \
        }                                                                                      \
    } while (0)
/* MX_UPDATE_COPY_ updates an element of the thread's copy. The loop over items is compiled as one
 * of independent items, but several items may update one element. So MX_END_OF_UPDATE_ must prevent
 * vectors of items: without it results are wrong (in tests/core/scatter.c several items of one
 * vector add to one bin). For gcc it is an empty asm statement: after a fence gcc would load the
 * thread's number again for each item. An older gcc may move accesses to an element that does not
 * change out of the loop, unless the statement accesses memory. For clang it is an annotation: no
 * instruction, but clang's vectorizer of loops leaves loops with it alone. Vectors of neighbouring
 * elements of one item, as the components of a force, are still possible. An asm statement or
 * atomics would prevent them too.
 *
 * MX_COPY_ADDRESS_ is the address of the element in the thread's copy. gcc adds the offset of the
 * copy to the index of each item, instead of to `data` once for the loop, unless the address is
 * computed with integers. */
#ifdef __clang__
#define MX_END_OF_UPDATE_(at) (void)__builtin_annotation(0, "one item at a time")
#elif __GNUC__ >= 12
#define MX_END_OF_UPDATE_(at) __asm__ volatile("")
#else
#define MX_END_OF_UPDATE_(at) __asm__ volatile("" : "+m"(*(at)))
#endif
#define MX_UPDATE_COPY_(at, op, v)                                   \
    do {                                                             \
        *(at) = (__typeof__(*(at)))MX_SCATTER_JOIN_(op, *(at), (v)); \
        MX_END_OF_UPDATE_(at);                                       \
    } while (0)
#ifdef __clang__
#define MX_COPY_ADDRESS_(at, data, bytes) ((void)(data), (char *)(at) + (bytes))
#else
#define MX_COPY_ADDRESS_(at, data, bytes) \
    (((uintptr_t)(data) + (bytes)) + (uintptr_t)((char *)(at) - (char *)(data)))
#endif
#endif
