/* Products with the matrix in 3-D. */
#include "minx/kernel.h"

#include "tl_apply_3d.h"
#include "tl_kernels.h"

#include <math.h>

MX_BODY void tl_residual_3d_body(const tl_residual_args *a, int i, int j, int k, double *rr)
{
    const int row = TL_ROW(i, j);
    const double r = MX_AT(a->u_start, row, k) - TL_APPLY_3D(a->u, row, k);
    MX_AT(a->r, row, k) = r;
    MX_AT(a->p, row, k) = r;
    *rr += r * r;
}
MX_REDUCE(3D, tl_residual_3d, MX_SUM)

/* Twice the part of two faces in (|A| |u|)(r, k). */
#define TL_MAGNITUDE_3D(r, k, dr, dk)                                            \
    (TL_FACE_3D(r, k, dr, dk) *                                                  \
         (fabs(MX_AT(a->u, r, k)) + fabs(MX_AT(a->u, (r) + (dr), (k) + (dk)))) + \
     TL_FACE_3D(r, k, -(dr), -(dk)) *                                            \
         (fabs(MX_AT(a->u, r, k)) + fabs(MX_AT(a->u, (r) - (dr), (k) - (dk)))))

MX_BODY void tl_error_3d_body(const tl_error_args *a, int i, int j, int k, tl_error_sums *s)
{
    const int row = TL_ROW(i, j);
    const double r = MX_AT(a->u_start, row, k) - TL_APPLY_3D(a->u, row, k);
    const double magnitude = fabs(MX_AT(a->u_start, row, k)) + fabs(MX_AT(a->u, row, k)) +
                             a->mesh.rx * TL_MAGNITUDE_3D(row, k, 0, 1) +
                             a->mesh.ry * TL_MAGNITUDE_3D(row, k, a->mesh.row, 0) +
                             a->mesh.rz * TL_MAGNITUDE_3D(row, k, a->mesh.plane, 0);
    s->rr += r * r;
    s->magnitude += magnitude * magnitude;
}
MX_REDUCE_FIELDS(3D, tl_error_3d, TL_ERROR)

MX_BODY void tl_cg_matvec_3d_body(const tl_cg_matvec_args *a, int i, int j, int k, double *pw)
{
    const int row = TL_ROW(i, j);
    const double w = TL_APPLY_3D(a->p, row, k);
    MX_AT(a->w, row, k) = w;
    *pw += MX_AT(a->p, row, k) * w;
}
MX_REDUCE(3D, tl_cg_matvec_3d, MX_SUM)
