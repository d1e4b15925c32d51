/* The on-node work of the checks of a solution. */
#pragma once
#include "mesh/fe_mesh.h"
#include "minx/minx.h"

/* ---- the error of the manufactured problem ---- */

MX_ARGS(fe_error_args,
    (mx_cf64_1, p) /* the solution, with ghosts */
    (mx_cf64_2, coordinates),
    fe_mesh mesh;
);
/* the integral of the squared error over element (z, y, x), by 2 x 2 x 2 Gauss points */
MX_DECLARE_REDUCE(3D, fe_error_l2, fe_error_args, double)
/* the largest error at owned nodes */
MX_DECLARE_REDUCE(1D, fe_error_max, fe_error_args, double)

/* ---- how much float coefficients may change the residual ---- */

MX_ARGS(fe_magnitude_args,
    (mx_cf64_1, p) /* the solution, with ghosts */
    (mx_cf64_2, coordinates),
    fe_mesh mesh;
    bool manufactured;
);
/* || |K_e| |v_e| ||^2 of element (z, y, x): see fe_float_bound */
MX_DECLARE_REDUCE(3D, fe_magnitude, fe_magnitude_args, double)
