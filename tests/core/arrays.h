/* Kernels of arrays.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(ar_axpy_args,
    (mx_cf64_1, x)
    (mx_f64_1, y),
    double a;
);
MX_DECLARE_FOR(1D, ar_axpy, ar_axpy_args) /* y += a x */

MX_ARGS(ar_dot_args, (mx_cf64_1, x) (mx_cf64_1, y));
MX_DECLARE_REDUCE(1D, ar_dot, ar_dot_args, double)

MX_ARGS(ar_heat_args, (mx_cf64_2, u) (mx_f64_2, next));
MX_DECLARE_FOR(2D, ar_heat, ar_heat_args) /* next = the mean of the four neighbours in u */

MX_ARGS(ar_spmv_args,
    (mx_ci32_1, row) (mx_ci32_1, column)
    (mx_cf64_1, value) (mx_cf64_1, x)
    (mx_f64_1, y)
);
MX_DECLARE_FOR(1D, ar_spmv, ar_spmv_args) /* y = A x, A in CSR */

MX_ARGS(ar_histogram_args, (mx_ci32_1, key) (mx_i32_1, bin));
MX_DECLARE_FOR(1D, ar_histogram, ar_histogram_args)

MX_ARGS(ar_offsets_args, (mx_ci32_1, count) (mx_i32_1, offset));
MX_DECLARE_SCAN(1D, ar_offsets, ar_offsets_args, int32_t)

MX_ARGS(ar_drift_args,
    (mx_f64_2, position)
    (mx_cf64_2, velocity),
    double dt;
);
MX_DECLARE_FOR(1D, ar_drift, ar_drift_args) /* position += dt velocity, of particles */
