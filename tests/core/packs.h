/* Kernels of packs.c. */
#pragma once
#include "minx/minx.h"

#define PK_FLOATS(M) \
    M(f64, double)   \
    M(f32, float)
#define PK_INTEGERS(M) \
    M(i32, int32_t)    \
    M(i64, int64_t)

/* Results go to operation * n + element, those of reductions to reduction * groups + group. */
enum {
    PK_ADD,
    PK_SUB,
    PK_MUL,
    PK_DIV,
    PK_NEGATE,
    PK_PLUS_NUMBER,
    PK_NUMBER_MINUS,
    PK_COMPOUND,
    PK_MIN,
    PK_MAX,
    PK_ABS,
    PK_SELECT,
    PK_LT,
    PK_LE,
    PK_GT,
    PK_GE,
    PK_EQ,
    PK_NE,
    PK_MASKS,
    PK_GATHER,
    PK_SCATTER,
    PK_REVERSE,
    PK_KIND, /* from here on of floats, or of integers */
    PK_SQRT = PK_KIND,
    PK_FMA,
    PK_MOD = PK_KIND,
    PK_AND,
    PK_OR,
    PK_XOR,
    PK_NOT,
    PK_LSHIFT,
    PK_RSHIFT,
    PK_OPS
};
enum { PK_SUM, PK_LOWEST, PK_HIGHEST, PK_ANY, PK_ALL, PK_COUNT, PK_BITS, PK_BACK, PK_JOINS };

/* clang-format off */
#define PK_DECLARE(tag, T)                                               \
    MX_ARGS(pk_##tag##_args,                                             \
        (mx_c##tag##_1, x) (mx_c##tag##_1, y) (mx_c##tag##_1, d)         \
        (mx_ci32_1, index)                                               \
        (mx_##tag##_1, to) (mx_##tag##_1, joined) (mx_##tag##_1, whole), \
        int n, groups;                                                   \
    );                                                                   \
    MX_DECLARE_FOR(1D, pk_##tag, pk_##tag##_args)
/* clang-format on */
PK_FLOATS(PK_DECLARE)
PK_INTEGERS(PK_DECLARE)

/* simd_parts.h */
typedef struct pk_parts_views {
    mx_view x, y, chosen, sum, widened; /* f64 */
    mx_view x32, y32, chosen32, sum32;  /* f32 */
    mx_view less, less32;               /* i32: bits of masks */
} pk_parts_views;
MX_ARGS_FROM(pk_parts_args, pk_parts_views,
    (mx_cf64_1, x) (mx_cf64_1, y)
    (mx_f64_1, chosen) (mx_f64_1, sum) (mx_f64_1, widened)
    (mx_cf32_1, x32) (mx_cf32_1, y32)
    (mx_f32_1, chosen32) (mx_f32_1, sum32)
    (mx_i32_1, less) (mx_i32_1, less32)
);
MX_DECLARE_FOR(1D, pk_parts, pk_parts_args)

/* Rows by themselves: 4 results for each item. */
MX_ARGS(pk_row_args, (mx_cf64_1, from) (mx_cf32_1, less) (mx_f64_1, to));
/* item i: 3 * from(i to i + 3) - less(i to i + 3) * from(i + 1 to i + 4) + from(i to i + 3) */
MX_DECLARE_FOR(1D, pk_row, pk_row_args)
