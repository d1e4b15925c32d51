/* Kernels of reduce_numbers.c: every reducer on every number type, rn_REDUCER_TYPE. */
#pragma once
#include "minx/minx.h"

#define RN_FLOATS(M) \
    M(f64, double)   \
    M(f32, float)
#define RN_INTEGERS(M) \
    M(i32, int32_t)    \
    M(i64, int64_t)    \
    M(u8, uint8_t)     \
    M(u32, uint32_t)   \
    M(u64, uint64_t)
#define RN_NUMBERS(M) \
    RN_FLOATS(M)      \
    RN_INTEGERS(M)

#define RN_DECLARE(tag, T)                                   \
    MX_ARGS(rn_##tag##_args, (mx_c##tag##_1, x));            \
    MX_DECLARE_REDUCE(1D, rn_sum_##tag, rn_##tag##_args, T)  \
    MX_DECLARE_REDUCE(1D, rn_prod_##tag, rn_##tag##_args, T) \
    MX_DECLARE_REDUCE(1D, rn_min_##tag, rn_##tag##_args, T)  \
    MX_DECLARE_REDUCE(1D, rn_max_##tag, rn_##tag##_args, T)  \
    MX_DECLARE_REDUCE(1D, rn_land_##tag, rn_##tag##_args, T) \
    MX_DECLARE_REDUCE(1D, rn_lor_##tag, rn_##tag##_args, T)
#define RN_DECLARE_BITWISE(tag, T)                           \
    MX_DECLARE_REDUCE(1D, rn_band_##tag, rn_##tag##_args, T) \
    MX_DECLARE_REDUCE(1D, rn_bor_##tag, rn_##tag##_args, T)
RN_NUMBERS(RN_DECLARE)
RN_INTEGERS(RN_DECLARE_BITWISE)
