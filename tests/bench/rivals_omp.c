/* Hand-written OpenMP, as an experienced user would write it: restrict, one parallel region for
 * each loop, simd inside. It is compiled with the flags of the kernels. Two files include this one
 * to compile it again: rivals_scalar.c without vectors, and rivals_serial.c without threads. */
#include "rivals_omp_cells.h"
#include "rivals_omp_mesh.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static void copy(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    double *restrict a = g->a;
    const double *restrict b = g->b;
    PARALLEL_FOR_SIMD()
    for (int64_t i = 0; i < n; i++) a[i] = b[i];
}

static void mul(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const double s = g->s;
    double *restrict a = g->a;
    const double *restrict b = g->b;
    PARALLEL_FOR_SIMD()
    for (int64_t i = 0; i < n; i++) a[i] = s * b[i];
}

static void add(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    double *restrict a = g->a;
    const double *restrict b = g->b, *restrict c = g->c;
    PARALLEL_FOR_SIMD()
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + c[i];
}

static void triad(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const double s = g->s;
    double *restrict a = g->a;
    const double *restrict b = g->b, *restrict c = g->c;
    PARALLEL_FOR_SIMD()
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + s * c[i];
}

static void dot(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const double *restrict b = g->b, *restrict c = g->c;
    double sum = 0;
    PARALLEL_FOR_SIMD(reduction(+ : sum))
    for (int64_t i = 0; i < n; i++) sum += b[i] * c[i];
    g->sums[0] = sum;
}

static void stencil(const rival_args *g)
{
    TEAM(g);
    const int rows = g->rows, columns = g->columns;
    const int64_t stride = g->stride;
    double *restrict w = g->w;
    const double *restrict u = g->u;
    PARALLEL_FOR()
    for (int row = 1; row <= rows; row++) {
        double *restrict out = w + row * stride;
        const double *restrict in = u + row * stride, *restrict below = in - stride,
                               *restrict above = in + stride;
        SIMD()
        for (int i = 1; i <= columns; i++)
            out[i] = 0.2 * (in[i] + (in[i - 1] + in[i + 1]) + (below[i] + above[i]));
    }
}

static void matvec(const rival_args *g)
{
    TEAM(g);
    const int rows = g->rows, columns = g->columns;
    const int64_t stride = g->stride;
    double *restrict w_ = g->w;
    const double *restrict p_ = g->p, *restrict v_ = g->v, h = g->s;
    double pw = 0;
    PARALLEL_FOR(reduction(+ : pw))
    for (int row = 1; row <= rows; row++) {
        double *restrict w = w_ + row * stride;
        const double *restrict p = p_ + row * stride, *restrict below = p - stride,
                               *restrict above = p + stride;
        const double *restrict v = v_ + row * stride, *restrict v_below = v - stride,
                               *restrict v_above = v + stride;
        SIMD(reduction(+ : pw))
        for (int i = 1; i <= columns; i++) {
            const double l = h * (v[i - 1] + v[i]), r = h * (v[i] + v[i + 1]);
            const double b = h * (v_below[i] + v[i]), a = h * (v[i] + v_above[i]);
            const double ap = (1.0 + (r + l) + (a + b)) * p[i] - (r * p[i + 1] + l * p[i - 1]) -
                              (a * above[i] + b * below[i]);
            w[i] = ap;
            pw += p[i] * ap;
        }
    }
    g->pw[0] = pw;
}

static void update(const rival_args *g)
{
    TEAM(g);
    const int rows = g->rows, columns = g->columns;
    const int64_t stride = g->stride;
    double *restrict u_ = g->u, *restrict r_ = g->r;
    const double *restrict p_ = g->p, *restrict w_ = g->w;
    const double before = g->sums[g->before],
                 alpha = before > g->tolerance ? before / g->pw[0] : 0.0;
    double rr = 0;
    PARALLEL_FOR(reduction(+ : rr))
    for (int row = 1; row <= rows; row++) {
        double *restrict u = u_ + row * stride, *restrict r = r_ + row * stride;
        const double *restrict p = p_ + row * stride, *restrict w = w_ + row * stride;
        SIMD(reduction(+ : rr))
        for (int i = 1; i <= columns; i++) {
            const double fresh = r[i] - alpha * w[i];
            u[i] += alpha * p[i];
            r[i] = fresh;
            rr += fresh * fresh;
        }
    }
    g->sums[g->now] = rr;
}

