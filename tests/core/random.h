/* Kernels of random.c. */
#pragma once
#include "minx/minx.h"

enum { RN_WORDS = 8 };

typedef struct rn_known_args {
    mx_cu32_1 counter, key; /* 4 and 2 numbers an item */
    mx_u32_1 block;
} rn_known_args;
MX_ARGS(rn_known_args, counter, key, block)
MX_DECLARE_FOR(1D, rn_known, rn_known_args)

/* Item i draws from stream first + i. */
typedef struct rn_args {
    mx_u32_1 u32; /* RN_WORDS an item */
    mx_u64_1 u64; /* from here on one an item */
    mx_f64_1 f64, second, normal, other;
    mx_f32_1 f32;
    mx_i64_1 small, wide, any;
    uint64_t seed, first, block;
    int64_t low, high, far;
} rn_args;
MX_ARGS(rn_args, u32, u64, f64, second, normal, other, f32, small, wide, any)
MX_DECLARE_FOR(1D, rn_draw, rn_args)
