/* Kernels of determinism.c: sums whose bits depend on the order they are taken in. */
#pragma once
#include "minx/minx.h"

#define DT_FIELDS(FIELD)        \
    FIELD(double, sum, MX_SUM)  \
    FIELD(float, small, MX_SUM) \
    FIELD(double, largest, MX_MAX)
MX_VALUE(dt_value, DT_FIELDS)

typedef struct dt_custom {
    double sum, squares;
    int64_t count;
} dt_custom;

MX_ARGS(dt_args,
    (mx_cf64_1, x),
    int64_t columns, planes;
);
MX_DECLARE_REDUCE(1D, dt_sum_1d, dt_args, double)
MX_DECLARE_REDUCE(2D, dt_sum_2d, dt_args, double)
MX_DECLARE_REDUCE(3D, dt_sum_3d, dt_args, double)
MX_DECLARE_REDUCE(2D, dt_nested, dt_args, double)
MX_DECLARE_REDUCE(2D, dt_fields, dt_args, dt_value)
MX_DECLARE_REDUCE(1D, dt_moments, dt_args, dt_custom)
MX_DECLARE_REDUCE_ARRAY(1D, dt_bins, dt_args, double)

/* rows[r] = the sum of row r of x, by the lanes of a thread. */
MX_ARGS(dt_team_args,
    (mx_cf64_1, x)
    (mx_f64_1, rows),
    int64_t columns;
);
MX_DECLARE_REDUCE(TEAM, dt_team, dt_team_args, double) /* the sum of all rows */
