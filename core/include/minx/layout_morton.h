/* Morton order (G. M. Morton, A computer oriented geodetic data base, IBM, 1966): the bits of the indices take turns in the
 * offset, so what is near in all indices is near in memory at every scale, whatever the size of the cache:
 *
 *               j = 0  1 | 2  3
 *        i = 0      0  1 | 4  5          offset, in bits: i1 j1 i0 j0
 *            1      2  3 | 6  7
 *            ------------+-----
 *            2      8  9 |12 13
 *            3     10 11 |14 15
 *
 * That takes a cube whose side is a power of two: a view is an array, in layout right, of cubes of side 2^m, the least that
 * holds its smallest extent. (One cube for all would take 256 times the memory for 4 x 1000.) `left` mirrors it. Invariant:
 * the low m bits of the indices number the elements of a cube, what is above them the cubes; so offsets are distinct and
 * below the product of the rounded extents. Cost: some ten operations an index (Raman and Wise, Converting to and from
 * dilated integers, IEEE Trans. Comput. 57(4), 2008); rows do not vectorise as contiguous ones do. */
#pragma once
#include "minx/language.h"

/* Puts one or two zeros between the bits of x: of 32 (rank 2), of 21 (rank 3). */
MX_INLINE uint64_t mx_morton_spread(int rank, uint64_t x)
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

/* stride: cubes from one to the next along d, and, in the low 5 bits, m. */
MX_INLINE int64_t mx_morton_term(int rank, int d, int64_t i, int64_t stride, bool left)
{
    const int m = (int)(stride & 31), n = left ? d : rank - 1 - d;
    const uint64_t cubes = ((uint64_t)i >> m) * ((uint64_t)stride >> 5),
                   inside = mx_morton_spread(rank, (uint64_t)i & (((uint64_t)1 << m) - 1));
    return (int64_t)((cubes << m * rank) + (inside << n));
}

static inline bool mx_morton_strides(int rank, uint64_t *extent, uint64_t *stride, bool left)
{
    int m = rank == 2 ? 31 : 20; /* more, and the cube would not fit the address space */
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
