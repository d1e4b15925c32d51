/* Conjugate gradients, Hestenes and Stiefel 1952, in the three kernels of one iteration; residuals;
 * products of vectors. */
#include "minx/kernel.h"

#include "tl_apply.h"
#include "tl_kernels.h"

#include <math.h>

MX_BODY void tl_residual_cell(const tl_residual_args *a, int row, int k, bool solid, double *rr)
{
    const double r = MX_AT(a->u_start, row, k) - tl_apply_at(&a->mesh, &a->v, &a->u, row, k, solid);
    MX_AT(a->r, row, k) = r;
    *rr += r * r;
}
TL_SUM_BODIES(tl_residual, tl_residual_args, double)
MX_REDUCE(2D, tl_residual, MX_SUM)
MX_REDUCE(3D, tl_residual_3d, MX_SUM)

/* What the two faces towards the cells dr rows and dk columns away add to (|A| |u|)(row, k), without
 * the weight of the direction. */
MX_BODY double magnitude_of_faces(const tl_error_args *a, int row, int k, int dr, int dk)
{
    const double v = MX_AT(a->v, row, k), u = fabs(MX_AT(a->u, row, k));
    return (v + MX_AT(a->v, row + dr, k + dk)) * (u + fabs(MX_AT(a->u, row + dr, k + dk))) +
           (v + MX_AT(a->v, row - dr, k - dk)) * (u + fabs(MX_AT(a->u, row - dr, k - dk)));
}

MX_BODY void tl_error_cell(const tl_error_args *a, int row, int k, bool solid, tl_error_sums *s)
{
    const tl_mesh *const m = &a->mesh;
    const double r = MX_AT(a->u_start, row, k) - tl_apply_at(m, &a->v, &a->u, row, k, solid);
    double magnitude = fabs(MX_AT(a->u_start, row, k)) + fabs(MX_AT(a->u, row, k)) +
                       m->rx * magnitude_of_faces(a, row, k, 0, 1) +
                       m->ry * magnitude_of_faces(a, row, k, tl_next_row(m, solid), 0);
    if (solid) magnitude += m->rz * magnitude_of_faces(a, row, k, m->plane, 0);
    s->rr += r * r;
    s->magnitude += magnitude * magnitude;
}
TL_SUM_BODIES(tl_error, tl_error_args, tl_error_sums)
MX_REDUCE_FIELDS(2D, tl_error, TL_ERROR)
MX_REDUCE_FIELDS(3D, tl_error_3d, TL_ERROR)

MX_BODY void tl_cg_matvec_cell(const tl_cg_matvec_args *a, int row, int k, bool solid, double *pw)
{
    const double w = tl_apply_at(&a->mesh, &a->v, &a->p, row, k, solid);
    MX_AT(a->w, row, k) = w;
    *pw += MX_AT(a->p, row, k) * w;
}
TL_SUM_BODIES(tl_cg_matvec, tl_cg_matvec_args, double)
MX_REDUCE(2D, tl_cg_matvec, MX_SUM)
MX_REDUCE(3D, tl_cg_matvec_3d, MX_SUM)

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

MX_BODY void tl_dot_body(const tl_dot_args *a, int j, int k, double *sum)
{
    *sum += MX_AT(a->r, j, k) * MX_AT(a->z, j, k);
}
MX_REDUCE(2D, tl_dot, MX_SUM, MX_ITEMS_SIMD)
TL_SUM_BODY_3D(tl_dot, tl_dot_args, double)
MX_REDUCE(3D, tl_dot_3d, MX_SUM, MX_ITEMS_SIMD)

MX_BODY void tl_dot_change_alpha(tl_dot_args *a)
{
    const double pw = MX_AT(a->pw, a->product);
    a->alpha = pw > 0 ? MX_AT(a->rr, a->before) / pw : 0.0;
}

MX_BODY void tl_dot_change_body(const tl_dot_args *a, int j, int k, double *sum)
{
    *sum -= a->alpha * MX_AT(a->w, j, k) * MX_AT(a->z, j, k);
}
MX_REDUCE(2D, tl_dot_change, MX_SUM, MX_ITEMS_SIMD, tl_dot_change_alpha)
TL_SUM_BODY_3D(tl_dot_change, tl_dot_args, double)
MX_REDUCE(3D, tl_dot_change_3d, MX_SUM, MX_ITEMS_SIMD, tl_dot_change_alpha)
