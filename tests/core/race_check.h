/* Kernels of race_check.c. Each of the wrong ones has races on two views. */
#pragma once
#include "minx/kit/scatter.h"
#include "minx/kit/token.h"
#include "minx/minx.h"

typedef struct rc_pair {
    double key;
    int32_t left, right;
} rc_pair;
MX_ACCESSORS(rc_pair, rc_pair)

MX_ARGS(rc_args,
    (mx_f64_2, f)
    (mx_f64_2, g)
    (mx_f64_1, y)
    (mx_i32_1, n)
    (mx_f64_0, total)
    (mx_f64_0, best)
    (mx_i32_0, count)
    (mx_i32_0, last)
    (mx_ci32_2, edge) // the two nodes of an edge: i and i + 1
    (mx_i32_1, list)
    (mx_rc_pair_1, pair)
    (mx_i32_1, tokens)
    (MX_SCATTER_OF(mx_f64_1, MX_SUM), sum, MX_SCATTER_ACCESSOR)
);
MX_DECLARE_FOR(1D, rc_scatter, rc_args)
MX_DECLARE_FOR(2D, rc_stencil, rc_args)
MX_DECLARE_FOR(1D, rc_list, rc_args)
MX_DECLARE_FOR(TEAM, rc_team, rc_args)
MX_DECLARE_REDUCE(1D, rc_sum, rc_args, double)
MX_DECLARE_FOR(1D, rc_half_list, rc_args)
MX_DECLARE_FOR(1D, rc_same_value, rc_args)
MX_DECLARE_FOR(1D, rc_pointer, rc_args)
MX_DECLARE_FOR(1D_64, rc_mixed, rc_args)
MX_DECLARE_SCAN(1D, rc_scan, rc_args, double)
MX_DECLARE_REDUCE_ARRAY(1D, rc_bins, rc_args, double)
MX_DECLARE_FOR(TEAM, rc_lanes, rc_args)
MX_DECLARE_FOR(TEAM, rc_token, rc_args)
MX_DECLARE_FOR(1D, rc_library, rc_args)
/* Without races. */
MX_DECLARE_FOR(1D, rc_clean, rc_args)
MX_DECLARE_FOR(TEAM, rc_clean_team, rc_args)
MX_DECLARE_SCAN(1D, rc_clean_scan, rc_args, double)
MX_DECLARE_FOR(TEAM, rc_outside, rc_args)
