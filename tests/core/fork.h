/* The kernels of the test of fork(). */
#pragma once
#include "minx/minx.h"

MX_ARGS(fk_args, (mx_f64_1, x));
MX_ARGS(fk_calls, ,
    void (*call)(void); /* item 0 calls it, on hosts */
);
MX_DECLARE_REDUCE(1D, fk_count, fk_calls, int64_t)
MX_DECLARE_REDUCE(1D, fk_sum, fk_args, double)
MX_DECLARE_FOR(TEAM, fk_team, fk_args) /* adds 1 to the element of each team */
