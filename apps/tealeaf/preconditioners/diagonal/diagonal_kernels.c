#include "minx/kernel.h"

#include "kernels/tl_apply.h"
#include "kernels/tl_kernels.h"

MX_BODY void tl_precondition_diagonal_body(const tl_precondition_args *a, int j, int k, double *rz)
{
    const double r = MX_AT(a->r, j, k), z = r * MX_AT(a->diagonal, j, k);
    MX_AT(a->z, j, k) = z;
    *rz += r * z;
}
MX_REDUCE(2D, tl_precondition_diagonal, MX_SUM, MX_ITEMS_SIMD)
TL_SUM_BODY_3D(tl_precondition_diagonal, tl_precondition_args, double)
MX_REDUCE(3D, tl_precondition_diagonal_3d, MX_SUM, MX_ITEMS_SIMD)
