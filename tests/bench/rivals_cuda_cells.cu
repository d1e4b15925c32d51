/* Hand-written CUDA for particles in cells: count by atomics, CUB's scan and fill; neighbour lists
 * by a thread a particle; forces from half lists by atomics, with a thread or eight lanes a
 * particle; packing by a thread a position or a component. Views have layout left: components of
 * neighbouring particles are in neighbouring places. */
#include "rivals_cuda.h"

#include <cub/device/device_scan.cuh>

enum { PARTICLE_LANES = 8, COMPONENTS = 3 };

/* ---- cells ---- */

static __device__ __forceinline__ int cell_along(double x, double per_length, int side)
{
    const int cell = (int)(x * per_length);
    return cell < 0 ? 0 : cell < side ? cell : side - 1;
}

static __global__ void __launch_bounds__(THREADS)
    count_kernel(int n, int64_t stride, const double *__restrict__ x, double per_length, int side,
                 int *__restrict__ cell, int *__restrict__ slot, int *__restrict__ counts)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= n) return;
    const int cx = cell_along(x[i], per_length, side);
    const int cy = cell_along(x[i + stride], per_length, side);
    const int cz = cell_along(x[i + 2 * stride], per_length, side);
    const int at = (cz * side + cy) * side + cx;
    cell[i] = at;
    slot[i] = atomicAdd(&counts[at], 1);
}

static __global__ void __launch_bounds__(THREADS)
    fill_kernel(int n, const int *__restrict__ cell, const int *__restrict__ slot,
                const int *__restrict__ begin, int *__restrict__ order)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) order[begin[cell[i]] + slot[i]] = i;
}

void rival_cuda_cells(const rival_args *g)
{
    const int n = (int)g->n, cells = g->side * g->side * g->side + 1;
    const unsigned blocks = blocks_for(n, THREADS);
    size_t bytes = 0;
    cudaMemsetAsync(g->counts, 0, (size_t)cells * sizeof *g->counts, stream_of(g));
    count_kernel<<<blocks, THREADS, 0, stream_of(g)>>>(n, g->stride, g->x, g->per_length, g->side,
                                                       g->cell, g->slot, g->counts);
    cub::DeviceScan::ExclusiveSum(NULL, bytes, g->counts, g->begin, cells, stream_of(g));
    cub::DeviceScan::ExclusiveSum(g->partials, bytes, g->counts, g->begin, cells, stream_of(g));
    fill_kernel<<<blocks, THREADS, 0, stream_of(g)>>>(n, g->cell, g->slot, g->begin, g->order);
}

/* ---- neighbour lists ---- */

static __global__ void __launch_bounds__(THREADS, 4)
    neighbours_kernel(int n, int64_t stride, const double *__restrict__ x,
                      const int *__restrict__ cells, const int *__restrict__ begins,
                      const int *__restrict__ order, double cutoff2, int side, int capacity,
                      bool half, int *__restrict__ list, int *__restrict__ counts, int *longest)
{
    const int i = blockIdx.x * THREADS + threadIdx.x, last = capacity - 1;
    int count = 0;
    if (i < n) {
        const double *const y = x + stride, *const z = y + stride;
        const double xi = x[i], yi = y[i], zi = z[i];
        const int cell = cells[i], cx = cell % side, cy = cell / side % side;
        const int cz = cell / side / side;
        const int x0 = max(cx - 1, 0), x1 = min(cx + 1, side - 1);
        for (int rz = max(cz - 1, 0); rz <= min(cz + 1, side - 1); rz++)
            for (int ry = max(cy - 1, 0); ry <= min(cy + 1, side - 1); ry++) {
                const int row = (rz * side + ry) * side, end = begins[row + x1 + 1];
                for (int k = begins[row + x0]; k < end; k++) {
                    const int j = order[k];
                    const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
                    const bool skip = j == i || (half && j < i);
                    if (dx * dx + dy * dy + dz * dz > cutoff2 || skip) continue;
                    list[i + (int64_t)min(count, last) * n] = j;
                    count++;
                }
            }
        if (count != capacity) list[i + (int64_t)min(count, last) * n] = -1;
        counts[i] = count;
    }
    for (int distance = 16; distance > 0; distance /= 2)
        count = max(count, __shfl_down_sync(~0u, count, distance));
    if (threadIdx.x % 32 == 0) atomicMax(longest, count);
}

