/* Packs of doubles from rows of four numbers, as coordinates of an atom or coefficients of a cubic polynomial: for loops that look up
 * other elements by number, where eight loads of rows are several times as fast as four gathers. And what such loops need besides.
 *
 *   mx_pack_load_rows(p, index, a)      a[d][l] = p[index[l] + d], for d from 0 to 3
 *   mx_pack_add_rows(p, index, a)       p[index[l] + d] += a[d][l], lane by lane: rows may be equal
 *   mx_pack_store_index(index, a)       index[l] = a[l], for these functions
 *   mx_pack_compress(p, bits, a)        stores the lanes of an i32 pack whose bits are 1, one after another; returns their number. May
 *                                       write all of p[0] to p[7]
 *   mx_pack_to_i32(a)  mx_pack_to_f64(a)    conversions of f64 packs, towards zero, and of i32 packs */
#pragma once
#include "minx/simd.h"

#if !defined(__CUDACC__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define MX_PACK_SHUFFLES_
#endif
#endif

#ifdef MX_PACK_SHUFFLES_
typedef double mx_half_pack_f64_ __attribute__((vector_size(32), aligned(8), may_alias));

/* Two rows in one vector. */
MX_INLINE mx_pack_f64 mx_two_rows_(const double *p, int32_t i, int32_t j)
{
    const mx_half_pack_f64_ a = *(const mx_half_pack_f64_ *)(p + i);
    const mx_half_pack_f64_ b = *(const mx_half_pack_f64_ *)(p + j);
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

MX_INLINE void mx_add_row_(double *p, mx_half_pack_f64_ row) { *(mx_half_pack_f64_ *)p += row; }

/* Rows `first` and `first` + 2. */
MX_INLINE void mx_add_two_rows_(double *p, const int32_t *index, int first, mx_pack_f64 rows)
{
    mx_add_row_(p + index[first], __builtin_shufflevector(rows, rows, 0, 1, 2, 3));
    mx_add_row_(p + index[first + 2], __builtin_shufflevector(rows, rows, 4, 5, 6, 7));
}

MX_INLINE void mx_pack_add_rows(double *p, const int32_t *index, const mx_pack_f64 *a)
{
    /* columns 0 and 1, 2 and 3, of even and of odd rows */
    const mx_pack_f64 even01 = __builtin_shufflevector(a[0], a[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const mx_pack_f64 odd01 = __builtin_shufflevector(a[0], a[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const mx_pack_f64 even23 = __builtin_shufflevector(a[2], a[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const mx_pack_f64 odd23 = __builtin_shufflevector(a[2], a[3], 1, 9, 3, 11, 5, 13, 7, 15);
#define MX_EVEN_OR_ODD_ROWS_(which, first, i, j)                                              \
    mx_add_two_rows_(p, index, first,                                                         \
                     __builtin_shufflevector(which##01, which##23, i, i + 1, i + 8, i + 9, j, \
                                             j + 1, j + 8, j + 9))
    MX_EVEN_OR_ODD_ROWS_(even, 0, 0, 2);
    MX_EVEN_OR_ODD_ROWS_(odd, 1, 0, 2);
    MX_EVEN_OR_ODD_ROWS_(even, 4, 4, 6);
    MX_EVEN_OR_ODD_ROWS_(odd, 5, 4, 6);
#undef MX_EVEN_OR_ODD_ROWS_
}

/* Through memory: to extract eight lanes takes twice as many instructions. */
MX_INLINE void mx_pack_store_index(int32_t *index, mx_pack_i32 a)
{
    mx_pack_store(index, a);
    __asm__("" : "+m"(*(int32_t(*)[MX_PACK_WIDTH])index));
}

MX_INLINE mx_pack_i32 mx_pack_to_i32(mx_pack_f64 a)
{
    return __builtin_convertvector(a, mx_pack_i32);
}
MX_INLINE mx_pack_f64 mx_pack_to_f64(mx_pack_i32 a)
{
    return __builtin_convertvector(a, mx_pack_f64);
}
#else
MX_INLINE void mx_pack_load_rows(const double *p, const int32_t *index, mx_pack_f64 *a)
{
    for (int d = 0; d < 4; d++) MX_PACK_LANES_ a[d][l] = p[index[l] + d];
}

MX_INLINE void mx_pack_add_rows(double *p, const int32_t *index, const mx_pack_f64 *a)
{
    MX_PACK_LANES_ for (int d = 0; d < 4; d++) p[index[l] + d] += a[d][l];
}

MX_INLINE void mx_pack_store_index(int32_t *index, mx_pack_i32 a) { mx_pack_store(index, a); }

MX_LANE_FN_(mx_pack_to_i32, mx_pack_i32, (mx_pack_f64 a), (int32_t)a[l])
MX_LANE_FN_(mx_pack_to_f64, mx_pack_f64, (mx_pack_i32 a), (double)a[l])
#endif

MX_INLINE int mx_pack_compress(int32_t *p, unsigned bits, mx_pack_i32 a)
{
#if !defined(__CUDACC__) && defined(__AVX512F__) && defined(__AVX512VL__)
    typedef int vector __attribute__((vector_size(4 * MX_PACK_WIDTH)));
    const mx_pack_i32 kept =
        (mx_pack_i32)__builtin_ia32_compresssi256_mask((vector)a, (vector)a, (unsigned char)bits);
    mx_pack_store(p, kept);
    return __builtin_popcount(bits);
#else
    int count = 0;
    MX_PACK_LANES_
    {
        p[count] = a[l];
        count += (int)(bits >> l & 1);
    }
    return count;
#endif
}
