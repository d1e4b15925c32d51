/* The on-node work that makes the system of equations of one level (fe_level.h). Rows and columns:
 * see fe_mesh.h; where the coefficients are: fe_storage.h. */
#pragma once
#include "fe_storage.h"

/* ---- structure (kernels/structure.c) ---- */

MX_ARGS(fe_structure_args,
    (fe_storage, matrix, FE_STORAGE_ACCESSORS)
    (mx_i32_1, column) /* csr, ell, sell: local indices */
    (mx_i32_2, line),  /* lines, half, uniform: see fe_lines_args */
    fe_mesh mesh;
);
/* csr: begin(r), r from 0 to the number of rows, both included */
MX_DECLARE_FOR(1D, fe_row_begins, fe_structure_args)
/* columns of row r; ell, sell: also those of padding */
MX_DECLARE_FOR(1D, fe_columns, fe_structure_args)
/* lines, half: line (z, y) of the nodes held, and of one more on each side */
MX_DECLARE_FOR(2D, fe_line_starts, fe_structure_args)

MX_ARGS(fe_coordinates_args,
    (mx_f64_2, coordinates), /* of all nodes held, in the order of fe_in_box: 3 x nodes, x, y, z */
    fe_mesh mesh;
    bool distorted;
);
/* node (z, y, x) of the box that the rank holds */
MX_DECLARE_FOR(3D, fe_coordinates, fe_coordinates_args)

/* ---- assembly (kernels/assemble.c, kernels/assemble_blocks.c) ---- */

/* Rows in a box of lines along x are assembled by one team, which goes through the elements that
 * touch them, plane by plane. */
typedef struct fe_blocks {
    int low[3];    /* the first node of all rows */
    int count[3];  /* nodes of all rows */
    int size[3];   /* of a block; blocks at the upper sides may be smaller */
    int blocks[3]; /* how many */
    int pitch;     /* of a line in scratch */
} fe_blocks;

MX_ARGS(fe_assemble_args,
    (fe_storage, matrix, FE_STORAGE_ACCESSORS)
    (mx_f64_1, b)
    (mx_cf64_2, coordinates),
    fe_mesh mesh;
    int from[3], to[3]; /* elements that touch owned nodes */
    int low[3];         /* of a colour: the first element; the next ones are 2 apart */
    fe_blocks blocks;
    bool manufactured;
    bool without_source; /* leaves b */
);
/* element (z, y, x): its matrix and source go to the rows of its nodes, by atomic additions */
MX_DECLARE_FOR(3D, fe_assemble_atomic, fe_assemble_args)
/* element (low + 2 (z, y, x)): no two of a launch share a node, so that sums do not depend on the
 * order of threads */
MX_DECLARE_FOR(3D, fe_assemble_colour, fe_assemble_args)
/* a block of rows: stores them whole, so that no sum depends on the order of threads. A team of one
 * thread, with scratch at level 1, as level/assembly.c computes it */
MX_DECLARE_FOR(TEAM, fe_assemble_block, fe_assemble_args)

/* ---- given values (kernels/boundary.c) ---- */

MX_ARGS(fe_boundary_args,
    (fe_storage, matrix, FE_STORAGE_ACCESSORS)
    (mx_f64_1, b)
    (mx_cf64_2, coordinates),
    fe_mesh mesh;
    int rows_low[3]; /* of the rows that the matrix has: the first node */
    bool manufactured;
);
/* b of row r: its given value, or less the columns of given values */
MX_DECLARE_FOR(1D, fe_boundary_source, fe_boundary_args)
/* coefficients of the row of node rows_low + (z, y, x) */
MX_DECLARE_FOR(3D, fe_boundary_matrix, fe_boundary_args)

/* b of a matrix that is not stored loses the product with the values that are given. */
MX_ARGS(fe_given_args,
    (mx_f64_1, given) /* of nodes held: the value with which other rows lose a node, or 0 */
    (mx_cf64_1, product)
    (mx_f64_1, b)
    (mx_cf64_2, coordinates),
    fe_mesh mesh;
    bool manufactured;
);
/* node (z, y, x) of the box held */
MX_DECLARE_FOR(3D, fe_given_values, fe_given_args)
/* row r: b -= product, where the value of r is not given */
MX_DECLARE_FOR(1D, fe_given_subtract, fe_given_args)

/* ---- copies (kernels/structure.c) ---- */

MX_ARGS(fe_copy_args,
    (fe_storage, matrix, FE_STORAGE_ACCESSORS)
    (mx_f64_1, to),
    fe_mesh mesh;
);
/* row r: its diagonal; its entries, which start at to(entries of the rows before) */
MX_DECLARE_FOR(1D, fe_copy_diagonal, fe_copy_args)
MX_DECLARE_FOR(1D, fe_copy_entries, fe_copy_args)

MX_ARGS(fe_half_args,
    (fe_storage, from, FE_STORAGE_ACCESSORS)
    (fe_storage, to, FE_STORAGE_ACCESSORS), /* half or packs */
    fe_mesh mesh;
    int low[3]; /* of the rows that `to` has: the first node */
);
/* the row of node low + (z, y, x): the coefficients of owned nodes */
MX_DECLARE_FOR(3D, fe_copy_half, fe_half_args)
