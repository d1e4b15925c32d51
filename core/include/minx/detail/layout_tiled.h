/* The tiled layout: a matrix is divided into contiguous tiles. Elements that are near in both
 * indices are near in memory, so stencils and transpositions access fewer cache lines. The offsets
 * of a matrix of 4 x 5, rounded up to 4 x 6, in tiles of 2 x 3:
 *
 *               j = 0  1  2 | 3  4
 *        i = 0      0  1  2 | 6  7 [8]          tiles, and the elements of a tile, as in layout
 *            1      3  4  5 | 9 10 [11]         right: the last index runs fastest
 *            ---------------+---------
 *            2     12 13 14 |18 19 [20]         offset(i, j) = i / 2 * 12 + i % 2 * 3
 *            3     15 16 17 |21 22 [23]                      + j / 3 *  6 + j % 3
 *
 * Invariant: the remainders of the indices number the elements of a tile, the quotients number the
 * tiles. So offsets are distinct, and below the product of the rounded extents. With `left` the
 * first two dimensions are tiled, and the first index runs fastest. Cost: if the sides of a tile
 * are powers of two, a shift, a mask and an addition for each index. Loops over rows do not
 * vectorise as well as with contiguous rows. */
#pragma once
#include "minx/detail/language.h"

#define MX_TILE_OF_(n) ((n) == 0 ? (uint64_t)columns : (n) == 1 ? (uint64_t)rows : 1)

MX_INLINE int64_t mx_tiled_term_(int rank, int d, int64_t i, int64_t stride, bool left, int rows,
                                 int columns)
{
    const int n = left ? d : rank - 1 - d;
    const uint64_t at = (uint64_t)i, tile = MX_TILE_OF_(n), inside = n == 1 ? (uint64_t)columns : 1;
    return (int64_t)(at / tile * (uint64_t)stride + at % tile * inside);
}

static inline bool mx_tiled_strides_(int rank, uint64_t *extent, uint64_t *stride, bool left,
                                     int rows, int columns)
{
    uint64_t step = (uint64_t)rows * (uint64_t)columns;
    for (int n = 0; n < rank; n++) {
        const int d = left ? n : rank - 1 - n;
        const uint64_t tile = MX_TILE_OF_(n), tiles = (extent[d] + tile - (extent[d] > 0)) / tile;
        extent[d] = tiles * tile;
        stride[d] = step;
        step *= tiles;
    }
    return rank >= 2;
}
