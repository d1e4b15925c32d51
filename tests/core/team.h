/* Kernels of the test of teams. */
#pragma once
#include "minx/minx.h"

typedef struct tm_matrix_args {
    mx_ci32_1 begin, column; /* CSR */
    mx_cf64_1 value, x;
    mx_f64_1 y;
    int rows, rows_a_team;
} tm_matrix_args;
MX_DECLARE_FOR_TEAM(tm_spmv, tm_matrix_args)

/* E systems of N by M: the sum of y^T A x over all. */
typedef struct tm_yax_args {
    mx_cf64_3 a;
    mx_cf64_2 x, y;
} tm_yax_args;
MX_DECLARE_REDUCE_TEAM(tm_yax, tm_yax_args, double)

/* Each thread of each team leaves what collectives gave it. */
enum { TM_RESULTS = 7 };
typedef struct tm_together_args {
    mx_i64_3 got; /* team, rank, which */
    mx_f64_2 real;
} tm_together_args;
MX_DECLARE_FOR_TEAM(tm_together, tm_together_args)

/* Rows reversed by way of scratch, at both levels. */
typedef struct tm_scratch_args {
    mx_cf64_2 in;
    mx_f64_2 out;
    int level, columns;
} tm_scratch_args;
MX_DECLARE_FOR_TEAM(tm_reverse, tm_scratch_args)

typedef struct tm_diverge_args {
    mx_f64_1 x;
} tm_diverge_args;
MX_DECLARE_FOR_TEAM(tm_diverge, tm_diverge_args)
