/* Conjugate gradients, Hestenes and Stiefel 1952. An iteration that is not to be done, because the
 * norm is small enough or the method broke down, leaves 0 in its entry of rr: then none after it is
 * done. */
#include "minx/kernel.h"

#include "fe_cg_kernels.h"

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

MX_BODY void fe_dot_body(const fe_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->r, i) * MX_AT(a->z, i);
}
MX_REDUCE(1D, fe_dot, MX_SUM)

#define SCALAR(a, number, scalar) MX_AT((a)->scalars, fe_scalar_at((a)->at.number, scalar))

/* Iteration number n's p . A p, or z . A z. */
#define PRODUCT(a, number)                                       \
    ((SCALAR(a, number, FE_PW) + SCALAR(a, number, FE_PW + 1)) + \
     (SCALAR(a, number, FE_PW + 2) + SCALAR(a, number, FE_PW + 3)))
MX_STATIC_ASSERT(FE_PRODUCT_PARTS == 4, "PRODUCT has 4 parts");

MX_BODY void fe_update_alpha(fe_update_args *a)
{
    const double rz = SCALAR(a, before, a->at.product);
    const double pw = PRODUCT(a, k);
    a->done = rz > 0 && sqrt(SCALAR(a, compared, FE_RR)) > a->at.tolerance && pw > 0;
    a->alpha = a->done ? rz / pw : 0;
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
    const double old = a->at.first ? 0 : SCALAR(a, earlier, a->at.product);
    a->beta = old > 0 ? SCALAR(a, before, a->at.product) / old : 0;
}

MX_BODY void fe_direction_body(const fe_direction_args *a, int i)
{
    MX_AT(a->p, i) = MX_AT(a->z, i) + a->beta * MX_AT(a->p, i);
}
MX_FOR(1D, fe_direction, MX_ITEMS_SIMD, fe_direction_beta)

/* p . A p = z . A z - beta^2 times that of the iteration before, as p and the p before are
 * conjugate. */
MX_BODY void fe_single_scalars(fe_single_args *a)
{
    const double old = a->at.first ? 0 : SCALAR(a, earlier, a->at.product);
    const double rz = SCALAR(a, before, a->at.product);
    a->beta = old > 0 ? rz / old : 0;
    a->ps = PRODUCT(a, before);
    if (!a->at.first) a->ps -= a->beta * a->beta * SCALAR(a, before, FE_PS);
    a->done = rz > 0 && sqrt(SCALAR(a, compared, FE_RR)) > a->at.tolerance && a->ps > 0;
    a->alpha = a->done ? rz / a->ps : 0;
}

MX_BODY void fe_single_body(const fe_single_args *a, int i, double *rr)
{
    const double p = MX_AT(a->z, i) + a->beta * MX_AT(a->p, i);
    const double s = MX_AT(a->w, i) + a->beta * MX_AT(a->s, i);
    const double r = MX_AT(a->r, i) - a->alpha * s;
    MX_AT(a->p, i) = p;
    MX_AT(a->s, i) = s;
    MX_AT(a->x, i) += a->alpha * p;
    MX_AT(a->r, i) = r;
    *rr += a->done ? r * r : 0;
    if (i == 0) SCALAR(a, k, FE_PS) = a->ps;
}
MX_REDUCE(1D, fe_single, MX_SUM, MX_ITEMS_SIMD, fe_single_scalars)
