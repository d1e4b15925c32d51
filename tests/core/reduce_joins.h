/* Kernels of reduce_joins.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(rj_args, (mx_ci32_1, x));
MX_DECLARE_REDUCE(1D, rj_sum, rj_args, int64_t)

/* Small structs: with padding, and of 3 bytes. */
typedef struct rj_padded {
    int32_t sum;
    int8_t top;
} rj_padded;
typedef struct rj_bytes {
    uint8_t x[3];
} rj_bytes;
MX_DECLARE_REDUCE(1D, rj_small, rj_args, rj_padded)
MX_DECLARE_REDUCE(1D, rj_smallest, rj_args, rj_bytes)

/* Without data, so that ranges can be large: sums of factor i + j + k, the first also with other
 * fields. The items of rj_looping have a loop. */
#define RJ_FIELDS(FIELD)         \
    FIELD(int64_t, sum, MX_SUM)  \
    FIELD(double, count, MX_SUM) \
    FIELD(int32_t, top, MX_MAX)
MX_VALUE(rj_fields, RJ_FIELDS)
MX_ARGS(rj_no_args, ,
    int factor;
);
MX_DECLARE_REDUCE(1D, rj_line, rj_no_args, int64_t)
MX_DECLARE_REDUCE(1D, rj_doubled, rj_no_args, int64_t) /* a prologue doubles the factor */
MX_DECLARE_REDUCE(2D, rj_large, rj_no_args, int64_t)
MX_DECLARE_REDUCE(2D, rj_looping, rj_no_args, int64_t)
MX_DECLARE_REDUCE(3D, rj_planes, rj_no_args, int64_t)
MX_DECLARE_REDUCE(2D, rj_large_fields, rj_no_args, rj_fields)
