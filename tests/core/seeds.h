/* The kernels by which Kokkos is taught: axpy, dot, the sum of squares, max-plus, a sparse matrix times a vector by range and by
 * team. (y^T A x by three nested levels and the scratch example are in team.h.) */
#pragma once
#include "minx/minx.h"

typedef struct seeds_axpy_args {
    mx_f64_1 y;
    mx_cf64_1 x;
    double a;
} seeds_axpy_args;
MX_ARGS(seeds_axpy_args, y, x)
MX_DECLARE_FOR(1D, seeds_axpy, seeds_axpy_args)

typedef struct seeds_dot_args {
    mx_cf64_1 x, y;
} seeds_dot_args;
MX_ARGS(seeds_dot_args, x, y)
MX_DECLARE_REDUCE(1D, seeds_dot, seeds_dot_args, double)
MX_DECLARE_REDUCE(1D, seeds_squares, seeds_dot_args, double)

/* The largest of x + y, and by how many items it was found. */
typedef struct seeds_top {
    double value;
    int64_t count;
} seeds_top;
MX_DECLARE_REDUCE(1D, seeds_max_plus, seeds_dot_args, seeds_top)

/* Compressed rows; what is read at random goes through the read-only path of a GPU. */
MX_ACCESSOR(seeds_ints, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(seeds_reals, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
typedef struct seeds_matrix_args {
    seeds_ints begin, column;
    seeds_reals value, x;
    mx_f64_1 y;
    int rows, rows_a_team;
} seeds_matrix_args;
MX_ARGS(seeds_matrix_args, begin, column, value, x, y)
MX_DECLARE_FOR(1D, seeds_spmv, seeds_matrix_args)
MX_DECLARE_FOR(TEAM, seeds_spmv_team, seeds_matrix_args)
