#include <minx/kernel.h>

#include "../kernels.h"

MX_BODY void axpy_body(const axpy_args *args, int i)
{
    MX_AT(args->y, i) += args->a * MX_AT(args->x, i);
}
MX_FOR(1D, axpy)
