/* The kernels of the test of calls from inside a body. */
#pragma once
#include "minx/minx.h"

MX_ARGS(bd_args,
    (mx_f64_1, y) (mx_f64_1, x),
    void (*call)(void); /* item 3 calls it, on hosts */
);
MX_DECLARE_FOR(1D, bd_for, bd_args) /* y += x */
MX_DECLARE_REDUCE(1D, bd_sum, bd_args, double)
MX_DECLARE_SCAN(1D, bd_scan, bd_args, double)
MX_DECLARE_FOR(TEAM, bd_team, bd_args)
