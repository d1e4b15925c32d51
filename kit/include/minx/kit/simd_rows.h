/* Packs of doubles from rows of four numbers, such as the coordinates of an atom or the
 * coefficients of a cubic polynomial. They are for loops that read other elements by index: eight
 * loads of rows are several times as fast as four gathers. Such loops also need the other functions
 * here.
 *
 * p: doubles in memory of the kernel. index: eight i32; index[l] is where row l begins, in doubles
 * from p (4 * its number if rows are dense). a: four packs, one for each column.
 *
 *   mx_pack_load_rows(p, index, a)      a[d][l] = p[index[l] + d], for d from 0 to 3
 *   mx_pack_subtract_rows(p, index, a)  p[index[l] + d] -= a[d][l], lane by lane: rows may be equal
 *   mx_pack_sum_rows(p, a)              p[d] += the sum of a[d]'s lanes, in the same order on every backend
 *   mx_pack_rsqrt(a)                    1 / sqrt(a), within 4 units in the last place; not for 0 and infinities
 *   mx_pack_compress(p, bits, a)        stores the lanes of an i32 or f64 pack whose bits are 1, one after another; returns their number. May
 *                                       write all of p[0] to p[7]
 *   mx_pack_to_i32(a)  mx_pack_to_f64(a)    conversions of f64 packs, towards zero, and of i32 packs
 *
 * A row by itself, for sums over short runs of neighbours in memory:
 *
 *   mx_row_f64                              four doubles: + - * += of two rows, and a[d]
 *   mx_row_set(x)                           all four x
 *   mx_row_load(p)  mx_row_load_f32(p)      p[0] to p[3], of double or float; p need not be aligned
 *   MX_ROW_IS_REGISTER                      1: a row is a register of the processor; 0: loops over single numbers are faster */
#pragma once
#include "minx/kit/simd.h"

#if !defined(__CUDACC__) && defined(__AVX2__)
#define MX_ROW_IS_REGISTER 1
#else
#define MX_ROW_IS_REGISTER 0
#endif

#ifdef __CUDACC__
#define MX_ROW_OPERATOR_(op)                                                  \
    friend MX_METHOD_ mx_row_f64 operator op(mx_row_f64 a, mx_row_f64 b)      \
    {                                                                         \
        for (int d = 0; d < 4; d++) a.number[d] = a.number[d] op b.number[d]; \
        return a;                                                             \
    }
struct mx_row_f64 {
    double number[4];
    MX_METHOD_ double operator[](int d) const { return number[d]; }
    MX_ROW_OPERATOR_(+)
    MX_ROW_OPERATOR_(-)
    MX_ROW_OPERATOR_(*)
    MX_METHOD_ mx_row_f64 &operator+=(mx_row_f64 b) { return *this = *this + b; }
};
MX_INLINE mx_row_f64 mx_row_load(const double *p)
{
    const mx_row_f64 row = {p[0], p[1], p[2], p[3]};
    return row;
}
#else
typedef double mx_row_f64 __attribute__((vector_size(32)));
typedef mx_row_f64 mx_row_f64_memory_ __attribute__((aligned(8), may_alias));
/* As one load: from four numbers gcc would make several loads, where rows overlap. */
MX_INLINE mx_row_f64 mx_row_load(const double *p) { return *(const mx_row_f64_memory_ *)p; }
#endif

MX_INLINE mx_row_f64 mx_row_set(double x)
{
    const mx_row_f64 row = {x, x, x, x};
    return row;
}

MX_INLINE mx_row_f64 mx_row_load_f32(const float *p)
{
    const mx_row_f64 row = {(double)p[0], (double)p[1], (double)p[2], (double)p[3]};
    return row;
}

#if !defined(__CUDACC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MX_PACK_SHUFFLES_
#endif
#endif

