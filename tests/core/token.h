/* Kernels of token.c. */
#pragma once
#include "minx/kit/token.h"
#include "minx/minx.h"

enum { TK_OWN = 8 };

MX_ARGS(tk_args,
    (mx_i32_1, tokens) (mx_i32_1, busy)
    (mx_i64_2, own)   /* of each id: TK_OWN numbers */
    (mx_i64_1, wrong) /* ids outside, ids that two items had */
);
MX_DECLARE_FOR(1D, tk_count, tk_args)
MX_DECLARE_FOR(1D, tk_exclusive, tk_args)
MX_DECLARE_FOR(2D, tk_grid, tk_args)
MX_DECLARE_FOR(TEAM, tk_team, tk_args)
