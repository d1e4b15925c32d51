/* Kernels of the test of exchanges that overlap with kernels. */
#pragma once
#include "minx/minx.h"

typedef struct ov_args {
    mx_i64_1 x;
    mx_i64_1 buffer;
    int64_t add;
} ov_args;
MX_ARGS(ov_args, x, buffer)
MX_DECLARE_FOR(1D, ov_pack, ov_args)
MX_DECLARE_FOR(1D, ov_unpack, ov_args)
MX_DECLARE_FOR(1D, ov_work, ov_args)
