#include "minx/kernel.h"

#include "minx/math.h"

#include "mix.h"
#include "particle_kernels.h"

MX_BODY void bench_set_keys_body(const bench_set_keys_args *a, int i)
{
    MX_AT(a->keys, i) = (int64_t)bench_mix((uint64_t)i);
}
MX_FOR(1D, bench_set_keys)

MX_BODY void bench_set_halves_body(const bench_set_halves_args *a, int i)
{
    MX_AT(a->index, i) = 2 * i + (int)(bench_mix((uint64_t)i) & 1);
}
MX_FOR(1D, bench_set_halves)

MX_BODY void bench_set_points_body(const bench_set_points_args *a, int i)
{
    const int cell = i / 4, site = i % 4, s = a->side;
    const uint64_t bits = bench_mix((uint64_t)i);
    for (int c = 0; c < 3; c++) {
        const int at = c == 0 ? cell % s : c == 1 ? cell / s % s : cell / s / s;
        /* site 0 is the cell's corner, each other one in the middle of one of its sides: c is the
         * one it is not moved along */
        const double middle = site > 0 && site - 1 != c ? 0.5 : 0.0;
        const double moved = (double)(bits >> 21 * c & 1023) / 1023.0 - 0.5;
        MX_AT(a->x, i, c) = BENCH_CELL * (at + middle) + 0.4 * moved;
    }
}
MX_FOR(1D, bench_set_points, MX_ITEMS_PLAIN)

/* Two cells in each direction are far enough. */
MX_BODY void bench_set_lists_body(const bench_set_lists_args *a, int i)
{
    enum { NEAR = 5 };
    const int s = a->side, cell = i / 4;
    int count = 0;
    for (int n = 0; n < NEAR * NEAR * NEAR * 4; n++) {
        const int cx = cell % s + n / 4 % NEAR - 2, cy = cell / s % s + n / (4 * NEAR) % NEAR - 2;
        const int cz = cell / s / s + n / (4 * NEAR * NEAR) - 2;
        const int j = 4 * ((cz * s + cy) * s + cx) + n % 4;
        if (cx < 0 || cx >= s || cy < 0 || cy >= s || cz < 0 || j >= a->particles || j == i)
            continue;
        const double dx = MX_AT(a->x, i, 0) - MX_AT(a->x, j, 0);
        const double dy = MX_AT(a->x, i, 1) - MX_AT(a->x, j, 1);
        const double dz = MX_AT(a->x, i, 2) - MX_AT(a->x, j, 2);
        if (dx * dx + dy * dy + dz * dz > BENCH_LIST_CUTOFF * BENCH_LIST_CUTOFF) continue;
        if (count < BENCH_NEIGHBOURS) MX_AT(a->list, i, count++) = j;
    }
    MX_AT(a->count, i) = count;
}
MX_FOR(1D, bench_set_lists, MX_ITEMS_PLAIN)

#define FORCE(name)                                                                             \
    MX_BODY void name##_body(const name##_args *a, int i)                                       \
    {                                                                                           \
        const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2); \
        const double cutoff2 = a->cutoff2;                                                      \
        const int count = MX_AT(a->count, i);                                                   \
        double fx = 0, fy = 0, fz = 0;                                                          \
        MX_UNROLL(4)                                                                            \
        MX_SIMD_SUM(fx, fy, fz)                                                                 \
        for (int k = 0; k < count; k++) {                                                       \
            const int j = MX_LOAD(a->list, i, k);                                               \
            const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);            \
            const double dz = z - MX_LOAD(a->x, j, 2), r2 = dx * dx + dy * dy + dz * dz;        \
            const double s2 = mx_recip(r2), s6 = s2 * s2 * s2;                                  \
            const double f = r2 < cutoff2 ? 48.0 * s6 * (s6 - 0.5) * s2 : 0.0;                  \
            fx += dx * f;                                                                       \
            fy += dy * f;                                                                       \
            fz += dz * f;                                                                       \
        }                                                                                       \
        MX_AT(a->f, i, 0) = fx;                                                                 \
        MX_AT(a->f, i, 1) = fy;                                                                 \
        MX_AT(a->f, i, 2) = fz;                                                                 \
    }                                                                                           \
    MX_FOR(1D, name, MX_ITEMS_RESIDENT_4)
FORCE(bench_force)
FORCE(bench_force_l)
FORCE(bench_force_r)

MX_BODY void bench_push_body(const bench_push_args *a, int i, int c)
{
    MX_AT(a->f, i, c) += a->s * MX_AT(a->x, i, c);
}
MX_FOR(2D, bench_push)

MX_BODY void bench_square_body(const bench_square_args *a, int i, int c, double *sum)
{
    const double x = MX_AT(a->x, i, c);
    *sum += x * x;
}
MX_REDUCE(2D, bench_square, MX_SUM)

MX_BODY void bench_scatter_body(const bench_scatter_args *a, int i)
{
    MX_SCATTER(a->bins, (int64_t)1, MX_AT(a->index, i));
}
MX_FOR(1D, bench_scatter)
