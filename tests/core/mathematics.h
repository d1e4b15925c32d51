/* Kernels of mathematics.c. */
#pragma once
#include "minx/minx.h"

/* Functions of one number: where they are tried, and how many units in the last place they may be
 * off in f64 and f32: the larger one of what the CUDA C++ Programming Guide (Mathematical
 * Functions, maximum ulp error) and the glibc manual (Known Maximum Errors in Math Functions)
 * state. */
#define MM_UNARY(M)             \
    M(fabs, -9, 9, 0, 0)        \
    M(exp, -80, 80, 1, 2)       \
    M(exp2, -120, 120, 1, 2)    \
    M(expm1, -5, 5, 1, 1)       \
    M(log, 1e-30, 1e30, 1, 1)   \
    M(log10, 1e-30, 1e30, 2, 2) \
    M(log2, 1e-30, 1e30, 1, 1)  \
    M(log1p, -0.9, 9, 1, 1)     \
    M(sqrt, 0, 1e6, 0, 0)       \
    M(cbrt, -1e6, 1e6, 4, 1)    \
    M(sin, -100, 100, 2, 2)     \
    M(cos, -100, 100, 2, 2)     \
    M(tan, -100, 100, 2, 4)     \
    M(asin, -1, 1, 2, 4)        \
    M(acos, -1, 1, 2, 3)        \
    M(atan, -20, 20, 2, 2)      \
    M(sinh, -20, 20, 2, 3)      \
    M(cosh, -20, 20, 2, 2)      \
    M(tanh, -5, 5, 2, 2)        \
    M(asinh, -100, 100, 3, 3)   \
    M(acosh, 1, 100, 3, 4)      \
    M(atanh, -0.99, 0.99, 2, 3) \
    M(erf, -4, 4, 2, 2)         \
    M(erfc, -4, 8, 5, 6)        \
    M(tgamma, 0.1, 30, 10, 11)  \
    M(lgamma, 0.1, 100, 4, 7)   \
    M(ceil, -9, 9, 0, 0)        \
    M(floor, -9, 9, 0, 0)       \
    M(trunc, -9, 9, 0, 0)       \
    M(round, -9, 9, 0, 0)       \
    M(nearbyint, -9, 9, 0, 0)   \
    M(rint, -9, 9, 0, 0)        \
    M(logb, 1e-30, 1e30, 0, 0)
/* Of two, both from there. */
#define MM_BINARY(M)          \
    M(fmod, -9, 9, 0, 0)      \
    M(remainder, -9, 9, 0, 0) \
    M(fmin, -9, 9, 0, 0)      \
    M(fmax, -9, 9, 0, 0)      \
    M(fdim, -9, 9, 0, 0)      \
    M(pow, 0.1, 9, 2, 8)      \
    M(hypot, -9, 9, 2, 3)     \
    M(atan2, -9, 9, 2, 3)     \
    M(copysign, -9, 9, 0, 0)
#define MM_NAME(fn, low, high, ulps64, ulps32) MM_##fn,
enum { MM_UNARY(MM_NAME) MM_BINARY(MM_NAME) MM_fma, MM_hypot3, MM_rsqrt, MM_recip, MM_FUNCTIONS };

/* Numbers that say what a constant, a limit or a rule is, in this order. */
enum { MM_CONSTANTS = 13, MM_RULES = 40 };

/* clang-format off */
#define MM_DECLARE(tag, T)                                                                 \
    MX_ARGS(mm_##tag##_args,                                                               \
        (mx_c##tag##_1, x) (mx_c##tag##_1, y) (mx_c##tag##_1, z) /* at function * n + i */ \
        (mx_##tag##_1, result) (mx_##tag##_1, rules),                                      \
        int n;                                                                             \
    );                                                                                     \
    MX_DECLARE_FOR(1D, mm_functions_##tag, mm_##tag##_args)                                \
    MX_DECLARE_FOR(1D, mm_rules_##tag, mm_##tag##_args)
/* clang-format on */
MM_DECLARE(f64, double)
MM_DECLARE(f32, float)

MX_ARGS(mm_constant_args, (mx_f64_1, to));
MX_DECLARE_FOR(1D, mm_constants, mm_constant_args)

/* Of an unsigned x and a number of places. */
enum {
    MM_POPCOUNT,
    MM_COUNTL_ZERO,
    MM_COUNTL_ONE,
    MM_COUNTR_ZERO,
    MM_COUNTR_ONE,
    MM_BIT_WIDTH,
    MM_BIT_FLOOR,
    MM_BIT_CEIL,
    MM_SINGLE_BIT,
    MM_ROTL,
    MM_ROTR,
    MM_BYTESWAP,
    MM_BITS
};
/* clang-format off */
#define MM_DECLARE_BITS(tag, T)                               \
    MX_ARGS(mm_##tag##_args,                                  \
        (mx_c##tag##_1, x)                                    \
        (mx_ci32_1, places)                                   \
        (mx_##tag##_1, to) /* at item * MM_BITS + function */ \
    );                                                        \
    MX_DECLARE_FOR(1D, mm_bits_##tag, mm_##tag##_args)
/* clang-format on */
MM_DECLARE_BITS(u32, uint32_t)
MM_DECLARE_BITS(u64, uint64_t)

/* min, max and clamp, and the ends of a type. */
#define MM_NUMBERS(M) \
    M(f64, double)    \
    M(f32, float)     \
    M(i32, int32_t)   \
    M(i64, int64_t)   \
    M(u32, uint32_t)  \
    M(u64, uint64_t)
enum { MM_ORDERS = 3 };
/* clang-format off */
#define MM_DECLARE_ORDER(tag, T)                                 \
    MX_ARGS(mm_order_##tag##_args,                               \
        (mx_c##tag##_1, x) (mx_c##tag##_1, y)                    \
        (mx_##tag##_1, to), /* at item * MM_ORDERS + function */ \
        int n;                                                   \
    );                                                           \
    MX_DECLARE_FOR(1D, mm_order_##tag, mm_order_##tag##_args)
/* clang-format on */
MM_NUMBERS(MM_DECLARE_ORDER)
