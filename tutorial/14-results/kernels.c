/* The kernels of lesson 13. */
#include "kernels.h"

#include "minx/kernel.h"

MX_BODY void ripple_app_begin_body(const ripple_app_args *a, int j, int k)
{
    const double y = (double)(a->first[0] + j - 1) / a->n, x = (double)(a->first[1] + k - 1) / a->n;
    MX_AT(a->u, j, k) = sin(2 * MX_PI * y) * cos(2 * MX_PI * x);
}
MX_FOR(2D, ripple_app_begin)

MX_BODY void ripple_app_step_body(const ripple_app_args *a, int j, int k)
{
    const double at = MX_AT(a->u, j, k), around = MX_AT(a->u, j - 1, k) + MX_AT(a->u, j + 1, k) +
                                                  MX_AT(a->u, j, k - 1) + MX_AT(a->u, j, k + 1);
    MX_AT(a->next, j, k) = at + a->r * (around - 4 * at);
}
MX_FOR(2D, ripple_app_step)

MX_BODY void ripple_app_energy_body(const ripple_app_args *a, int j, int k, double *sum)
{
    *sum += MX_AT(a->u, j, k) * MX_AT(a->u, j, k);
}
MX_REDUCE(2D, ripple_app_energy, MX_SUM)
