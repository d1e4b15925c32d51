/* Hand-written CUDA for the patterns: CUB's scan, a sparse matrix with a thread or eight lanes a
 * row, a histogram of doubles by atomics: in shared memory where it fits, in device memory where it
 * does not; and a histogram of integers by copies in device memory, or by one for each block in
 * shared memory. */
#include "rivals_cuda.h"

#include <cub/device/device_scan.cuh>

enum { LANES = 8, SHARED_BYTES = 48 << 10, COPIES = 32 };
typedef unsigned long long bin;

void rival_cuda_scan(const rival_args *g)
{
    size_t bytes = 0;
    cub::DeviceScan::InclusiveSum(NULL, bytes, g->b, g->a, g->n, stream_of(g));
    cub::DeviceScan::InclusiveSum(g->partials, bytes, g->b, g->a, g->n, stream_of(g));
}

static __global__ void __launch_bounds__(THREADS, 1)
    spmv_kernel(int n, const int *__restrict__ begin, const int *__restrict__ column,
                const double *__restrict__ value, const double *__restrict__ x,
                double *__restrict__ y)
{
    const int r = blockIdx.x * THREADS + threadIdx.x;
    if (r >= n) return;
    double sum = 0;
    for (int k = begin[r]; k < begin[r + 1]; k++) sum += value[k] * x[column[k]];
    y[r] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    spmv_lanes_kernel(int n, const int *__restrict__ begin, const int *__restrict__ column,
                      const double *__restrict__ value, const double *__restrict__ x,
                      double *__restrict__ y)
{
    const int r = (blockIdx.x * THREADS + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    if (r >= n) return;
    double sum = 0;
    for (int k = begin[r] + lane; k < begin[r + 1]; k += LANES) sum += value[k] * x[column[k]];
    const unsigned mask = ((1u << LANES) - 1) << (threadIdx.x % 32 / LANES * LANES);
    for (int distance = LANES / 2; distance > 0; distance /= 2)
        sum += __shfl_down_sync(mask, sum, distance, LANES);
    if (lane == 0) y[r] = sum;
}

void rival_cuda_spmv(const rival_args *g)
{
    spmv_kernel<<<(unsigned)((g->n + THREADS - 1) / THREADS), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->begin, g->column, g->value, g->b, g->a);
}

void rival_cuda_spmv_team(const rival_args *g)
{
    spmv_lanes_kernel<<<(unsigned)((g->n * LANES + THREADS - 1) / THREADS), THREADS, 0,
                        stream_of(g)>>>((int)g->n, g->begin, g->column, g->value, g->b, g->a);
}

static __global__ void array_kernel(int64_t n, const int *__restrict__ index,
                                    const double *__restrict__ x, double *sums, int length,
                                    bool in_shared)
{
    extern __shared__ double mine[];
    if (in_shared)
        for (int e = threadIdx.x; e < length; e += blockDim.x) mine[e] = 0;
    __syncthreads();
    double *const to = in_shared ? mine : sums;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&to[index[i]], x[i]);
    __syncthreads();
    if (in_shared)
        for (int e = threadIdx.x; e < length; e += blockDim.x) atomicAdd(&sums[e], mine[e]);
}

void rival_cuda_array(const rival_args *g)
{
    const size_t bytes = (size_t)g->bin_count * sizeof(double);
    const bool in_shared = bytes <= SHARED_BYTES;
    cudaMemsetAsync(g->sums, 0, bytes, stream_of(g));
    array_kernel<<<132 * 8, THREADS, in_shared ? bytes : 0, stream_of(g)>>>(
        g->n, g->index, g->b, g->sums, g->bin_count, in_shared);
}

/* ---- a histogram of integers ---- */

static __device__ bin bin_copies[COPIES * RIVAL_MAX_BINS]; /* zeros between calls */

/* Blocks take turns with the copies, so that fewer atomics wait for each other. */
static __global__ void __launch_bounds__(THREADS) count_kernel(int n, const int *__restrict__ index)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&bin_copies[blockIdx.x % COPIES * RIVAL_MAX_BINS + index[i]], (bin)1);
}

static __global__ void __launch_bounds__(THREADS) add_copies_kernel(bin *bins, int length)
{
    const int b = blockIdx.x * THREADS + threadIdx.x;
    if (b >= length) return;
    bin sum = 0;
#pragma unroll
    for (int c = 0; c < COPIES; c++) sum += bin_copies[c * RIVAL_MAX_BINS + b];
#pragma unroll
    for (int c = 0; c < COPIES; c++) bin_copies[c * RIVAL_MAX_BINS + b] = 0;
    bins[b] += sum;
}

void rival_cuda_scatter(const rival_args *g)
{
    count_kernel<<<(unsigned)((g->n + THREADS - 1) / THREADS), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->index);
    add_copies_kernel<<<(unsigned)((g->bin_count + THREADS - 1) / THREADS), THREADS, 0,
                        stream_of(g)>>>((bin *)g->bins, g->bin_count);
}

static __global__ void __launch_bounds__(2 * THREADS)
    shared_count_kernel(int n, const int *__restrict__ index, bin *bins, int length)
{
    extern __shared__ bin counts[];
    for (int b = threadIdx.x; b < length; b += blockDim.x) counts[b] = 0;
    __syncthreads();
    const int step = gridDim.x * blockDim.x;
#pragma unroll 4
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&counts[index[i]], (bin)1);
    __syncthreads();
    for (int b = threadIdx.x; b < length; b += blockDim.x)
        if (counts[b] != 0) atomicAdd(&bins[b], counts[b]);
}

void rival_cuda_scatter_shared(const rival_args *g)
{
    const size_t bytes = (size_t)g->bin_count * sizeof(bin);
    const int64_t blocks = (g->n + 16 * THREADS - 1) / (16 * THREADS);
    shared_count_kernel<<<(unsigned)(blocks < 132 * 4 ? blocks : 132 * 4), 2 * THREADS, bytes,
                          stream_of(g)>>>((int)g->n, g->index, (bin *)g->bins, g->bin_count);
}
