/* Kernels of the test of teams. */
#pragma once
#include "minx/minx.h"

/* E systems of N by M: the sum of y^T A x over all. */
MX_ARGS(tm_yax_args,
    (mx_cf64_3, a)
    (mx_cf64_2, x) (mx_cf64_2, y),
    double scale; /* 0 in the driver: a prologue sets it to the extent of x */
);
MX_DECLARE_REDUCE(TEAM, tm_yax, tm_yax_args, double)
MX_DECLARE_REDUCE(TEAM, tm_scaled, tm_yax_args, double)
#define TM_ROWS(FIELD) \
    FIELD(double, sum, MX_SUM) FIELD(double, least, MX_MIN) FIELD(int64_t, rows, MX_SUM)
MX_VALUE(tm_rows_value, TM_ROWS)
MX_DECLARE_REDUCE(TEAM, tm_rows, tm_yax_args, tm_rows_value)
typedef struct tm_top_value {
    double value;
    int64_t row;
} tm_top_value;
MX_DECLARE_REDUCE(TEAM, tm_top, tm_yax_args, tm_top_value)

/* Each thread of each team leaves what collectives gave it. */
enum { TM_RESULTS = 9 };
MX_ARGS(tm_collectives_args,
    (mx_i64_3, got) /* team, rank, which */
    (mx_f64_2, real)
);
MX_DECLARE_FOR(TEAM, tm_collectives, tm_collectives_args)

/* Rows reversed by way of scratch, at both levels. */
MX_ARGS(tm_scratch_args,
    (mx_cf64_2, in)
    (mx_f64_2, out),
    int level, columns;
);
MX_DECLARE_FOR(TEAM, tm_reverse, tm_scratch_args)
