/* The part of a planned launch that belongs to a GPU backend (mx_launch.device). The backend
 * writes it, and the compiled kernels read it. For backends and compilers of GPUs only. */
#pragma once
#include "minx/launch.h"

/* Planes that a thread runs in reductions with many planes, and in those with few. */
enum { MX_GPU_PLANES_ = 8, MX_GPU_FEW_PLANES_ = 4 };

/* If there are more than MX_GPU_LONG_JOIN_ partial results, MX_GPU_JOIN_BLOCKS_ blocks join them
 * to one each, which one block joins. */
enum { MX_GPU_LONG_JOIN_ = 16384, MX_GPU_JOIN_BLOCKS_ = 64 };

/* The slots that the blocks of a reduction can leave their partial results in: see join.h. A
 * long sum over one dimension whose items have no loop has at most as many blocks as the device
 * runs at a time: 4 of 512 threads on each of 132 multiprocessors of an H200. */
enum { MX_GPU_SLOTS_ = 640, MX_GPU_SLOT_BYTES_ = 16, MX_GPU_SLOT_VALUE_BYTES_ = 8 };

/* How long a reduction waits for slots. After that it stores the seconds in *exceeded. In device
 * memory, behind the slots. */
typedef struct mx_gpu_limit_ {
    int64_t *exceeded;
    int64_t seconds;
} mx_gpu_limit_;
MX_STATIC_ASSERT(sizeof(mx_gpu_limit_) == MX_GPU_SLOT_BYTES_, "a slot has another size");

typedef struct mx_gpu_launch_ {
    unsigned grid[3];  /* the number of blocks in each dimension */
    unsigned block[2]; /* the number of threads of a block in each dimension */
    int per_thread;    /* rows of a thread; in one dimension its items; with `planes` its planes.
                        * Not used by reductions over one dimension */
    int64_t blocks;    /* the number of all blocks */
    void *queue;       /* a stream of the vendor's run time */
    void *slots;       /* of a reduction, all empty; NULL: a second kernel joins */
    bool overlaps;     /* the device can set a kernel up while the one before it runs */
    bool strides;      /* a reduction of few or short rows: threads step through them */
    bool planes;       /* three dimensions or more: the range is divided into planes */
    bool leaves_join;  /* of a reduction: the last join is left to the caller */
} mx_gpu_launch_;
MX_STATIC_ASSERT(sizeof(mx_gpu_launch_) <= MX_DEVICE_BYTES_, "mx_launch.device is too small");

static inline mx_gpu_launch_ *mx_gpu_plan_(mx_launch *launch)
{
    return (mx_gpu_launch_ *)launch->device;
}

static inline const mx_gpu_launch_ *mx_gpu_planned_(const mx_launch *launch)
{
    return (const mx_gpu_launch_ *)launch->device;
}

/* What the last join of a reduction joins: the partial results of all blocks or, if these are many,
 * behind them those of MX_GPU_JOIN_BLOCKS_. */
static inline mx_partials mx_gpu_last_partials_(const mx_launch *launch, size_t value_bytes)
{
    const int64_t blocks = mx_gpu_planned_(launch)->blocks;
    const bool many = blocks > MX_GPU_LONG_JOIN_;
    const mx_partials last = {launch->partials + (many ? (size_t)blocks * value_bytes : 0),
                              many ? (int64_t)MX_GPU_JOIN_BLOCKS_ : blocks};
    return last;
}

/* Can a reduction over a range to a value of this size use slots? Kernels whose threads step through
 * several dimensions do not: with the code for slots their bodies would have too few registers. */
static inline bool mx_gpu_fits_slots_(const mx_gpu_launch_ *plan, size_t value_bytes)
{
    return plan->blocks <= MX_GPU_SLOTS_ && value_bytes <= MX_GPU_SLOT_VALUE_BYTES_ &&
           !plan->strides;
}

/* Bytes that the collectives of a team exchange values through, in front of its shared memory. */
#define MX_GPU_COLLECTIVE_BYTES_(size) (((size_t)(size) * sizeof(uint64_t) + 15) & ~(size_t)15)

/* The shared memory that a block can request without an attribute of the kernel. Kernels that check
 * indices note their items in MX_GPU_ITEM_BYTES_ of it (accessor.h). */
#if !defined(MINX_BOUNDS_CHECK) || !defined(MX_GPU_CODE_)
enum { MX_GPU_ITEM_BYTES_ = 0 };
#endif
enum { MX_GPU_PLAIN_SHARED_ = (48 << 10) - MX_GPU_ITEM_BYTES_ };

/* Limits of a reduction over teams: its blocks are at most so many times the blocks that the device
 * runs at a time, and its partial results have at most so many bytes. */
enum { MX_GPU_TEAM_ROUNDS_ = 64, MX_GPU_TEAM_PARTIAL_BYTES_ = 64 << 20 };

/* The number of blocks of a launch over `teams` teams, if each block needs scratch in device memory
 * or has a partial result. at_a_time: the number of blocks of this size that the device runs at a
 * time. value_bytes: the size of a partial result; 0: there are none. Even if the limit of bytes
 * allows fewer, there are min_blocks blocks: fewer would leave a part of the device idle. */
static inline int64_t mx_gpu_team_blocks_(int64_t teams, int64_t at_a_time, int64_t min_blocks,
                                          bool has_scratch, size_t value_bytes)
{
    int64_t blocks = has_scratch ? at_a_time : MX_GPU_TEAM_ROUNDS_ * at_a_time;
    if (value_bytes > 0) {
        const int64_t fitting = (int64_t)(MX_GPU_TEAM_PARTIAL_BYTES_ / value_bytes);
        const int64_t limit = fitting > min_blocks ? fitting : min_blocks;
        if (blocks > limit) blocks = limit;
    }
    return teams < blocks ? teams : blocks;
}
