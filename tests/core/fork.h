/* The kernels of the test of fork(). */
#pragma once
#include "minx/minx.h"

typedef struct fk_args {
    mx_f64_1 x;
} fk_args;
MX_ARGS(fk_args, x)
typedef struct fk_calls {
    void (*call)(void); /* item 0 calls it, on hosts */
} fk_calls;
MX_NO_ACCESSORS(fk_calls)
MX_DECLARE_REDUCE(1D, fk_count, fk_calls, int64_t)
MX_DECLARE_REDUCE(1D, fk_sum, fk_args, double)
MX_DECLARE_FOR(TEAM, fk_team, fk_args) /* adds 1 to the element of each team */
