/* The on-node work on one level (fe_level.h): its system of equations A u = b, and products with A. Rows, columns and entries: see
 * fe_mesh.h. In CSR form, row r has the entries from begin(r) to before begin(r + 1), in the order of z, y, x of their nodes; a
 * column is a local index. */
#pragma once
#include "fe_mesh.h"
#include "minx/minx.h"

typedef struct fe_level_views {
    mx_view coordinates;          /* of all nodes held: 3 x nodes, x, y, z */
    mx_view begin, column, value; /* the matrix: i64, i32, f64 */
    mx_view b;
} fe_level_views;

/* ---- set-up (kernels/setup.c) ---- */

typedef struct fe_structure_args {
    mx_i64_1 begin;
    mx_i32_1 column;
    mx_f64_1 value;
    fe_mesh mesh;
} fe_structure_args;
MX_BUNDLE(fe_structure_args, fe_level_views, begin, column, value)
/* begin(r), r from 0 to the number of rows, both included */
MX_DECLARE_SCAN(1D, fe_row_begins, fe_structure_args, int64_t)
/* columns and zeros of row r */
MX_DECLARE_FOR(1D, fe_columns, fe_structure_args)

typedef struct fe_coordinates_args {
    mx_f64_2 coordinates;
    fe_mesh mesh;
    bool distorted;
} fe_coordinates_args;
MX_BUNDLE(fe_coordinates_args, fe_level_views, coordinates)
/* node (z, y, x) of the box that the rank holds */
MX_DECLARE_FOR(3D, fe_coordinates, fe_coordinates_args)

typedef struct fe_assemble_args {
    mx_ci64_1 begin;
    mx_f64_1 value;
    mx_f64_1 b;
    mx_cf64_2 coordinates;
    fe_mesh mesh;
    int low[3]; /* of a colour: the first element; the next ones are 2 apart */
    bool manufactured;
} fe_assemble_args;
MX_BUNDLE(fe_assemble_args, fe_level_views, begin, value, b, coordinates)
/* element (z, y, x): its matrix and source go to the rows of its nodes, by atomic additions */
MX_DECLARE_FOR(3D, fe_assemble_atomic, fe_assemble_args)
/* element (low + 2 (z, y, x)): no two of a launch share a node, so that sums do not depend on the order of threads */
MX_DECLARE_FOR(3D, fe_assemble_colour, fe_assemble_args)

typedef struct fe_boundary_args {
    mx_ci64_1 begin;
    mx_f64_1 value;
    mx_f64_1 b;
    mx_cf64_2 coordinates;
    fe_mesh mesh;
} fe_boundary_args;
MX_BUNDLE(fe_boundary_args, fe_level_views, begin, value, b, coordinates)
/* row r: the given values, first those at 0, then those at 1 */
MX_DECLARE_FOR(1D, fe_boundary, fe_boundary_args)
/* row r: the exact solution on the whole boundary */
MX_DECLARE_FOR(1D, fe_boundary_exact, fe_boundary_args)

/* ---- products (kernels/product.c) ---- */

/* Read once in each product, and not written by it. */
MX_ACCESSOR(fe_column_numbers, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_values, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* The vectors of a product: bound by fe_apply. */
typedef struct fe_csr_args {
    mx_ci64_1 begin;
    fe_column_numbers column;
    fe_matrix_values value;
    mx_cf64_1 x; /* with ghosts */
    mx_f64_1 y;
    int rows, rows_per_team;
} fe_csr_args;
MX_ARGS(fe_csr_args, begin, column, value, x, y)
/* y = A x for the rows of a team; the value is x . y */
MX_DECLARE_REDUCE(TEAM, fe_csr_dot, fe_csr_args, double)
/* the same without x . y */
MX_DECLARE_FOR(TEAM, fe_csr, fe_csr_args)

typedef struct fe_diagonal_args {
    mx_ci64_1 begin;
    mx_cf64_1 value;
    mx_f64_1 diagonal;
    fe_mesh mesh;
} fe_diagonal_args;
MX_ARGS(fe_diagonal_args, begin, value, diagonal)
/* row r */
MX_DECLARE_FOR(1D, fe_diagonal_of_csr, fe_diagonal_args)
