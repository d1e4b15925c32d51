/* Kernels of the program that a debugger stops. */
#pragma once
#include "minx/minx.h"

MX_ARGS(smooth_args,
    (mx_cf64_2, old)
    (mx_f64_2, next)
    (mx_f64_1, length),
    double weight;
    int columns;
);
MX_DECLARE_FOR(2D, smooth, smooth_args)
MX_DECLARE_REDUCE(1D, smooth_sum, smooth_args, double)
MX_DECLARE_FOR(TEAM, smooth_rows, smooth_args)
MX_DECLARE_SCAN(1D, smooth_scan, smooth_args, double)
