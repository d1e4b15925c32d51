/* Plans a launch over a range on a GPU. A plan has the threads of a block, the blocks of the grid, and
 * how many items a thread runs. minx/device/kernel.h gives the reasons. */
#pragma once
#include "base/backend.h"
#include "minx/device/launch.h"

enum {
    THREADS = 256, /* of a block, unless the instance has a number; `resident` counts such blocks */
    WARP = MX_GPU_WAVE_,
    GRID_LIMIT = 65535, /* blocks along y and z that a grid can have */
    FEW_ROUNDS = 4,     /* of blocks on the device */
    FEW_ROWS = 8,
    PLANE_WIDTH = 64 /* threads along the contiguous index of a plane */
};

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static unsigned block_threads(const mx_instance *instance)
{
    return instance->threads > 0 ? (unsigned)instance->threads : THREADS;
}

/* Divides the threads of a block. Along the contiguous index there are at most 256 of them: the
 * smallest power of two that covers its extent (or tile). The other threads run further rows. With a
 * short extent, such as 3, there is exactly one thread for each index, if the block then runs as many
 * rows as with the power of two: 192 threads run 64 rows of 3, and no thread is idle. */
static void shape_block(int64_t wanted, unsigned threads, unsigned block[2])
{
    unsigned width = 1;
    while (width < THREADS && width < wanted) width *= 2;
    block[0] = width;
    block[1] = threads / width;
    if (wanted <= 1 || wanted >= WARP) return;
    const unsigned exact = (unsigned)wanted, factor = exact & (0u - exact); /* 1, 2, 4, 8 or 16 */
    const unsigned step = WARP / factor, rows = threads / exact / step * step;
    if (rows < block[1]) return;
    block[0] = exact;
    block[1] = rows;
}

/* The minimum of n and the limit; a limit below 1 counts as 1. */
static int64_t at_most(int64_t n, int64_t limit)
{
    const int64_t max_n = limit > 1 ? limit : 1;
    return n < max_n ? n : max_n;
}

/* How many rows a thread runs: see minx/device/kernel.h. */
static int rows_per_thread(const mx_launch *l, int per_thread, int64_t along, int64_t rows,
                           int64_t resident)
{
    const mx_gpu_launch_ *plan = mx_gpu_planned_(l);
    const int64_t rounds = ceil_div(along * ceil_div(rows, plan->block[1]), resident);
    if (l->kernel->pattern == MX_PATTERN_FOR && l->dims > 1 && per_thread == 1 && rounds > 1 &&
        rounds <= FEW_ROUNDS)
        return 2;
    return per_thread;
}

/* Plans a range of three dimensions or more that is divided into planes: see minx/device/kernel.h.
 * false: the range is not suitable. It has tiles along its rows, short rows, or more planes than a
 * grid can have. */
static bool plan_planes(mx_launch *l, const mx_instance *instance, int64_t resident)
{
    mx_gpu_launch_ *plan = mx_gpu_plan_(l);
    const bool reduces = l->kernel->pattern == MX_PATTERN_REDUCE;
    const int per_thread = instance->per_thread;
    unsigned threads = block_threads(instance);
    const int last = l->dims - 1;
    plan->planes = false;
    if (l->dims < 3 || (!reduces && l->kernel->pattern != MX_PATTERN_FOR)) return false;
    const int64_t contiguous = l->axis[last].end - l->axis[last].begin;
    const int64_t rows = l->axis[last - 1].end - l->axis[last - 1].begin;
    int64_t planes = 1;
    for (int d = 0; d < last - 1; d++) planes *= l->axis[d].end - l->axis[d].begin;
    if (l->axis[last].tile > 0 || contiguous < WARP || rows == 0 || planes == 0) return false;
    if (rows * ceil_div(contiguous, WARP) * WARP <= THREADS) threads = THREADS;
    unsigned width = PLANE_WIDTH;
    if (ceil_div(contiguous, WARP) * WARP < ceil_div(contiguous, width) * width) width = WARP;
    while (width < threads && threads / width / 2 >= rows) width *= 2;
    const int64_t along = ceil_div(contiguous, width), across = ceil_div(rows, threads / width);
    if (along > MX_GPU_MAX_BLOCKS_(width) || across > GRID_LIMIT) return false;
    const bool many = ceil_div(planes, MX_GPU_PLANES_) >=
                      ceil_div(FEW_ROUNDS * resident * THREADS / threads, along * across);
    plan->per_thread = !reduces || per_thread == 1 ? 1 : many ? MX_GPU_PLANES_ : MX_GPU_FEW_PLANES_;
    const int64_t deep = ceil_div(planes, plan->per_thread);
    if (deep > GRID_LIMIT) return false;
    plan->planes = true;
    plan->strides = false;
    plan->block[0] = width;
    plan->block[1] = threads / width;
    plan->grid[0] = (unsigned)along;
    plan->grid[1] = (unsigned)across;
    plan->grid[2] = (unsigned)deep;
    plan->blocks = along * across * deep;
    return true;
}

