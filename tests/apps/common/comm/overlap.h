/* Kernels of the test of exchanges that overlap with kernels. */
#pragma once
#include "minx/minx.h"

MX_ARGS(ov_args,
    (mx_i64_1, x)
    (mx_i64_1, buffer),
    int64_t add;
);
MX_DECLARE_FOR(1D, ov_pack, ov_args)
MX_DECLARE_FOR(1D, ov_unpack, ov_args)
MX_DECLARE_FOR(1D, ov_work, ov_args)

#define OV_SUMS(FIELD)       \
    FIELD(double, a, MX_SUM) \
    FIELD(double, b, MX_SUM) \
    FIELD(double, c, MX_SUM)
MX_VALUE(ov_sums, OV_SUMS)
enum { OV_NUMBERS = 3 };
MX_DECLARE_REDUCE(1D, ov_add_up, ov_args, ov_sums)
