/* The kernels of the experiment on layouts: one source for accessors of layout left and of layout
 * right. */
#pragma once
#include "particle_kernels.h"
#include "pattern_kernels.h"
#include "spmv.h"

/* out = (in + its four neighbours) / 5;  y = A x, entry k of row r at (r, k) */
/* clang-format off */
#define BENCH_LAYOUT(s, LAYOUT)                                                              \
    MX_ARGS(bench_stencil_##s##_args, (mx_f64_2##s, out) (mx_cf64_2##s, in));                \
    MX_DECLARE_FOR(2D, bench_stencil_##s, bench_stencil_##s##_args)                          \
    MX_ACCESSOR(bench_reals_##s, const double, 2, LAYOUT, MX_TRAIT_RANDOM_ACCESS, BENCH_ROW) \
    MX_ACCESSOR(bench_ints_##s, const int32_t, 2, LAYOUT, MX_TRAIT_RANDOM_ACCESS, BENCH_ROW) \
    MX_ARGS(bench_columns_##s##_args,                                                        \
        (bench_reals_##s, value)                                                             \
        (bench_ints_##s, column)                                                             \
        (spmv_f64, x)                                                                        \
        (mx_f64_1, y)                                                                        \
    );                                                                                       \
    MX_DECLARE_FOR(1D, bench_columns_##s, bench_columns_##s##_args)
/* clang-format on */
BENCH_LAYOUT(l, MX_LAYOUT_LEFT)
BENCH_LAYOUT(r, MX_LAYOUT_RIGHT)

/* What one side of the experiment computes with. */
#define BENCH_LAYOUT_ARGS(s)              \
    bench_stencil_##s##_args stencil_##s; \
    bench_columns_##s##_args columns_##s; \
    bench_force_##s##_args force_##s
typedef struct bench_layout_args {
    BENCH_LAYOUT_ARGS(l);
    BENCH_LAYOUT_ARGS(r);
} bench_layout_args;
