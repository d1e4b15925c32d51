#include "minx/kernel.h"

#include "reduce_numbers.h"

#define RN_KERNEL(red, R, tag, T, expression)                                   \
    MX_BODY void rn_##red##_##tag##_body(const rn_##tag##_args *a, int i, T *v) \
    {                                                                           \
        const T x = MX_AT(a->x, i);                                             \
        *v = (T)(expression);                                                   \
    }                                                                           \
    MX_REDUCE(1D, rn_##red##_##tag, R)

#define RN_KERNELS(tag, T)                              \
    RN_KERNEL(sum, MX_SUM, tag, T, *v + x)              \
    RN_KERNEL(prod, MX_PROD, tag, T, *v *x)             \
    RN_KERNEL(min, MX_MIN, tag, T, x < *v ? x : *v)     \
    RN_KERNEL(max, MX_MAX, tag, T, *v < x ? x : *v)     \
    RN_KERNEL(land, MX_LAND, tag, T, *v != 0 && x != 0) \
    RN_KERNEL(lor, MX_LOR, tag, T, *v != 0 || x != 0)
#define RN_BITWISE_KERNELS(tag, T)          \
    RN_KERNEL(band, MX_BAND, tag, T, *v &x) \
    RN_KERNEL(bor, MX_BOR, tag, T, *v | x)
RN_NUMBERS(RN_KERNELS)
RN_INTEGERS(RN_BITWISE_KERNELS)
