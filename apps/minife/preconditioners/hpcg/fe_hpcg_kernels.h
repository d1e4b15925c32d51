/* The cycle of HPCG. */
#pragma once
#include "mesh/fe_coarse.h"
#include "minx/minx.h"

MX_ARGS(fe_sweep_args,
    (mx_ci64_1, begin) /* the matrix */
    (mx_ci32_1, column)
    (mx_cf64_1, value)
    (mx_cf64_1, b)
    (mx_f64_1, x), /* with ghosts */
    fe_mesh mesh;
    int low[3]; /* of a colour: the first owned node; the next ones are 2 apart */
);
/* Gauss-Seidel at node low + 2 (z, y, x): x is such that the row's equation holds. No two nodes of
 * a colour are in one row. */
MX_DECLARE_FOR(3D, fe_sweep, fe_sweep_args)

MX_ARGS(fe_inject_args,
    (mx_cf64_1, b) (mx_cf64_1, w) /* fine */
    (mx_f64_1, x)                 /* fine */
    (mx_f64_1, coarse_b)
    (mx_cf64_1, coarse_x),
    fe_pair pair;
    double factor;
);
/* b of a coarse row = factor times the residual b - w at its fine node, 0 at fixed nodes */
MX_DECLARE_FOR(1D, fe_inject, fe_inject_args)
/* x at the fine node of a coarse row += its correction */
MX_DECLARE_FOR(1D, fe_inject_back, fe_inject_args)
