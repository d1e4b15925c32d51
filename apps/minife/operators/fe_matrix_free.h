/* Products y = A x without a stored matrix: elements are computed anew from the coordinates of
 * their nodes (fe_lanes.h), or the stencil of a uniform mesh is used. They are those of the
 * assembled system: a node with a given value has the row y = x, and other rows do not see it. With
 * `raw`, nothing is given. */
#pragma once
#include "kernels/fe_level_kernels.h"

typedef struct fe_free_args {
    mx_cf64_2 coordinates;
    mx_ci32_2 line; /* as in fe_lines_args */
    mx_cf64_1 x;
    mx_f64_1 y;
    fe_mesh mesh;
    int from[3], to[3]; /* elements that touch owned nodes */
    int low[3];         /* of a colour */
    fe_blocks blocks;
    double stencil[9][2]; /* of line k around: the coefficients at dx = 0, and at dx = -1 and 1 */
    int first, end;       /* uniform: the planes of rows of the product */
    int lines_per_team;
    int planes; /* of a column */
    bool raw;
} fe_free_args;
MX_ARGS(fe_free_args, coordinates, line, x, y)

/* ---- by elements (kernels/elements.c) ---- */

/* row r: y = 0, or x where the value is given */
MX_DECLARE_FOR(1D, fe_elements_begin, fe_free_args)
/* elements in the line low + 2 (z, y), all along x: no two lines of a launch share a node */
MX_DECLARE_FOR(2D, fe_elements_line, fe_free_args)
/* element low + 2 (z, y, x) */
MX_DECLARE_FOR(3D, fe_elements_one, fe_free_args)
/* x . y of row r */
MX_DECLARE_REDUCE(1D, fe_elements_dot, fe_free_args, double)

/* ---- by nodes (kernels/nodes.c, kernels/tiles.c) ---- */

/* a block of rows, as in fe_assemble_block; scratch at level 1: two planes of lines of y, two of x
 * with one line more on each side */
MX_DECLARE_FOR(TEAM, fe_nodes_block, fe_free_args)
MX_DECLARE_REDUCE(TEAM, fe_nodes_block_dot, fe_free_args, double)
/* a tile of rows (kernels/tiles.c), also one of `blocks`; scratch at level 0: 8 (y + 1) (x + 1) + y
 * x doubles, where y and x are the sizes of a tile */
MX_DECLARE_FOR(TEAM, fe_nodes_tile, fe_free_args)
MX_DECLARE_REDUCE(TEAM, fe_nodes_tile_dot, fe_free_args, double)

/* ---- uniform mesh (kernels/uniform.c) ---- */

/* lines of rows */
MX_DECLARE_FOR(TEAM, fe_uniform, fe_free_args)
MX_DECLARE_REDUCE(TEAM, fe_uniform_dot, fe_free_args, double)
/* a column: `planes` rows from (first + planes * z, y, x) of the owned rows on */
MX_DECLARE_FOR(3D, fe_uniform_column, fe_free_args)
MX_DECLARE_REDUCE(3D, fe_uniform_column_dot, fe_free_args, double)

typedef struct fe_uniform_diagonal_args {
    mx_f64_1 diagonal;
    fe_mesh mesh;
    double centre;
} fe_uniform_diagonal_args;
MX_ARGS(fe_uniform_diagonal_args, diagonal)
/* row r */
MX_DECLARE_FOR(1D, fe_uniform_diagonal, fe_uniform_diagonal_args)

/* ---- given values of b (kernels/elements.c) ---- */

typedef struct fe_given_args {
    mx_f64_1 given; /* of nodes held: the value with which other rows lose a node, or 0 */
    mx_cf64_1 product;
    mx_f64_1 b;
    mx_cf64_2 coordinates;
    fe_mesh mesh;
    bool manufactured;
} fe_given_args;
MX_ARGS(fe_given_args, given, product, b, coordinates)
/* node (z, y, x) of the box held */
MX_DECLARE_FOR(3D, fe_given_values, fe_given_args)
/* row r: b -= product, where the value of r is not given */
MX_DECLARE_FOR(1D, fe_given_subtract, fe_given_args)
