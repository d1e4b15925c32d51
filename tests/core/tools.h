/* Kernels of the test of tools: one of each pattern. */
#pragma once
#include "minx/minx.h"

MX_ARGS(to_args, (mx_f64_1, x));

MX_DECLARE_FOR(1D, to_set, to_args)
MX_DECLARE_REDUCE(1D, to_sum, to_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, to_bins, to_args, double)
MX_DECLARE_SCAN(1D, to_scan, to_args, double)
