/* Hand-written CUDA, twice: `plain` gives a thread one element of a vector, and joins partial
 * results of blocks in a small second kernel; `fused` gives it two elements in one load, and lets
 * the last block join the partial results. Which one is faster depends on size; the bench takes the
 * faster. Arguments go by value, loads are coalesced, blocks have 256 threads. In reductions on
 * grids a thread takes two rows, which share loads of the stencil. In all files of CUDA rivals a
 * kernel has the second launch bound, 1 or 4 or none, with which it was fastest on an H200: without
 * one nvcc gives a thread fewer registers than it could use.
 *
 * On this backend views have layout left: a row runs along the kernel's first index. */
#include "rivals_cuda.h"

enum { ROWS = 2, STRIDING_BLOCKS = 132 * 16 };

/* ---- vectors ---- */

static __global__ void __launch_bounds__(THREADS)
    copy_kernel(double *__restrict__ a, const double *__restrict__ b, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) a[i] = b[i];
}

static __global__ void __launch_bounds__(THREADS)
    copy2_kernel(double2 *__restrict__ a, const double2 *__restrict__ b, int pairs)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pairs) a[i] = b[i];
}

static __global__ void __launch_bounds__(THREADS)
    mul_kernel(double *__restrict__ a, const double *__restrict__ b, double s, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) a[i] = s * b[i];
}

static __global__ void __launch_bounds__(THREADS)
    mul2_kernel(double2 *__restrict__ a, const double2 *__restrict__ b, double s, int pairs)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pairs) return;
    const double2 x = b[i];
    a[i] = make_double2(s * x.x, s * x.y);
}

static __global__ void __launch_bounds__(THREADS)
    add_kernel(double *__restrict__ a, const double *__restrict__ b, const double *__restrict__ c,
               int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) a[i] = b[i] + c[i];
}

static __global__ void __launch_bounds__(THREADS)
    add2_kernel(double2 *__restrict__ a, const double2 *__restrict__ b,
                const double2 *__restrict__ c, int pairs)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pairs) return;
    const double2 x = b[i], y = c[i];
    a[i] = make_double2(x.x + y.x, x.y + y.y);
}

static __global__ void __launch_bounds__(THREADS)
    triad_kernel(double *__restrict__ a, const double *__restrict__ b, const double *__restrict__ c,
                 double s, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) a[i] = b[i] + s * c[i];
}

static __global__ void __launch_bounds__(THREADS)
    triad2_kernel(double2 *__restrict__ a, const double2 *__restrict__ b,
                  const double2 *__restrict__ c, double s, int pairs)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pairs) return;
    const double2 x = b[i], y = c[i];
    a[i] = make_double2(x.x + s * y.x, x.y + s * y.y);
}

static __global__ void __launch_bounds__(THREADS, 1)
    dot_kernel(const double *__restrict__ b, const double *__restrict__ c, int n, void *room,
               one *result)
{
    one s = {0};
    const int64_t step = (int64_t)gridDim.x * THREADS;
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
        s.v += b[i] * c[i];
    finish<one, false>(s, room, result);
}

static __global__ void __launch_bounds__(THREADS, 1)
    dot2_kernel(const double2 *__restrict__ b, const double2 *__restrict__ c, int pairs, void *room,
                one *result)
{
    one s = {0};
    const int64_t step = (int64_t)gridDim.x * THREADS;
#pragma unroll 4
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pairs; i += step)
        s.v += b[i].x * c[i].x + b[i].y * c[i].y;
    finish<one, true>(s, room, result);
}

static __global__ void __launch_bounds__(THREADS)
    histogram_kernel(unsigned long long *__restrict__ bins, const int32_t *__restrict__ index,
                     int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) atomicAdd(&bins[index[i]], 1ull);
}

static __global__ void __launch_bounds__(THREADS) nothing_kernel(int n) { (void)n; }

enum { CHAINS = 8, STEPS = 1 << 14, FMA_BLOCKS = 132 * 8 };

