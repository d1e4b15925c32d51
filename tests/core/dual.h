/* Kernels of dual.c. */
#pragma once
#include "minx/kit/dual.h"
#include "minx/minx.h"

MX_ARGS(dual_twice_args, (mx_f64_1, x));
MX_DECLARE_FOR(1D, dual_twice, dual_twice_args)