static void direction(const rival_args *g)
{
    TEAM(g);
    const int rows = g->rows, columns = g->columns;
    const int64_t stride = g->stride;
    double *restrict p_ = g->p;
    const double *restrict r_ = g->r;
    const double before = g->sums[g->before],
                 beta = before > g->tolerance ? g->sums[g->now] / before : 0.0;
    PARALLEL_FOR()
    for (int row = 1; row <= rows; row++) {
        double *restrict p = p_ + row * stride;
        const double *restrict r = r_ + row * stride;
        SIMD()
        for (int i = 1; i <= columns; i++) p[i] = r[i] + beta * p[i];
    }
}

static void iteration(const rival_args *g)
{
    matvec(g);
    update(g);
    direction(g);
}

static void summary(const rival_args *g)
{
    TEAM(g);
    const int rows = g->rows, columns = g->columns;
    const int64_t stride = g->stride;
    const double volume = g->volume;
    const double *restrict density_ = g->v, *restrict energy_ = g->energy, *restrict u_ = g->u;
    double volumes = 0, masses = 0, energies = 0, temperatures = 0, hottest = -INFINITY;
    PARALLEL_FOR(reduction(+ : volumes, masses, energies, temperatures) reduction(max : hottest))
    for (int row = 1; row <= rows; row++) {
        const double *restrict density = density_ + row * stride, *restrict energy =
                                                                      energy_ + row * stride;
        const double *restrict u = u_ + row * stride;
        SIMD(reduction(+ : volumes, masses, energies, temperatures) reduction(max : hottest))
        for (int i = 1; i <= columns; i++) {
            const double mass = density[i] * volume;
            volumes += volume;
            masses += mass;
            energies += mass * energy[i];
            temperatures += mass * u[i];
            hottest = hottest < u[i] ? u[i] : hottest;
        }
    }
    g->summary[0] = volumes;
    g->summary[1] = masses;
    g->summary[2] = energies;
    g->summary[3] = temperatures;
    g->summary[4] = hottest;
}

static void histogram(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    int64_t *restrict bins = g->bins;
    const int32_t *restrict index = g->index;
    PARALLEL_FOR()
    for (int64_t i = 0; i < n; i++) {
#pragma omp atomic
        bins[index[i]] += 1;
    }
}

static void scatter(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const int count = g->bin_count;
    int64_t *restrict bins = g->bins;
    const int32_t *restrict index = g->index;
    PARALLEL_FOR(reduction(+ : bins[:count]))
    for (int64_t i = 0; i < n; i++) bins[index[i]] += 1;
    (void)count; /* without threads */
}

/* By blocks, in parts that stay in cache. In each part the threads compute the sums of the blocks,
 * wait for each other, and then compute the prefix sums of their blocks. Each thread itself adds
 * the sums of the blocks before its own, so a part needs one barrier only. */
