/* Ranges: which indices a kernel runs over. Half-open, 1 to 3 dimensions, in the order of the body's indices:
 *
 *     tl_update(mx_range_2d(ctx, 0, rows, 0, columns), &args);
 *     tl_update(mx_tiled_2d(mx_range_2d(ctx, 0, rows, 0, columns), 32, 256), &args);
 *
 * Each index runs exactly once, in no particular order. An empty range runs nothing. */
#pragma once
#include "minx/context.h"

/* Where the range of a kernel with 32-bit indices may end: threads of a GPU reach some indices beyond a range before they
 * find that they are outside, and must not wrap around into it. */
enum { MX_INDEX_END = INT32_MAX - 4095 };

enum { MX_MAX_DIMS = 3 }; /* of a range */

typedef struct mx_range_1 {
    mx_ctx ctx;
    int64_t begin[1], end[1], tile[1];
} mx_range_1;

typedef struct mx_range_2 {
    mx_ctx ctx;
    int64_t begin[2], end[2], tile[2];
} mx_range_2;

typedef struct mx_range_3 {
    mx_ctx ctx;
    int64_t begin[3], end[3], tile[3];
} mx_range_3;

static inline mx_range_1 mx_range_1d(mx_ctx ctx, int64_t begin, int64_t end)
{
    const mx_range_1 range = {ctx, {begin}, {end}, {0}};
    return range;
}

static inline mx_range_2 mx_range_2d(mx_ctx ctx, int64_t begin0, int64_t end0, int64_t begin1,
                                     int64_t end1)
{
    const mx_range_2 range = {ctx, {begin0, begin1}, {end0, end1}, {0, 0}};
    return range;
}

static inline mx_range_3 mx_range_3d(mx_ctx ctx, int64_t begin0, int64_t end0, int64_t begin1,
                                     int64_t end1, int64_t begin2, int64_t end2)
{
    const mx_range_3 range = {ctx, {begin0, begin1, begin2}, {end0, end1, end2}, {0, 0, 0}};
    return range;
}

/* The same range in tiles of the given size (0 in a dimension: as minx sees fit). On hosts a tile is what one thread does
 * at a time, and in a reduction what a partial result is taken of. On cuda only the tile of the contiguous index counts, as
 * a hint: that many threads of a block, rounded up to a power of two and 256 at most, lie along it. Partial results are
 * those of thread blocks there. */
static inline mx_range_1 mx_tiled_1d(mx_range_1 range, int64_t tile0)
{
    range.tile[0] = tile0;
    return range;
}

static inline mx_range_2 mx_tiled_2d(mx_range_2 range, int64_t tile0, int64_t tile1)
{
    range.tile[0] = tile0;
    range.tile[1] = tile1;
    return range;
}

static inline mx_range_3 mx_tiled_3d(mx_range_3 range, int64_t tile0, int64_t tile1, int64_t tile2)
{
    range.tile[0] = tile0;
    range.tile[1] = tile1;
    range.tile[2] = tile2;
    return range;
}
