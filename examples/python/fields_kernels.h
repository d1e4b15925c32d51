/* What fields.c and fields_kernels.c share. Accessors with an s take any strides, those without one
 * what is contiguous. */
#pragma once
#include <minx/minx.h>

typedef struct axpy_args {
    mx_f64_1 y;
    mx_cf64_1 x;
    double a;
} axpy_args;
MX_ARGS(axpy_args, y, x)
MX_DECLARE_FOR(1D, axpy, axpy_args)

typedef struct dot_args {
    mx_cf64_1 x, y;
} dot_args;
MX_ARGS(dot_args, x, y)
MX_DECLARE_REDUCE(1D, dot, dot_args, double)

typedef struct smooth_args {
    mx_f64_2s out;
    mx_cf64_2s u;
} smooth_args;
MX_ARGS(smooth_args, out, u)
MX_DECLARE_FOR(2D, smooth, smooth_args)

typedef struct largest_args {
    mx_cf64_2s u;
} largest_args;
MX_ARGS(largest_args, u)
MX_DECLARE_REDUCE(2D, largest, largest_args, double)
