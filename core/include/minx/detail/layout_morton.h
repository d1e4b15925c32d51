/* Morton order (G. M. Morton, A computer oriented geodetic data base, IBM, 1966). The bits of the
 * indices alternate in the offset. So elements that are near in all indices are near in memory at
 * every scale, for any size of the cache:
 *
 *               j = 0  1 | 2  3
 *        i = 0      0  1 | 4  5          offset, in bits: i1 j1 i0 j0
 *            1      2  3 | 6  7
 *            ------------+-----
 *            2      8  9 |12 13
 *            3     10 11 |14 15
 *
 * This order needs a cube whose side is a power of two. So a view is divided into cubes of side
 * 2^m, the smallest power of two that is at least the smallest extent, and the cubes are in layout
 * right. (One cube for the whole view would need 1024 x 1024 elements for 4 x 1000.) With `left`
 * the order of the dimensions is reversed. Invariant: the low m bits of the indices number the
 * elements of a cube, the higher bits the cubes. So offsets are distinct, and below the product of
 * the rounded extents. Cost: about ten operations for each index (Raman and Wise, Converting to and
 * from dilated integers, IEEE Trans. Comput. 57(4), 2008). Loops over rows do not vectorise as well
 * as with contiguous rows. */
#pragma once
#include "minx/detail/language.h"

/* Inserts one zero (rank 2) or two (rank 3) between the bits of x. x has at most 32 bits (rank 2)
 * or 21 bits (rank 3). */
MX_INLINE uint64_t mx_morton_spread_(int rank, uint64_t x)
{
    if (rank == 2) {
        x = (x | x << 16) & 0x0000ffff0000ffff;
        x = (x | x << 8) & 0x00ff00ff00ff00ff;
        x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
        x = (x | x << 2) & 0x3333333333333333;
        return (x | x << 1) & 0x5555555555555555;
    }
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

/* stride: the low 5 bits are m, the others the distance of neighbouring cubes along d, in cubes. */
MX_INLINE int64_t mx_morton_term_(int rank, int d, int64_t i, int64_t stride, bool left)
{
    const int m = (int)(stride & 31), n = left ? d : rank - 1 - d;
    const uint64_t cubes = ((uint64_t)i >> m) * ((uint64_t)stride >> 5),
                   inside = mx_morton_spread_(rank, (uint64_t)i & (((uint64_t)1 << m) - 1));
    return (int64_t)((cubes << m * rank) + (inside << n));
}

static inline bool mx_morton_strides_(int rank, uint64_t *extent, uint64_t *stride, bool left)
{
    int m = rank == 2 ? 31 : 20; /* a larger cube does not fit the address space */
    uint64_t step = 1;
    for (int d = 0; d < rank; d++)
        while (m > 0 && extent[d] <= (uint64_t)1 << (m - 1)) m--;
    for (int n = 0; n < rank; n++) {
        const int d = left ? n : rank - 1 - n;
        const uint64_t cubes = (extent[d] + ((uint64_t)1 << m) - (extent[d] > 0)) >> m;
        extent[d] = cubes << m;
        stride[d] = step << 5 | (unsigned)m;
        step *= cubes;
    }
    return rank == 2 || rank == 3;
}
