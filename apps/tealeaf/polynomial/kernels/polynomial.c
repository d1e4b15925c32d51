/* Steps of Chebyshev's and Jacobi's iterations, and the first step of a polynomial as
 * preconditioner. */
#include "minx/kernel.h"

#include "kernels/tl_apply.h"
#include "polynomial/tl_polynomial.h"

/* Takes the step in a cell, and returns q = b - A u. weighted: M is the diagonal of A, else 1. */
MX_BODY double step(const tl_polynomial_args *a, int row, int k, bool solid, bool weighted)
{
    const double u = MX_AT(a->u, row, k);
    const double q = MX_AT(a->b, row, k) - tl_apply_at(&a->mesh, &a->v, &a->u, row, k, solid);
    const double z = weighted ? q * MX_AT(a->diagonal, row, k) : q;
    const double change = a->alpha * MX_AT(a->step, row, k) + a->beta * z;
    MX_AT(a->step, row, k) = change;
    MX_AT(a->next, row, k) = u + change;
    return q;
}

/* The kernels of one kind of step. */
#define POLYNOMIAL_STEP(NAME, WEIGHTED)                                               \
    MX_BODY void NAME##_cell(const tl_polynomial_args *a, int row, int k, bool solid) \
    {                                                                                 \
        (void)step(a, row, k, solid, WEIGHTED);                                       \
    }                                                                                 \
    TL_BODIES(NAME, tl_polynomial_args)                                               \
    MX_FOR(2D, NAME)                                                                  \
    MX_FOR(3D, NAME##_3d)
POLYNOMIAL_STEP(tl_polynomial, false)
POLYNOMIAL_STEP(tl_polynomial_diagonal, true)

#define STEP_NORM(NAME, WEIGHTED)                                                                 \
    MX_BODY void NAME##_cell(const tl_polynomial_args *a, int row, int k, bool solid, double *qq) \
    {                                                                                             \
        const double q = step(a, row, k, solid, WEIGHTED);                                        \
        *qq += q * q;                                                                             \
    }                                                                                             \
    TL_SUM_BODIES(NAME, tl_polynomial_args, double)                                               \
    MX_REDUCE(2D, NAME, MX_SUM)                                                                   \
    MX_REDUCE(3D, NAME##_3d, MX_SUM)
STEP_NORM(tl_polynomial_norm, false)
STEP_NORM(tl_polynomial_diagonal_norm, true)

MX_BODY void tl_polynomial_first_body(const tl_polynomial_args *a, int j, int k)
{
    const double change = a->beta * MX_AT(a->b, j, k);
    MX_AT(a->step, j, k) = change;
    MX_AT(a->next, j, k) = change;
}
MX_FOR(2D, tl_polynomial_first, MX_ITEMS_SIMD)
TL_BODY_3D(tl_polynomial_first, tl_polynomial_args)
MX_FOR(3D, tl_polynomial_first_3d, MX_ITEMS_SIMD)

MX_BODY void tl_polynomial_first_diagonal_body(const tl_polynomial_args *a, int j, int k)
{
    const double change = a->beta * MX_AT(a->b, j, k) * MX_AT(a->diagonal, j, k);
    MX_AT(a->step, j, k) = change;
    MX_AT(a->next, j, k) = change;
}
MX_FOR(2D, tl_polynomial_first_diagonal, MX_ITEMS_SIMD)
TL_BODY_3D(tl_polynomial_first_diagonal, tl_polynomial_args)
MX_FOR(3D, tl_polynomial_first_diagonal_3d, MX_ITEMS_SIMD)
