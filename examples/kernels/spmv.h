/* A sparse matrix in compressed rows times a vector, y = A x. The entries of row r are value(k) in
 * column(k), for k from begin(r) to begin(r + 1) - 1. There are two kernels. spmv runs over a
 * range, a row is an item. spmv_team runs by teams: a team has `rows_per_team` rows, its threads
 * share the rows, and the lanes of a thread share the entries of a row. */
#pragma once
#include "minx/minx.h"

/* A GPU reads views with the trait of random access through its read-only cache. */
MX_ACCESSOR(spmv_i32, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(spmv_f64, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(spmv_args,
    (spmv_i32, begin) (spmv_i32, column)
    (spmv_f64, value) (spmv_f64, x)
    (mx_f64_1, y),
    int rows, rows_per_team;
);

MX_DECLARE_FOR(1D, spmv, spmv_args)
MX_DECLARE_FOR(TEAM, spmv_team, spmv_args)
