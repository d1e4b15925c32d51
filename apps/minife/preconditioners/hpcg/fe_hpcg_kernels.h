/* The cycle of HPCG. */
#pragma once
#include "mesh/fe_coarse.h"
#include "minx/minx.h"

/* Some entries of each row of a colour: row r of the colour, entry e. Rows are contiguous on hosts,
 * and entries of neighbouring rows on devices. */
MX_ACCESSOR(fe_sweep_values, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_sweep_columns, const int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* The rows of a colour: owned nodes low + 2 (z, y, x), `count` along each dimension. */
typedef struct fe_colour {
    int number; /* bit d: the parity along dimension d */
    int low[3], count[3];
} fe_colour;

/* A forward sweep goes from colour 7 to colour 0. The neighbours of a node have 7 other colours: an
 * entry is before its row if its column has a higher colour, and else behind it. */
MX_ARGS(fe_sweep_args,
    (fe_sweep_values, before) (fe_sweep_columns, before_column)
    (fe_sweep_values, behind) (fe_sweep_columns, behind_column)
    (mx_cf64_1, diagonal)
    (mx_cf64_1, b)
    (mx_f64_1, x) /* with ghosts */
    (mx_f64_1, u),
    fe_mesh mesh;
    fe_colour colour;
);
/* Gauss-Seidel at node (z, y, x) of the colour, in a forward sweep: x is such that the row's
 * equation holds, and u gets what the entries behind it had. */
MX_DECLARE_FOR(3D, fe_sweep_forward, fe_sweep_args)
/* The same from x = 0: entries behind are not read, and u is not written */
MX_DECLARE_FOR(3D, fe_sweep_first, fe_sweep_args)
/* In the backward sweep after one of these two. Entries before the row are not read: their columns
 * have not changed since. */
MX_DECLARE_FOR(3D, fe_sweep_back, fe_sweep_args)
MX_DECLARE_FOR(3D, fe_sweep_back_first, fe_sweep_args)

MX_ARGS(fe_colour_args,
    (mx_ci64_1, begin) /* the matrix */
    (mx_ci32_1, column)
    (mx_cf64_1, value)
    (mx_f64_2, before) (mx_i32_2, before_column)
    (mx_f64_2, behind) (mx_i32_2, behind_column),
    fe_mesh mesh;
    fe_colour colour;
);
/* The entries of the row of node (z, y, x) of the colour. Where there is no neighbour, 0. */
MX_DECLARE_FOR(3D, fe_colour_rows, fe_colour_args)

MX_ARGS(fe_inject_args,
    (fe_sweep_values, before) (fe_sweep_columns, before_column) /* of colour 0 */
    (mx_cf64_1, diagonal) (mx_cf64_1, b)                        /* fine */
    (mx_f64_1, x)                                               /* fine, with ghosts */
    (mx_f64_1, coarse_b)
    (mx_cf64_1, coarse_x),
    fe_pair pair;
    double factor;
);
/* b of a coarse row = factor times the residual at its fine node, 0 at fixed nodes */
MX_DECLARE_FOR(1D, fe_inject, fe_inject_args)
/* x at the fine node of a coarse row += its correction */
MX_DECLARE_FOR(1D, fe_inject_back, fe_inject_args)
