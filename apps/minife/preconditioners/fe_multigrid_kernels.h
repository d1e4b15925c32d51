/* The on-node work of preconditioners: smoothers, and transfers between the levels of multigrid. */
#pragma once
#include "mesh/fe_coarse.h"
#include "minx/minx.h"

/* The vectors of one level. `x` has ghosts, and so has `b` on coarse levels. */
typedef struct fe_smoother_views {
    mx_view diagonal;
    mx_view b, x, w, d;
} fe_smoother_views;

/* ---- diagonal, Chebyshev (kernels/smooth.c) ---- */

typedef struct fe_smooth_args {
    mx_cf64_1 diagonal;
    mx_cf64_1 b, w;
    mx_f64_1 x, d;
    double keep, add;
} fe_smooth_args;
MX_BUNDLE(fe_smooth_args, fe_smoother_views, diagonal, b, w, x, d)
/* x = b / diagonal */
MX_DECLARE_FOR(1D, fe_scale, fe_smooth_args)
/* the first step from x = 0: d = b / diagonal, x = add d */
MX_DECLARE_FOR(1D, fe_smooth_first, fe_smooth_args)
/* d = keep d + (b - w) / diagonal, x += add d, where w = A x */
MX_DECLARE_FOR(1D, fe_smooth_step, fe_smooth_args)

/* Lanczos iterations: conjugate gradients with the diagonal as preconditioner, without a solution.
 * The residual is in d, the direction in x. */
typedef struct fe_lanczos_args {
    mx_cf64_1 diagonal, w;
    mx_f64_1 x, d;
    mx_cf64_1 rz, pw; /* scalars of all iterations */
    fe_mesh mesh;
    int now;      /* the iteration, from 1 */
    double alpha; /* set by the prologues */
    double beta;
} fe_lanczos_args;
MX_ARGS(fe_lanczos_args, diagonal, w, x, d, rz, pw)
/* d = numbers that depend on the node's id only, 0 at fixed nodes; x = d / diagonal. The value of
 * these is d . d / diagonal. */
MX_DECLARE_REDUCE(1D, fe_lanczos_start, fe_lanczos_args, double)
/* d -= alpha w */
MX_DECLARE_REDUCE(1D, fe_lanczos_update, fe_lanczos_args, double)
/* x = d / diagonal + beta x */
MX_DECLARE_FOR(1D, fe_lanczos_direction, fe_lanczos_args)

/* ---- transfers (kernels/transfer.c) ---- */

typedef struct fe_restrict_args {
    mx_cf64_1 b, w;  /* fine */
    mx_f64_1 coarse; /* with ghosts */
    fe_pair pair;
} fe_restrict_args;
MX_ARGS(fe_restrict_args, b, w, coarse)
/* Node (z, y, x) of the coarse nodes held gets what this rank's fine nodes give it of the residual
 * b - w. */
MX_DECLARE_FOR(3D, fe_restrict, fe_restrict_args)

typedef struct fe_prolong_args {
    mx_f64_1 x;       /* fine */
    mx_cf64_1 coarse; /* with ghosts */
    fe_pair pair;
} fe_prolong_args;
MX_ARGS(fe_prolong_args, x, coarse)
/* Owned node (z, y, x) of the fine mesh: x += the correction at its place. */
MX_DECLARE_FOR(3D, fe_prolong, fe_prolong_args)

/* ---- the coarsest level: all of its nodes on each rank (kernels/transfer.c) ---- */

typedef struct fe_bottom_args {
    mx_cf64_1 b;
    mx_f64_1 x;
    mx_f64_1 all;      /* b of all nodes, by id */
    mx_cf64_2 inverse; /* of the matrix, by ids */
    fe_mesh mesh;
} fe_bottom_args;
MX_ARGS(fe_bottom_args, b, x, all, inverse)
/* all(id) = b of node id if it is this rank's, else 0 */
MX_DECLARE_FOR(1D, fe_bottom_collect, fe_bottom_args)
/* x = inverse * all at node (z, y, x) of those held */
MX_DECLARE_FOR(3D, fe_bottom_solve, fe_bottom_args)

/* ---- the cycle of HPCG (kernels/hpcg.c) ---- */

typedef struct fe_sweep_args {
    mx_ci64_1 begin; /* the matrix */
    mx_ci32_1 column;
    mx_cf64_1 value;
    mx_cf64_1 b;
    mx_f64_1 x; /* with ghosts */
    fe_mesh mesh;
    int low[3]; /* of a colour: the first owned node; the next ones are 2 apart */
} fe_sweep_args;
MX_ARGS(fe_sweep_args, begin, column, value, b, x)
/* Gauss-Seidel at node low + 2 (z, y, x): x is such that the row's equation holds. No two nodes of
 * a colour are in one row. */
MX_DECLARE_FOR(3D, fe_sweep, fe_sweep_args)

typedef struct fe_inject_args {
    mx_cf64_1 b, w; /* fine */
    mx_f64_1 x;     /* fine */
    mx_f64_1 coarse_b;
    mx_cf64_1 coarse_x;
    fe_pair pair;
    double factor;
} fe_inject_args;
MX_ARGS(fe_inject_args, b, w, x, coarse_b, coarse_x)
/* b of a coarse row = factor times the residual b - w at its fine node, 0 at fixed nodes */
MX_DECLARE_FOR(1D, fe_inject, fe_inject_args)
/* x at the fine node of a coarse row += its correction */
MX_DECLARE_FOR(1D, fe_inject_back, fe_inject_args)
