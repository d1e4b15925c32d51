/* Kernels of the test of ranges with many dimensions. */
#pragma once
#include "minx/minx.h"

MX_ARGS(rm_args,
    (mx_i32_1, hits), /* by the row-major number of the index in the range; [0]: outside */
    int64_t begin[6], extent[6];
);

MX_DECLARE_FOR(1D, rm_1d, rm_args)
MX_DECLARE_FOR(2D, rm_2d, rm_args)
MX_DECLARE_FOR(3D, rm_3d, rm_args)
MX_DECLARE_FOR(4D, rm_4d, rm_args)
MX_DECLARE_FOR(5D, rm_5d, rm_args)
MX_DECLARE_FOR(6D, rm_6d, rm_args)
MX_DECLARE_FOR(6D, rm_6d_nested, rm_args)
MX_DECLARE_FOR(2D, rm_2d_resident, rm_args)
MX_DECLARE_FOR(3D, rm_3d_resident, rm_args)
MX_DECLARE_FOR(5D, rm_5d_resident, rm_args)
MX_DECLARE_FOR(4D_64, rm_4d_64, rm_args)
MX_DECLARE_FOR(5D_64, rm_5d_64_resident, rm_args)
MX_DECLARE_FOR(6D_64, rm_6d_64_nested, rm_args)
MX_DECLARE_REDUCE(1D, rm_sum_1d, rm_args, int64_t)
MX_DECLARE_REDUCE(4D, rm_sum_4d, rm_args, int64_t)
MX_DECLARE_REDUCE(5D, rm_sum_5d, rm_args, int64_t)
MX_DECLARE_REDUCE(6D, rm_sum_6d, rm_args, int64_t)
MX_DECLARE_REDUCE(4D_64, rm_sum_4d_64, rm_args, int64_t)
MX_DECLARE_REDUCE(5D_64, rm_sum_5d_64, rm_args, int64_t)
MX_DECLARE_REDUCE(6D_64, rm_sum_6d_64, rm_args, int64_t)
