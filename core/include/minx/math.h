/* Mathematics for kernels and drivers. This header adds functions that C and CUDA do not both have
 * under the same name.
 *
 * Use from <math.h>, with f at the end of the name for float (in C sqrt(float) is a double, in CUDA
 * it is not): fabs fmod remainder fma fmin fmax fdim nan exp exp2 expm1 log log10 log2 log1p pow
 * sqrt cbrt hypot sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc tgamma
 * lgamma ceil floor trunc round nearbyint rint logb nextafter copysign modf frexp ldexp scalbn; for
 * both types isfinite isinf isnan signbit. Results differ between backends by some units in the
 * last place.
 *
 *   mx_rsqrt(x)  mx_hypot3(x, y, z)                   double or float; the squares in hypot3 do not overflow or underflow
 *   mx_recip(x)                                       1 / x of a double or float; within 1 unit in the last place if x and 1 / x
 *       are normal numbers, else any number or NaN. cuda: for double faster than a division, which has branches for other x
 *   mx_min(a, b)  mx_max(a, b)  mx_clamp(x, low, high)   f64 f32 i32 i64 u32 u64, in the type that a + b has. min(a, b) is
 *       b < a ? b : a, so where either is NaN it is a; max and clamp likewise: a NaN is not clamped
 *   for u32 and u64: mx_popcount mx_countl_zero mx_countl_one mx_countr_zero mx_countr_one (int, 0 to
 *       the width: mx_countl_zero(0u) is 32) mx_bit_width mx_bit_floor mx_bit_ceil (undefined if the result does not fit the type)
 *       mx_has_single_bit mx_byteswap, and mx_rotl(x, n) mx_rotr(x, n) for any n
 *   MX_PI and similar are double constants; limits of types are those of <float.h> and <stdint.h> */
#pragma once
#include "minx/accessor.h"

#include <float.h>
#include <math.h>

/* Mathematical constants, of type double: e, log2(e), log10(e), pi, 1/pi, 1/sqrt(pi), ln(2), ln(10),
 * the square roots of 2 and 3, 1/sqrt(3), the constant of Euler and Mascheroni, the golden ratio. */
#define MX_E 2.71828182845904523536
#define MX_LOG2E 1.44269504088896340736
#define MX_LOG10E 0.434294481903251827651
#define MX_PI 3.14159265358979323846
#define MX_INV_PI 0.318309886183790671538
#define MX_INV_SQRTPI 0.564189583547756286948
#define MX_LN2 0.693147180559945309417
#define MX_LN10 2.30258509299404568402
#define MX_SQRT2 1.41421356237309504880
#define MX_SQRT3 1.73205080756887729353
#define MX_INV_SQRT3 0.577350269189625764509
#define MX_EGAMMA 0.577215664901532860607
#define MX_PHI 1.61803398874989484820

/* One name for the functions of several types: overloads in C++, in C a choice by the type of
 * `value`. Q is what follows the type in the choice: * for pointers. */
#ifdef __cplusplus
#define MX_TYPED_(f, tag) f##_
#define MX_PICK_FLOAT_(f, value, Q) f##_
#define MX_PICK_UNSIGNED_(f, value, Q) f##_
#define MX_PICK_INTEGER_(f, value, Q) f##_
#define MX_PICK_NUMBER_(f, value, Q) f##_
#else
#define MX_TYPED_(f, tag) f##_##tag##_
#define MX_FLOAT_CASES_(f, Q) double Q : f##_f64_, float Q : f##_f32_
#define MX_UNSIGNED_CASES_(f, Q) uint32_t Q : f##_u32_, uint64_t Q : f##_u64_
#define MX_INTEGER_CASES_(f, Q) int32_t Q : f##_i32_, int64_t Q : f##_i64_, MX_UNSIGNED_CASES_(f, Q)
#define MX_PICK_FLOAT_(f, value, Q) _Generic((value), MX_FLOAT_CASES_(f, Q))
#define MX_PICK_UNSIGNED_(f, value, Q) _Generic((value), MX_UNSIGNED_CASES_(f, Q))
#define MX_PICK_INTEGER_(f, value, Q) _Generic((value), MX_INTEGER_CASES_(f, Q))
#define MX_PICK_NUMBER_(f, value, Q) \
    _Generic((value), MX_FLOAT_CASES_(f, Q), MX_INTEGER_CASES_(f, Q))
#endif
#define MX_AS_(value, x) ((__typeof__(value))(x))

/* Defines a function with one expression. */
#define MX_FN_(f, tag, R, parameters, expression) \
    MX_INLINE R MX_TYPED_(f, tag) parameters { return (R)(expression); }

#define MX_COMPARISONS_(tag, T)                       \
    MX_FN_(mx_min, tag, T, (T a, T b), b < a ? b : a) \
    MX_FN_(mx_max, tag, T, (T a, T b), a < b ? b : a) \
    MX_FN_(mx_clamp, tag, T, (T x, T low, T high), x < low ? low : high < x ? high : x)
MX_COMPARISONS_(f64, double)
MX_COMPARISONS_(f32, float)
MX_COMPARISONS_(i32, int32_t)
MX_COMPARISONS_(i64, int64_t)
MX_COMPARISONS_(u32, uint32_t)
MX_COMPARISONS_(u64, uint64_t)
#define mx_min(a, b) \
    MX_PICK_NUMBER_(mx_min, (a) + (b), )(MX_AS_((a) + (b), a), MX_AS_((a) + (b), b))
#define mx_max(a, b) \
    MX_PICK_NUMBER_(mx_max, (a) + (b), )(MX_AS_((a) + (b), a), MX_AS_((a) + (b), b))
