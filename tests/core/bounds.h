/* Kernels of bounds.c: each leaves one view by one index. */
#pragma once
#include "minx/minx.h"

MX_ARGS(bounds_args,
    (mx_f64_1, x)
    (mx_f64_3, box)
    (mx_f64_2, flat)    /* 0 x 100 */
    (mx_i64_1, offsets) /* of what an item reached in flat */
    (mx_i32_0, line),   /* of the source that leaves */
    int shift;
);
MX_DECLARE_FOR(1D, bounds_store, bounds_args)
MX_DECLARE_FOR(1D, bounds_box, bounds_args)
MX_DECLARE_FOR(1D, bounds_flat, bounds_args)
MX_DECLARE_FOR(3D, bounds_cube, bounds_args)
MX_DECLARE_FOR(TEAM, bounds_team, bounds_args)
MX_DECLARE_REDUCE(1D, bounds_sum, bounds_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, bounds_bins, bounds_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, bounds_bin, bounds_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, bounds_top, bounds_args, int64_t)