#ifdef MX_PACK_SHUFFLES_
/* Two rows in one vector. */
MX_INLINE mx_pack_f64 mx_two_rows_(const double *p, int32_t i, int32_t j)
{
    const mx_row_f64 a = mx_row_load(p + i);
    const mx_row_f64 b = mx_row_load(p + j);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

MX_INLINE void mx_pack_load_rows(const double *p, const int32_t *index, mx_pack_f64 *a)
{
    const mx_pack_f64 r01 = mx_two_rows_(p, index[0], index[1]);
    const mx_pack_f64 r23 = mx_two_rows_(p, index[2], index[3]);
    const mx_pack_f64 r45 = mx_two_rows_(p, index[4], index[5]);
    const mx_pack_f64 r67 = mx_two_rows_(p, index[6], index[7]);
    /* columns 0 and 2, 1 and 3, of four rows */
    const mx_pack_f64 low02 = __builtin_shufflevector(r01, r23, 0, 4, 8, 12, 2, 6, 10, 14);
    const mx_pack_f64 low13 = __builtin_shufflevector(r01, r23, 1, 5, 9, 13, 3, 7, 11, 15);
    const mx_pack_f64 high02 = __builtin_shufflevector(r45, r67, 0, 4, 8, 12, 2, 6, 10, 14);
    const mx_pack_f64 high13 = __builtin_shufflevector(r45, r67, 1, 5, 9, 13, 3, 7, 11, 15);
    a[0] = __builtin_shufflevector(low02, high02, 0, 1, 2, 3, 8, 9, 10, 11);
    a[1] = __builtin_shufflevector(low13, high13, 0, 1, 2, 3, 8, 9, 10, 11);
    a[2] = __builtin_shufflevector(low02, high02, 4, 5, 6, 7, 12, 13, 14, 15);
    a[3] = __builtin_shufflevector(low13, high13, 4, 5, 6, 7, 12, 13, 14, 15);
}

/* The rows of lanes i and i + 2, for columns of even or odd lanes; `low`: lanes below 4. */
#define MX_PACK_ROWS_LOW_(c01, c23) __builtin_shufflevector(c01, c23, 0, 1, 8, 9, 2, 3, 10, 11)
#define MX_PACK_ROWS_HIGH_(c01, c23) __builtin_shufflevector(c01, c23, 4, 5, 12, 13, 6, 7, 14, 15)
#define MX_PACK_EVEN_(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define MX_PACK_ODD_(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)

MX_INLINE void mx_subtract_two_rows_(double *p, const int32_t *index, int lane, mx_pack_f64 rows)
{
    *(mx_row_f64_memory_ *)(p + index[lane]) -= __builtin_shufflevector(rows, rows, 0, 1, 2, 3);
    *(mx_row_f64_memory_ *)(p + index[lane + 2]) -= __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
}

MX_INLINE void mx_pack_subtract_rows(double *p, const int32_t *index, const mx_pack_f64 *a)
{
    const mx_pack_f64 even01 = MX_PACK_EVEN_(a[0], a[1]), even23 = MX_PACK_EVEN_(a[2], a[3]);
    const mx_pack_f64 odd01 = MX_PACK_ODD_(a[0], a[1]), odd23 = MX_PACK_ODD_(a[2], a[3]);
    mx_subtract_two_rows_(p, index, 0, MX_PACK_ROWS_LOW_(even01, even23));
    mx_subtract_two_rows_(p, index, 1, MX_PACK_ROWS_LOW_(odd01, odd23));
    mx_subtract_two_rows_(p, index, 4, MX_PACK_ROWS_HIGH_(even01, even23));
    mx_subtract_two_rows_(p, index, 5, MX_PACK_ROWS_HIGH_(odd01, odd23));
}

MX_INLINE void mx_pack_sum_rows(double *p, const mx_pack_f64 *a)
{
    const mx_pack_f64 pairs01 = MX_PACK_EVEN_(a[0], a[1]) + MX_PACK_ODD_(a[0], a[1]);
    const mx_pack_f64 pairs23 = MX_PACK_EVEN_(a[2], a[3]) + MX_PACK_ODD_(a[2], a[3]);
    const mx_pack_f64 fours =
        MX_PACK_ROWS_LOW_(pairs01, pairs23) + MX_PACK_ROWS_HIGH_(pairs01, pairs23);
    *(mx_row_f64_memory_ *)p += __builtin_shufflevector(fours, fours, 0, 1, 2, 3) +
                                __builtin_shufflevector(fours, fours, 4, 5, 6, 7);
}

MX_INLINE mx_pack_i32 mx_pack_to_i32(mx_pack_f64 a)
{
    return __builtin_convertvector(a, mx_pack_i32);
}
MX_INLINE mx_pack_f64 mx_pack_to_f64(mx_pack_i32 a)
{
#if defined(__AVX512F__) && __has_builtin(__builtin_ia32_cvtdq2pd512_mask) /* gcc converts halves */
    typedef int vector __attribute__((vector_size(32)));
    return (mx_pack_f64)__builtin_ia32_cvtdq2pd512_mask((vector)a, (mx_pack_f64){0}, 255);
#else
    return __builtin_convertvector(a, mx_pack_f64);
#endif
}
#else
MX_INLINE void mx_pack_load_rows(const double *p, const int32_t *index, mx_pack_f64 *a)
{
    for (int d = 0; d < 4; d++) MX_PACK_LANES_ a[d][l] = p[index[l] + d];
}

MX_INLINE void mx_pack_subtract_rows(double *p, const int32_t *index, const mx_pack_f64 *a)
{
    MX_PACK_LANES_ for (int d = 0; d < 4; d++) p[index[l] + d] -= a[d][l];
}

MX_INLINE void mx_pack_sum_rows(double *p, const mx_pack_f64 *a)
{
    for (int d = 0; d < 4; d++) {
        const mx_pack_f64 b = a[d];
        p[d] += ((b[0] + b[1]) + (b[4] + b[5])) + ((b[2] + b[3]) + (b[6] + b[7]));
    }
}

MX_LANE_FN_(mx_pack_to_i32, mx_pack_i32, (mx_pack_f64 a), (int32_t)a[l])
MX_LANE_FN_(mx_pack_to_f64, mx_pack_f64, (mx_pack_i32 a), (double)a[l])
#endif

#if !defined(__CUDACC__) && defined(__AVX512F__) && defined(__AVX512VL__)
typedef double mx_vector_f64_ __attribute__((vector_size(8 * MX_PACK_WIDTH)));
typedef int mx_vector_i32_ __attribute__((vector_size(4 * MX_PACK_WIDTH)));
#define MX_PACK_COMPRESS_(tag, T, V, builtin)                                             \
    MX_INLINE int MX_TYPED_(mx_pack_compress, tag)(T * p, unsigned bits, mx_pack_##tag a) \
    {                                                                                     \
        const V kept = builtin((V)a, (V)a, (unsigned char)bits);                          \
        mx_pack_store(p, (mx_pack_##tag)kept);                                            \
        return __builtin_popcount(bits);                                                  \
    }
MX_PACK_COMPRESS_(i32, int32_t, mx_vector_i32_, __builtin_ia32_compresssi256_mask)
MX_PACK_COMPRESS_(f64, double, mx_vector_f64_, __builtin_ia32_compressdf512_mask)

/* An estimate with 14 bits; then 1 / sqrt(1 - e) as a series, where e is its error, at most 2^-13. */
MX_INLINE mx_pack_f64 mx_pack_rsqrt(mx_pack_f64 a)
{
    const mx_vector_f64_ zero = {0};
    const mx_pack_f64 y =
        (mx_pack_f64)__builtin_ia32_rsqrt14pd512_mask((mx_vector_f64_)a, zero, 255);
    const mx_pack_f64 e = 1.0 - a * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * 0.3125));
}
#else
#define MX_PACK_COMPRESS_(tag, T)                                                         \
    MX_INLINE int MX_TYPED_(mx_pack_compress, tag)(T * p, unsigned bits, mx_pack_##tag a) \
    {                                                                                     \
        int count = 0;                                                                    \
        MX_PACK_LANES_                                                                    \
        {                                                                                 \
            p[count] = a[l];                                                              \
            count += (int)(bits >> l & 1);                                                \
        }                                                                                 \
        return count;                                                                     \
    }
MX_PACK_COMPRESS_(i32, int32_t)
MX_PACK_COMPRESS_(f64, double)

MX_INLINE mx_pack_f64 mx_pack_rsqrt(mx_pack_f64 a) { return 1.0 / mx_pack_sqrt(a); }
#endif
#ifdef __CUDACC__
#define mx_pack_compress(p, bits, a) mx_pack_compress_(p, bits, a)
#else
#define mx_pack_compress(p, bits, a) \
    _Generic(*(p), int32_t : mx_pack_compress_i32_, double : mx_pack_compress_f64_)(p, bits, a)
#endif
