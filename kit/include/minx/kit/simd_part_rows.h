/* Parts (simd_parts.h) from rows of four numbers, as simd_rows.h has packs from such rows. Lanes
 * are those of a part of doubles:
 *
 *   mx_part_load_rows(p, index, a)      a[d][l] = p[index[l] + d], for d from 0 to 3
 *   mx_part_subtract_rows(p, index, a)  p[index[l] + d] -= a[d][l], lane by lane: rows may be equal
 *   mx_part_spread_rows(p, index, a)    a[d][l] = p[index[g] + d], for each lane l of group g
 *   mx_part_sum_rows(p, index, a)       p[index[g] + d] += the sum of a[d]'s lanes of group g, group by group: rows may be equal
 *   mx_part_rsqrt(a)                    1 / sqrt(a), within 4 units in the last place; not for 0 and infinities
 *   mx_part_trunc(a)                    the integer towards zero; it must fit in 32 bits
 *   mx_part_store_i32(p, a)             p[l] = (int32_t)a[l], towards zero
 *
 * The lanes of a group are MX_PART_GROUP neighbours: four, or all where a part has fewer. */
#pragma once
#include "minx/kit/simd_parts.h"
#include "minx/kit/simd_rows.h"

enum {
    MX_PART_GROUP = MX_PART_WIDTH_F64 < 4 ? MX_PART_WIDTH_F64 : 4,
    MX_PART_GROUPS = MX_PART_WIDTH_F64 / MX_PART_GROUP
};

#if defined(__CUDACC__) || defined(__AVX512F__)
MX_INLINE mx_part_f64 mx_part_trunc(mx_part_f64 a) { return mx_pack_to_f64(mx_pack_to_i32(a)); }
MX_INLINE void mx_part_store_i32(int32_t *p, mx_part_f64 a) { mx_pack_store(p, mx_pack_to_i32(a)); }
MX_INLINE mx_part_f64 mx_part_rsqrt(mx_part_f64 a) { return mx_pack_rsqrt(a); }
MX_INLINE void mx_part_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    mx_pack_load_rows(p, index, a);
}
MX_INLINE void mx_part_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    mx_pack_subtract_rows(p, index, a);
}
#ifdef MX_PACK_SHUFFLES_
#define MX_PART_SPREAD_(rows, d) \
    __builtin_shufflevector(rows, rows, d, d, d, d, d + 4, d + 4, d + 4, d + 4)
MX_INLINE void mx_part_spread_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    const mx_part_f64 rows = mx_two_rows_(p, index[0], index[1]);
    a[0] = MX_PART_SPREAD_(rows, 0);
    a[1] = MX_PART_SPREAD_(rows, 1);
    a[2] = MX_PART_SPREAD_(rows, 2);
    a[3] = MX_PART_SPREAD_(rows, 3);
}

MX_INLINE void mx_part_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 pairs01 = MX_PACK_EVEN_(a[0], a[1]) + MX_PACK_ODD_(a[0], a[1]);
    const mx_part_f64 pairs23 = MX_PACK_EVEN_(a[2], a[3]) + MX_PACK_ODD_(a[2], a[3]);
    const mx_part_f64 rows = __builtin_shufflevector(pairs01, pairs23, 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(pairs01, pairs23, 2, 3, 10, 11, 6, 7, 14, 15);
    *(mx_row_f64_memory_ *)(p + index[0]) += __builtin_shufflevector(rows, rows, 0, 1, 2, 3);
    *(mx_row_f64_memory_ *)(p + index[1]) += __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
}
#else
MX_INLINE void mx_part_spread_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) MX_PACK_LANES_ a[d][l] = p[index[l / MX_PART_GROUP] + d];
}
MX_INLINE void mx_part_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) {
        const mx_part_f64 b = a[d];
        p[index[0] + d] += (b[0] + b[1]) + (b[2] + b[3]);
        p[index[1] + d] += (b[4] + b[5]) + (b[6] + b[7]);
    }
}
#endif
#else
MX_INLINE void mx_part_spread_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) a[d] = mx_part_set_f64(p[index[0] + d]);
}
typedef int32_t mx_part_integers_ __attribute__((vector_size(4 * MX_PART_WIDTH_F64)));
typedef mx_part_integers_ mx_part_integers_memory_ __attribute__((aligned(4), may_alias));
MX_INLINE void mx_part_store_i32(int32_t *p, mx_part_f64 a)
{
    *(mx_part_integers_memory_ *)p = __builtin_convertvector(a, mx_part_integers_);
}
MX_INLINE mx_part_f64 mx_part_trunc(mx_part_f64 a)
{
#ifdef __AVX2__
    return __builtin_ia32_roundpd256(a, 3);
#else
    return __builtin_convertvector(__builtin_convertvector(a, mx_part_integers_), mx_part_f64);
#endif
}

