/* Vectors of doubles from rows of four numbers, such as the coordinates of an atom or the
 * coefficients of a cubic polynomial. They are for loops that read other elements by index: loads of
 * rows are several times as fast as gathers. Such loops also need the other functions here. A vector
 * is a part (minx/kit/simd_parts.h) of MD_LANES lanes. The lanes of a group are MD_GROUP neighbours:
 * four, or all where a vector has fewer.
 *
 * p: doubles in memory of the kernel. index: where rows begin, in doubles from p (4 times the number
 * of a row if rows are dense). a: four vectors, one for each column.
 *
 *   md_load_rows(p, index, a)      a[d][l] = p[index[l] + d], for d from 0 to 3
 *   md_subtract_rows(p, index, a)  p[index[l] + d] -= a[d][l], lane by lane: rows may be equal
 *   md_spread_rows(p, index, a)    a[d][l] = p[index[g] + d], for each lane l of group g
 *   md_sum_rows(p, index, a)       p[index[g] + d] += the sum of a[d]'s lanes of group g, group by group: rows may be equal
 *   md_rsqrt(a)                    1 / sqrt(a), within 4 units in the last place; not for 0 and infinities
 *   md_trunc(a)                    the integer towards zero; it must fit in 32 bits
 *   md_store_i32(p, a)             p[l] = (int32_t)a[l], towards zero
 *   md_compress(p, bits, a)        stores the lanes of an i32 pack whose bits are 1, one after another; returns their number.
 *                                  May write all of p[0] to p[7] */
#pragma once
#include "minx/kernel.h"
#include "minx/kit/simd_parts.h"
#include "minx/kit/simd_rows.h"

enum {
    MD_LANES = MX_PART_WIDTH_F64,
    MD_GROUP = MD_LANES < 4 ? MD_LANES : 4,
    MD_GROUPS = MD_LANES / MD_GROUP
};

#define MD_EACH_LANE MX_UNROLL(8) for (int l = 0; l < MD_LANES; l++)

/* ---- rows ---- */

#if MX_PART_IS_VECTOR && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MD_SHUFFLES
#endif
#endif

#if MX_PART_IS_VECTOR
typedef mx_row_f64 md_row_memory __attribute__((aligned(8), may_alias));
#endif

#if defined(MD_SHUFFLES) && defined(__AVX512F__)
/* A vector has two rows. */
MX_INLINE mx_part_f64 md_two_rows(const double *p, int32_t i, int32_t j)
{
    const mx_row_f64 a = mx_row_load(p + i);
    const mx_row_f64 b = mx_row_load(p + j);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

MX_INLINE void md_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    const mx_part_f64 r01 = md_two_rows(p, index[0], index[1]);
    const mx_part_f64 r23 = md_two_rows(p, index[2], index[3]);
    const mx_part_f64 r45 = md_two_rows(p, index[4], index[5]);
    const mx_part_f64 r67 = md_two_rows(p, index[6], index[7]);
    /* columns 0 and 2, 1 and 3, of four rows */
    const mx_part_f64 low02 = __builtin_shufflevector(r01, r23, 0, 4, 8, 12, 2, 6, 10, 14);
    const mx_part_f64 low13 = __builtin_shufflevector(r01, r23, 1, 5, 9, 13, 3, 7, 11, 15);
    const mx_part_f64 high02 = __builtin_shufflevector(r45, r67, 0, 4, 8, 12, 2, 6, 10, 14);
    const mx_part_f64 high13 = __builtin_shufflevector(r45, r67, 1, 5, 9, 13, 3, 7, 11, 15);
    a[0] = __builtin_shufflevector(low02, high02, 0, 1, 2, 3, 8, 9, 10, 11);
    a[1] = __builtin_shufflevector(low13, high13, 0, 1, 2, 3, 8, 9, 10, 11);
    a[2] = __builtin_shufflevector(low02, high02, 4, 5, 6, 7, 12, 13, 14, 15);
    a[3] = __builtin_shufflevector(low13, high13, 4, 5, 6, 7, 12, 13, 14, 15);
}

/* The rows of lanes i and i + 2, for columns of even or odd lanes; `low`: lanes below 4. */
#define MD_ROWS_LOW(c01, c23) __builtin_shufflevector(c01, c23, 0, 1, 8, 9, 2, 3, 10, 11)
#define MD_ROWS_HIGH(c01, c23) __builtin_shufflevector(c01, c23, 4, 5, 12, 13, 6, 7, 14, 15)
#define MD_EVEN(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define MD_ODD(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)

MX_INLINE void md_subtract_two_rows(double *p, const int32_t *index, int lane, mx_part_f64 rows)
{
    *(md_row_memory *)(p + index[lane]) -= __builtin_shufflevector(rows, rows, 0, 1, 2, 3);
    *(md_row_memory *)(p + index[lane + 2]) -= __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
}

