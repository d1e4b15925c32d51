/* For kernel files: a step of a polynomial in one cell, in 2-D and 3-D (polynomial.c). */
#pragma once
#include "polynomial/tl_polynomial.h"

/* Takes the step and returns q = b - A u. `applied` is (A u)(row, k). weighted: `diagonal` is that
 * of M^-1; else M = 1. */
MX_BODY double tl_polynomial_step(const tl_polynomial_args *a, int row, int k, bool weighted,
                                  double applied)
{
    const double u = MX_AT(a->u, row, k);
    const double q = MX_AT(a->b, row, k) - applied;
    const double z = weighted ? q * MX_AT(a->diagonal, row, k) : q;
    const double step = a->alpha * MX_AT(a->step, row, k) + a->beta * z;
    MX_AT(a->step, row, k) = step;
    MX_AT(a->next, row, k) = u + step;
    return q;
}
