#include <minx/kernel.h>

#include "kernels.h"

MX_BODY void total_body(const axpy_args *args, int i, double *sum) { *sum += MX_AT(args->y, i); }
MX_REDUCE(1D, total, MX_SUM)
