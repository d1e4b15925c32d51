#include "minx/kernel.h"

#include "mathematics.h"

#define MM_AT(f) MX_AT(a->result, (f)*a->n + i)
#define MM_X(f) MX_AT(a->x, (f)*a->n + i)
#define MM_Y(f) MX_AT(a->y, (f)*a->n + i)
#define MM_Z(f) MX_AT(a->z, (f)*a->n + i)
#define MM_UNARY_f64(fn, ...) MM_AT(MM_##fn) = fn(MM_X(MM_##fn));
#define MM_UNARY_f32(fn, ...) MM_AT(MM_##fn) = fn##f(MM_X(MM_##fn));
#define MM_BINARY_f64(fn, ...) MM_AT(MM_##fn) = fn(MM_X(MM_##fn), MM_Y(MM_##fn));
#define MM_BINARY_f32(fn, ...) MM_AT(MM_##fn) = fn##f(MM_X(MM_##fn), MM_Y(MM_##fn));

/* Rules that are kept or not, and functions with exact results: what each gives goes to the next
 * place. */
#define MM_RULE(value) MX_AT(a->rules, rule++) = (T)(value);

#define MM_KERNELS(tag, T_, s)                                                                \
    MX_BODY void mm_functions_##tag##_body(const mm_##tag##_args *a, int i)                   \
    {                                                                                         \
        MM_UNARY(MM_UNARY_##tag)                                                              \
        MM_BINARY(MM_BINARY_##tag)                                                            \
        MM_AT(MM_fma) = fma##s(MM_X(MM_fma), MM_Y(MM_fma), MM_Z(MM_fma));                     \
        MM_AT(MM_hypot3) = mx_hypot3(MM_X(MM_hypot3), MM_Y(MM_hypot3), MM_Z(MM_hypot3));      \
        MM_AT(MM_rsqrt) = mx_rsqrt(MM_X(MM_rsqrt));                                           \
        MM_AT(MM_recip) = mx_recip(MM_X(MM_recip));                                           \
    }                                                                                         \
    MX_FOR(1D, mm_functions_##tag)                                                            \
    MX_BODY void mm_rules_##tag##_body(const mm_##tag##_args *a, int i)                       \
    {                                                                                         \
        typedef T_ T;                                                                         \
        const T zero = MX_AT(a->x, i), big = (T)(sizeof(T) == 8 ? DBL_MAX : FLT_MAX) + zero;  \
        T whole;                                                                              \
        int exponent, rule = 0;                                                               \
        MM_RULE(isfinite(big))                                                                \
        MM_RULE(isfinite(INFINITY))                                                           \
        MM_RULE(isinf(big * 2) != 0)                                                          \
        MM_RULE(isinf(big) != 0)                                                              \
        MM_RULE(isnan((T)NAN) != 0)                                                           \
        MM_RULE(isnan(big) != 0)                                                              \
        MM_RULE(isnan(nan##s("")) != 0)                                                       \
        MM_RULE(signbit(-zero) != 0)                                                          \
        MM_RULE(signbit(zero) != 0)                                                           \
        MM_RULE(isnan(mx_min((T)NAN, big)) != 0)                                              \
        MM_RULE(mx_min(big, (T)NAN))                                                          \
        MM_RULE(isnan(mx_clamp((T)NAN, zero, big)) != 0)                                      \
        MM_RULE(modf##s(-3.75##s, &whole))                                                    \
        MM_RULE(whole)                                                                        \
        MM_RULE(frexp##s(80.0##s, &exponent))                                                 \
        MM_RULE(exponent)                                                                     \
        MM_RULE(ldexp##s(0.75##s, 5))                                                         \
        MM_RULE(scalbn##s(0.75##s, -3))                                                       \
        MM_RULE(nextafter##s(zero + 1, 2) - 1 - (sizeof(T) == 8 ? DBL_EPSILON : FLT_EPSILON)) \
        MM_RULE(mx_hypot3(big / 2, big / 4, big / 4))                                         \
        MM_RULE(mx_min(1, 2.5##s))                                                            \
        MM_RULE(mx_max(zero + 7, 2))                                                          \
        MM_RULE(mx_clamp(zero + 7, 2, 3))                                                     \
    }                                                                                         \
    MX_FOR(1D, mm_rules_##tag)
MM_KERNELS(f64, double, )
MM_KERNELS(f32, float, f)

MX_BODY void mm_constants_body(const mm_constant_args *a, int i)
{
    const double all[MM_CONSTANTS] = {MX_E,          MX_LOG2E,  MX_LOG10E, MX_PI,    MX_INV_PI,
                                      MX_INV_SQRTPI, MX_LN2,    MX_LN10,   MX_SQRT2, MX_SQRT3,
                                      MX_INV_SQRT3,  MX_EGAMMA, MX_PHI};
    MX_AT(a->to, i) = all[i];
}
MX_FOR(1D, mm_constants)

#define MM_BIT_KERNEL(tag, T)                                                 \
    MX_BODY void mm_bits_##tag##_body(const mm_##tag##_args *a, int i)        \
    {                                                                         \
        const T x = MX_AT(a->x, i);                                           \
        const int n = MX_AT(a->places, i), at = i * MM_BITS;                  \
        MX_AT(a->to, at + MM_POPCOUNT) = (T)mx_popcount(x);                   \
        MX_AT(a->to, at + MM_COUNTL_ZERO) = (T)mx_countl_zero(x);             \
        MX_AT(a->to, at + MM_COUNTL_ONE) = (T)mx_countl_one(x);               \
        MX_AT(a->to, at + MM_COUNTR_ZERO) = (T)mx_countr_zero(x);             \
        MX_AT(a->to, at + MM_COUNTR_ONE) = (T)mx_countr_one(x);               \
        MX_AT(a->to, at + MM_BIT_WIDTH) = (T)mx_bit_width(x);                 \
        MX_AT(a->to, at + MM_BIT_FLOOR) = mx_bit_floor(x);                    \
        MX_AT(a->to, at + MM_BIT_CEIL) = mx_bit_ceil((T)(x >> 1)); /* fits */ \
        MX_AT(a->to, at + MM_SINGLE_BIT) = (T)mx_has_single_bit(x);           \
        MX_AT(a->to, at + MM_ROTL) = mx_rotl(x, n);                           \
        MX_AT(a->to, at + MM_ROTR) = mx_rotr(x, n);                           \
        MX_AT(a->to, at + MM_BYTESWAP) = mx_byteswap(x);                      \
    }                                                                         \
    MX_FOR(1D, mm_bits_##tag)
MM_BIT_KERNEL(u32, uint32_t)
MM_BIT_KERNEL(u64, uint64_t)

#define MM_ORDER_KERNEL(tag, T)                                               \
    MX_BODY void mm_order_##tag##_body(const mm_order_##tag##_args *a, int i) \
    {                                                                         \
        const T x = MX_AT(a->x, i), y = MX_AT(a->y, i);                       \
        MX_AT(a->to, i *MM_ORDERS + 0) = mx_min(x, y);                        \
        MX_AT(a->to, i *MM_ORDERS + 1) = mx_max(x, y);                        \
        MX_AT(a->to, i *MM_ORDERS + 2) = mx_clamp(x, (T)3, (T)10);            \
    }                                                                         \
    MX_FOR(1D, mm_order_##tag)
MM_NUMBERS(MM_ORDER_KERNEL)
