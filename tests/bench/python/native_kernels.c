/* As one writes them in C, with what docs/performance.md and minx's own apps recommend. */
#include "native_kernels.h"
#include "minx/kernel.h"
#include "minx/math.h"

MX_BODY void native_axpy_body(const native_axpy_args *a, int i)
{
    MX_AT(a->y, i) += a->alpha * MX_LOAD(a->x, i);
}
MX_FOR(1D, native_axpy)

MX_BODY void native_triad_body(const native_triad_args *a, int i)
{
    MX_AT(a->a, i) = MX_LOAD(a->b, i) + a->s * MX_LOAD(a->c, i);
}
MX_FOR(1D, native_triad)

MX_BODY void native_stencil_body(const native_stencil_args *a, int i, int j, int k)
{
    const double u = MX_LOAD(a->u, i, j, k);
    MX_AT(a->out, i, j, k) =
        u + a->c * (MX_LOAD(a->u, i - 1, j, k) + MX_LOAD(a->u, i + 1, j, k) +
                    MX_LOAD(a->u, i, j - 1, k) + MX_LOAD(a->u, i, j + 1, k) +
                    MX_LOAD(a->u, i, j, k - 1) + MX_LOAD(a->u, i, j, k + 1) - 6 * u);
}
MX_FOR(3D, native_stencil)

/* The sum of y A x over all elements: a team for each element, its threads share the rows, and
 * their lanes the columns. */
MX_BODY void native_yax_body(const native_yax_args *a, mx_team *t, double *sum)
{
    const int e = t->league_rank;
    double total = 0;
    MX_TEAM_FOR (t, j, 0, (int)MX_EXTENT(a->matrix, 1)) {
        double row;
        MX_VECTOR_SUM (t, i, 0, (int)MX_EXTENT(a->matrix, 2), row)
            row += MX_LOAD(a->matrix, e, j, i) * MX_LOAD(a->x, e, i);
        total += MX_LOAD(a->y, e, j) * row;
    }
    MX_VECTOR_SINGLE (t) *sum += total;
}
MX_REDUCE(TEAM, native_yax, MX_SUM)

MX_BODY void native_lj_body(const native_lj_args *a, int i)
{
    const double x = MX_LOAD(a->x, i, 0), y = MX_LOAD(a->x, i, 1), z = MX_LOAD(a->x, i, 2);
    const int neighbours = MX_AT(a->count, i);
    double fx = 0, fy = 0, fz = 0;
    MX_UNROLL(4)
    MX_SIMD_SUM(fx, fy, fz)
    for (int n = 0; n < neighbours; n++) {
        const int j = MX_AT(a->neighbours, i, n);
        const double dx = x - MX_LOAD(a->x, j, 0), dy = y - MX_LOAD(a->x, j, 1);
        const double dz = z - MX_LOAD(a->x, j, 2), square = dx * dx + dy * dy + dz * dz;
        const double inverse2 = mx_recip(square), inverse6 = inverse2 * inverse2 * inverse2;
        const double force =
            square < a->cutoff2 ? inverse6 * (a->lj1 * inverse6 - a->lj2) * inverse2 : 0.0;
        fx += dx * force;
        fy += dy * force;
        fz += dz * force;
    }
    MX_AT(a->f, i, 0) = fx;
    MX_AT(a->f, i, 1) = fy;
    MX_AT(a->f, i, 2) = fz;
}
MX_FOR(1D, native_lj, MX_ITEMS_RESIDENT_4)
