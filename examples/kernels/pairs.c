#include "pairs.h"
#include "minx/kernel.h"
#include "minx/math.h"
#include "minx/team.h"

typedef struct pairs_vector {
    double x, y, z;
} pairs_vector;

MX_BODY pairs_vector pairs_position(const pairs_points *points, int i)
{
    const pairs_vector position = {MX_LOAD(*points, i, 0), MX_LOAD(*points, i, 1),
                                   MX_LOAD(*points, i, 2)};
    return position;
}

/* The force of particle j on a particle at this position is factor times displacement. They are
 * returned instead of their product, so that each addition to a sum is one fused operation. With
 * branching it returns false for a particle beyond the cutoff, without it true and the factor 0.
 * On hosts the second form takes half the time, as many branches are mispredicted; but it takes
 * longer if additions are atomics. */
MX_BODY bool pairs_force(const pairs_points *points, pairs_vector position, int j, double cutoff2,
                         bool branching, pairs_vector *displacement, double *factor)
{
    const pairs_vector other = pairs_position(points, j);
    const double dx = position.x - other.x, dy = position.y - other.y, dz = position.z - other.z;
    const double r2 = dx * dx + dy * dy + dz * dz;
    if (branching && r2 >= cutoff2) return false;
    const double s2 = mx_recip(r2), s6 = s2 * s2 * s2;
    *factor = 48.0 * s6 * (s6 - 0.5) * s2 * (branching || r2 < cutoff2);
    displacement->x = dx;
    displacement->y = dy;
    displacement->z = dz;
    return true;
}

MX_BODY void pairs_add(pairs_vector *sum, double factor, const pairs_vector *v)
{
    sum->x += factor * v->x;
    sum->y += factor * v->y;
    sum->z += factor * v->z;
}

MX_BODY void pairs_atomic_body(const pairs_atomic_args *a, int i)
{
    const pairs_vector position = pairs_position(&a->x, i);
    const int count = MX_LOAD(a->count, i);
    pairs_vector sum = {0, 0, 0}, d;
    double factor;
    MX_UNROLL(4)
    for (int k = 0; k < count; k++) {
        const int j = MX_LOAD(a->list, i, k);
        if (!pairs_force(&a->x, position, j, a->cutoff2, true, &d, &factor)) continue;
        pairs_add(&sum, factor, &d);
        mx_atomic_add(&MX_AT(a->f, j, 0), -factor * d.x);
        mx_atomic_add(&MX_AT(a->f, j, 1), -factor * d.y);
        mx_atomic_add(&MX_AT(a->f, j, 2), -factor * d.z);
    }
    mx_atomic_add(&MX_AT(a->f, i, 0), sum.x);
    mx_atomic_add(&MX_AT(a->f, i, 1), sum.y);
    mx_atomic_add(&MX_AT(a->f, i, 2), sum.z);
}
MX_FOR(1D, pairs_atomic, MX_ITEMS_RESIDENT_4)

MX_BODY void pairs_atomic_team_body(const pairs_atomic_args *a, mx_team *t)
{
    const int particles = (int)MX_EXTENT(a->x, 0), i0 = t->league_rank * PAIRS_PARTICLES;
    const int i1 = i0 + PAIRS_PARTICLES < particles ? i0 + PAIRS_PARTICLES : particles;
    MX_TEAM_FOR (t, i, i0, i1) {
        const pairs_vector position = pairs_position(&a->x, i);
        const int count = MX_LOAD(a->count, i);
        double fx, fy, fz;
        MX_VECTOR_SUM (t, k, 0, count, fx, fy, fz) {
            const int j = MX_LOAD(a->list, i, k);
            pairs_vector d;
            double factor;
            if (!pairs_force(&a->x, position, j, a->cutoff2, true, &d, &factor)) continue;
            fx += factor * d.x;
            fy += factor * d.y;
            fz += factor * d.z;
            mx_atomic_add(&MX_AT(a->f, j, 0), -factor * d.x);
            mx_atomic_add(&MX_AT(a->f, j, 1), -factor * d.y);
            mx_atomic_add(&MX_AT(a->f, j, 2), -factor * d.z);
        }
        MX_VECTOR_SINGLE (t) {
            mx_atomic_add(&MX_AT(a->f, i, 0), fx);
            mx_atomic_add(&MX_AT(a->f, i, 1), fy);
            mx_atomic_add(&MX_AT(a->f, i, 2), fz);
        }
    }
}
MX_FOR(TEAM, pairs_atomic_team)

/* The same, but each item adds by the scatter view. */
MX_BODY void pairs_scatter_body(const pairs_scatter_args *a, int i)
{
    const pairs_vector position = pairs_position(&a->x, i);
    const int count = MX_LOAD(a->count, i);
    pairs_vector sum = {0, 0, 0}, d;
    double factor;
    MX_UNROLL(4)
    for (int k = 0; k < count; k++) {
        const int j = MX_LOAD(a->list, i, k);
        if (!pairs_force(&a->x, position, j, a->cutoff2, MX_ON_DEVICE, &d, &factor)) continue;
        pairs_add(&sum, factor, &d);
        MX_SCATTER(a->f, -factor * d.x, j, 0);
        MX_SCATTER(a->f, -factor * d.y, j, 1);
        MX_SCATTER(a->f, -factor * d.z, j, 2);
    }
    MX_SCATTER(a->f, sum.x, i, 0);
    MX_SCATTER(a->f, sum.y, i, 1);
    MX_SCATTER(a->f, sum.z, i, 2);
}
MX_FOR(1D, pairs_scatter, MX_ITEMS_RESIDENT_4)

MX_BODY void pairs_scatter_team_body(const pairs_scatter_args *a, mx_team *t)
{
    const int particles = (int)MX_EXTENT(a->x, 0), i0 = t->league_rank * PAIRS_PARTICLES;
    const int i1 = i0 + PAIRS_PARTICLES < particles ? i0 + PAIRS_PARTICLES : particles;
    MX_TEAM_FOR (t, i, i0, i1) {
        const pairs_vector position = pairs_position(&a->x, i);
        const int count = MX_LOAD(a->count, i);
        double fx, fy, fz;
        MX_VECTOR_SUM (t, k, 0, count, fx, fy, fz) {
            const int j = MX_LOAD(a->list, i, k);
            pairs_vector d;
            double factor;
            if (!pairs_force(&a->x, position, j, a->cutoff2, MX_ON_DEVICE, &d, &factor)) continue;
            fx += factor * d.x;
            fy += factor * d.y;
            fz += factor * d.z;
            MX_SCATTER(a->f, -factor * d.x, j, 0);
            MX_SCATTER(a->f, -factor * d.y, j, 1);
            MX_SCATTER(a->f, -factor * d.z, j, 2);
        }
        MX_VECTOR_SINGLE (t) {
            MX_SCATTER(a->f, fx, i, 0);
            MX_SCATTER(a->f, fy, i, 1);
            MX_SCATTER(a->f, fz, i, 2);
        }
    }
}
MX_FOR(TEAM, pairs_scatter_team)
