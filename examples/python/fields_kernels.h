/* What fields.c and fields_kernels.c share. Accessors with an s take any strides, those without one
 * what is contiguous. */
#pragma once
#include <minx/minx.h>

MX_ARGS(axpy_args,
    (mx_f64_1, y)
    (mx_cf64_1, x),
    double a;
);
MX_DECLARE_FOR(1D, axpy, axpy_args)

MX_ARGS(dot_args, (mx_cf64_1, x) (mx_cf64_1, y));
MX_DECLARE_REDUCE(1D, dot, dot_args, double)

MX_ARGS(smooth_args, (mx_f64_2s, out) (mx_cf64_2s, u));
MX_DECLARE_FOR(2D, smooth, smooth_args)

MX_ARGS(largest_args, (mx_cf64_2s, u));
MX_DECLARE_REDUCE(2D, largest, largest_args, double)
