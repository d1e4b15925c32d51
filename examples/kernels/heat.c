#include "heat.h"
#include "minx/kernel.h"

/* The change of a cell that has temperature u. */
MX_BODY double heat_change(const heat_args *a, double u, int i, int j, int k)
{
    const double along_i = MX_LOAD(a->u, i - 1, j, k) + MX_LOAD(a->u, i + 1, j, k);
    const double along_j = MX_LOAD(a->u, i, j - 1, k) + MX_LOAD(a->u, i, j + 1, k);
    const double along_k = MX_LOAD(a->u, i, j, k - 1) + MX_LOAD(a->u, i, j, k + 1);
    return a->k * (along_i + along_j + along_k - 6.0 * u);
}

MX_BODY void heat_step_body(const heat_args *a, int i, int j, int k)
{
    const double u = MX_LOAD(a->u, i, j, k);
    MX_AT(a->fresh, i, j, k) = u + heat_change(a, u, i, j, k);
}
MX_FOR(3D, heat_step)

MX_BODY void heat_step_norm_body(const heat_args *a, int i, int j, int k, double *norm2)
{
    const double u = MX_LOAD(a->u, i, j, k), change = heat_change(a, u, i, j, k);
    MX_AT(a->fresh, i, j, k) = u + change;
    *norm2 += change * change;
}
MX_REDUCE(3D, heat_step_norm, MX_SUM)
