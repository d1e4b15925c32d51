/* Policies: which indices a kernel runs over, and who works together on one.
 *
 * Ranges are half-open, of 1 to 6 dimensions, in the order of the body's indices:
 *
 *     tl_update(mx_range_2d(ctx, 0, rows, 0, columns), &args);
 *     tl_update(mx_tiled_2d(mx_range_2d(ctx, 0, rows, 0, columns), 32, 256), &args);
 *     contract(mx_range_4d(ctx, begin, end), &args);           begin, end: int64_t[4]
 *     traverse(mx_dynamic_1d(mx_tiled_1d(mx_range_1d(ctx, 0, n), 64)), &args);
 *
 * Each index runs exactly once, in no particular order. An empty range runs nothing.
 *
 * Tiles: 0 in a dimension means as minx sees fit. On hosts a tile is what one thread does at a time, and in a reduction what a
 * partial result is taken of. On cuda only the tile of the contiguous index counts, as a hint: that many threads of a block,
 * rounded up to a power of two and 256 at most, lie along it. Partial results are those of thread blocks there.
 *
 * Schedules: static, where thread t always gets the same part of a range, or dynamic, where threads take tiles as they become
 * free, which pays where items differ in cost. GPUs are dynamic in any case.
 */
#pragma once
#include "minx/context.h"

/* Where the range of a kernel with 32-bit indices may end: threads of a GPU reach some indices beyond a range before they
 * find that they are outside, and must not wrap around into it. */
enum { MX_INDEX_END = INT32_MAX - 4095 };
#define MX_INDEX_END_64 \
    (INT64_MAX / 2) /* the same with 64-bit indices, which begin at its negative or above */

enum { MX_MAX_DIMS = 6 }; /* of a range */

#define MX_RANGE_TYPE_(D)                                            \
    typedef struct mx_range_##D {                                    \
        mx_ctx ctx;                                                  \
        int64_t begin[D], end[D], tile[D];                           \
        bool dynamic;                                                \
    } mx_range_##D;                                                  \
    /* the same range, its tiles given out as threads become free */ \
    static inline mx_range_##D mx_dynamic_##D##d(mx_range_##D range) \
    {                                                                \
        range.dynamic = true;                                        \
        return range;                                                \
    }
MX_RANGE_TYPE_(1)
MX_RANGE_TYPE_(2)
MX_RANGE_TYPE_(3)
MX_RANGE_TYPE_(4)
MX_RANGE_TYPE_(5)
MX_RANGE_TYPE_(6)

static inline mx_range_1 mx_range_1d(mx_ctx ctx, int64_t begin, int64_t end)
{
    const mx_range_1 range = {ctx, {begin}, {end}, {0}, false};
    return range;
}

static inline mx_range_2 mx_range_2d(mx_ctx ctx, int64_t begin0, int64_t end0, int64_t begin1,
                                     int64_t end1)
{
    const mx_range_2 range = {ctx, {begin0, begin1}, {end0, end1}, {0, 0}, false};
    return range;
}

static inline mx_range_3 mx_range_3d(mx_ctx ctx, int64_t begin0, int64_t end0, int64_t begin1,
                                     int64_t end1, int64_t begin2, int64_t end2)
{
    const mx_range_3 range = {ctx, {begin0, begin1, begin2}, {end0, end1, end2}, {0, 0, 0}, false};
    return range;
}

static inline mx_range_1 mx_tiled_1d(mx_range_1 range, int64_t tile0)
{
    range.tile[0] = tile0;
    return range;
}

static inline mx_range_2 mx_tiled_2d(mx_range_2 range, int64_t tile0, int64_t tile1)
{
    range.tile[0] = tile0, range.tile[1] = tile1;
    return range;
}

static inline mx_range_3 mx_tiled_3d(mx_range_3 range, int64_t tile0, int64_t tile1, int64_t tile2)
{
    range.tile[0] = tile0, range.tile[1] = tile1, range.tile[2] = tile2;
    return range;
}

/* Ranges of 4 to 6 dimensions, from arrays. */
#define MX_RANGE_MANY_(D)                                                               \
    static inline mx_range_##D mx_range_##D##d(mx_ctx ctx, const int64_t *begin,        \
                                               const int64_t *end)                      \
    {                                                                                   \
        mx_range_##D range = {ctx, {0}, {0}, {0}, false};                               \
        for (int d = 0; d < D; d++) range.begin[d] = begin[d], range.end[d] = end[d];   \
        return range;                                                                   \
    }                                                                                   \
    static inline mx_range_##D mx_tiled_##D##d(mx_range_##D range, const int64_t *tile) \
    {                                                                                   \
        for (int d = 0; d < D; d++) range.tile[d] = tile[d];                            \
        return range;                                                                   \
    }
MX_RANGE_MANY_(4)
MX_RANGE_MANY_(5)
MX_RANGE_MANY_(6)

/* ---- teams ---- */

enum { MX_AUTO = -1, MX_TEAM_MAX = 1024 }; /* threads of a team, times lanes */

/* `league` teams of `size` threads of `lanes` vector lanes each. Scratch is memory that a team, or each of its threads, has
 * while it runs: level 0 is small and fast (shared memory on cuda), level 1 large. */
typedef struct mx_teams {
    mx_ctx ctx;
    int64_t league;
    int size, lanes; /* MX_AUTO: as minx sees fit */
    size_t team_bytes[2], thread_bytes[2];
} mx_teams;

/* size and lanes: at least 1, or MX_AUTO; lanes a power of two up to 32. Auto is 1 and 1 on hosts, where a team of one is
 * fastest and its results do not depend on the number of threads; on simt 2 threads of 4 lanes, so that mistakes show. On cuda lanes are 32 then, and threads as many as make 256
 * together. A size above the threads of the context, or above 1024 with its lanes on cuda, is MX_ERR_ARG at the launch; so
 * are 64 GiB of scratch. */
static inline mx_teams mx_league(mx_ctx ctx, int64_t league, int size, int lanes)
{
    const mx_teams teams = {ctx, league, size, lanes, {0, 0}, {0, 0}};
    return teams;
}

/* The same, with so many bytes of scratch at level 0 or 1. What is asked for in the kernel is rounded up to 16 bytes each. */
static inline mx_teams mx_with_scratch(mx_teams teams, int level, size_t team_bytes,
                                       size_t thread_bytes)
{
    teams.team_bytes[level != 0] = team_bytes;
    teams.thread_bytes[level != 0] = thread_bytes;
    return teams;
}
