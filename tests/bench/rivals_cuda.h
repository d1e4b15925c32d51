/* Functions that the files of CUDA rivals share: launches, and sums over a block and over all
 * blocks. */
#pragma once
#include "rivals.h"

#include <cuda_runtime.h>
#include <math_constants.h>

enum { THREADS = 256, JOIN_THREADS = 1024 };

static unsigned blocks_for(int64_t items, int64_t a_block)
{
    return (unsigned)((items + a_block - 1) / a_block);
}

static cudaStream_t stream_of(const rival_args *g) { return (cudaStream_t)g->queue; }

/* 1 / x, if both are normal numbers. CUDA's division has a branch for others. */
static __device__ __forceinline__ double reciprocal(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}

/* ---- values that are reduced ---- */

struct one {
    double v;
    __device__ __forceinline__ void init() { v = 0; }
    __device__ __forceinline__ void join(const one &o) { v += o.v; }
    __device__ __forceinline__ one down(int distance) const
    {
        return {__shfl_down_sync(~0u, v, distance)};
    }
};

struct five {
    double volume, mass, energy, temperature, hottest;
    __device__ __forceinline__ void init()
    {
        volume = mass = energy = temperature = 0;
        hottest = -CUDART_INF;
    }
    __device__ __forceinline__ void join(const five &o)
    {
        volume += o.volume;
        mass += o.mass;
        energy += o.energy;
        temperature += o.temperature;
        hottest = fmax(hottest, o.hottest);
    }
    __device__ __forceinline__ five down(int distance) const
    {
        return {__shfl_down_sync(~0u, volume, distance), __shfl_down_sync(~0u, mass, distance),
                __shfl_down_sync(~0u, energy, distance),
                __shfl_down_sync(~0u, temperature, distance),
                __shfl_down_sync(~0u, hottest, distance)};
    }
};

/* Thread 0 has the block's sum. */
template <class T, int threads> static __device__ __forceinline__ T block_sum(T s)
{
    __shared__ T of_warp[threads / 32];
    for (int distance = 16; distance > 0; distance /= 2) s.join(s.down(distance));
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x >= 32) return s;
    if (threadIdx.x < threads / 32)
        s = of_warp[threadIdx.x];
    else
        s.init();
    for (int distance = threads / 64; distance > 0; distance /= 2) s.join(s.down(distance));
    return s;
}

/* Blocks of the running fused kernel that have left their sums; 0 between kernels. */
static __device__ unsigned blocks_done;

/* The end of a reducing kernel: leaves the block's sum, or, fused, the last block to come here
 * joins them all. */
template <class T, bool fused>
static __device__ __forceinline__ void finish(T s, void *room, T *result)
{
    T *const partials = (T *)room;
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    s = block_sum<T, THREADS>(s);
    if (!fused) {
        if (threadIdx.x == 0) partials[block] = s;
        return;
    }
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partials[block] = s;
        __threadfence();
        last = atomicInc(&blocks_done, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    s.init();
    for (unsigned p = threadIdx.x; p < blocks; p += THREADS) s.join(partials[p]);
    __syncthreads();
    s = block_sum<T, THREADS>(s);
    if (threadIdx.x == 0) *result = s;
}

template <class T>
static __global__ void __launch_bounds__(JOIN_THREADS)
    join_kernel(const void *room, unsigned blocks, T *result)
{
    const T *const partials = (const T *)room;
    T s;
    s.init();
#pragma unroll 4
    for (unsigned p = threadIdx.x; p < blocks; p += JOIN_THREADS) s.join(partials[p]);
    s = block_sum<T, JOIN_THREADS>(s);
    if (threadIdx.x == 0) *result = s;
}

template <class T, bool fused> static void join(const rival_args *g, unsigned blocks, T *result)
{
    if (!fused) join_kernel<T><<<1, JOIN_THREADS, 0, stream_of(g)>>>(g->partials, blocks, result);
}
