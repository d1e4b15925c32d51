#include "minx/kernel.h"

#include "atomics.h"

#define AC_KERNELS(tag, T)                                                                  \
    MX_BODY void ac_histogram_##tag##_body(const ac_##tag##_args *a, int i)                 \
    {                                                                                       \
        mx_atomic_add(&MX_AT(a->to, i * 7 % 13), (T)(1 + i % 3));                           \
        mx_atomic_fetch_add(&MX_AT(a->to, 13), (T)1);                                       \
    }                                                                                       \
    MX_FOR(1D, ac_histogram_##tag)                                                          \
    MX_BODY void ac_subtract_##tag##_body(const ac_##tag##_args *a, int i)                  \
    {                                                                                       \
        const T before = mx_atomic_fetch_sub(&MX_AT(a->to, i % 5), (T)1);                   \
        mx_atomic_add(&MX_AT(a->log, i % 5), (int64_t)before);                              \
    }                                                                                       \
    MX_FOR(1D, ac_subtract_##tag)                                                           \
    MX_BODY void ac_extremes_##tag##_body(const ac_##tag##_args *a, int i)                  \
    {                                                                                       \
        const T x = (T)((int64_t)i * 7919 % a->items + 5);                                  \
        mx_atomic_fetch_min(&MX_AT(a->to, i % 3), x);                                       \
        mx_atomic_fetch_max(&MX_AT(a->to, 3 + i % 3), x);                                   \
    }                                                                                       \
    MX_FOR(1D, ac_extremes_##tag)                                                           \
    /* what comes out and what is left at the end is what went in */                        \
    MX_BODY void ac_exchange_##tag##_body(const ac_##tag##_args *a, int i)                  \
    {                                                                                       \
        const T before = mx_atomic_exchange(&MX_AT(a->to, i % 4), (T)(i + 1));              \
        mx_atomic_add(&MX_AT(a->log, i % 4), (int64_t)before);                              \
    }                                                                                       \
    MX_FOR(1D, ac_exchange_##tag)                                                           \
    /* exactly one item wins each slot */                                                   \
    MX_BODY void ac_claim_##tag##_body(const ac_##tag##_args *a, int i)                     \
    {                                                                                       \
        const int slot = i % 50;                                                            \
        const T before = mx_atomic_compare_exchange(&MX_AT(a->to, slot), (T)0, (T)(i + 1)); \
        if (before == (T)0) mx_atomic_add(&MX_AT(a->log, slot), (int64_t)1000000 + i);      \
    }                                                                                       \
    MX_FOR(1D, ac_claim_##tag)                                                              \
    /* an addition made of load and compare_exchange */                                     \
    MX_BODY void ac_retry_##tag##_body(const ac_##tag##_args *a, int i)                     \
    {                                                                                       \
        T *to = &MX_AT(a->to, i % 2), before = mx_atomic_load(to), seen;                    \
        do {                                                                                \
            seen = before;                                                                  \
            before = mx_atomic_compare_exchange(to, seen, (T)(seen + (T)2));                \
        } while (before != seen);                                                           \
        if (i < 20) mx_atomic_store(&MX_AT(a->to, 2 + i), (T)(3 * i));                      \
    }                                                                                       \
    MX_FOR(1D, ac_retry_##tag, MX_ITEMS_PLAIN)

#define AC_BITWISE_KERNELS(tag, T)                                             \
    MX_BODY void ac_bits_##tag##_body(const ac_##tag##_args *a, int i)         \
    {                                                                          \
        const T bit = (T)((T)1 << i % 31);                                     \
        mx_atomic_fetch_or(&MX_AT(a->to, 0), bit);                             \
        mx_atomic_fetch_and(&MX_AT(a->to, 1), (T)~bit);                        \
        mx_atomic_fetch_xor(&MX_AT(a->to, 2), bit);                            \
        const T before = mx_atomic_fetch_or(&MX_AT(a->to, 3), bit);            \
        if ((before & bit) == 0) mx_atomic_add(&MX_AT(a->log, 0), (int64_t)1); \
    }                                                                          \
    MX_FOR(1D, ac_bits_##tag)

AC_NUMBERS(AC_KERNELS)
AC_INTEGERS(AC_BITWISE_KERNELS)
