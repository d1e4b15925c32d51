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
/* clang-format off */
#define AO_DECLARE(tag, T)                                                    \
    MX_ARGS(ao_##tag##_args,                                                  \
        (mx_##tag##_1, plain) (mx_##tag##_1, fetched) (mx_##tag##_1, updated) \
        (mx_##tag##_1, before)                                                \
        (mx_##tag##_1, after)                                                 \
        (mx_c##tag##_1, v),                                                   \
        int cases;                                                            \
    );                                                                        \
    MX_ARGS(ao_##tag##_crowd_args,                                            \
        (mx_##tag##_1, slot)                                                  \
        (mx_i32_1, hits) /* at counter * items + number */                    \
        (mx_i32_1, wrong),                                                    \
        int items;                                                            \
    );                                                                        \
    MX_DECLARE_FOR(1D, ao_values_##tag, ao_##tag##_args)                      \
    MX_DECLARE_FOR(1D, ao_crowd_##tag, ao_##tag##_crowd_args)
/* clang-format on */
AO_FLOATS(AO_DECLARE)
AO_INTEGERS(AO_DECLARE)

MX_ARGS(ao_bits_args, (mx_f64_1, d) (mx_f64_1, d_got) (mx_f32_1, f) (mx_f32_1, f_got));
MX_DECLARE_FOR(1D, ao_bits, ao_bits_args)

typedef struct ao_tally {
    double sum;
    int64_t count;
    int32_t highest;
} ao_tally;
MX_ACCESSORS(ao_tally, ao_tally)
enum { AO_TALLIES = 7 };
MX_ARGS(ao_struct_args,
    (mx_ao_tally_1, tally)
    (mx_i32_1, hits), /* at tally * items + count before */
    int items;
);
MX_DECLARE_FOR(1D, ao_struct, ao_struct_args)

/* Items i and pairs + i meet. */
MX_ARGS(ao_fence_args,
    (mx_i32_1, x) (mx_i32_1, y) (mx_i32_1, saw_x) (mx_i32_1, saw_y) (mx_i32_1, data)
    (mx_i32_1, flag) (mx_i32_1, wrong) (mx_i32_1, arrived),
    int pairs;
);
MX_DECLARE_FOR(1D, ao_fence, ao_fence_args)
