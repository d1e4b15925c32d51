/* Kernels of reduction_wait.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(rw_args, ,
    int64_t steps; /* that item 0 takes; the others take one */
);
MX_DECLARE_REDUCE(1D, rw_sum, rw_args, double)
