/* Kernels of vector.c. Rows of numbers: row r has the elements begin(r) to begin(r + 1) - 1. */
#pragma once
#include "minx/minx.h"

#define VE_TYPES(M) \
    M(f64, double) M(f32, float) M(i32, int32_t) M(i64, int64_t) M(u32, uint32_t) M(u64, uint64_t)

enum { VE_LANES = 64, VE_ROWS_PER_TEAM = 5 };

/* What each lane has of a row, at VE_LANES * r + lane; what a scan gives each element. */
/* clang-format off */
#define VE_DECLARE(tag, T)                                                                        \
    MX_ARGS(ve_##tag##_args,                                                                      \
        (mx_ci32_1, begin)                                                                        \
        (mx_c##tag##_1, x) (mx_c##tag##_1, y)                                                     \
        (mx_##tag##_1, least) (mx_##tag##_1, least_y) (mx_##tag##_1, largest) (mx_##tag##_1, sum) \
        (mx_##tag##_1, total) (mx_##tag##_1, all)                                                 \
        (mx_##tag##_1, before) (mx_##tag##_1, behind),                                            \
        int rows;                                                                                 \
    );                                                                                            \
    MX_DECLARE_FOR(TEAM, ve_rows_##tag, ve_##tag##_args)
/* clang-format on */
VE_TYPES(VE_DECLARE)

/* Where a row's largest number is, and its largest and smallest in one loop. */
MX_ARGS(ve_loc_args,
    (mx_ci32_1, begin)
    (mx_cf64_1, x)
    (mx_f64_1, value)
    (mx_i64_1, index)
    (mx_f64_1, least)
    (mx_i64_1, least_index),
    int rows;
);
MX_DECLARE_FOR(TEAM, ve_locations, ve_loc_args)
