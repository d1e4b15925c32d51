/* Kernels of concurrent.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(cc_args,
    (mx_i64_1, x)
    (mx_ci64_1, shared),
    int64_t factor;
);
MX_DECLARE_FOR(1D, cc_scale, cc_args)           /* x = factor * shared */
MX_DECLARE_REDUCE(1D, cc_sum, cc_args, int64_t) /* the sum of x */
MX_DECLARE_FOR(TEAM, cc_overflow, cc_args)      /* takes scratch that nobody gave it */