#define MX_CLAMP_(sum, x, low, high) \
    MX_PICK_NUMBER_(mx_clamp, sum, )(MX_AS_(sum, x), MX_AS_(sum, low), MX_AS_(sum, high))
#define mx_clamp(x, low, high) MX_CLAMP_((x) + (low) + (high), x, low, high)

#ifdef MX_GPU_CODE_
#define MX_RSQRT_(s, x) rsqrt##s(x)
#define MX_RECIP_(x) mx_gpu_recip_(x)
/* The hardware's reciprocal y has at least 18 correct bits. With e = 1 - x y, 1 / x = y (1 + e +
 * e^2 + ...); what is left out is below 2^-54. */
MX_INLINE double mx_gpu_recip_(double x)
{
    const double y = mx_gpu_rough_reciprocal_(x), e = fma(-x, y, 1.0);
    return fma(y, fma(e, e, e), y);
}
#define MX_HYPOT3_(s, x, y, z) norm3d##s(x, y, z)
#define MX_POPCOUNT_u32_(x) __popc(x)
#define MX_POPCOUNT_u64_(x) __popcll(x)
#define MX_LEADING_u32_(x) __clz((int)(x))
#define MX_LEADING_u64_(x) __clzll((long long)(x))
#else
#define MX_RSQRT_(s, x) (1 / sqrt##s(x))
#define MX_RECIP_(x) (1 / (x))
#define MX_HYPOT3_(s, x, y, z) hypot##s(hypot##s(x, y), z)
#define MX_POPCOUNT_u32_(x) __builtin_popcount(x)
#define MX_POPCOUNT_u64_(x) __builtin_popcountll(x)
#define MX_LEADING_u32_(x) ((x) == 0 ? 32 : __builtin_clz(x))
#define MX_LEADING_u64_(x) ((x) == 0 ? 64 : __builtin_clzll(x))
#endif
MX_FN_(mx_rsqrt, f64, double, (double x), MX_RSQRT_(, x))
MX_FN_(mx_rsqrt, f32, float, (float x), MX_RSQRT_(f, x))
MX_FN_(mx_hypot3, f64, double, (double x, double y, double z), MX_HYPOT3_(, x, y, z))
MX_FN_(mx_hypot3, f32, float, (float x, float y, float z), MX_HYPOT3_(f, x, y, z))
MX_FN_(mx_recip, f64, double, (double x), MX_RECIP_(x))
MX_FN_(mx_recip, f32, float, (float x), 1 / x)
#define mx_recip(x) MX_PICK_FLOAT_(mx_recip, x, )(x)
#define mx_rsqrt(x) MX_PICK_FLOAT_(mx_rsqrt, x, )(x)
#define mx_hypot3(x, y, z) MX_PICK_FLOAT_(mx_hypot3, (x) + (y) + (z), )(x, y, z)

#define MX_SWAP_u32_(x) ((x) << 24 | ((x)&0xff00u) << 8 | ((x) >> 8 & 0xff00u) | (x) >> 24)
#define MX_SWAP_u64_(x) \
    ((uint64_t)MX_SWAP_u32_((uint32_t)(x)) << 32 | MX_SWAP_u32_((uint32_t)((x) >> 32)))
#define MX_BITS_(tag, T, W)                                                                       \
    MX_FN_(mx_popcount, tag, int, (T x), MX_POPCOUNT_##tag##_(x))                                 \
    MX_FN_(mx_countl_zero, tag, int, (T x), MX_LEADING_##tag##_(x))                               \
    MX_FN_(mx_countr_zero, tag, int, (T x), MX_POPCOUNT_##tag##_((T)(~x & (x - 1))))              \
    MX_FN_(mx_bit_floor, tag, T, (T x), x == 0 ? 0 : (T)1 << (W - 1 - MX_LEADING_##tag##_(x)))    \
    MX_FN_(mx_bit_ceil, tag, T, (T x), x < 2 ? 1 : (T)1 << (W - MX_LEADING_##tag##_((T)(x - 1)))) \
    MX_FN_(mx_bit_width, tag, int, (T x), W - MX_LEADING_##tag##_(x))                             \
    MX_FN_(mx_rotl, tag, T, (T x, int n), x << (n & (W - 1)) | x >> (-(n & (W - 1)) & (W - 1)))   \
    MX_FN_(mx_rotr, tag, T, (T x, int n), x >> (n & (W - 1)) | x << (-(n & (W - 1)) & (W - 1)))   \
    MX_FN_(mx_byteswap, tag, T, (T x), MX_SWAP_##tag##_(x))
MX_BITS_(u32, uint32_t, 32)
MX_BITS_(u64, uint64_t, 64)
#define mx_popcount(x) MX_PICK_UNSIGNED_(mx_popcount, x, )(x)
#define mx_countl_zero(x) MX_PICK_UNSIGNED_(mx_countl_zero, x, )(x)
#define mx_countl_one(x) mx_countl_zero(~(x))
#define mx_countr_zero(x) MX_PICK_UNSIGNED_(mx_countr_zero, x, )(x)
#define mx_countr_one(x) mx_countr_zero(~(x))
#define mx_bit_floor(x) MX_PICK_UNSIGNED_(mx_bit_floor, x, )(x)
#define mx_bit_ceil(x) MX_PICK_UNSIGNED_(mx_bit_ceil, x, )(x)
#define mx_bit_width(x) MX_PICK_UNSIGNED_(mx_bit_width, x, )(x)
#define mx_has_single_bit(x) (mx_popcount(x) == 1)
#define mx_rotl(x, n) MX_PICK_UNSIGNED_(mx_rotl, x, )(x, n)
#define mx_rotr(x, n) MX_PICK_UNSIGNED_(mx_rotr, x, )(x, n)
#define mx_byteswap(x) MX_PICK_UNSIGNED_(mx_byteswap, x, )(x)
