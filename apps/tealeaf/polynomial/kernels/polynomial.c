/* Steps of Chebyshev's and Jacobi's iterations, and the first step of a polynomial as preconditioner.
 * Those with the matrix in 3-D are in polynomial_3d.c. */
#include "minx/kernel.h"

#include "kernels/tl_apply.h"
#include "kernels/tl_apply_3d.h"
#include "tl_step.h"

MX_BODY double step_2d(const tl_polynomial_args *a, int j, int k, bool weighted)
{
    return tl_polynomial_step(a, j, k, weighted, TL_APPLY(a->u, j, k));
}

MX_BODY void tl_polynomial_body(const tl_polynomial_args *a, int j, int k)
{
    (void)step_2d(a, j, k, false);
}
MX_FOR(2D, tl_polynomial)

MX_BODY void tl_polynomial_diagonal_body(const tl_polynomial_args *a, int j, int k)
{
    (void)step_2d(a, j, k, true);
}
MX_FOR(2D, tl_polynomial_diagonal)

MX_BODY void tl_polynomial_norm_body(const tl_polynomial_args *a, int j, int k, double *qq)
{
    const double q = step_2d(a, j, k, false);
    *qq += q * q;
}
MX_REDUCE(2D, tl_polynomial_norm, MX_SUM)

MX_BODY void tl_polynomial_diagonal_norm_body(const tl_polynomial_args *a, int j, int k, double *qq)
{
    const double q = step_2d(a, j, k, true);
    *qq += q * q;
}
MX_REDUCE(2D, tl_polynomial_diagonal_norm, MX_SUM)

MX_BODY void tl_polynomial_first_body(const tl_polynomial_args *a, int j, int k)
{
    const double step = a->beta * MX_AT(a->b, j, k);
    MX_AT(a->step, j, k) = step;
    MX_AT(a->next, j, k) = step;
}
MX_FOR(2D, tl_polynomial_first, MX_ITEMS_SIMD)
TL_BODY_3D(tl_polynomial_first, tl_polynomial_args)
MX_FOR(3D, tl_polynomial_first_3d, MX_ITEMS_SIMD)

MX_BODY void tl_polynomial_first_diagonal_body(const tl_polynomial_args *a, int j, int k)
{
    const double step = a->beta * MX_AT(a->b, j, k) * MX_AT(a->diagonal, j, k);
    MX_AT(a->step, j, k) = step;
    MX_AT(a->next, j, k) = step;
}
MX_FOR(2D, tl_polynomial_first_diagonal, MX_ITEMS_SIMD)
TL_BODY_3D(tl_polynomial_first_diagonal, tl_polynomial_args)
MX_FOR(3D, tl_polynomial_first_diagonal_3d, MX_ITEMS_SIMD)
