/* Kernels of watched.c. */
#pragma once
#include "minx/minx.h"

typedef struct wt_pair {
    int64_t count, sum;
} wt_pair;
MX_ARGS(wt_args, (mx_i64_1, x) (mx_i64_1, y) (mx_i64_1, total));
MX_DECLARE_FOR(1D, wt_race, wt_args) /* wrong: all items add to one element */
MX_DECLARE_FOR(1D, wt_atomic, wt_args)
MX_DECLARE_FOR(1D, wt_update, wt_args)
MX_DECLARE_REDUCE(1D, wt_sum, wt_args, int64_t)
MX_DECLARE_FOR(1D, wt_write, wt_args)
MX_DECLARE_FOR(1D, wt_reverse, wt_args) /* reads what another thread wrote in the launch before */
MX_DECLARE_FOR(TEAM, wt_collective, wt_args)
MX_DECLARE_FOR(TEAM, wt_too_early, wt_args) /* wrong: no barrier before it reads */
