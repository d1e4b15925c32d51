/* Hand-written OpenMP for particles: cells, neighbour lists, half-list forces, packing. Included by
 * rivals_omp.c. */
#pragma once
#include "rivals_omp.h"

#include <string.h>

enum { CELLS_THREADS = 1024, POSITION = 3 };

static inline int cell_along(double x, double per_length, int side)
{
    const int cell = (int)(x * per_length);
    return cell < 0 ? 0 : cell < side ? cell : side - 1;
}

/* ---- count, scan, fill, in one parallel region ---- */

static void cells(const rival_args *g)
{
    TEAM(g);
    static int32_t sums[CELLS_THREADS][16]; /* a cache line each */
    const int n = (int)g->n, side = g->side, all = side * side * side + 1;
    const double per_length = g->per_length;
    const double *restrict x = g->x;
    int32_t *restrict cell = g->cell, *restrict slot = g->slot, *restrict counts = g->counts;
    int32_t *restrict begin = g->begin, *restrict order = g->order;
    PARALLEL()
    {
        const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
        const int first = (int)(all * me / team), last = (int)(all * (me + 1) / team);
        memset(counts + first, 0, (size_t)(last - first) * sizeof *counts);
        BARRIER()
        SHARED_FOR()
        for (int i = 0; i < n; i++) {
            const int cx = cell_along(x[3 * i], per_length, side);
            const int cy = cell_along(x[3 * i + 1], per_length, side);
            const int cz = cell_along(x[3 * i + 2], per_length, side);
            const int at = (cz * side + cy) * side + cx;
            int32_t before;
            PRAGMA(omp atomic capture)
            before = counts[at]++;
            cell[i] = at;
            slot[i] = before;
        }
        int32_t sum = 0;
        SIMD(reduction(+ : sum))
        for (int c = first; c < last; c++) sum += counts[c];
        sums[me][0] = sum;
        BARRIER()
        int32_t at = 0;
        for (int t = 0; t < me; t++) at += sums[t][0];
        for (int c = first; c < last; c++) {
            begin[c] = at;
            at += counts[c];
        }
        BARRIER()
        SHARED_FOR(nowait)
        for (int i = 0; i < n; i++) order[begin[cell[i]] + slot[i]] = i;
    }
}

/* ---- neighbour lists: a piece of three cells at a time ---- */

static void neighbours(const rival_args *g)
{
    TEAM(g);
    const int n = (int)g->n, side = g->side, capacity = g->capacity;
    const double cutoff2 = g->cutoff2;
    const bool half = g->half;
    const double *restrict x = g->x;
    const int32_t *restrict cell = g->cell, *restrict begins = g->begin, *restrict order = g->order;
    int32_t *restrict lists = g->list, *restrict counts = g->count;
    int32_t longest = 0;
    PARALLEL_FOR(reduction(max : longest))
    for (int i = 0; i < n; i++) {
        const double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2];
        const int cx = cell[i] % side, cy = cell[i] / side % side, cz = cell[i] / side / side;
        const int x0 = cx > 0 ? cx - 1 : 0, x1 = cx < side - 1 ? cx + 1 : cx;
        const int y0 = cy > 0 ? cy - 1 : 0, y1 = cy < side - 1 ? cy + 1 : cy;
        const int z0 = cz > 0 ? cz - 1 : 0, z1 = cz < side - 1 ? cz + 1 : cz;
        int32_t *restrict list = lists + (int64_t)i * capacity;
        const int lower = half ? i : -1;
        int count = 0;
        for (int rz = z0; rz <= z1; rz++)
            for (int ry = y0; ry <= y1; ry++) {
                const int row = (rz * side + ry) * side;
                const int end = begins[row + x1 + 1];
                for (int k = begins[row + x0]; k < end; k++) {
                    const int j = order[k];
                    if (j == i || j <= lower) continue;
                    const double dx = xi - x[3 * j], dy = yi - x[3 * j + 1];
                    const double dz = zi - x[3 * j + 2], r2 = dx * dx + dy * dy + dz * dz;
                    if (count < capacity) list[count] = j;
                    count += r2 <= cutoff2;
                }
            }
        if (count != capacity) list[count < capacity ? count : capacity - 1] = -1;
        counts[i] = count;
        longest = longest < count ? count : longest;
    }
    *g->longest = longest;
}

/* ---- forces from half lists ---- */

static inline double pull_of(double r2)
{
    const double s2 = 1.0 / r2, s6 = s2 * s2 * s2;
    return 48.0 * s6 * (s6 - 0.5) * s2;
}

/* The pairs of particle i; ADD(at, x) adds to an element of the forces. branching: pairs beyond the
 * cutoff are left out, else their force is zero. An atomic takes longer than a branch, even one that
 * is mispredicted half of the time; an ordinary addition takes less. */
