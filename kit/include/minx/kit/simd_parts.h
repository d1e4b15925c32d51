/* Parts: vectors as long as the registers of the host, for loops that process packs piece by piece:
 *
 *     mx_part_f64 sum = mx_part_set_f64(0.0);
 *     for (int i = 0; i < n; i += MX_PACK_WIDTH)
 *         for (int part = i; part < i + MX_PACK_WIDTH; part += MX_PART_WIDTH_F64)
 *             sum += mx_part_load_f64(p + part);
 *     total = mx_part_sum_f64(sum);
 *
 * A pack of doubles has 64 bytes. With AVX-512 it is in one register, and a part is a pack. With
 * AVX2 a part has 32 bytes, on other hosts 16. There gcc keeps the packs that a loop changes in
 * memory, and compares packs lane by lane. A loop over packs may then take several times as long
 * as one over parts. So use parts for sums and comparisons in loops that matter. On cuda a part is a
 * pack.
 *
 * The types are mx_part_f64 and mx_part_f32, with MX_PART_WIDTH_F64 and MX_PART_WIDTH_F32 lanes.
 * Their masks are mx_part_mask_f64 and mx_part_mask_f32. The widths divide MX_PACK_WIDTH. They
 * depend on the CPU that kernels are compiled for, so only kernel files may use them. Operators are
 * those of packs (simd.h). These functions exist for f32 as well:
 *
 *   mx_part_set_f64(x)                all lanes x
 *   mx_part_load_f64(p)  mx_part_store_f64(p, a)    p need not be aligned
 *   mx_part_select_f64(mask, a, b)    a where the mask is on, else b
 *   mx_part_mask_of_bits_f64(bits)    bit l is lane l; bits beyond the lanes are ignored
 *   mx_part_bits_f64(mask)            bit l of an unsigned number is lane l
 *   mx_part_sum_f64(a)                over the lanes; the order of additions depends on the width
 *
 * mx_part_widen(a, n) is piece n of an f32 part as an f64 part; n is below MX_PARTS_OF_F32.
 * MX_PART_IS_VECTOR is 1 where a part is a vector type of the compiler, so that the compiler's
 * functions for vectors take it; else 0. */
#pragma once
#include "minx/kit/simd.h"

#if defined(MX_GPU_CODE_) || defined(__AVX512F__)
enum { MX_PART_WIDTH_F64 = 8, MX_PART_WIDTH_F32 = 8 };
#elif defined(__AVX2__)
enum { MX_PART_WIDTH_F64 = 4, MX_PART_WIDTH_F32 = 8 };
#else
enum { MX_PART_WIDTH_F64 = 2, MX_PART_WIDTH_F32 = 4 };
#endif
enum { MX_PARTS_OF_F32 = MX_PART_WIDTH_F32 / MX_PART_WIDTH_F64 };

#ifdef MX_GPU_CODE_
#define MX_PART_IS_VECTOR 0
#else
#define MX_PART_IS_VECTOR 1
#endif

/* A part that is a pack. */
#define MX_PART_PACK_(tag, T)                                                                     \
    typedef mx_pack_##tag mx_part_##tag;                                                          \
    typedef mx_mask_##tag mx_part_mask_##tag;                                                     \
    MX_INLINE mx_part_##tag mx_part_set_##tag(T x) { return mx_pack_set_##tag(x); }               \
    MX_INLINE mx_part_##tag mx_part_load_##tag(const T *p) { return mx_pack_load(p); }            \
    MX_INLINE void mx_part_store_##tag(T *p, mx_part_##tag a) { mx_pack_store(p, a); }            \
    MX_INLINE mx_part_##tag mx_part_select_##tag(mx_part_mask_##tag mask, mx_part_##tag a,        \
                                                 mx_part_##tag b)                                 \
    {                                                                                             \
        return mx_pack_select(mask, a, b);                                                        \
    }                                                                                             \
    MX_INLINE mx_part_mask_##tag mx_part_mask_of_bits_##tag(unsigned bits)                        \
    {                                                                                             \
        return mx_mask_of_bits_##tag(bits);                                                       \
    }                                                                                             \
    MX_INLINE unsigned mx_part_bits_##tag(mx_part_mask_##tag mask) { return mx_mask_bits(mask); } \
    MX_INLINE T mx_part_sum_##tag(mx_part_##tag a) { return mx_pack_sum(a); }

/* The bits of masks of shorter parts. */
#if defined(MX_GPU_CODE_) || defined(__AVX512F__)
/* There are none. */
#elif defined(__AVX2__)
typedef double mx_part_signs_f64_ __attribute__((vector_size(32)));
#define MX_PART_BITS_f64_(mask) (unsigned)__builtin_ia32_movmskpd256((mx_part_signs_f64_)mask)
#elif defined(__SSE2__)
typedef double mx_part_signs_f64_ __attribute__((vector_size(16)));
typedef float mx_part_signs_f32_ __attribute__((vector_size(16)));
#define MX_PART_BITS_f64_(mask) (unsigned)__builtin_ia32_movmskpd((mx_part_signs_f64_)mask)
#define MX_PART_BITS_f32_(mask) (unsigned)__builtin_ia32_movmskps((mx_part_signs_f32_)mask)
#else
#define MX_PART_BITS_f64_(mask) ((unsigned)(mask[0] & 1) | (unsigned)(mask[1] & 2))
#define MX_PART_BITS_f32_(mask) \
    (MX_PART_BITS_f64_(mask) | (unsigned)(mask[2] & 4) | (unsigned)(mask[3] & 8))
