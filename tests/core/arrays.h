/* Kernels of arrays.c. */
#pragma once
#include "minx/minx.h"

typedef struct ar_axpy_args {
    mx_cf64_1 x;
    mx_f64_1 y;
    double a;
} ar_axpy_args;
MX_ARGS(ar_axpy_args, x, y)
MX_DECLARE_FOR(1D, ar_axpy, ar_axpy_args) /* y += a x */

typedef struct ar_dot_args {
    mx_cf64_1 x, y;
} ar_dot_args;
MX_ARGS(ar_dot_args, x, y)
MX_DECLARE_REDUCE(1D, ar_dot, ar_dot_args, double)

typedef struct ar_heat_args {
    mx_cf64_2 u;
    mx_f64_2 next;
} ar_heat_args;
MX_ARGS(ar_heat_args, u, next)
MX_DECLARE_FOR(2D, ar_heat, ar_heat_args) /* next = the mean of the four neighbours in u */

typedef struct ar_spmv_args {
    mx_ci32_1 row, column;
    mx_cf64_1 value, x;
    mx_f64_1 y;
} ar_spmv_args;
MX_ARGS(ar_spmv_args, row, column, value, x, y)
MX_DECLARE_FOR(1D, ar_spmv, ar_spmv_args) /* y = A x, A in CSR */

typedef struct ar_histogram_args {
    mx_ci32_1 key;
    mx_i32_1 bin;
} ar_histogram_args;
MX_ARGS(ar_histogram_args, key, bin)
MX_DECLARE_FOR(1D, ar_histogram, ar_histogram_args)

typedef struct ar_offsets_args {
    mx_ci32_1 count;
    mx_i32_1 offset;
} ar_offsets_args;
MX_ARGS(ar_offsets_args, count, offset)
MX_DECLARE_SCAN(1D, ar_offsets, ar_offsets_args, int32_t)

typedef struct ar_drift_args {
    mx_f64_2 position;
    mx_cf64_2 velocity;
    double dt;
} ar_drift_args;
MX_ARGS(ar_drift_args, position, velocity)
MX_DECLARE_FOR(1D, ar_drift, ar_drift_args) /* position += dt velocity, of particles */