static void scan(const rival_args *g)
{
    enum { MAX_BLOCK = 8192, BLOCKS_PER_THREAD = 16, MAX_BLOCKS = 4096 };
    TEAM(g);
    const int64_t n = g->n;
    double *restrict y = g->a;
    const double *restrict x = g->b;
    static double sums[2][MAX_BLOCKS];
#ifdef RIVAL_SERIAL
    const int64_t blocks = BLOCKS_PER_THREAD;
#else
    const int64_t blocks =
        BLOCKS_PER_THREAD * threads < MAX_BLOCKS ? BLOCKS_PER_THREAD * threads : MAX_BLOCKS;
#endif
    /* parts of the same length, with blocks for every thread */
    const int64_t parts = (n + blocks * MAX_BLOCK - 1) / (blocks * MAX_BLOCK);
    const int64_t block = parts > 0 ? (n + parts * blocks - 1) / (parts * blocks) : 1;
    PARALLEL()
    {
        double before = 0;
        int turn = 0;
        for (int64_t part = 0; part < n; part += blocks * block, turn ^= 1) {
#ifdef RIVAL_SERIAL
            const int64_t first = 0, last = blocks;
#else
            const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
            const int64_t first = blocks * me / team, last = blocks * (me + 1) / team;
#endif
            for (int64_t b = first; b < last; b++) {
                const int64_t begin = part + b * block, end = begin + block < n ? begin + block : n;
                double sum = 0;
                SIMD(reduction(+ : sum))
                for (int64_t i = begin; i < end; i++) sum += x[i];
                sums[turn][b] = sum;
            }
#ifndef RIVAL_SERIAL
#pragma omp barrier
#endif
            double running = before;
            for (int64_t b = 0; b < first; b++) running += sums[turn][b];
            for (int64_t b = first; b < last; b++) {
                const int64_t begin = part + b * block, end = begin + block < n ? begin + block : n;
                double at = running;
                for (int64_t i = begin; i < end; i++) {
                    at += x[i];
                    y[i] = at;
                }
                running += sums[turn][b];
            }
            for (int64_t b = 0; b < blocks; b++) before += sums[turn][b];
        }
    }
}

#define SPMV(name, simd)                                                                           \
    static void name(const rival_args *g)                                                          \
    {                                                                                              \
        TEAM(g);                                                                                   \
        const int64_t n = g->n;                                                                    \
        double *restrict y = g->a;                                                                 \
        const double *restrict x = g->b, *restrict value = g->value;                               \
        const int32_t *restrict begin = g->begin, *restrict column = g->column;                    \
        PARALLEL_FOR()                                                                             \
        for (int64_t r = 0; r < n; r++) {                                                          \
            double sum = 0;                                                                        \
            simd for (int32_t k = begin[r]; k < begin[r + 1]; k++) sum += value[k] * x[column[k]]; \
            y[r] = sum;                                                                            \
        }                                                                                          \
    }
SPMV(spmv, SIMD(reduction(+ : sum)))
#ifdef OTHER
SPMV(spmv_without_vectors, )
#endif

static void array(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const int length = g->bin_count;
    double *restrict sums = g->sums;
    const double *restrict x = g->b;
    const int32_t *restrict index = g->index;
    for (int e = 0; e < length; e++) sums[e] = 0;
    PARALLEL_FOR(reduction(+ : sums[:length]))
    for (int64_t i = 0; i < n; i++) sums[index[i]] += x[i];
}

/* ---- particles: with vectors, which compute all neighbours, and without, which leave out those
 * beyond the cutoff ---- */

#define FORCE(name, VECTORS, branching)                                                            \
    static void name(const rival_args *g)                                                          \
    {                                                                                              \
        TEAM(g);                                                                                   \
        const int64_t n = g->n;                                                                    \
        const double cutoff2 = g->cutoff2;                                                         \
        double *restrict f = g->f;                                                                 \
        const double *restrict x = g->x;                                                           \
        const int32_t *restrict lists = g->list, *restrict counts = g->count;                      \
        PARALLEL_FOR()                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                          \
            const double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2];                      \
            const int32_t *restrict list = lists + i * RIVAL_NEIGHBOURS;                           \
            const int count = counts[i];                                                           \
            double fx = 0, fy = 0, fz = 0;                                                         \
            VECTORS                                                                                \
            for (int k = 0; k < count; k++) {                                                      \
                const int64_t j = list[k];                                                         \
                const double dx = xi - x[3 * j], dy = yi - x[3 * j + 1], dz = zi - x[3 * j + 2];   \
                const double r2 = dx * dx + dy * dy + dz * dz;                                     \
                if (branching && r2 >= cutoff2) continue;                                          \
                const double s2 = 1.0 / r2, s6 = s2 * s2 * s2;                                     \
                const double pull = branching || r2 < cutoff2 ? 48.0 * s6 * (s6 - 0.5) * s2 : 0.0; \
                fx += dx * pull;                                                                   \
                fy += dy * pull;                                                                   \
                fz += dz * pull;                                                                   \
            }                                                                                      \
            f[3 * i] = fx;                                                                         \
            f[3 * i + 1] = fy;                                                                     \
            f[3 * i + 2] = fz;                                                                     \
        }                                                                                          \
    }
