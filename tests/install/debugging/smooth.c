#include "minx/kernel.h"

#include "smooth.h"

/* The mean of two neighbours, weighted. */
MX_BODY double smooth_mean(const smooth_args *a, double left, double right)
{
    const double mean = 0.5 * (left + right);
    return a->weight * mean; /* line: mean */
}

MX_BODY void smooth_body(const smooth_args *a, int j, int k)
{
    const double left = MX_AT(a->old, j, k - 1);
    const double right = MX_AT(a->old, j, k + 1);
    MX_AT(a->next, j, k) = smooth_mean(a, left, right); /* line: body */
}
MX_FOR(2D, smooth) /* line: stamp */

MX_BODY void smooth_sum_body(const smooth_args *a, int k, double *sum)
{
    const double value = MX_AT(a->next, 1, k);
    *sum += value; /* line: sum */
}
MX_REDUCE(1D, smooth_sum, MX_SUM)
