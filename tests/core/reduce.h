/* Kernels of reduce.c. */
#pragma once
#include "minx/minx.h"

/* A reducer of the user's own. */
#define RD_XOR_INIT(T, v) (void)(*(v) = (T)0)
#define RD_XOR_JOIN(T, into, v) (void)(*(into) = (T)(*(into) ^ *(v)))

/* A list of fields, each with its own reducer. */
#define RD_FIELDS(FIELD)            \
    FIELD(double, mass, MX_SUM)     \
    FIELD(float, lowest, MX_MIN)    \
    FIELD(int64_t, count, MX_SUM)   \
    FIELD(int32_t, highest, MX_MAX) \
    FIELD(uint8_t, all, MX_LAND)    \
    FIELD(uint32_t, bits, MX_BOR)   \
    FIELD(uint32_t, parity, RD_XOR)
MX_VALUE(rd_summary, RD_FIELDS)

/* A value of the user's own: counts by last digit, and the extremes. */
typedef struct rd_digits {
    int64_t of[10];
    double low, high;
} rd_digits;

MX_ARGS(rd_args,
    (mx_ci32_1, x)
    (mx_ci32_3, box)
    (mx_cf64_0, scale),
    double factor; /* 0 in the driver: a prologue makes it of scale */
);

MX_DECLARE_REDUCE(1D, rd_sum_1d, rd_args, int64_t)
MX_DECLARE_REDUCE(2D, rd_sum_2d, rd_args, int64_t)
MX_DECLARE_REDUCE(3D, rd_sum_3d, rd_args, int64_t)
MX_DECLARE_REDUCE(1D_64, rd_sum_1d_64, rd_args, int64_t)
MX_DECLARE_REDUCE(2D_64, rd_sum_2d_64, rd_args, int64_t)
MX_DECLARE_REDUCE(3D_64, rd_sum_3d_64, rd_args, int64_t)
MX_DECLARE_REDUCE(1D, rd_nested_1d, rd_args, double)
MX_DECLARE_REDUCE(2D, rd_nested_2d, rd_args, double)
MX_DECLARE_REDUCE(3D, rd_nested_3d, rd_args, double)
MX_DECLARE_REDUCE(1D_64, rd_nested_1d_64, rd_args, int64_t)
MX_DECLARE_REDUCE(2D_64, rd_nested_2d_64, rd_args, int64_t)
MX_DECLARE_REDUCE(3D_64, rd_nested_3d_64, rd_args, int64_t)

MX_DECLARE_REDUCE(1D, rd_xor, rd_args, uint32_t)

MX_DECLARE_REDUCE(1D, rd_fields_1d, rd_args, rd_summary)
MX_DECLARE_REDUCE(2D, rd_fields_2d, rd_args, rd_summary)
MX_DECLARE_REDUCE(3D, rd_fields_3d, rd_args, rd_summary)
MX_DECLARE_REDUCE(1D_64, rd_fields_1d_64, rd_args, rd_summary)
MX_DECLARE_REDUCE(2D_64, rd_fields_2d_64, rd_args, rd_summary)
MX_DECLARE_REDUCE(3D_64, rd_fields_3d_64, rd_args, rd_summary)
MX_DECLARE_REDUCE(1D, rd_fields_1d_nested, rd_args, rd_summary)
MX_DECLARE_REDUCE(2D, rd_fields_2d_nested, rd_args, rd_summary)
MX_DECLARE_REDUCE(3D, rd_fields_3d_nested, rd_args, rd_summary)

MX_DECLARE_REDUCE(1D, rd_custom_1d, rd_args, rd_digits)
MX_DECLARE_REDUCE(2D, rd_custom_2d, rd_args, rd_digits)
MX_DECLARE_REDUCE(3D, rd_custom_3d, rd_args, rd_digits)
MX_DECLARE_REDUCE(1D_64, rd_custom_1d_64, rd_args, rd_digits)
MX_DECLARE_REDUCE(2D_64, rd_custom_2d_64, rd_args, rd_digits)
MX_DECLARE_REDUCE(3D_64, rd_custom_3d_64, rd_args, rd_digits)

MX_DECLARE_REDUCE(1D, rd_minloc, rd_args, mx_loc_i32)
MX_DECLARE_REDUCE(1D, rd_maxloc, rd_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, rd_maxloc_f32, rd_args, mx_loc_f32)
MX_DECLARE_REDUCE(1D, rd_minmaxloc, rd_args, mx_minmaxloc_i64)

/* Items that mark_nan says are NaN: every factor-th, all if factor is 1. */
MX_DECLARE_REDUCE(1D, rd_nan_min, rd_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, rd_nan_max, rd_args, mx_loc_f64)
MX_DECLARE_REDUCE(1D, rd_nan_plain_max, rd_args, double)

MX_DECLARE_REDUCE_ARRAY(1D, rd_bins, rd_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, rd_tops, rd_args, int64_t)
MX_DECLARE_REDUCE_ARRAY(2D, rd_bins_2d, rd_args, double)
MX_DECLARE_REDUCE_ARRAY(3D_64, rd_bins_3d, rd_args, double)
MX_DECLARE_REDUCE_ARRAY(1D_64, rd_bins_prologue, rd_args, double)

MX_ARGS(rd_again_args,
    (mx_ci32_1, x)
    (mx_cf64_1, before), /* the result of the launch before */
    int length;
    double earlier[7]; /* the same */
);
MX_DECLARE_REDUCE_ARRAY(1D, rd_bins_again, rd_again_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, rd_bins_of_args, rd_again_args, double)

/* Kinds of items and 64-bit indices change how items run, not what they give. */
MX_DECLARE_REDUCE(2D, rd_resident_2d, rd_args, int64_t)
MX_DECLARE_REDUCE(3D_64, rd_resident_3d, rd_args, int64_t)
MX_DECLARE_REDUCE(2D_64, rd_resident_fields, rd_args, rd_summary)
MX_DECLARE_REDUCE(3D, rd_resident_custom, rd_args, rd_digits)
MX_DECLARE_REDUCE(2D, rd_plain_custom, rd_args, rd_digits)
MX_DECLARE_REDUCE(2D_64, rd_column_sum, rd_args, int64_t)
MX_DECLARE_REDUCE(3D, rd_column_fields, rd_args, rd_summary)

/* Prologues: factor = 2 * scale, once, before the items. */
MX_DECLARE_REDUCE(1D, rd_prologue, rd_args, double)
MX_DECLARE_REDUCE(2D, rd_prologue_2d, rd_args, double)
MX_DECLARE_REDUCE(1D, rd_prologue_fields, rd_args, rd_summary)
MX_DECLARE_REDUCE(1D, rd_prologue_custom, rd_args, rd_digits)
MX_ARGS(rd_store_args,
    (mx_f64_1, y)
    (mx_cf64_0, scale),
    double factor;
);
MX_DECLARE_FOR(1D, rd_prologue_for, rd_store_args)
MX_ARGS(rd_grid_args,
    (mx_f64_2, y)
    (mx_cf64_0, scale),
    double factor;
);
MX_DECLARE_FOR(2D, rd_prologue_grid, rd_grid_args)
MX_DECLARE_FOR(2D_64, rd_prologue_grid_64, rd_grid_args)