FORCE(force, SIMD(reduction(+ : fx, fy, fz)), false)
#ifdef OTHER
FORCE(force_branching, , true)
#endif

static void push(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const double s = g->s;
    double *restrict f = g->f;
    const double *restrict x = g->x;
    PARALLEL_FOR()
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) f[3 * i + c] += s * x[3 * i + c];
}

static void square(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    const double *restrict x = g->x;
    double sum = 0;
    PARALLEL_FOR_SIMD(reduction(+ : sum))
    for (int64_t i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) sum += x[3 * i + c] * x[3 * i + c];
    g->sums[0] = sum;
}

/* ---- sorting by digits of eight bits. LSD: all threads sort by each digit, from the lowest.
 * Buckets: all threads sort by the highest digit, then each bucket is sorted by one thread ---- */

enum { DIGITS = 256, TOP = 56, MAX_THREADS = 1024 };

static int64_t digit_counts[MAX_THREADS][DIGITS];

static inline int digit_of(uint64_t key, int shift)
{
    return (int)(key >> shift & 255) ^ (shift == TOP ? 128 : 0); /* negative keys first */
}

static void move_keys(const uint64_t *restrict from, uint64_t *restrict to, int64_t first,
                      int64_t last, int shift, int64_t *restrict at)
{
    for (int64_t i = first; i < last; i++) to[at[digit_of(from[i], shift)]++] = from[i];
}

/* Moves the keys by one digit, from `from` to `to`. Called by all threads of a parallel region.
 * ends: where the keys of each digit end. */
static void move_by_all(const uint64_t *restrict from, uint64_t *restrict to, int64_t n, int shift,
                        int64_t *ends)
{
    const int team = omp_get_num_threads(), me = omp_get_thread_num();
    const int64_t first = n * me / team, last = n * (me + 1) / team;
    int64_t at[DIGITS], sum = 0, *restrict mine = digit_counts[me];
    memset(mine, 0, sizeof digit_counts[0]);
    for (int64_t i = first; i < last; i++) mine[digit_of(from[i], shift)]++;
    PRAGMA(omp barrier)
    for (int d = 0; d < DIGITS; d++) {
        for (int t = 0; t < team; t++) {
            if (t == me) at[d] = sum;
            sum += digit_counts[t][d];
        }
        ends[d] = sum;
    }
    move_keys(from, to, first, last, shift, at);
    PRAGMA(omp barrier)
}

static void copy_share(const rival_args *g)
{
    const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
    const int64_t first = g->n * me / team, last = g->n * (me + 1) / team;
    memcpy(g->keys + first, g->unsorted + first, (size_t)(last - first) * sizeof *g->keys);
}

static void sort(const rival_args *g)
{
    TEAM(g);
    PARALLEL()
    {
        uint64_t *from = (uint64_t *)g->keys, *to = (uint64_t *)g->room;
        int64_t ends[DIGITS];
        copy_share(g);
        for (int shift = 0; shift <= TOP; shift += 8) {
            uint64_t *const before = from;
            move_by_all(from, to, g->n, shift, ends);
            from = to;
            to = before;
        }
    }
}

