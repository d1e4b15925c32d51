#pragma once
#include "mesh/fe_mesh.h"
#include "minx/minx.h"

/* The vectors of one level. `x` has ghosts, and so has `b` on coarse levels. before: d or x */
typedef struct fe_smoother_views {
    mx_view diagonal;
    mx_view b, x, w, d, before;
} fe_smoother_views;

MX_ARGS_FROM(fe_smooth_args, fe_smoother_views,
    (mx_cf64_1, diagonal)
    (mx_cf64_1, b) (mx_cf64_1, w)
    (mx_f64_1, x) (mx_f64_1, d) (mx_f64_1, before),
    double keep, add;
);
/* the first step from x = 0: x = add b / diagonal */
MX_DECLARE_FOR(1D, fe_smooth_from_zero, fe_smooth_args)
/* Steps with w = A x: d = keep before + (b - w) / diagonal, x += add d. before: d; but x where
 * there is no d yet: in the first step, where keep is 0, and in the second one from x = 0, as x is a
 * multiple of what d would be. The last step does not store d. */
MX_DECLARE_FOR(1D, fe_smooth_step, fe_smooth_args)
MX_DECLARE_FOR(1D, fe_smooth_last, fe_smooth_args)

/* Lanczos iterations: conjugate gradients with the diagonal as preconditioner, without a solution.
 * The residual is in d, the direction in x. */
MX_ARGS(fe_lanczos_args,
    (mx_cf64_1, diagonal) (mx_cf64_1, w)
    (mx_f64_1, x) (mx_f64_1, d)
    (mx_cf64_1, rz) (mx_cf64_1, pw), /* scalars of all iterations */
    fe_mesh mesh;
    int now;      /* the iteration, from 1 */
    double alpha; /* set by the prologues */
    double beta;
);
/* d = numbers that depend on the node's id only, 0 at fixed nodes; x = d / diagonal. The value of
 * these is d . d / diagonal. */
MX_DECLARE_REDUCE(1D, fe_lanczos_start, fe_lanczos_args, double)
/* d -= alpha w */
MX_DECLARE_REDUCE(1D, fe_lanczos_update, fe_lanczos_args, double)
/* x = d / diagonal + beta x */
MX_DECLARE_FOR(1D, fe_lanczos_direction, fe_lanczos_args)
