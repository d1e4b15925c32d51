#pragma once
#include <minx/minx.h>

MX_ARGS(axpy_args,
    (mx_f64_1, y)
    (mx_cf64_1, x),
    double a;
);
MX_DECLARE_FOR(1D, axpy, axpy_args)
MX_DECLARE_REDUCE(1D, total, axpy_args, double)