#define PAIRS_OF(ADD, branching)                                                             \
    {                                                                                        \
        const double xi = x[3 * i], yi = x[3 * i + 1], zi = x[3 * i + 2];                    \
        const int32_t *restrict list = lists + (int64_t)i * capacity;                        \
        const int count = counts[i];                                                         \
        double fx = 0, fy = 0, fz = 0;                                                       \
        for (int k = 0; k < count; k++) {                                                    \
            const int64_t j = list[k];                                                       \
            const double dx = xi - x[3 * j], dy = yi - x[3 * j + 1], dz = zi - x[3 * j + 2]; \
            const double r2 = dx * dx + dy * dy + dz * dz;                                   \
            if (branching && r2 >= cutoff2) continue;                                        \
            const double pull = pull_of(r2) * (branching || r2 < cutoff2);                   \
            fx += dx * pull;                                                                 \
            fy += dy * pull;                                                                 \
            fz += dz * pull;                                                                 \
            ADD(3 * j, -dx * pull)                                                           \
            ADD(3 * j + 1, -dy * pull)                                                       \
            ADD(3 * j + 2, -dz * pull)                                                       \
        }                                                                                    \
        ADD(3 * (int64_t)i, fx)                                                              \
        ADD(3 * (int64_t)i + 1, fy)                                                          \
        ADD(3 * (int64_t)i + 2, fz)                                                          \
    }
#define ADD_ATOMIC(at, v)        \
    {                            \
        const double add_ = (v); \
        PRAGMA(omp atomic)       \
        f[at] += add_;           \
    }
#define ADD_PLAIN(at, v) mine[at] += (v);
#define PAIRS_ARGS(g)                                                         \
    const int n = (int)(g)->n, capacity = (g)->capacity;                      \
    const double cutoff2 = (g)->cutoff2;                                      \
    const double *restrict x = (g)->x;                                        \
    const int32_t *restrict lists = (g)->list, *restrict counts = (g)->count; \
    double *restrict f = (g)->f

static void pairs_atomic(const rival_args *g)
{
    TEAM(g);
    PAIRS_ARGS(g);
    PARALLEL()
    {
        const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
        const int64_t first = n * me / team * POSITION, last = n * (me + 1) / team * POSITION;
        memset(f + first, 0, (size_t)(last - first) * sizeof *f);
        BARRIER()
        SHARED_FOR(nowait)
        for (int i = 0; i < n; i++) PAIRS_OF(ADD_ATOMIC, true)
    }
}

static void pairs_copies(const rival_args *g)
{
    TEAM(g);
    PAIRS_ARGS(g);
    double *const copies = g->copies;
    const int64_t components = (int64_t)n * POSITION;
    PARALLEL()
    {
        const int64_t team = omp_get_num_threads(), me = omp_get_thread_num();
        double *restrict mine = team > 1 ? copies + components * me : f;
        memset(mine, 0, (size_t)components * sizeof *mine);
        SHARED_FOR()
        for (int i = 0; i < n; i++) PAIRS_OF(ADD_PLAIN, false)
        const int64_t first = components * me / team, last = components * (me + 1) / team;
        const double *restrict second = copies + components;
        if (team > 1) {
            SIMD()
            for (int64_t e = first; e < last; e++) f[e] = copies[e] + second[e];
        }
        for (int64_t t = 2; t < team; t++) {
            const double *restrict other = copies + components * t;
            SIMD()
            for (int64_t e = first; e < last; e++) f[e] += other[e];
        }
    }
}

/* ---- positions into a buffer and out of it: by loads and stores of three, and by gathers and
 * scatters ---- */

#define PACK(name, LOOP, MOVE)                                                          \
    static void name(const rival_args *g)                                               \
    {                                                                                   \
        TEAM(g);                                                                        \
        const int64_t n = g->n;                                                         \
        double *restrict x = g->x, *restrict buffer = g->buffer;                        \
        const int32_t *restrict index = g->index;                                       \
        LOOP()                                                                          \
        for (int64_t k = 0; k < n; k++) {                                               \
            double *restrict const one = x + 3 * (int64_t)index[k], *const packed =     \
                                                                        buffer + 3 * k; \
            MOVE(0);                                                                    \
            MOVE(1);                                                                    \
            MOVE(2);                                                                    \
        }                                                                               \
    }
#define MOVE_OUT(c) packed[c] = one[c]
#define MOVE_IN(c) one[c] = packed[c]
PACK(pack, PARALLEL_FOR, MOVE_OUT)
PACK(unpack, PARALLEL_FOR, MOVE_IN)
#ifdef OTHER
PACK(pack_simd, PARALLEL_FOR_SIMD, MOVE_OUT)
PACK(unpack_simd, PARALLEL_FOR_SIMD, MOVE_IN)
#endif
