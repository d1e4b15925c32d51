/* Kernels of the test of several contexts at once. */
#pragma once
#include "minx/minx.h"

MX_ARGS(in_args,
    (mx_u64_1, x),
    uint64_t factor;
);
MX_DECLARE_FOR(1D, in_step, in_args)
MX_DECLARE_REDUCE(1D, in_sum, in_args, uint64_t)
