/* Kernels of the test of graphs. */
#pragma once
#include "minx/minx.h"

MX_ARGS(gr_args,
    (mx_ci64_1, from) (mx_ci64_1, more)
    (mx_i64_1, to)
    (mx_ci64_0, scale),
    int64_t factor;
);

MX_DECLARE_FOR(1D, gr_scale, gr_args)
MX_DECLARE_FOR(TEAM, gr_teams, gr_args)
MX_DECLARE_FOR(1D, gr_add, gr_args)
MX_DECLARE_FOR(1D, gr_by_scalar, gr_args)
MX_DECLARE_REDUCE(1D, gr_sum, gr_args, int64_t)
MX_DECLARE_SCAN(1D, gr_scan, gr_args, int64_t)