static __global__ void __launch_bounds__(THREADS) fma_kernel(double *out, double m, double add)
{
    double x[CHAINS];
#pragma unroll
    for (int c = 0; c < CHAINS; c++) x[c] = threadIdx.x + c;
    for (int step = 0; step < STEPS; step++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) x[c] = x[c] * m + add;
    }
#pragma unroll
    for (int c = 1; c < CHAINS; c++) x[0] += x[c];
    if (x[0] == 12345.678) *out = x[0]; /* so that the work is not dropped */
}

/* Vectors have a multiple of 64 elements, so pairs go through without a rest. */
template <bool fused> static void copy(const rival_args *g)
{
    const int n = (int)g->n;
    if (fused)
        copy2_kernel<<<blocks_for(n / 2, THREADS), THREADS, 0, stream_of(g)>>>(
            (double2 *)g->a, (const double2 *)g->b, n / 2);
    else
        copy_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream_of(g)>>>(g->a, g->b, n);
}

template <bool fused> static void mul(const rival_args *g)
{
    const int n = (int)g->n;
    if (fused)
        mul2_kernel<<<blocks_for(n / 2, THREADS), THREADS, 0, stream_of(g)>>>(
            (double2 *)g->a, (const double2 *)g->b, g->s, n / 2);
    else
        mul_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream_of(g)>>>(g->a, g->b, g->s, n);
}

template <bool fused> static void add(const rival_args *g)
{
    const int n = (int)g->n;
    if (fused)
        add2_kernel<<<blocks_for(n / 2, THREADS), THREADS, 0, stream_of(g)>>>(
            (double2 *)g->a, (const double2 *)g->b, (const double2 *)g->c, n / 2);
    else
        add_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream_of(g)>>>(g->a, g->b, g->c, n);
}

template <bool fused> static void triad(const rival_args *g)
{
    const int n = (int)g->n;
    if (fused)
        triad2_kernel<<<blocks_for(n / 2, THREADS), THREADS, 0, stream_of(g)>>>(
            (double2 *)g->a, (const double2 *)g->b, (const double2 *)g->c, g->s, n / 2);
    else
        triad_kernel<<<blocks_for(n, THREADS), THREADS, 0, stream_of(g)>>>(g->a, g->b, g->c, g->s,
                                                                           n);
}

template <bool fused> static void dot(const rival_args *g)
{
    const int n = (int)g->n;
    const unsigned wanted = blocks_for(n, fused ? 2 * THREADS : THREADS);
    const unsigned blocks = wanted < STRIDING_BLOCKS ? wanted : STRIDING_BLOCKS;
    if (fused)
        dot2_kernel<<<blocks, THREADS, 0, stream_of(g)>>>(
            (const double2 *)g->b, (const double2 *)g->c, n / 2, g->partials, (one *)g->sums);
    else
        dot_kernel<<<blocks, THREADS, 0, stream_of(g)>>>(g->b, g->c, n, g->partials,
                                                         (one *)g->sums);
    join<one, fused>(g, blocks, (one *)g->sums);
}

static void histogram(const rival_args *g)
{
    histogram_kernel<<<blocks_for(g->n, THREADS), THREADS, 0, stream_of(g)>>>(
        (unsigned long long *)g->bins, g->index, (int)g->n);
}

static void nothing(const rival_args *g)
{
    nothing_kernel<<<blocks_for(g->n, THREADS), THREADS, 0, stream_of(g)>>>((int)g->n);
}

static double fma_peak(const rival_args *g)
{
    fma_kernel<<<FMA_BLOCKS, THREADS, 0, stream_of(g)>>>((double *)g->partials, 0.999, 1e-3);
    return 2.0 * CHAINS * STEPS * (double)THREADS * FMA_BLOCKS;
}

/* ---- grids ---- */

static dim3 grid_for(const rival_args *g, int rows_a_thread)
{
    return dim3(blocks_for(g->columns, THREADS), blocks_for(g->rows, rows_a_thread));
}

/* This thread's column, and the first of its rows. */
#define COLUMN() ((int)(1 + blockIdx.x * THREADS + threadIdx.x))
#define FIRST_ROW(rows_a_thread) ((int)(1 + blockIdx.y * (rows_a_thread)))

