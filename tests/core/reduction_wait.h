/* Kernels of reduction_wait.c. */
#pragma once
#include "minx/minx.h"

typedef struct rw_args {
    int64_t steps; /* that item 0 takes; the others take one */
} rw_args;
MX_NO_ACCESSORS(rw_args)
MX_DECLARE_REDUCE(1D, rw_sum, rw_args, double)
