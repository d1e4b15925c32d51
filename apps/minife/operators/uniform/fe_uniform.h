/* Products with the stencil of a mesh of equal boxes. */
#pragma once
#include "kernels/fe_level_kernels.h"

MX_ARGS(fe_uniform_args,
    (mx_ci32_2, line) /* as in fe_lines_args */
    (mx_cf64_1, x)
    (mx_f64_1, y),
    fe_mesh mesh;
    double stencil[9][2]; /* of line k around: the coefficients at dx = 0, and at dx = -1 and 1 */
    int first, end;       /* the planes of rows of the product */
    int lines_per_team;
    int planes; /* of a column */
    bool raw;   /* as in fe_free_args */
);
/* lines of rows */
MX_DECLARE_FOR(TEAM, fe_uniform, fe_uniform_args)
MX_DECLARE_REDUCE(TEAM, fe_uniform_dot, fe_uniform_args, double)
/* a column: `planes` rows from (first + planes * z, y, x) of the owned rows on */
MX_DECLARE_FOR(3D, fe_uniform_column, fe_uniform_args)
MX_DECLARE_REDUCE(3D, fe_uniform_column_dot, fe_uniform_args, double)

MX_ARGS(fe_uniform_diagonal_args,
    (mx_f64_1, diagonal),
    fe_mesh mesh;
    double centre;
);
/* row r */
MX_DECLARE_FOR(1D, fe_uniform_diagonal, fe_uniform_diagonal_args)