MX_INLINE void md_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 even01 = MD_EVEN(a[0], a[1]), even23 = MD_EVEN(a[2], a[3]);
    const mx_part_f64 odd01 = MD_ODD(a[0], a[1]), odd23 = MD_ODD(a[2], a[3]);
    md_subtract_two_rows(p, index, 0, MD_ROWS_LOW(even01, even23));
    md_subtract_two_rows(p, index, 1, MD_ROWS_LOW(odd01, odd23));
    md_subtract_two_rows(p, index, 4, MD_ROWS_HIGH(even01, even23));
    md_subtract_two_rows(p, index, 5, MD_ROWS_HIGH(odd01, odd23));
}

#define MD_SPREAD(rows, d) \
    __builtin_shufflevector(rows, rows, d, d, d, d, d + 4, d + 4, d + 4, d + 4)
MX_INLINE void md_spread_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    const mx_part_f64 rows = md_two_rows(p, index[0], index[1]);
    a[0] = MD_SPREAD(rows, 0);
    a[1] = MD_SPREAD(rows, 1);
    a[2] = MD_SPREAD(rows, 2);
    a[3] = MD_SPREAD(rows, 3);
}

MX_INLINE void md_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 pairs01 = MD_EVEN(a[0], a[1]) + MD_ODD(a[0], a[1]);
    const mx_part_f64 pairs23 = MD_EVEN(a[2], a[3]) + MD_ODD(a[2], a[3]);
    const mx_part_f64 rows = __builtin_shufflevector(pairs01, pairs23, 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(pairs01, pairs23, 2, 3, 10, 11, 6, 7, 14, 15);
    *(md_row_memory *)(p + index[0]) += __builtin_shufflevector(rows, rows, 0, 1, 2, 3);
    *(md_row_memory *)(p + index[1]) += __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
}

#elif defined(MD_SHUFFLES) && defined(__AVX2__)
/* A row is a vector. Two rows give their first and their last two numbers. */
#define MD_ROWS_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define MD_ROWS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define MD_EVEN(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define MD_ODD(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)

MX_INLINE void md_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    const mx_part_f64 r0 = mx_row_load(p + index[0]), r1 = mx_row_load(p + index[1]);
    const mx_part_f64 r2 = mx_row_load(p + index[2]), r3 = mx_row_load(p + index[3]);
    const mx_part_f64 low02 = MD_ROWS_LOW(r0, r2), high02 = MD_ROWS_HIGH(r0, r2);
    const mx_part_f64 low13 = MD_ROWS_LOW(r1, r3), high13 = MD_ROWS_HIGH(r1, r3);
    a[0] = MD_EVEN(low02, low13);
    a[1] = MD_ODD(low02, low13);
    a[2] = MD_EVEN(high02, high13);
    a[3] = MD_ODD(high02, high13);
}

MX_INLINE void md_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 even01 = MD_EVEN(a[0], a[1]), even23 = MD_EVEN(a[2], a[3]);
    const mx_part_f64 odd01 = MD_ODD(a[0], a[1]), odd23 = MD_ODD(a[2], a[3]);
    *(md_row_memory *)(p + index[0]) -= MD_ROWS_LOW(even01, even23);
    *(md_row_memory *)(p + index[1]) -= MD_ROWS_LOW(odd01, odd23);
    *(md_row_memory *)(p + index[2]) -= MD_ROWS_HIGH(even01, even23);
    *(md_row_memory *)(p + index[3]) -= MD_ROWS_HIGH(odd01, odd23);
}

MX_INLINE void md_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 pairs01 = MD_EVEN(a[0], a[1]) + MD_ODD(a[0], a[1]);
    const mx_part_f64 pairs23 = MD_EVEN(a[2], a[3]) + MD_ODD(a[2], a[3]);
    *(md_row_memory *)(p + index[0]) +=
        MD_ROWS_LOW(pairs01, pairs23) + MD_ROWS_HIGH(pairs01, pairs23);
}

#elif defined(MD_SHUFFLES)
/* A row is two vectors. */
#define MD_FIRST(a, b) __builtin_shufflevector(a, b, 0, 2)
#define MD_SECOND(a, b) __builtin_shufflevector(a, b, 1, 3)

MX_INLINE void md_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        const mx_part_f64 r0 = mx_part_load_f64(p + index[0] + d);
        const mx_part_f64 r1 = mx_part_load_f64(p + index[1] + d);
        a[d] = MD_FIRST(r0, r1);
        a[d + 1] = MD_SECOND(r0, r1);
    }
}

