/* Conjugate gradients, Hestenes and Stiefel 1952. An iteration that is not to be done, because the norm is small enough or the
 * method broke down, leaves 0 in its entry of rr: then none after it is done. */
#include "minx/kernel.h"

#include "fe_kernels.h"

MX_BODY void fe_copy_body(const fe_start_args *a, int i) { MX_AT(a->p, i) = MX_AT(a->x, i); }
MX_FOR(1D, fe_copy)

MX_BODY void fe_start_body(const fe_start_args *a, int i, double *rr)
{
    const double r = MX_AT(a->b, i) - MX_AT(a->w, i);
    MX_AT(a->r, i) = r;
    MX_AT(a->p, i) = r;
    *rr += r * r;
}
MX_REDUCE(1D, fe_start, MX_SUM)

MX_BODY void fe_update_alpha(fe_update_args *a)
{
    const double rr = MX_AT(a->rr, a->scalars.before), pw = MX_AT(a->pw, a->scalars.now);
    const double compared = sqrt(MX_AT(a->rr, a->scalars.compared));
    a->done = rr > 0 && compared > a->scalars.tolerance && pw > 0;
    a->alpha = a->done ? rr / pw : 0;
}

MX_BODY void fe_update_body(const fe_update_args *a, int i, double *rr)
{
    const double r = MX_AT(a->r, i) - a->alpha * MX_AT(a->w, i);
    MX_AT(a->x, i) += a->alpha * MX_AT(a->p, i);
    MX_AT(a->r, i) = r;
    *rr += a->done ? r * r : 0;
}
MX_REDUCE(1D, fe_update, MX_SUM, MX_ITEMS_SIMD, fe_update_alpha)

MX_BODY void fe_direction_beta(fe_direction_args *a)
{
    const double old = MX_AT(a->rr, a->scalars.before);
    a->beta = old > 0 ? MX_AT(a->rr, a->scalars.now) / old : 0;
}

MX_BODY void fe_direction_body(const fe_direction_args *a, int i)
{
    MX_AT(a->p, i) = MX_AT(a->r, i) + a->beta * MX_AT(a->p, i);
}
MX_FOR(1D, fe_direction, MX_ITEMS_SIMD, fe_direction_beta)