template <int rows_a_thread>
static __global__ void __launch_bounds__(THREADS)
    stencil_kernel(double *__restrict__ w, const double *__restrict__ u, int rows, int columns,
                   int stride)
{
    const int i = COLUMN(), first = FIRST_ROW(rows_a_thread);
    if (i > columns) return;
#pragma unroll
    for (int row = first; row < first + rows_a_thread; row++) {
        if (row > rows) return;
        const int64_t at = (int64_t)row * stride + i;
        w[at] = 0.2 * (u[at] + (u[at - stride] + u[at + stride]) + (u[at - 1] + u[at + 1]));
    }
}

template <bool fused>
static __global__ void __launch_bounds__(THREADS)
    matvec_kernel(double *__restrict__ w, const double *__restrict__ p,
                  const double *__restrict__ v, double h, int rows, int columns, int stride,
                  void *room, one *result)
{
    const int i = COLUMN(), first = FIRST_ROW(ROWS);
    one s = {0};
    if (i <= columns) {
#pragma unroll
        for (int row = first; row < first + ROWS; row++) {
            if (row > rows) break;
            const int64_t at = (int64_t)row * stride + i;
            const double l = h * (v[at - 1] + v[at]), r = h * (v[at] + v[at + 1]);
            const double b = h * (v[at - stride] + v[at]), a = h * (v[at] + v[at + stride]);
            const double ap = (1.0 + (r + l) + (a + b)) * p[at] - (r * p[at + 1] + l * p[at - 1]) -
                              (a * p[at + stride] + b * p[at - stride]);
            w[at] = ap;
            s.v += p[at] * ap;
        }
    }
    finish<one, fused>(s, room, result);
}

template <bool fused>
static __global__ void __launch_bounds__(THREADS)
    update_kernel(double *__restrict__ u, double *__restrict__ r, const double *__restrict__ p,
                  const double *__restrict__ w, const double *rr, const double *pw,
                  double tolerance, int rows, int columns, int stride, void *room, one *result)
{
    const int i = COLUMN(), first = FIRST_ROW(ROWS);
    const double before = *rr, alpha = before > tolerance ? before / *pw : 0.0;
    one s = {0};
    if (i <= columns) {
#pragma unroll
        for (int row = first; row < first + ROWS; row++) {
            if (row > rows) break;
            const int64_t at = (int64_t)row * stride + i;
            const double fresh = r[at] - alpha * w[at];
            u[at] += alpha * p[at];
            r[at] = fresh;
            s.v += fresh * fresh;
        }
    }
    finish<one, fused>(s, room, result);
}

template <int rows_a_thread>
static __global__ void __launch_bounds__(THREADS)
    direction_kernel(double *__restrict__ p, const double *__restrict__ r,
                     const double *__restrict__ rr_before, const double *__restrict__ rr_now,
                     double tolerance, int rows, int columns, int stride)
{
    const int i = COLUMN(), first = FIRST_ROW(rows_a_thread);
    const double before = *rr_before, beta = before > tolerance ? *rr_now / before : 0.0;
    if (i > columns) return;
#pragma unroll
    for (int row = first; row < first + rows_a_thread; row++) {
        if (row > rows) return;
        const int64_t at = (int64_t)row * stride + i;
        p[at] = r[at] + beta * p[at];
    }
}

template <bool fused>
static __global__ void __launch_bounds__(THREADS)
    summary_kernel(const double *__restrict__ density, const double *__restrict__ energy,
                   const double *__restrict__ u, double volume, int rows, int columns, int stride,
                   void *room, five *result)
{
    const int i = COLUMN(), first = FIRST_ROW(ROWS);
    five s;
    s.init();
    if (i <= columns) {
#pragma unroll
        for (int row = first; row < first + ROWS; row++) {
            if (row > rows) break;
            const int64_t at = (int64_t)row * stride + i;
            const double mass = density[at] * volume;
            s.volume += volume;
            s.mass += mass;
            s.energy += mass * energy[at];
            s.temperature += mass * u[at];
            s.hottest = fmax(s.hottest, u[at]);
        }
    }
    finish<five, fused>(s, room, result);
}