MX_INLINE void md_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        double *const p0 = p + index[0] + d, *const p1 = p + index[1] + d;
        mx_part_store_f64(p0, mx_part_load_f64(p0) - MD_FIRST(a[d], a[d + 1]));
        mx_part_store_f64(p1, mx_part_load_f64(p1) - MD_SECOND(a[d], a[d + 1]));
    }
}

MX_INLINE void md_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        double *const row = p + index[0] + d;
        const mx_part_f64 sum = MD_FIRST(a[d], a[d + 1]) + MD_SECOND(a[d], a[d + 1]);
        mx_part_store_f64(row, mx_part_load_f64(row) + sum);
    }
}

#else
MX_INLINE void md_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) MD_EACH_LANE a[d][l] = p[index[l] + d];
}

MX_INLINE void md_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    MD_EACH_LANE for (int d = 0; d < 4; d++) p[index[l] + d] -= a[d][l];
}

MX_INLINE void md_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) {
        MX_UNROLL(2)
        for (int g = 0, l = 0; g < MD_GROUPS; g++, l += MD_GROUP) {
            double sum = a[d][l] + a[d][l + 1];
            if (MD_GROUP == 4) sum += a[d][l + 2] + a[d][l + 3];
            p[index[g] + d] += sum;
        }
    }
}
#endif

#if !defined(MD_SHUFFLES) || !defined(__AVX512F__)
MX_INLINE void md_spread_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) {
        if (MD_GROUPS == 1)
            a[d] = mx_part_set_f64(p[index[0] + d]);
        else
            MD_EACH_LANE a[d][l] = p[index[l / MD_GROUP] + d];
    }
}
#endif

/* ---- roots and integers ---- */

MX_INLINE mx_part_f64 md_rsqrt(mx_part_f64 a)
{
#if MX_PART_IS_VECTOR && defined(__AVX512F__) && defined(__AVX512VL__)
    /* An estimate y with 14 bits. With its error e, at most 2^-13, the result is y / sqrt(1 - e), which
     * is computed as a series. */
    typedef double vector __attribute__((vector_size(64)));
    const vector zero = {0};
    const mx_part_f64 y = (mx_part_f64)__builtin_ia32_rsqrt14pd512_mask((vector)a, zero, 255);
    const mx_part_f64 e = 1.0 - a * y * y;
    return y + y * e * (0.5 + e * (0.375 + e * 0.3125));
#else
    mx_part_f64 root = a;
    MD_EACH_LANE root[l] = sqrt(a[l]);
    return 1.0 / root;
#endif
}

#if !MX_PART_IS_VECTOR
MX_INLINE mx_part_f64 md_trunc(mx_part_f64 a)
{
    MD_EACH_LANE a[l] = (double)(int32_t)a[l];
    return a;
}
MX_INLINE void md_store_i32(int32_t *p, mx_part_f64 a) { MD_EACH_LANE p[l] = (int32_t)a[l]; }
#else
typedef int32_t md_integers __attribute__((vector_size(4 * MD_LANES)));
typedef md_integers md_integers_memory __attribute__((aligned(4), may_alias));
MX_INLINE mx_part_f64 md_trunc(mx_part_f64 a)
{
#if defined(__AVX512F__) && defined(MD_SHUFFLES) && __has_builtin(__builtin_ia32_cvtdq2pd512_mask)
    /* gcc converts halves */
    typedef int vector __attribute__((vector_size(32)));
    const vector whole = (vector) __builtin_convertvector(a, md_integers);
    return (mx_part_f64)__builtin_ia32_cvtdq2pd512_mask(whole, (mx_part_f64){0}, 255);
#elif defined(__AVX2__) && !defined(__AVX512F__)
    return __builtin_ia32_roundpd256(a, 3);
#else
    return __builtin_convertvector(__builtin_convertvector(a, md_integers), mx_part_f64);
#endif
}
MX_INLINE void md_store_i32(int32_t *p, mx_part_f64 a)
{
    *(md_integers_memory *)p = __builtin_convertvector(a, md_integers);
}
#endif

MX_INLINE int md_compress(int32_t *p, unsigned bits, mx_pack_i32 a)
{
#if MX_PART_IS_VECTOR && defined(__AVX512F__) && defined(__AVX512VL__)
    typedef int vector __attribute__((vector_size(32)));
    const vector kept =
        __builtin_ia32_compresssi256_mask((vector)a, (vector)a, (unsigned char)bits);
    mx_pack_store(p, (mx_pack_i32)kept);
    return __builtin_popcount(bits);
#else
    int count = 0;
    MX_UNROLL(8)
    for (int l = 0; l < MX_PACK_WIDTH; l++) {
        p[count] = a[l];
        count += (int)(bits >> l & 1);
    }
    return count;
#endif
}