static mx_err plan_grid(mx_launch *l, const mx_instance *instance, int64_t processors,
                        int64_t resident)
{
    mx_gpu_launch_ *plan = mx_gpu_plan_(l);
    const int last = l->dims - 1;
    const bool steps = l->kernel->pattern == MX_PATTERN_REDUCE && l->dims == 1;
    const int64_t contiguous = l->axis[last].end - l->axis[last].begin;
    int64_t rows = 1;
    for (int d = 0; d < last; d++) rows *= l->axis[d].end - l->axis[d].begin;
    plan->strides = l->kernel->pattern == MX_PATTERN_REDUCE && l->dims > 1 &&
                    l->axis[last].tile == 0 && (rows <= FEW_ROWS || contiguous < WARP);
    const unsigned threads = plan->strides ? THREADS : block_threads(instance);
    plan->block[0] = threads;
    plan->block[1] = 1;
    if (l->dims > 1)
        shape_block(l->axis[last].tile > 0 ? l->axis[last].tile : contiguous, threads, plan->block);
    /* the items of a thread in its row */
    const int64_t items = l->dims == 1 && !steps ? instance->per_thread : 1;
    int64_t along = ceil_div(contiguous, (int64_t)plan->block[0] * items);
    if (steps && along > processors)
        along =
            at_most(along, threads > THREADS ? processors * instance->at_a_time() : 2 * resident);
    plan->per_thread =
        plan->strides ? 1 : rows_per_thread(l, instance->per_thread, along, rows, resident);
    int64_t across = ceil_div(rows, (int64_t)plan->block[1] * plan->per_thread);
    if (plan->strides) {
        /* With more blocks than run at a time, the last ones would leave most of the device idle.
         * One block along a row means that it covers the row (mx_gpu_strided_share_), so a longer
         * row has two at least. */
        const int64_t limit = processors * instance->at_a_time();
        const int64_t limit_along = limit / (across > 0 ? across : 1);
        along = at_most(along, limit_along > 2 ? limit_along : 2);
        across = at_most(across, limit / (along > 0 ? along : 1));
    }
    MX_REQUIRE(
        along <= MX_GPU_MAX_BLOCKS_(plan->block[0]) && across <= (int64_t)GRID_LIMIT * GRID_LIMIT,
        MX_ERR_EXTENT, "kernel %s: a range of %lld by %lld items is too large for one launch",
        l->kernel->name, (long long)rows, (long long)contiguous);
    plan->grid[0] = (unsigned)along;
    plan->grid[2] = (unsigned)(across > 0 ? ceil_div(across, GRID_LIMIT) : 1);
    plan->grid[1] = (unsigned)ceil_div(across, plan->grid[2]);
    /* row numbers of threads beyond the end must fit an int too: see MX_INDEX_END */
    const int64_t counted =
        (int64_t)plan->grid[1] * plan->grid[2] * plan->block[1] * plan->per_thread;
    MX_REQUIRE(l->kernel->index_64 || l->dims != 2 || l->axis[0].begin + counted <= INT32_MAX,
               MX_ERR_EXTENT,
               "kernel %s: %lld rows are too many for int indices: declare and define the kernel "
               "over 2D_64",
               l->kernel->name, (long long)rows);
    plan->blocks = (int64_t)plan->grid[0] * plan->grid[1] * plan->grid[2];
    return MX_OK;
}
