/* Kernels of atomic_ops.c. */
#pragma once
#include "minx/minx.h"

#define AO_FLOATS(M) \
    M(f64, double)   \
    M(f32, float)
#define AO_INTEGERS(M) \
    M(i32, int32_t)    \
    M(i64, int64_t)    \
    M(u32, uint32_t)   \
    M(u64, uint64_t)

/* The operations, those of floats first. */
#define AO_FLOAT_OPS(M) M(add) M(sub) M(mul) M(div) M(min) M(max)
/* "and", "or" and "xor" are words of C++. Here they are only pasted into names. */
#ifndef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wc++-compat"
#endif
#define AO_INTEGER_OPS(M) M(mod) M(and) M(or) M(xor) M(nand) M(lshift) M(rshift)
#ifndef __cplusplus
#pragma GCC diagnostic pop
#endif
#define AO_NAME(op) AO_##op,
enum { AO_FLOAT_OPS(AO_NAME) AO_inc, AO_dec, AO_INTEGER_OPS(AO_NAME) AO_OPS };

/* Slots that all items work on; those up to AO_COUNTERS give each item another number. */
enum {
    AO_FETCH_ADD,
    AO_ADD_FETCH,
    AO_FETCH_INC,
    AO_INC_FETCH,
    AO_FETCH_SUB,
    AO_SUB_FETCH,
    AO_FETCH_DEC,
    AO_DEC_FETCH,
    AO_COUNTERS,
    AO_MUL = AO_COUNTERS,
    AO_DIV,
    AO_MIN,
    AO_MAX,
    AO_MOD,
    AO_NAND,
    AO_LSHIFT,
    AO_RSHIFT,
    AO_SLOTS
};

/* a: what an operation works on, at op * cases + case; three copies, one for each form. */
#define AO_DECLARE(tag, T)                                              \
    typedef struct ao_##tag##_args {                                    \
        mx_##tag##_1 plain, fetched, updated, before, after;            \
        mx_c##tag##_1 v;                                                \
        int cases;                                                      \
    } ao_##tag##_args;                                                  \
    MX_ARGS(ao_##tag##_args, plain, fetched, updated, before, after, v) \
    typedef struct ao_##tag##_crowd_args {                              \
        mx_##tag##_1 slot;                                              \
        mx_i32_1 hits; /* at counter * items + number */                \
        mx_i32_1 wrong;                                                 \
        int items;                                                      \
    } ao_##tag##_crowd_args;                                            \
    MX_ARGS(ao_##tag##_crowd_args, slot, hits, wrong)                   \
    MX_DECLARE_FOR(1D, ao_values_##tag, ao_##tag##_args)                \
    MX_DECLARE_FOR(1D, ao_crowd_##tag, ao_##tag##_crowd_args)
AO_FLOATS(AO_DECLARE)
AO_INTEGERS(AO_DECLARE)

typedef struct ao_bits_args {
    mx_f64_1 d, d_got;
    mx_f32_1 f, f_got;
} ao_bits_args;
MX_ARGS(ao_bits_args, d, d_got, f, f_got)
MX_DECLARE_FOR(1D, ao_bits, ao_bits_args)

typedef struct ao_tally {
    double sum;
    int64_t count;
    int32_t highest;
} ao_tally;
MX_ACCESSORS(ao_tally, ao_tally)
enum { AO_TALLIES = 7 };
typedef struct ao_struct_args {
    mx_ao_tally_1 tally;
    mx_i32_1 hits; /* at tally * items + count before */
    int items;
} ao_struct_args;
MX_ARGS(ao_struct_args, tally, hits)
MX_DECLARE_FOR(1D, ao_struct, ao_struct_args)

/* Items i and pairs + i meet. */
typedef struct ao_fence_args {
    mx_i32_1 x, y, saw_x, saw_y, data, flag, wrong, arrived;
    int pairs;
} ao_fence_args;
MX_ARGS(ao_fence_args, x, y, saw_x, saw_y, data, flag, wrong, arrived)
MX_DECLARE_FOR(1D, ao_fence, ao_fence_args)