template <bool fused> static void stencil(const rival_args *g)
{
    const int rows_a_thread = fused ? ROWS : 1;
    stencil_kernel<rows_a_thread><<<grid_for(g, rows_a_thread), THREADS, 0, stream_of(g)>>>(
        g->w, g->u, g->rows, g->columns, (int)g->stride);
}

template <bool fused> static void matvec(const rival_args *g)
{
    const dim3 grid = grid_for(g, ROWS);
    matvec_kernel<fused><<<grid, THREADS, 0, stream_of(g)>>>(
        g->w, g->p, g->v, g->s, g->rows, g->columns, (int)g->stride, g->partials, (one *)g->pw);
    join<one, fused>(g, grid.x * grid.y, (one *)g->pw);
}

template <bool fused> static void update(const rival_args *g)
{
    const dim3 grid = grid_for(g, ROWS);
    one *const result = (one *)&g->sums[g->now];
    update_kernel<fused><<<grid, THREADS, 0, stream_of(g)>>>(
        g->u, g->r, g->p, g->w, &g->sums[g->before], g->pw, g->tolerance, g->rows, g->columns,
        (int)g->stride, g->partials, result);
    join<one, fused>(g, grid.x * grid.y, result);
}

template <bool fused> static void direction(const rival_args *g)
{
    const int rows_a_thread = fused ? ROWS : 1;
    direction_kernel<rows_a_thread><<<grid_for(g, rows_a_thread), THREADS, 0, stream_of(g)>>>(
        g->p, g->r, &g->sums[g->before], &g->sums[g->now], g->tolerance, g->rows, g->columns,
        (int)g->stride);
}

template <bool fused> static void iteration(const rival_args *g)
{
    matvec<fused>(g);
    update<fused>(g);
    direction<false>(g);
}

template <bool fused> static void summary(const rival_args *g)
{
    const dim3 grid = grid_for(g, ROWS);
    five *const result = (five *)g->summary;
    summary_kernel<fused><<<grid, THREADS, 0, stream_of(g)>>>(
        g->v, g->energy, g->u, g->volume, g->rows, g->columns, (int)g->stride, g->partials, result);
    join<five, fused>(g, grid.x * grid.y, result);
}

/* One member a line, in the order of rival_set. */
extern "C" {
extern const rival_set rivals_cuda, rivals_cuda_fused;
const rival_set rivals_cuda = {
    "plain",
    copy<false>,
    mul<false>,
    add<false>,
    triad<false>,
    dot<false>,
    stencil<false>,
    matvec<false>,
    update<false>,
    direction<false>,
    iteration<false>,
    summary<false>,
    histogram,
    rival_cuda_scan,
    rival_cuda_spmv,
    rival_cuda_spmv_team,
    rival_cuda_array,
    rival_cuda_scatter,
    rival_cuda_force,
    rival_cuda_push,
    rival_cuda_square,
    rival_cuda_sort,
    rival_cuda_heat,
    rival_cuda_heat_norm,
    rival_cuda_heat,
    rival_cuda_heat_norm,
    rival_cuda_assemble,
    rival_cuda_cells,
    rival_cuda_neighbours,
    rival_cuda_pairs,
    rival_cuda_pairs,
    rival_cuda_pack,
    rival_cuda_unpack,
    nothing,
    fma_peak,
};
const rival_set rivals_cuda_fused = {
    "fused",
    copy<true>,
    mul<true>,
    add<true>,
    triad<true>,
    dot<true>,
    stencil<true>,
    matvec<true>,
    update<true>,
    direction<true>,
    iteration<true>,
    summary<true>,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    rival_cuda_scatter_shared,
    rival_cuda_force_branching,
    NULL,
    NULL,
    NULL,
    rival_cuda_heat_marching,
    rival_cuda_heat_norm_marching,
    rival_cuda_heat_marching,
    rival_cuda_heat_norm_marching,
    rival_cuda_assemble_counting,
    NULL,
    NULL,
    rival_cuda_pairs_lanes,
    rival_cuda_pairs_lanes,
    rival_cuda_pack_components,
    rival_cuda_unpack_components,
};
}
