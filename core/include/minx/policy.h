/* Policies: the indices that a kernel runs over, and the teams of threads that work on one index
 * together.
 *
 * Ranges are half-open, of 1 to 6 dimensions, in the order of the body's indices:
 *
 *     tl_update(mx_range_2d(ctx, 0, rows, 0, columns), &args);
 *     tl_update(mx_tiled_2d(mx_range_2d(ctx, 0, rows, 0, columns), 32, 256), &args);
 *     contract(mx_range_4d(ctx, begin, end), &args);           begin, end: int64_t[4]
 *     traverse(mx_dynamic_1d(mx_tiled_1d(mx_range_1d(ctx, 0, n), 64)), &args);
 *
 * The body is called exactly once for each index (in a scan once or twice), in no particular order.
 * For an empty range it is not called.
 *
 * Tiles: with 0, minx chooses the tile of a dimension. On hosts a thread works on one tile at a
 * time, and a reduction has one partial result for each tile. On cuda only the tile of the
 * contiguous index is used, as a hint: so many threads of a block, rounded up to a power of two and
 * at most 256, lie along that index. There a thread block has one partial result.
 *
 * Schedules: with the static one, thread t always gets the same part of a range. With the dynamic
 * one, a thread takes the next tile when it is free, which is faster where items differ in cost.
 * GPUs always schedule dynamically.
 */
#pragma once
#include "minx/context.h"

/* The largest end of a range with 32-bit indices. Threads of a GPU, and some loops on hosts,
 * compute indices beyond the end before they compare with it; these must not overflow. */
enum { MX_INDEX_END = INT32_MAX - 4095 };

/* The same with 64-bit indices. The least begin is its negative. */
#define MX_INDEX_END_64 (INT64_MAX / 2)

/* The most dimensions of a range. */
enum { MX_MAX_DIMS = 6 };

#define MX_RANGE_TYPE_(D)                                            \
    typedef struct mx_range_##D {                                    \
        mx_ctx ctx;                                                  \
        int64_t begin[D];                                            \
        int64_t end[D];                                              \
        int64_t tile[D];                                             \
        bool dynamic;                                                \
    } mx_range_##D;                                                  \
    /* the same range with the dynamic schedule */                   \
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

/* Ranges of 4 to 6 dimensions, from arrays. */
#define MX_RANGE_MANY_(D)                                                               \
    static inline mx_range_##D mx_range_##D##d(mx_ctx ctx, const int64_t *begin,        \
                                               const int64_t *end)                      \
    {                                                                                   \
        mx_range_##D range = {ctx, {0}, {0}, {0}, false};                               \
        for (int d = 0; d < D; d++) {                                                   \
            range.begin[d] = begin[d];                                                  \
            range.end[d] = end[d];                                                      \
        }                                                                               \
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

/* minx chooses the size of a team, or its lanes. */
enum { MX_AUTO = -1 };

/* The most lanes in a team: its threads times the lanes of each. */
enum { MX_TEAM_MAX = 1024 };

/* `league` teams of `size` threads of `lanes` vector lanes each. Scratch is memory that a team, or
 * each of its threads, has while it runs: level 0 is small and fast (shared memory on GPUs), level
 * 1 large. */
typedef struct mx_teams {
    mx_ctx ctx;
    int64_t league;
    int size;
    int lanes;
    size_t team_bytes[2];   /* scratch that the team shares, for each level */
    size_t thread_bytes[2]; /* scratch of each thread, for each level */
} mx_teams;

/* Teams without scratch. size and lanes are at least 1, or MX_AUTO; lanes is a power of two up to
 * 64, on NVIDIA's GPUs up to 32. MX_AUTO gives
 *   hosts   1 thread of 1 lane, which is fastest; results do not depend on the number of threads of the context
 *   simt    2 threads of 4 lanes, so that missing barriers and singles show
 *   GPUs    the lanes of a wave (32, on AMD's GPUs 64), and so many threads that the team has 256 lanes
 * MX_ERR_ARG at the launch: another size or number of lanes; more than 1024 lanes in a team (size
 * times lanes); on serial and openmp a size above the threads of the context; 64 GiB of scratch or
 * more. serial:order=shuffled is as simt here. */
static inline mx_teams mx_league(mx_ctx ctx, int64_t league, int size, int lanes)
{
    const mx_teams teams = {ctx, league, size, lanes, {0, 0}, {0, 0}};
    return teams;
}

/* The same teams with scratch at level 0 or 1. In the kernel, each request for scratch is rounded
 * up to 16 bytes. */
static inline mx_teams mx_with_scratch(mx_teams teams, int level, size_t team_bytes,
                                       size_t thread_bytes)
{
    teams.team_bytes[level != 0] = team_bytes;
    teams.thread_bytes[level != 0] = thread_bytes;
    return teams;
}
