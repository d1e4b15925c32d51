/* Steps in 3-D: see polynomial.c. */
#include "minx/kernel.h"

#include "kernels/tl_apply_3d.h"
#include "tl_step.h"

MX_BODY double step_3d(const tl_polynomial_args *a, int row, int k, bool weighted)
{
    return tl_polynomial_step(a, row, k, weighted, TL_APPLY_3D(a->u, row, k));
}

MX_BODY void tl_polynomial_3d_body(const tl_polynomial_args *a, int i, int j, int k)
{
    (void)step_3d(a, TL_ROW(i, j), k, false);
}
MX_FOR(3D, tl_polynomial_3d)

MX_BODY void tl_polynomial_diagonal_3d_body(const tl_polynomial_args *a, int i, int j, int k)
{
    (void)step_3d(a, TL_ROW(i, j), k, true);
}
MX_FOR(3D, tl_polynomial_diagonal_3d)

MX_BODY void tl_polynomial_norm_3d_body(const tl_polynomial_args *a, int i, int j, int k,
                                        double *qq)
{
    const double q = step_3d(a, TL_ROW(i, j), k, false);
    *qq += q * q;
}
MX_REDUCE(3D, tl_polynomial_norm_3d, MX_SUM)

MX_BODY void tl_polynomial_diagonal_norm_3d_body(const tl_polynomial_args *a, int i, int j, int k,
                                                 double *qq)
{
    const double q = step_3d(a, TL_ROW(i, j), k, true);
    *qq += q * q;
}
MX_REDUCE(3D, tl_polynomial_diagonal_norm_3d, MX_SUM)