MX_INLINE mx_part_f64 mx_part_rsqrt(mx_part_f64 a)
{
    mx_part_f64 root;
    for (int l = 0; l < MX_PART_WIDTH_F64; l++) root[l] = sqrt(a[l]);
    return 1.0 / root;
}

#if defined(MX_PACK_SHUFFLES_) && defined(__AVX2__)
/* A row is a part. Two rows give their first and their last two numbers. */
#define MX_PART_LOW_(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define MX_PART_HIGH_(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define MX_PART_EVEN_(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define MX_PART_ODD_(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)

MX_INLINE void mx_part_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    const mx_part_f64 r0 = mx_row_load(p + index[0]), r1 = mx_row_load(p + index[1]);
    const mx_part_f64 r2 = mx_row_load(p + index[2]), r3 = mx_row_load(p + index[3]);
    const mx_part_f64 low02 = MX_PART_LOW_(r0, r2), high02 = MX_PART_HIGH_(r0, r2);
    const mx_part_f64 low13 = MX_PART_LOW_(r1, r3), high13 = MX_PART_HIGH_(r1, r3);
    a[0] = MX_PART_EVEN_(low02, low13);
    a[1] = MX_PART_ODD_(low02, low13);
    a[2] = MX_PART_EVEN_(high02, high13);
    a[3] = MX_PART_ODD_(high02, high13);
}

MX_INLINE void mx_part_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 even01 = MX_PART_EVEN_(a[0], a[1]), even23 = MX_PART_EVEN_(a[2], a[3]);
    const mx_part_f64 odd01 = MX_PART_ODD_(a[0], a[1]), odd23 = MX_PART_ODD_(a[2], a[3]);
    *(mx_row_f64_memory_ *)(p + index[0]) -= MX_PART_LOW_(even01, even23);
    *(mx_row_f64_memory_ *)(p + index[1]) -= MX_PART_LOW_(odd01, odd23);
    *(mx_row_f64_memory_ *)(p + index[2]) -= MX_PART_HIGH_(even01, even23);
    *(mx_row_f64_memory_ *)(p + index[3]) -= MX_PART_HIGH_(odd01, odd23);
}

MX_INLINE void mx_part_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    const mx_part_f64 pairs01 = MX_PART_EVEN_(a[0], a[1]) + MX_PART_ODD_(a[0], a[1]);
    const mx_part_f64 pairs23 = MX_PART_EVEN_(a[2], a[3]) + MX_PART_ODD_(a[2], a[3]);
    *(mx_row_f64_memory_ *)(p + index[0]) +=
        MX_PART_LOW_(pairs01, pairs23) + MX_PART_HIGH_(pairs01, pairs23);
}
#elif defined(MX_PACK_SHUFFLES_)
/* A row is two parts. */
#define MX_PART_FIRST_(a, b) __builtin_shufflevector(a, b, 0, 2)
#define MX_PART_SECOND_(a, b) __builtin_shufflevector(a, b, 1, 3)

MX_INLINE void mx_part_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        const mx_part_f64 r0 = mx_part_load_f64(p + index[0] + d);
        const mx_part_f64 r1 = mx_part_load_f64(p + index[1] + d);
        a[d] = MX_PART_FIRST_(r0, r1);
        a[d + 1] = MX_PART_SECOND_(r0, r1);
    }
}

MX_INLINE void mx_part_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        double *const p0 = p + index[0] + d, *const p1 = p + index[1] + d;
        mx_part_store_f64(p0, mx_part_load_f64(p0) - MX_PART_FIRST_(a[d], a[d + 1]));
        mx_part_store_f64(p1, mx_part_load_f64(p1) - MX_PART_SECOND_(a[d], a[d + 1]));
    }
}

MX_INLINE void mx_part_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d += 2) {
        double *const row = p + index[0] + d;
        const mx_part_f64 sum = MX_PART_FIRST_(a[d], a[d + 1]) + MX_PART_SECOND_(a[d], a[d + 1]);
        mx_part_store_f64(row, mx_part_load_f64(row) + sum);
    }
}
#else
#define MX_PART_LANES_ for (int l = 0; l < MX_PART_WIDTH_F64; l++)
MX_INLINE void mx_part_load_rows(const double *p, const int32_t *index, mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) MX_PART_LANES_ a[d][l] = p[index[l] + d];
}
MX_INLINE void mx_part_subtract_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    MX_PART_LANES_ for (int d = 0; d < 4; d++) p[index[l] + d] -= a[d][l];
}
MX_INLINE void mx_part_sum_rows(double *p, const int32_t *index, const mx_part_f64 *a)
{
    for (int d = 0; d < 4; d++) p[index[0] + d] += mx_part_sum_f64(a[d]);
}
#endif
#endif
