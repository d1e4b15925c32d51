/* Hand-written CUDA for particles: forces with a thread a particle, once with a branch for the
 * cutoff and once without, and CUB's radix sort. Views have layout left: what neighbouring threads
 * read of the lists is in neighbouring places. */
#include "rivals_cuda.h"

#include <cub/block/block_reduce.cuh>
#include <cub/device/device_radix_sort.cuh>

template <bool branching>
static __global__ void __launch_bounds__(THREADS, 4)
    force_kernel(int n, int64_t stride, const double *__restrict__ x, const int *__restrict__ list,
                 const int *__restrict__ counts, double cutoff2, double *__restrict__ f)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const double *const y = x + stride, *const z = y + stride;
    const double xi = x[i], yi = y[i], zi = z[i];
    const int count = counts[i];
    double fx = 0, fy = 0, fz = 0;
#pragma unroll 4
    for (int k = 0; k < count; k++) {
        const int j = list[i + k * stride];
        const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
        const double r2 = dx * dx + dy * dy + dz * dz;
        if (branching && r2 >= cutoff2) continue;
        const double s2 = reciprocal(r2), s6 = s2 * s2 * s2;
        const double pull = branching || r2 < cutoff2 ? 48.0 * s6 * (s6 - 0.5) * s2 : 0.0;
        fx += dx * pull;
        fy += dy * pull;
        fz += dz * pull;
    }
    f[i] = fx;
    f[i + stride] = fy;
    f[i + 2 * stride] = fz;
}

template <bool branching> static void force(const rival_args *g)
{
    force_kernel<branching><<<blocks_for(g->n, THREADS), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->stride, g->x, g->list, g->count, g->cutoff2, g->f);
}

void rival_cuda_force(const rival_args *g) { force<false>(g); }

void rival_cuda_force_branching(const rival_args *g) { force<true>(g); }

/* Three coordinates of a particle, by a loop over them in its thread. */
static __global__ void __launch_bounds__(THREADS)
    push_kernel(int64_t n, int64_t stride, double s, const double *__restrict__ x,
                double *__restrict__ f)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
#pragma unroll
    for (int c = 0; c < 3; c++) f[i + c * stride] += s * x[i + c * stride];
}

void rival_cuda_push(const rival_args *g)
{
    push_kernel<<<blocks_for(g->n, THREADS), THREADS, 0, stream_of(g)>>>(g->n, g->stride, g->s,
                                                                         g->x, g->f);
}

enum { SQUARE_BLOCKS = 1024 };
typedef cub::BlockReduce<double, THREADS> square_reduce;

static __global__ void __launch_bounds__(THREADS)
    square_kernel(int64_t n, int64_t stride, const double *__restrict__ x, double *partials)
{
    __shared__ square_reduce::TempStorage room;
    double sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
         i += (int64_t)gridDim.x * THREADS) {
#pragma unroll
        for (int c = 0; c < 3; c++) sum += x[i + c * stride] * x[i + c * stride];
    }
    sum = square_reduce(room).Sum(sum);
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

static __global__ void __launch_bounds__(THREADS)
    square_join(const double *partials, int count, double *result)
{
    __shared__ square_reduce::TempStorage room;
    double sum = 0;
    for (int p = (int)threadIdx.x; p < count; p += THREADS) sum += partials[p];
    sum = square_reduce(room).Sum(sum);
    if (threadIdx.x == 0) *result = sum;
}

void rival_cuda_square(const rival_args *g)
{
    const int64_t wanted = (g->n + THREADS - 1) / THREADS;
    const int blocks = wanted < SQUARE_BLOCKS ? (int)wanted : (int)SQUARE_BLOCKS;
    double *const partials = (double *)g->partials;
    square_kernel<<<(unsigned)blocks, THREADS, 0, stream_of(g)>>>(g->n, g->stride, g->x, partials);
    square_join<<<1, THREADS, 0, stream_of(g)>>>(partials, blocks, g->sums);
}

void rival_cuda_sort(const rival_args *g)
{
    size_t bytes = 0;
    const size_t all = (size_t)g->n * sizeof *g->keys;
    cub::DoubleBuffer<int64_t> keys(g->keys, g->room);
    cudaMemcpyAsync(g->keys, g->unsorted, all, cudaMemcpyDeviceToDevice, stream_of(g));
    cub::DeviceRadixSort::SortKeys(NULL, bytes, keys, g->n, 0, 64, stream_of(g));
    cub::DeviceRadixSort::SortKeys(g->partials, bytes, keys, g->n, 0, 64, stream_of(g));
    if (keys.Current() != g->keys)
        cudaMemcpyAsync(g->keys, keys.Current(), all, cudaMemcpyDeviceToDevice, stream_of(g));
}
