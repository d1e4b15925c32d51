/* What the cuda backend plans for a launch, and its kernels read: mx_launch.device. For the backend and nvcc only. */
#pragma once
#include "minx/launch.h"

/* Planes that a thread takes where there are many (in reductions and in stencils), and in reductions where there are few. */
enum { MX_CUDA_PLANES = 8, MX_CUDA_FEW_PLANES = 4 };

typedef struct mx_cuda_launch {
    unsigned grid[3];  /* blocks */
    unsigned block[2]; /* threads of one */
    int per_thread;    /* rows that a thread takes, or items in one dimension */
    int64_t blocks;    /* in all */
    void *queue;       /* a cudaStream_t */
    bool overlaps;     /* the device can set a kernel up while the one before it runs */
    bool strides;      /* a reduction of few or short rows: threads stride through them */
    bool planes;       /* three dimensions or more: per_thread is the planes that a thread takes */
} mx_cuda_launch;
MX_STATIC_ASSERT(sizeof(mx_cuda_launch) <= MX_DEVICE_BYTES, "mx_launch.device is too small");

static inline mx_cuda_launch *mx_cuda_plan(mx_launch *launch)
{
    return (mx_cuda_launch *)launch->device;
}

static inline const mx_cuda_launch *mx_cuda_planned(const mx_launch *launch)
{
    return (const mx_cuda_launch *)launch->device;
}

/* Slots for the collectives of a team, in front of its shared memory. */
#define MX_CUDA_SLOTS_BYTES_(size) (((size_t)(size) * sizeof(uint64_t) + 15) & ~(size_t)15)