#endif

/* A part that is shorter than a pack; L: the type of its mask's lanes. */
#define MX_PART_VECTOR_(tag, T, L, width)                                                         \
    typedef T mx_part_##tag __attribute__((vector_size(width * sizeof(T))));                      \
    typedef L mx_part_mask_##tag __attribute__((vector_size(width * sizeof(T))));                 \
    typedef mx_part_mask_##tag mx_part_mask_##tag##_memory_                                       \
        __attribute__((aligned(sizeof(T)), may_alias));                                           \
    typedef mx_part_##tag mx_part_##tag##_memory_ __attribute__((aligned(sizeof(T)), may_alias)); \
    MX_INLINE mx_part_##tag mx_part_set_##tag(T x) { return x - (mx_part_##tag){0}; }             \
    MX_INLINE mx_part_##tag mx_part_load_##tag(const T *p)                                        \
    {                                                                                             \
        return *(const mx_part_##tag##_memory_ *)p;                                               \
    }                                                                                             \
    MX_INLINE void mx_part_store_##tag(T *p, mx_part_##tag a)                                     \
    {                                                                                             \
        *(mx_part_##tag##_memory_ *)p = a;                                                        \
    }                                                                                             \
    MX_INLINE mx_part_##tag mx_part_select_##tag(mx_part_mask_##tag mask, mx_part_##tag a,        \
                                                 mx_part_##tag b)                                 \
    {                                                                                             \
        return (mx_part_##tag)(((mx_part_mask_##tag)a & mask) | ((mx_part_mask_##tag)b & ~mask)); \
    }                                                                                             \
    MX_INLINE unsigned mx_part_bits_##tag(mx_part_mask_##tag mask)                                \
    {                                                                                             \
        return MX_PART_BITS_##tag##_(mask);                                                       \
    }

#if defined(MX_GPU_CODE_) || defined(__AVX512F__)
MX_PART_PACK_(f64, double)
MX_PART_PACK_(f32, float)
MX_INLINE mx_part_f64 mx_part_widen(mx_part_f32 a, int n)
{
    (void)n;
    return mx_pack_widen(a);
}
#else
#ifdef __AVX2__
MX_PART_VECTOR_(f64, double, int64_t, 4)
MX_INLINE mx_part_mask_f64 mx_part_mask_of_bits_f64(unsigned bits)
{
    static const int64_t masks[16][4] = {
        {0, 0, 0, 0},   {-1, 0, 0, 0},   {0, -1, 0, 0},   {-1, -1, 0, 0},
        {0, 0, -1, 0},  {-1, 0, -1, 0},  {0, -1, -1, 0},  {-1, -1, -1, 0},
        {0, 0, 0, -1},  {-1, 0, 0, -1},  {0, -1, 0, -1},  {-1, -1, 0, -1},
        {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1}};
    return *(const mx_part_mask_f64_memory_ *)masks[bits & 15];
}
MX_PART_PACK_(f32, float)
MX_INLINE double mx_part_sum_f64(mx_part_f64 a) { return (a[0] + a[2]) + (a[1] + a[3]); }
#else
MX_PART_VECTOR_(f64, double, int64_t, 2)
MX_PART_VECTOR_(f32, float, int32_t, 4)
MX_INLINE mx_part_mask_f64 mx_part_mask_of_bits_f64(unsigned bits)
{
    static const int64_t masks[4][2] = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
    return *(const mx_part_mask_f64_memory_ *)masks[bits & 3];
}
MX_INLINE mx_part_mask_f32 mx_part_mask_of_bits_f32(unsigned bits)
{
    const mx_part_mask_f32 each = {1, 2, 4, 8};
    return (mx_part_mask_f32)((each & (int32_t)bits) == each);
}
MX_INLINE double mx_part_sum_f64(mx_part_f64 a) { return a[0] + a[1]; }
MX_INLINE float mx_part_sum_f32(mx_part_f32 a) { return (a[0] + a[2]) + (a[1] + a[3]); }
#endif
#if defined(__SSE2__) && !defined(__AVX2__) && !defined(__clang__)
/* gcc converts the upper lanes one by one. */
MX_INLINE mx_part_f64 mx_part_widen(mx_part_f32 a, int n)
{
    const mx_part_mask_f32 upper = {2, 3, 2, 3};
    return __builtin_ia32_cvtps2pd(n == 0 ? a : __builtin_shuffle(a, upper));
}
#else
MX_INLINE mx_part_f64 mx_part_widen(mx_part_f32 a, int n)
{
    typedef float piece __attribute__((vector_size(MX_PART_WIDTH_F64 * sizeof(float))));
    const union {
        mx_part_f32 whole;
        piece parts[MX_PARTS_OF_F32];
    } u = {a};
#if defined(__AVX2__) && !defined(__clang__) /* gcc splits the conversion */
    return __builtin_ia32_cvtps2pd256(u.parts[n]);
#else
    return __builtin_convertvector(u.parts[n], mx_part_f64);
#endif
}
#endif
#endif
