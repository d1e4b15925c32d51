/* Kernels of random.c. */
#pragma once
#include "minx/minx.h"

enum { RN_WORDS = 8 };

MX_ARGS(rn_known_args,
    (mx_cu32_1, counter) (mx_cu32_1, key) /* 4 and 2 numbers an item */
    (mx_u32_1, block)
);
MX_DECLARE_FOR(1D, rn_known, rn_known_args)

/* Item i draws from stream first + i. */
MX_ARGS(rn_args,
    (mx_u32_1, u32) /* RN_WORDS an item */
    (mx_u64_1, u64) /* from here on one an item */
    (mx_f64_1, f64) (mx_f64_1, second) (mx_f64_1, normal) (mx_f64_1, other)
    (mx_f32_1, f32)
    (mx_i64_1, small) (mx_i64_1, wide) (mx_i64_1, any),
    uint64_t seed, first, block;
    int64_t low, high, far;
);
MX_DECLARE_FOR(1D, rn_draw, rn_args)
