/* The on-node work of miniFE. Rows, columns and entries: see fe_mesh.h. The matrix is in CSR form: row r has the entries from
 * begin(r) to before begin(r + 1), in the order of z, y, x of their nodes; a column is a local index. */
#pragma once
#include "fe_mesh.h"
#include "minx/minx.h"

/* Read once in each product, and not written by it. */
MX_ACCESSOR(fe_column_numbers, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(fe_matrix_values, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct fe_views {
    mx_view coordinates;          /* of all nodes held: 3 x nodes, x, y, z */
    mx_view begin, column, value; /* the matrix: i64, i32, f64 */
    mx_view b, x, r, p, w;        /* vectors: rows; p with ghosts */
    mx_view rr, pw;               /* the solver's scalars: FE_RING */
} fe_views;

/* ---- set-up (kernels/setup.c) ---- */

typedef struct fe_structure_args {
    mx_i64_1 begin;
    mx_i32_1 column;
    mx_f64_1 value;
    fe_mesh mesh;
} fe_structure_args;
MX_BUNDLE(fe_structure_args, fe_views, begin, column, value)
/* begin(r), r from 0 to the number of rows, both included */
MX_DECLARE_SCAN(1D, fe_row_begins, fe_structure_args, int64_t)
/* columns and zeros of row r */
MX_DECLARE_FOR(1D, fe_columns, fe_structure_args)

typedef struct fe_coordinates_args {
    mx_f64_2 coordinates;
    fe_mesh mesh;
    bool distorted;
} fe_coordinates_args;
MX_BUNDLE(fe_coordinates_args, fe_views, coordinates)
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
MX_BUNDLE(fe_assemble_args, fe_views, begin, value, b, coordinates)
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
MX_BUNDLE(fe_boundary_args, fe_views, begin, value, b, coordinates)
/* row r: the given values, first those at 0, then those at 1 */
MX_DECLARE_FOR(1D, fe_boundary, fe_boundary_args)
/* row r: the exact solution on the whole boundary */
MX_DECLARE_FOR(1D, fe_boundary_exact, fe_boundary_args)

typedef struct fe_error_args {
    mx_cf64_1 p; /* the solution, with ghosts */
    mx_cf64_2 coordinates;
    fe_mesh mesh;
} fe_error_args;
MX_BUNDLE(fe_error_args, fe_views, p, coordinates)
/* the integral of the squared error over element (z, y, x), by 2 x 2 x 2 Gauss points */
MX_DECLARE_REDUCE(3D, fe_error_l2, fe_error_args, double)
/* the largest error at own nodes */
MX_DECLARE_REDUCE(1D, fe_error_max, fe_error_args, double)

/* ---- the solver (kernels/cg.c): see solve.c for the scalars ---- */

enum { FE_BATCH = 16, FE_RING = 2 * FE_BATCH };

/* Where a solver's scalars of iteration k are, in the rings rr and pw. */
MX_INLINE int fe_ring(int64_t k) { return (int)(k % FE_RING); }

typedef struct fe_product_args {
    mx_ci64_1 begin;
    fe_column_numbers column;
    fe_matrix_values value;
    mx_cf64_1 p;
    mx_f64_1 w;
    int rows, rows_per_team;
} fe_product_args;
MX_BUNDLE(fe_product_args, fe_views, begin, column, value, p, w)
/* w = A p for the rows of a team; the value is p . w */
MX_DECLARE_REDUCE(TEAM, fe_product, fe_product_args, double)

typedef struct fe_start_args {
    mx_f64_1 r, p;
    mx_cf64_1 x, b, w;
} fe_start_args;
MX_BUNDLE(fe_start_args, fe_views, r, p, x, b, w)
/* p = x */
MX_DECLARE_FOR(1D, fe_copy, fe_start_args)
/* r = p = b - w; the value is r . r */
MX_DECLARE_REDUCE(1D, fe_start, fe_start_args, double)

/* The scalars that an iteration needs, in rings; the numbers of the entries of iteration k: */
typedef struct fe_scalars {
    int now;      /* k */
    int before;   /* k - 1 */
    int compared; /* k - 2, or 0: the norm that is compared with the tolerance */
    double tolerance;
} fe_scalars;

typedef struct fe_update_args {
    mx_f64_1 x, r;
    mx_cf64_1 p, w;
    mx_cf64_1 rr, pw;
    fe_scalars scalars;
    double alpha; /* set by the prologue; 0 where the iteration is not to be done */
    bool done;
} fe_update_args;
MX_BUNDLE(fe_update_args, fe_views, x, r, p, w, rr, pw)
/* x += alpha p, r -= alpha w; the value is r . r, or 0 if the iteration was not to be done */
MX_DECLARE_REDUCE(1D, fe_update, fe_update_args, double)

typedef struct fe_direction_args {
    mx_f64_1 p;
    mx_cf64_1 r;
    mx_cf64_1 rr;
    fe_scalars scalars;
    double beta; /* set by the prologue */
} fe_direction_args;
MX_BUNDLE(fe_direction_args, fe_views, p, r, rr)
/* p = r + beta p */
MX_DECLARE_FOR(1D, fe_direction, fe_direction_args)
