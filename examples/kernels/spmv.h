/* A sparse matrix in compressed rows times a vector, y = A x: the entries of row r are value(k) in column(k), for k from
 * begin(r) to begin(r + 1) - 1. A row is an item of a range; or teams have `rows_a_team` rows each, the threads of a team share its
 * rows, and the lanes of a thread share the entries of a row. */
#pragma once
#include "minx/minx.h"

/* What is read at random goes through the read-only path of a GPU. */
MX_ACCESSOR(spmv_ints, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(spmv_reals, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct spmv_args {
    spmv_ints begin, column;
    spmv_reals value, x;
    mx_f64_1 y;
    int rows, rows_a_team;
} spmv_args;
MX_ARGS(spmv_args, begin, column, value, x, y)

MX_DECLARE_FOR(1D, spmv, spmv_args)
MX_DECLARE_FOR(TEAM, spmv_team, spmv_args)
