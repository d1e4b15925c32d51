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
