/* Hand-written CUDA in three dimensions: steps of the heat equation, by a thread a cell or by
 * threads that march through eight planes and keep what they loaded in registers; assembly by a
 * thread for each row of a block, which bisects or counts. */
#include "rivals_cuda.h"

enum { HEAT_WIDTH = 64, HEAT_ROWS = THREADS / HEAT_WIDTH, MARCH = 8, NODES = 8 };

/* Rows run along the first index. */
template <bool norm, bool fused, int planes>
static __global__ void __launch_bounds__(THREADS, 1)
    heat_kernel(double *__restrict__ fresh, const double *__restrict__ u, double s, int side,
                int stride, int64_t plane, void *room, one *result)
{
    const int i = 1 + blockIdx.x * HEAT_WIDTH + threadIdx.x % HEAT_WIDTH;
    const int j = 1 + blockIdx.y * HEAT_ROWS + threadIdx.x / HEAT_WIDTH;
    const int first = 1 + blockIdx.z * planes;
    one sum = {0};
    if (i <= side && j <= side) {
        const int64_t at = first * plane + (int64_t)j * stride + i;
        double before = u[at - plane], here = u[at];
#pragma unroll
        for (int p = 0; p < planes; p++) {
            if (first + p > side) break;
            const double *const x = u + at + p * plane;
            const double behind = x[plane];
            const double around = (x[-1] + x[1]) + (x[-stride] + x[stride]) + (before + behind);
            const double change = s * (around - 6.0 * here);
            fresh[at + p * plane] = here + change;
            sum.v += change * change;
            before = here;
            here = behind;
        }
    }
    if (norm) finish<one, fused>(sum, room, result);
}

template <bool norm, bool fused, int planes> static void heat(const rival_args *g)
{
    const dim3 grid(blocks_for(g->side, HEAT_WIDTH), blocks_for(g->side, HEAT_ROWS),
                    blocks_for(g->side, planes));
    heat_kernel<norm, fused, planes><<<grid, THREADS, 0, stream_of(g)>>>(
        g->w, g->u, g->s, g->side, (int)g->stride, g->plane, g->partials, (one *)g->sums);
    if (norm) join<one, fused>(g, grid.x * grid.y * grid.z, (one *)g->sums);
}

void rival_cuda_heat(const rival_args *g) { heat<false, false, 1>(g); }

void rival_cuda_heat_norm(const rival_args *g) { heat<true, false, 2>(g); }

void rival_cuda_heat_marching(const rival_args *g) { heat<false, false, MARCH>(g); }

void rival_cuda_heat_norm_marching(const rival_args *g) { heat<true, true, MARCH>(g); }

/* ---- blocks of 8 x 8 into compressed rows; neighbouring threads have neighbouring elements
 * ---- */

static __device__ __forceinline__ int bisect(const int *__restrict__ column, int begin, int end,
                                             int wanted)
{
    while (end - begin > 1) {
        const int middle = (begin + end) / 2;
        if (column[middle] <= wanted)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

static __device__ __forceinline__ int count_lower(const int *__restrict__ column, int begin,
                                                  int end, int wanted)
{
    int lower = 0;
    for (int k = begin; k < end; k++) lower += column[k] < wanted;
    return begin + lower;
}

template <bool counting>
static __global__ void __launch_bounds__(THREADS, 1)
    assemble_kernel(int n, const double *__restrict__ block, const int *__restrict__ node,
                    const int *__restrict__ begin, const int *__restrict__ column,
                    double *__restrict__ value)
{
    const int e = blockIdx.x * THREADS + threadIdx.x, i = blockIdx.y;
    if (e >= n) return;
    const int row = node[e + (int64_t)i * n], k0 = begin[row], k1 = begin[row + 1];
#pragma unroll
    for (int j = 0; j < NODES; j++) {
        const int wanted = node[e + (int64_t)j * n];
        const int k =
            counting ? count_lower(column, k0, k1, wanted) : bisect(column, k0, k1, wanted);
        atomicAdd(&value[k], block[e + (int64_t)(i + NODES * j) * n]);
    }
}

template <bool counting> static void assemble(const rival_args *g)
{
    cudaMemsetAsync(g->value, 0, (size_t)g->entries * sizeof *g->value, stream_of(g));
    assemble_kernel<counting><<<dim3(blocks_for(g->n, THREADS), NODES), THREADS, 0, stream_of(g)>>>(
        (int)g->n, g->block, g->node, g->begin, g->column, g->value);
}

void rival_cuda_assemble(const rival_args *g) { assemble<false>(g); }

void rival_cuda_assemble_counting(const rival_args *g) { assemble<true>(g); }
