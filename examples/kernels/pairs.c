#include "pairs.h"
#include "minx/kernel.h"

/* The force over the distance. */
MX_BODY double pairs_force(double r2)
{
    const double s2 = 1.0 / r2, s6 = s2 * s2 * s2;
    return 48.0 * s6 * (s6 - 0.5) * s2;
}

MX_BODY void pairs_atomic_body(const pairs_atomic_args *a, int i)
{
    const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2);
    const int count = MX_LOAD(a->count, i);
    double fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < count; k++) {
        const int j = MX_LOAD(a->list, i, k);
        const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);
        const double dz = z - MX_LOAD(a->x, j, 2), r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= a->cutoff2) continue;
        const double f = pairs_force(r2);
        fx += dx * f;
        fy += dy * f;
        fz += dz * f;
        mx_atomic_add(&MX_AT(a->f, j, 0), -dx * f);
        mx_atomic_add(&MX_AT(a->f, j, 1), -dy * f);
        mx_atomic_add(&MX_AT(a->f, j, 2), -dz * f);
    }
    mx_atomic_add(&MX_AT(a->f, i, 0), fx);
    mx_atomic_add(&MX_AT(a->f, i, 1), fy);
    mx_atomic_add(&MX_AT(a->f, i, 2), fz);
}
MX_FOR(1D, pairs_atomic, MX_ITEMS_PLAIN)

MX_BODY void pairs_scatter_body(const pairs_scatter_args *a, int i)
{
    const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2);
    const int count = MX_LOAD(a->count, i);
    double fx = 0, fy = 0, fz = 0;
    for (int k = 0; k < count; k++) {
        const int j = MX_LOAD(a->list, i, k);
        const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);
        const double dz = z - MX_LOAD(a->x, j, 2), r2 = dx * dx + dy * dy + dz * dz;
        if (r2 >= a->cutoff2) continue;
        const double f = pairs_force(r2);
        fx += dx * f;
        fy += dy * f;
        fz += dz * f;
        MX_SCATTER(a->f, -dx * f, j, 0);
        MX_SCATTER(a->f, -dy * f, j, 1);
        MX_SCATTER(a->f, -dz * f, j, 2);
    }
    MX_SCATTER(a->f, fx, i, 0);
    MX_SCATTER(a->f, fy, i, 1);
    MX_SCATTER(a->f, fz, i, 2);
}
MX_FOR(1D, pairs_scatter, MX_ITEMS_PLAIN)
