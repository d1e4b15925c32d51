/* Kernels that introductions to Kokkos use: axpy, dot, the sum of squares, max-plus. (team.h has
 * y^T A x by three nested levels and an example of scratch; examples/kernels has a sparse matrix
 * times a vector.) */
#pragma once
#include "minx/minx.h"

MX_ARGS(seeds_axpy_args,
    (mx_f64_1, y)
    (mx_cf64_1, x),
    double a;
);
MX_DECLARE_FOR(1D, seeds_axpy, seeds_axpy_args)

MX_ARGS(seeds_dot_args, (mx_cf64_1, x) (mx_cf64_1, y));
MX_DECLARE_REDUCE(1D, seeds_dot, seeds_dot_args, double)
MX_DECLARE_REDUCE(1D, seeds_squares, seeds_dot_args, double)

/* The largest x + y, and the number of items that have it. */
typedef struct seeds_top {
    double value;
    int64_t count;
} seeds_top;
MX_DECLARE_REDUCE(1D, seeds_max_plus, seeds_dot_args, seeds_top)
