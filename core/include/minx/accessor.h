/* Accessors: what kernels compute with. A small struct, captured by value in a kernel's arguments:
 *
 *     mx_f64_2   double, rank 2, the layout of the kernel's instance     mx_f64_2s  any strides
 *     mx_cf64_2  the same, read-only                                     mx_f64_2l, mx_f64_2r  left, right always
 *
 * for f64 f32 i32 i64 u8 u32 u64 and ranks 0 to 8; MX_ACCESSORS(tag, T) makes them for a struct of your own.
 *
 * What is known at compile time (type, rank, constness, layout, static extents) belongs to the accessor's type, as array
 * sizes of a shape struct that exists only inside sizeof: it costs nothing at run time, works in C and CUDA C++ alike,
 * and a use with the wrong number of indices is a compile error ("no member named is_rank_2"). */
#pragma once
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of the instance this file is compiled for; 0 in drivers, which use run-time strides. */
#ifndef MX_INSTANCE_LAYOUT
#define MX_INSTANCE_LAYOUT 0
#endif

/* Strides are in elements. 32 bits are faster on GPUs; a view whose strides do not fit cannot be bound. */
typedef int32_t mx_stride;

/* Where an out-of-bounds index is noted by builds with MINX_BOUNDS_CHECK; one for each context, read at its next fence. */
typedef struct mx_fault {
    int32_t count; /* how many there were; what follows describes the first */
    int32_t dimension, line;
    int64_t index, extent;
    uint64_t stamp;
    char expression[64], file[128];
} mx_fault;

#ifdef MINX_BOUNDS_CHECK
#define MX_FAULT_MEMBER_ mx_fault *fault;
#else
#define MX_FAULT_MEMBER_
#endif

/* Stride of a dimension, if it is known from the layout and static extents: right = product of the extents behind, left =
 * product of those in front. 0 = known at run time only. */
#define MX_LAYOUT_OF_(L) ((L) == 0 ? MX_INSTANCE_LAYOUT : (L))
#define MX_KNOWN_(L, left, right) \
    (MX_LAYOUT_OF_(L) == 1 ? (left) : MX_LAYOUT_OF_(L) == 2 ? (right) : 0)

/* The shape as one number for mx_bind: rank 4 bits, layout 3, const 1, kind 4, static extents of the last four
 * dimensions 12 bits each. */
#define MX_SHAPE_CODE_(R, L, C, K, a, b, c, d)                                      \
    ((uint64_t)(R) | (uint64_t)(L) << 4 | (uint64_t)(C) << 7 | (uint64_t)(K) << 8 | \
     (uint64_t)(a) << 12 | (uint64_t)(b) << 24 | (uint64_t)(c) << 36 | (uint64_t)(d) << 48)

/* x0..x7: static extents; 0 = run-time; dimensions behind the rank count as 1. */
#define MX_ACCESSOR_(name, T, R, L, C, K, code_, x0, x1, x2, x3, x4, x5, x6, x7)      \
    struct name##_shape {                                                             \
        char is_rank_##R[1];                                                          \
        char code[1 + (code_)];                                                       \
        char x0_[1 + (x0)], x1_[1 + (x1)], x2_[1 + (x2)], x3_[1 + (x3)];              \
        char x4_[1 + (x4)], x5_[1 + (x5)], x6_[1 + (x6)], x7_[1 + (x7)];              \
        char k0[1 + MX_KNOWN_(L, 1, (x1) * (x2) * (x3) * (x4) * (x5) * (x6) * (x7))]; \
        char k1[1 + MX_KNOWN_(L, (x0), (x2) * (x3) * (x4) * (x5) * (x6) * (x7))];     \
        char k2[1 + MX_KNOWN_(L, (x0) * (x1), (x3) * (x4) * (x5) * (x6) * (x7))];     \
        char k3[1 + MX_KNOWN_(L, (x0) * (x1) * (x2), (x4) * (x5) * (x6) * (x7))];     \
        char k4[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3), (x5) * (x6) * (x7))];     \
        char k5[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4), (x6) * (x7))];     \
        char k6[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4) * (x5), (x7))];     \
        char k7[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4) * (x5) * (x6), 1)]; \
    };                                                                                \
    typedef struct name {                                                             \
        union {                                                                       \
            T *data;                                                                  \
            struct name##_shape *shape;                                               \
        };                                                                            \
        uint64_t stamp;                                                               \
        MX_FAULT_MEMBER_                                                              \
        int64_t extent[(R) ? (R) : 1];                                                \
        mx_stride stride[(R) ? (R) : 1];                                              \
    } name;

#define MX_ACCESSOR_DYNAMIC_(name, T, R, L, C, K, ...) \
    MX_ACCESSOR_(name, T, R, L, C, K, MX_SHAPE_CODE_(R, L, C, K, 0, 0, 0, 0), __VA_ARGS__)