void rival_cuda_neighbours(const rival_args *g)
{
    cudaMemsetAsync(g->longest, 0, sizeof *g->longest, stream_of(g));
    neighbours_kernel<<<blocks_for(g->n, THREADS), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->stride, g->x, g->cell, g->begin, g->order, g->cutoff2, g->side, g->capacity,
        g->half, g->list, g->count, g->longest);
}

/* ---- forces from half lists ---- */

template <int lanes>
static __global__ void __launch_bounds__(THREADS)
    pairs_kernel(int n, int64_t stride, const double *__restrict__ x, const int *__restrict__ list,
                 const int *__restrict__ counts, double cutoff2, double *__restrict__ f)
{
    const int i = (blockIdx.x * THREADS + threadIdx.x) / lanes, lane = threadIdx.x % lanes;
    double fx = 0, fy = 0, fz = 0;
    if (i < n) {
        const double *const y = x + stride, *const z = y + stride;
        const double xi = x[i], yi = y[i], zi = z[i];
        const int count = counts[i];
#pragma unroll 4
        for (int k = lane; k < count; k += lanes) {
            const int j = list[i + (int64_t)k * n];
            const double dx = xi - x[j], dy = yi - y[j], dz = zi - z[j];
            const double r2 = dx * dx + dy * dy + dz * dz;
            if (r2 >= cutoff2) continue;
            const double s2 = reciprocal(r2), s6 = s2 * s2 * s2;
            const double pull = 48.0 * s6 * (s6 - 0.5) * s2;
            fx += dx * pull;
            fy += dy * pull;
            fz += dz * pull;
            atomicAdd(&f[j], -dx * pull);
            atomicAdd(&f[j + stride], -dy * pull);
            atomicAdd(&f[j + 2 * stride], -dz * pull);
        }
    }
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        fx += __shfl_down_sync(~0u, fx, distance, lanes);
        fy += __shfl_down_sync(~0u, fy, distance, lanes);
        fz += __shfl_down_sync(~0u, fz, distance, lanes);
    }
    if (i >= n || lane > 0) return;
    atomicAdd(&f[i], fx);
    atomicAdd(&f[i + stride], fy);
    atomicAdd(&f[i + 2 * stride], fz);
}

template <int lanes> static void pairs(const rival_args *g)
{
    cudaMemsetAsync(g->f, 0, (size_t)(COMPONENTS * g->stride) * sizeof *g->f, stream_of(g));
    pairs_kernel<lanes><<<blocks_for(g->n * lanes, THREADS), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->stride, g->x, g->list, g->count, g->cutoff2, g->f);
}

void rival_cuda_pairs(const rival_args *g) { pairs<1>(g); }

void rival_cuda_pairs_lanes(const rival_args *g) { pairs<PARTICLE_LANES>(g); }

/* ---- packing: components from first to last by one thread ---- */

template <bool out, int components>
static __global__ void __launch_bounds__(THREADS)
    pack_kernel(int n, int64_t stride, double *__restrict__ x, double *__restrict__ buffer,
                const int *__restrict__ index)
{
    const int k = blockIdx.x * THREADS + threadIdx.x, first = blockIdx.y * components;
    if (k >= n) return;
    const int i = index[k];
#pragma unroll
    for (int c = first; c < first + components; c++) {
        if (out)
            buffer[k + (int64_t)c * n] = x[i + c * stride];
        else
            x[i + c * stride] = buffer[k + (int64_t)c * n];
    }
}

template <bool out, int components> static void pack(const rival_args *g)
{
    pack_kernel<out, components>
        <<<dim3(blocks_for(g->n, THREADS), COMPONENTS / components), THREADS, 0, stream_of(g)>>>(
            (int)g->n, g->stride, g->x, g->buffer, g->index);
}

void rival_cuda_pack(const rival_args *g) { pack<true, COMPONENTS>(g); }

void rival_cuda_pack_components(const rival_args *g) { pack<true, 1>(g); }

void rival_cuda_unpack(const rival_args *g) { pack<false, COMPONENTS>(g); }

void rival_cuda_unpack_components(const rival_args *g) { pack<false, 1>(g); }
