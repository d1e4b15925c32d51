/* The kernels, one source for all backends. */
#include "fields_kernels.h"

#include <minx/kernel.h>

MX_BODY void axpy_body(const axpy_args *args, int i)
{
    MX_AT(args->y, i) += args->a * MX_AT(args->x, i);
}
MX_FOR(1D, axpy)

MX_BODY void dot_body(const dot_args *args, int i, double *sum)
{
    *sum += MX_AT(args->x, i) * MX_AT(args->y, i);
}
MX_REDUCE(1D, dot, MX_SUM)

MX_BODY void smooth_body(const smooth_args *args, int j, int k)
{
    MX_AT(args->out, j, k) = 0.25 * (MX_AT(args->u, j - 1, k) + MX_AT(args->u, j + 1, k) +
                                     MX_AT(args->u, j, k - 1) + MX_AT(args->u, j, k + 1));
}
MX_FOR(2D, smooth)

MX_BODY void largest_body(const largest_args *args, int j, int k, double *largest)
{
    const double u = MX_AT(args->u, j, k);
    *largest = *largest < u ? u : *largest;
}
MX_REDUCE(2D, largest, MX_MAX)
