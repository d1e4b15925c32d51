/* Kernels of atomics.c. */
#pragma once
#include "minx/minx.h"

#define AC_FLOATS(M) \
    M(f64, double)   \
    M(f32, float)
#define AC_INTEGERS(M) \
    M(i32, int32_t)    \
    M(i64, int64_t)    \
    M(u32, uint32_t)   \
    M(u64, uint64_t)
#define AC_NUMBERS(M) \
    AC_FLOATS(M)      \
    AC_INTEGERS(M)

/* clang-format off */
#define AC_DECLARE(tag, T)                                  \
    MX_ARGS(ac_##tag##_args,                                \
        (mx_##tag##_1, to) /* what the atomics work on */   \
        (mx_i64_1, log),                                    \
        int items;                                          \
    );                                                      \
    MX_DECLARE_FOR(1D, ac_histogram_##tag, ac_##tag##_args) \
    MX_DECLARE_FOR(1D, ac_subtract_##tag, ac_##tag##_args)  \
    MX_DECLARE_FOR(1D, ac_extremes_##tag, ac_##tag##_args)  \
    MX_DECLARE_FOR(1D, ac_exchange_##tag, ac_##tag##_args)  \
    MX_DECLARE_FOR(1D, ac_claim_##tag, ac_##tag##_args)     \
    MX_DECLARE_FOR(1D, ac_retry_##tag, ac_##tag##_args)
/* clang-format on */
#define AC_DECLARE_BITWISE(tag, T) MX_DECLARE_FOR(1D, ac_bits_##tag, ac_##tag##_args)
AC_NUMBERS(AC_DECLARE)
AC_INTEGERS(AC_DECLARE_BITWISE)
