/* Kernels of the test of graphs. */
#pragma once
#include "minx/minx.h"

typedef struct gr_args {
    mx_ci64_1 from, more;
    mx_i64_1 to;
    int64_t factor;
    mx_ci64_0 scale;
} gr_args;
MX_ARGS(gr_args, from, more, to, scale)

MX_DECLARE_FOR(1D, gr_scale, gr_args)
MX_DECLARE_FOR(1D, gr_add, gr_args)
MX_DECLARE_FOR(1D, gr_by_scalar, gr_args)
MX_DECLARE_REDUCE(1D, gr_sum, gr_args, int64_t)
MX_DECLARE_SCAN(1D, gr_scan, gr_args, int64_t)
