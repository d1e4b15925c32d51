/* Kernels of scatter.c. */
#pragma once
#include "minx/kit/scatter.h"
#include "minx/minx.h"

#define SC_TYPES(M) \
    M(f64, double) M(f32, float) M(i32, int32_t) M(i64, int64_t) M(u32, uint32_t) M(u64, uint64_t)

enum { SC_BINS = 37, SC_ITEMS = 30000 };

/* Neighbours hit the same bin, three at a time. */
#define SC_BIN(i) ((i) / 3 % SC_BINS)
/* A factor of 2 for few items of each bin: products stay exact in every type. */
#define SC_FACTOR(i) ((i) % 1500 == 0 ? 2 : 1)
#define SC_SPREAD(i) ((int64_t)(i)*7919 % SC_ITEMS + 3)

/* clang-format off */
#define SC_DECLARE(tag, T)                                                \
    MX_ARGS(sc_##tag##_args,                                              \
        (MX_SCATTER_OF(mx_##tag##_1, MX_SUM), sum, MX_SCATTER_ACCESSOR)   \
        (MX_SCATTER_OF(mx_##tag##_1, MX_PROD), prod, MX_SCATTER_ACCESSOR) \
        (MX_SCATTER_OF(mx_##tag##_1, MX_MIN), min, MX_SCATTER_ACCESSOR)   \
        (MX_SCATTER_OF(mx_##tag##_1, MX_MAX), max, MX_SCATTER_ACCESSOR)   \
    );                                                                    \
    MX_DECLARE_FOR(1D, sc_sum_##tag, sc_##tag##_args)                     \
    MX_DECLARE_FOR(1D, sc_first_##tag, sc_##tag##_args)                   \
    MX_DECLARE_FOR(1D, sc_all_##tag, sc_##tag##_args)                     \
    MX_DECLARE_FOR(2D, sc_rows_##tag, sc_##tag##_args)                    \
    MX_DECLARE_FOR(TEAM, sc_team_##tag, sc_##tag##_args)
/* clang-format on */
SC_TYPES(SC_DECLARE)

MX_ARGS(sc_forces_args,
    (MX_SCATTER_OF(mx_f64_2, MX_SUM), force, MX_SCATTER_ACCESSOR)
    (MX_SCATTER_OF(mx_f64_1s, MX_SUM), column, MX_SCATTER_ACCESSOR),
    int atoms;
);
MX_DECLARE_FOR(1D, sc_forces, sc_forces_args)
MX_DECLARE_FOR(2D, sc_pairs, sc_forces_args)
