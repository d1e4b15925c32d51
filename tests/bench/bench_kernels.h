/* The kernels that only minx-bench has. The three CG kernels are those of TeaLeaf. */
#pragma once
#include "minx/minx.h"

/* x(i) = a value between 0.5 and 1.5 that depends on i and seed. */
MX_ARGS(bench_set_1d_args,
    (mx_f64_1, x),
    double seed;
);
MX_DECLARE_FOR(1D_64, bench_set_1d, bench_set_1d_args)

MX_ARGS(bench_set_2d_args,
    (mx_f64_2s, x),
    double seed;
);
MX_DECLARE_FOR(2D, bench_set_2d, bench_set_2d_args)

MX_ARGS(bench_set_3d_args,
    (mx_f64_3s, x),
    double seed;
);
MX_DECLARE_FOR(3D, bench_set_3d, bench_set_3d_args)

/* index(i): many items of a histogram fall into one bin, neighbours too. The bins are in random
 * order: with a constant distance from one bin to the next, a CPU's prefetcher would follow it
 * beyond the array, and the time would depend on what is there. */
MX_ARGS(bench_set_index_args,
    (mx_i32_1, index),
    int bins;
);
MX_DECLARE_FOR(1D, bench_set_index, bench_set_index_args)

/* out = (in + its four neighbours) / 5 */
MX_ARGS(bench_stencil_args, (mx_f64_2, out) (mx_cf64_2, in));
MX_DECLARE_FOR(2D, bench_stencil, bench_stencil_args)

/* Five fields in one pass. */
#define BENCH_SUMMARY(FIELD)           \
    FIELD(double, volume, MX_SUM)      \
    FIELD(double, mass, MX_SUM)        \
    FIELD(double, energy, MX_SUM)      \
    FIELD(double, temperature, MX_SUM) \
    FIELD(double, hottest, MX_MAX)
MX_VALUE(bench_summary, BENCH_SUMMARY)
MX_ARGS(bench_summary_args,
    (mx_cf64_2, density) (mx_cf64_2, energy) (mx_cf64_2, u),
    double volume;
);
MX_DECLARE_REDUCE(2D, bench_summarise, bench_summary_args, bench_summary)

/* bins(index(i)) += 1, by atomics */
MX_ARGS(bench_histogram_args, (mx_i64_1, bins) (mx_ci32_1, index));
MX_DECLARE_FOR(1D, bench_histogram, bench_histogram_args)

/* Nothing: what a launch costs. */
MX_ARGS(bench_nothing_args, ,
    int unused;
);
MX_DECLARE_FOR(1D, bench_nothing, bench_nothing_args)
