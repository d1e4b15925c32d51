/* Kernels of graph_step.c: particles on a line in whole numbers, so that forces are exact in any
 * order. */
#pragma once
#include "minx/kit/scatter.h"
#include "minx/minx.h"

enum { GS_NEIGHBOURS = 5, GS_WIDTH = 1000 };

MX_ARGS(gs_force_args,
    (mx_ci64_1, x)
    (MX_SCATTER_OF(mx_i64_1, MX_SUM), f, MX_SCATTER_ACCESSOR),
    int particles;
);
MX_DECLARE_FOR(1D, gs_force, gs_force_args)

MX_ARGS(gs_move_args,
    (mx_i64_1, x)
    (mx_ci64_1, f)
    (mx_i64_0, moves) /* how many particles moved: from 0 in each step */
);
MX_DECLARE_FOR(1D, gs_move, gs_move_args)
