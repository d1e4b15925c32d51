/* Kernels of the cases on patterns: scan, sparse matrices, reductions into arrays. */
#pragma once
#include "minx/minx.h"

/* y = the inclusive scan of x */
MX_ACCESSOR(bench_scan_reals, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ARGS(bench_scan_args, (bench_scan_reals, x) (mx_f64_1, y));
MX_DECLARE_SCAN(1D, bench_scan, bench_scan_args, double)

enum { BENCH_ROW = 27 }; /* entries of a row: a cell of a cube of cells and its neighbours */

/* A row has the columns of the cell's neighbours in a cube of `side` cells a side, those outside
 * moved to its border. */
MX_ARGS(bench_set_matrix_args,
    (mx_i32_1, begin) (mx_i32_1, column)
    (mx_f64_1, value),
    int rows, side;
);
MX_DECLARE_FOR(1D, bench_set_matrix, bench_set_matrix_args)

/* The same with entry n of row r at (r, n). */
MX_ARGS(bench_set_columns_args,
    (mx_i32_2s, column)
    (mx_f64_2s, value),
    int rows, side;
);
MX_DECLARE_FOR(1D, bench_set_columns, bench_set_columns_args)

/* array(index(i)) += x(i) */
MX_ARGS(bench_array_args, (mx_ci32_1, index) (mx_cf64_1, x));
MX_DECLARE_REDUCE_ARRAY(1D, bench_array, bench_array_args, double)