#ifdef OTHER
static void sort_bucket(uint64_t *from, uint64_t *to, int64_t first, int64_t last)
{
    int64_t at[TOP / 8][DIGITS];
    memset(at, 0, sizeof at);
    for (int64_t i = first; i < last; i++)
        for (int d = 0; d < TOP / 8; d++) at[d][from[i] >> 8 * d & 255]++;
    for (int d = 0; d < TOP / 8; d++) {
        int64_t sum = first;
        for (int v = 0; v < DIGITS; v++) {
            const int64_t count = at[d][v];
            at[d][v] = sum;
            sum += count;
        }
        move_keys(from, to, first, last, 8 * d, at[d]);
        uint64_t *const before = from;
        from = to;
        to = before;
    }
}

static void sort_buckets(const rival_args *g)
{
    TEAM(g);
    PARALLEL()
    {
        int64_t ends[DIGITS];
        copy_share(g);
        move_by_all((uint64_t *)g->keys, (uint64_t *)g->room, g->n, TOP, ends);
        PRAGMA(omp for schedule(dynamic))
        for (int d = 0; d < DIGITS; d++)
            sort_bucket((uint64_t *)g->room, (uint64_t *)g->keys, d > 0 ? ends[d - 1] : 0, ends[d]);
    }
}
#endif

/* An empty parallel region, in which each thread reads the bound of a loop. */
static void nothing(const rival_args *g)
{
    TEAM(g);
    const int64_t n = g->n;
    PARALLEL() { __asm__ volatile("" : : "r"(n)); }
}

/* Ten independent chains of multiply-adds, in vectors of the largest size. */
#ifdef RIVAL_SCALAR
typedef double lanes;
#elif defined(__AVX512F__)
typedef double lanes __attribute__((vector_size(64)));
#elif defined(__AVX__)
typedef double lanes __attribute__((vector_size(32)));
#else
typedef double lanes __attribute__((vector_size(16)));
#endif
enum { CHAINS = 10, STEPS = 1 << 16 };

static double fma_peak(const rival_args *g)
{
    TEAM(g);
    int team = 1;
    PARALLEL()
    {
        lanes x[CHAINS], m = {0}, add = {0};
        m += 0.999;
        add += 1e-3;
        for (int c = 0; c < CHAINS; c++) x[c] = m + c;
        for (int step = 0; step < STEPS; step++) {
            PRAGMA(GCC unroll 10)
            for (int c = 0; c < CHAINS; c++) x[c] = x[c] * m + add;
        }
        PRAGMA(GCC unroll 10)
        for (int c = 1; c < CHAINS; c++) x[0] += x[c];
        const lanes keep = x[0];
        __asm__ volatile("" : : "m"(keep)); /* so that compilers keep the loop */
        if (omp_get_thread_num() == 0) team = omp_get_num_threads();
    }
    const int width = (int)(sizeof(lanes) / sizeof(double));
    return 2.0 * (double)CHAINS * (double)STEPS * width * team;
}

const rival_set SET = {
    .name = NAME,
    .copy = copy,
    .mul = mul,
    .add = add,
    .triad = triad,
    .dot = dot,
    .stencil = stencil,
    .matvec = matvec,
    .update = update,
    .direction = direction,
    .iteration = iteration,
    .summary = summary,
    .histogram = histogram,
    .scan = scan,
    .spmv = spmv,
    .spmv_team = spmv,
    .array = array,
    .scatter = scatter,
    .force = force,
    .push = push,
    .square = square,
    .sort = sort,
    .heat = heat,
    .heat_norm = heat_norm,
    .heat_tiled = heat_tiled,
    .heat_norm_tiled = heat_norm_tiled,
    .assemble = assemble,
    .cells = cells,
    .neighbours = neighbours,
    .pairs_atomic = pairs_atomic,
    .pairs_copies = pairs_copies,
    .pack = pack,
    .unpack = unpack,
    .nothing = nothing,
    .fma = fma_peak,
};

#ifdef OTHER
const rival_set OTHER = {
    .name = OTHER_NAME,
    .spmv = spmv_without_vectors,
    .spmv_team = spmv_without_vectors,
    .force = force_branching,
    .sort = sort_buckets,
    .pack = pack_simd,
    .unpack = unpack_simd,
};
#endif
