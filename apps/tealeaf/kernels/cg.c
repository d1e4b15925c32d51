/* Conjugate gradients, Hestenes and Stiefel 1952, in the three kernels of one iteration. Those of
 * the matrix in 3-D are in matrix_3d.c. */
#include "minx/kernel.h"

#include "tl_apply.h"
#include "tl_apply_3d.h"
#include "tl_kernels.h"

#include <math.h>

MX_BODY void tl_residual_body(const tl_residual_args *a, int j, int k, double *rr)
{
    const double r = MX_AT(a->u_start, j, k) - TL_APPLY(a->u, j, k);
    MX_AT(a->r, j, k) = r;
    *rr += r * r;
}
MX_REDUCE(2D, tl_residual, MX_SUM)

/* The part of the face towards (jj, kk) in (|A| |u|)(j, k). */
#define TL_FACE(weight, jj, kk)                             \
    ((weight) * (MX_AT(a->v, j, k) + MX_AT(a->v, jj, kk)) * \
     (fabs(MX_AT(a->u, j, k)) + fabs(MX_AT(a->u, jj, kk))))

MX_BODY void tl_error_body(const tl_error_args *a, int j, int k, tl_error_sums *s)
{
    const double r = MX_AT(a->u_start, j, k) - TL_APPLY(a->u, j, k);
    const double magnitude = fabs(MX_AT(a->u_start, j, k)) + fabs(MX_AT(a->u, j, k)) +
                             TL_FACE(a->mesh.rx, j, k - 1) + TL_FACE(a->mesh.rx, j, k + 1) +
                             TL_FACE(a->mesh.ry, j - 1, k) + TL_FACE(a->mesh.ry, j + 1, k);
    s->rr += r * r;
    s->magnitude += magnitude * magnitude;
}
MX_REDUCE_FIELDS(2D, tl_error, TL_ERROR)

MX_BODY void tl_cg_matvec_body(const tl_cg_matvec_args *a, int j, int k, double *pw)
{
    const double w = TL_APPLY(a->p, j, k);
    MX_AT(a->w, j, k) = w;
    *pw += MX_AT(a->p, j, k) * w;
}
MX_REDUCE(2D, tl_cg_matvec, MX_SUM)

/* All loads come before the condition, so that a GPU need not wait for one after the other. */
MX_BODY void tl_cg_update_alpha(tl_cg_update_args *a)
{
    const double before = MX_AT(a->rr, a->before), pw = MX_AT(a->pw, a->product);
    const bool going = MX_AT(a->rr, a->norm) > a->tolerance;
    a->alpha = going ? before / pw : 0.0;
}

MX_BODY void tl_cg_update_body(const tl_cg_update_args *a, int j, int k, double *rr)
{
    const double r = MX_AT(a->r, j, k) - a->alpha * MX_AT(a->w, j, k);
    MX_AT(a->u, j, k) += a->alpha * MX_AT(a->p, j, k);
    MX_AT(a->r, j, k) = r;
    *rr += r * r;
}
MX_REDUCE(2D, tl_cg_update, MX_SUM, MX_ITEMS_SIMD, tl_cg_update_alpha)
TL_SUM_BODY_3D(tl_cg_update, tl_cg_update_args, double)
MX_REDUCE(3D, tl_cg_update_3d, MX_SUM, MX_ITEMS_SIMD, tl_cg_update_alpha)

MX_BODY void tl_cg_direction_beta(tl_cg_direction_args *a)
{
    const double now = MX_AT(a->rr, a->now), before = MX_AT(a->rr, a->before);
    const bool going = MX_AT(a->rr, a->norm) > a->tolerance;
    a->beta = going ? now / before : 0.0;
}

MX_BODY void tl_cg_direction_body(const tl_cg_direction_args *a, int j, int k)
{
    MX_AT(a->p, j, k) = MX_AT(a->r, j, k) + a->beta * MX_AT(a->p, j, k);
}
MX_FOR(2D, tl_cg_direction, MX_ITEMS_SIMD, tl_cg_direction_beta)
TL_BODY_3D(tl_cg_direction, tl_cg_direction_args)
MX_FOR(3D, tl_cg_direction_3d, MX_ITEMS_SIMD, tl_cg_direction_beta)
