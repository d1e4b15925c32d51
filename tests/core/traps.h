/* Kernels of traps.c. */
#pragma once
#include "minx/minx.h"

MX_ACCESSOR(traps_block, double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4, 3)

typedef struct traps_views {
    mx_view old, fresh;
} traps_views;
MX_ARGS_FROM(traps_step_args, traps_views, (mx_cf64_1, old) (mx_f64_1, fresh));
MX_DECLARE_FOR(1D, traps_step, traps_step_args)

MX_ARGS(traps_rows_args, (mx_f64_2, x) (mx_cf64_3, y) (traps_block, b) (mx_f64_1, sum));
MX_DECLARE_FOR(1D, traps_rows, traps_rows_args)

MX_ARGS(traps_search_args, (mx_cf64_1, x), double below;);
MX_DECLARE_REDUCE(1D, traps_first, traps_search_args, int)
MX_DECLARE_REDUCE(1D_64, traps_first_64, traps_search_args, int64_t)
MX_DECLARE_REDUCE(1D, traps_lowest, traps_search_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, traps_highest, traps_search_args, mx_loc_f32)

#define TRAPS_FIELDS(FIELD) \
    FIELD(float, count, MX_SUM) FIELD(mx_loc_f64, low, MX_MIN) FIELD(mx_loc_i32, high, MX_MAX)
MX_VALUE(traps_found, TRAPS_FIELDS)
MX_DECLARE_REDUCE(1D, traps_fields, traps_search_args, traps_found)

MX_ARGS(traps_require_args, (mx_cf64_2, x) (mx_f64_2, y));
MX_DECLARE_FOR(2D, traps_require, traps_require_args)
MX_DECLARE_REDUCE(2D, traps_require_sum, traps_require_args, double)
MX_DECLARE_FOR(TEAM, traps_require_team, traps_require_args)
