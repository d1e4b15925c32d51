/* The tiled layout: a matrix is cut into contiguous tiles, so what is near in both indices is near in memory, and stencils and
 * transpositions touch fewer cache lines. A matrix of 4 x 5, rounded up to 4 x 6, in tiles of 2 x 3 (offsets):
 *
 *               j = 0  1  2 | 3  4
 *        i = 0      0  1  2 | 6  7 [8]          tiles, and the elements of a tile, as in layout
 *            1      3  4  5 | 9 10 [11]         right: the last index runs fastest
 *            ---------------+---------
 *            2     12 13 14 |18 19 [20]         offset(i, j) = i / 2 * 12 + i % 2 * 3
 *            3     15 16 17 |21 22 [23]                      + j / 3 *  6 + j % 3
 *
 * Invariant: remainders number the elements of a tile, quotients the tiles; so offsets are distinct and below the product of
 * the rounded extents. `left` mirrors it: the first two dimensions are tiled, the first index runs fastest. Cost: for powers
 * of two, a shift, a mask and an addition an index; rows do not vectorise as contiguous ones do. */
#pragma once
#include "minx/language.h"

#define MX_TILE_OF_(n) ((n) == 0 ? (uint64_t)columns : (n) == 1 ? (uint64_t)rows : 1)

MX_INLINE int64_t mx_tiled_term(int rank, int d, int64_t i, int64_t stride, bool left, int rows,
                                int columns)
{
    const int n = left ? d : rank - 1 - d;
    const uint64_t at = (uint64_t)i, tile = MX_TILE_OF_(n), inside = n == 1 ? (uint64_t)columns : 1;
    return (int64_t)(at / tile * (uint64_t)stride + at % tile * inside);
}

static inline bool mx_tiled_strides(int rank, uint64_t *extent, uint64_t *stride, bool left,
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