#define MX_ACCESSOR_RANKS_(p, s, T, L, C, K)                             \
    MX_ACCESSOR_DYNAMIC_(p##0##s, T, 0, L, C, K, 1, 1, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##1##s, T, 1, L, C, K, 0, 1, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##2##s, T, 2, L, C, K, 0, 0, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##3##s, T, 3, L, C, K, 0, 0, 0, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##4##s, T, 4, L, C, K, 0, 0, 0, 0, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##5##s, T, 5, L, C, K, 0, 0, 0, 0, 0, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##6##s, T, 6, L, C, K, 0, 0, 0, 0, 0, 0, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##7##s, T, 7, L, C, K, 0, 0, 0, 0, 0, 0, 0, 1) \
    MX_ACCESSOR_DYNAMIC_(p##8##s, T, 8, L, C, K, 0, 0, 0, 0, 0, 0, 0, 0)

#define MX_ACCESSOR_LAYOUTS_(p, T, C, K) \
    MX_ACCESSOR_RANKS_(p, , T, 0, C, K)  \
    MX_ACCESSOR_RANKS_(p, l, T, 1, C, K) \
    MX_ACCESSOR_RANKS_(p, r, T, 2, C, K) \
    MX_ACCESSOR_RANKS_(p, s, T, 3, C, K)

#define MX_ACCESSORS_(tag, T, K)               \
    MX_ACCESSOR_LAYOUTS_(mx_##tag##_, T, 0, K) \
    MX_ACCESSOR_LAYOUTS_(mx_c##tag##_, const T, 1, K)

MX_ACCESSORS_(f64, double, 1)
MX_ACCESSORS_(f32, float, 2)
MX_ACCESSORS_(i32, int32_t, 3)
MX_ACCESSORS_(i64, int64_t, 4)
MX_ACCESSORS_(u8, uint8_t, 5)
MX_ACCESSORS_(u32, uint32_t, 6)
MX_ACCESSORS_(u64, uint64_t, 7)

/* Accessors mx_TAG_0 .. mx_cTAG_8s for a struct T of plain data. */
#define MX_ACCESSORS(tag, T) MX_ACCESSORS_(tag, T, 0)

/* mx_bind(ctx, view, &accessor): the only way to make an accessor, for kernels launched on ctx (or, with ctx NULL, for
 * host code that indexes host memory with MX_AT). Rules, as Kokkos converts views: same element type, constness may be
 * added, same rank, space within reach of ctx; layout: an instance-layout accessor needs a view of that layout with
 * contiguous rows, l and r likewise, s takes any. Errors name the view and what does not fit: MX_ERR_TYPE, _RANK, _SPACE,
 * _LAYOUT, _EXTENT, _STALE. The accessor stays valid until the view is destroyed; a launch checks that it still is. */
mx_err mx_bind_(mx_ctx ctx, mx_view view, void *accessor, uint64_t code, size_t element_size,
                const char *expression, const char *file, int line, const char *func);
#define mx_bind(ctx, view, accessor)                                                     \
    mx_bind_((ctx), (view), (accessor), (uint64_t)(sizeof((accessor)->shape->code) - 1), \
             sizeof(*(accessor)->data), #accessor, __FILE__, __LINE__, __func__)

/* ---- MX_AT(v, i, j): an element, as an lvalue. MX_EXTENT(v, d): an extent. ---- */
#define MX_STATIC_(member) (sizeof(member) - 1)
#define MX_STRIDE_(v, d) \
    (MX_STATIC_((v).shape->k##d) ? (int64_t)MX_STATIC_((v).shape->k##d) : (int64_t)(v).stride[d])
#define MX_EXTENT(v, d) \
    (MX_STATIC_((v).shape->x##d##_) ? (int64_t)MX_STATIC_((v).shape->x##d##_) : (v).extent[d])

#ifdef __CUDACC__
#define MX_INLINE static __device__ __forceinline__
#else
#define MX_INLINE static inline __attribute__((always_inline, unused))
#endif

#ifdef MINX_BOUNDS_CHECK
#ifdef __CUDACC__
#define MX_COLD_ static __device__ __noinline__
#else
#define MX_COLD_ static __attribute__((noinline, cold, unused))
#endif
#ifdef __CUDACC__
#include <stdio.h>
#else
/* Host code outside kernels (an accessor bound without a context) has no fence to report at: prints and aborts. */
void mx_fault_stop_(uint64_t stamp, const char *expression, int dimension, int64_t index,
                    int64_t extent, const char *file, int line);
#endif
/* The term of an index that leaves its view: so far below 0 that the offset is, whatever the other terms. */
#define MX_FAULT_TERM_ (-((int64_t)1 << 59))
/* The first fault wins the record; the item goes on with offset 0, where every view has memory, empty ones too. */
MX_COLD_ int64_t mx_fault_note_(mx_fault *fault, uint64_t stamp, const char *expression,
                                int dimension, int64_t index, int64_t extent, const char *file,
                                int line)
{
#ifdef __CUDACC__
    if (fault == NULL) {
        printf("minx: %s:%d: MX_AT(%s, ...): accessor %s was %s\n", file, line, expression,
               expression, stamp == 0 ? "never bound" : "bound without a context");
        __trap();
    }
    const int before = atomicAdd(&fault->count, 1);
#else
    if (fault == NULL) mx_fault_stop_(stamp, expression, dimension, index, extent, file, line);
    const int before = __atomic_fetch_add(&fault->count, 1, __ATOMIC_RELAXED);
#endif
    if (before == 0) {
        fault->dimension = dimension;
        fault->line = line;
        fault->index = index;
        fault->extent = extent;
        fault->stamp = stamp;
        for (int c = 0; c < 63 && (c == 0 || expression[c - 1] != '\0'); c++)
            fault->expression[c] = expression[c];
        for (int c = 0; c < 127 && (c == 0 || file[c - 1] != '\0'); c++) fault->file[c] = file[c];
#ifdef __CUDACC__
        __threadfence_system();
#endif
    }
    return MX_FAULT_TERM_;
}
MX_INLINE int64_t mx_term_(int64_t index, int64_t extent, int64_t stride, mx_fault *fault,
                           uint64_t stamp, const char *expression, int dimension, const char *file,
                           int line)
{
    return (uint64_t)index < (uint64_t)extent
               ? index * stride
               : mx_fault_note_(fault, stamp, expression, dimension, index, extent, file, line);
}
MX_INLINE int64_t mx_offset_(int64_t offset)
{
    return offset < 0 ? 0 : offset;
}
#define MX_TERM_(v, d, i)                                                                  \
    mx_term_((int64_t)(i), MX_EXTENT(v, d), MX_STRIDE_(v, d), (v).fault, (v).stamp, #v, d, \
             __FILE__, __LINE__)
#define MX_BOUND_(v)                                                      \
    mx_term_(0, (v).stamp != 0, 1, (v).fault, (v).stamp, #v, 0, __FILE__, \
             __LINE__) /* rank 0: no index */
#define MX_OFFSET_(sum) mx_offset_(sum)
#else
#define MX_TERM_(v, d, i) ((int64_t)(i)*MX_STRIDE_(v, d))
#define MX_BOUND_(v) 0
#define MX_OFFSET_(sum) (sum)
#endif

#define MX_RANK_(v, R)    \
    (0 * (int64_t)sizeof( \
             (v).shape->is_rank_##R)) /* fails to compile with the wrong number of indices */
#define MX_SUM2_(v, i, j) MX_TERM_(v, 0, i) + MX_TERM_(v, 1, j)
#define MX_SUM4_(v, i, j, k, l) MX_SUM2_(v, i, j) + MX_TERM_(v, 2, k) + MX_TERM_(v, 3, l)
#define MX_SUM6_(v, i, j, k, l, m, n) \
    MX_SUM4_(v, i, j, k, l) + MX_TERM_(v, 4, m) + MX_TERM_(v, 5, n)
#define MX_ITEM_AT_(v, R, sum) ((v).data[MX_OFFSET_(sum) + MX_RANK_(v, R)])
#define MX_AT0_(v) MX_ITEM_AT_(v, 0, MX_BOUND_(v))
#define MX_AT1_(v, i) MX_ITEM_AT_(v, 1, MX_TERM_(v, 0, i))
#define MX_AT2_(v, i, j) MX_ITEM_AT_(v, 2, MX_SUM2_(v, i, j))
#define MX_AT3_(v, i, j, k) MX_ITEM_AT_(v, 3, MX_SUM2_(v, i, j) + MX_TERM_(v, 2, k))
#define MX_AT4_(v, i, j, k, l) MX_ITEM_AT_(v, 4, MX_SUM4_(v, i, j, k, l))
#define MX_AT5_(v, i, j, k, l, m) MX_ITEM_AT_(v, 5, MX_SUM4_(v, i, j, k, l) + MX_TERM_(v, 4, m))
#define MX_AT6_(v, i, j, k, l, m, n) MX_ITEM_AT_(v, 6, MX_SUM6_(v, i, j, k, l, m, n))
#define MX_AT7_(v, i, j, k, l, m, n, o) \
    MX_ITEM_AT_(v, 7, MX_SUM6_(v, i, j, k, l, m, n) + MX_TERM_(v, 6, o))
#define MX_AT8_(v, i, j, k, l, m, n, o, p) \
    MX_ITEM_AT_(v, 8, MX_SUM6_(v, i, j, k, l, m, n) + MX_TERM_(v, 6, o) + MX_TERM_(v, 7, p))

#define MX_TENTH_(_0, _1, _2, _3, _4, _5, _6, _7, _8, name, ...) name
#define MX_AT(...)                                                                                 \
    MX_TENTH_(__VA_ARGS__, MX_AT8_, MX_AT7_, MX_AT6_, MX_AT5_, MX_AT4_, MX_AT3_, MX_AT2_, MX_AT1_, \
              MX_AT0_, 0)                                                                          \
    (__VA_ARGS__)

#ifdef __cplusplus
}
#endif
