/* Products that do not wait for ghosts: level/overlap.c. */
#pragma once
#include "fe_storage.h"

/* x . y of such a product is the sum of so many parts: of the rows that need no ghosts, those below
 * and above them, and the outer rows' entries. */
enum { FE_PRODUCT_PARTS = 4 };

/* The outer rows of a rank have ghosts among their columns. Their entries with ghosts, row after
 * row. */
MX_ARGS(fe_outer_args,
    (mx_i32_1, row)   /* the outer rows */
    (mx_i64_1, begin) /* of the entries of each, and the end */
    (mx_i32_1, column)
    (mx_f64_1, value)
    (fe_storage, matrix, FE_STORAGE_ACCESSORS),
    fe_mesh mesh;
    int rows;       /* the number of outer rows */
    bool distorted; /* the mesh */
);
/* row: those of the rows that have ghosts; the value is their number */
MX_DECLARE_SCAN(1D, fe_outer_rows, fe_outer_args, int64_t)
/* begin of outer row number i, from 0 to their number, both included; the value is the number of
 * entries */
MX_DECLARE_SCAN(1D, fe_outer_begins, fe_outer_args, int64_t)
/* column and value of the entries of outer row number i */
MX_DECLARE_FOR(1D, fe_outer_entries, fe_outer_args)

MX_ARGS(fe_add_outer_args,
    (mx_ci32_1, row)
    (mx_ci64_1, begin)
    (mx_ci32_1, column)
    (mx_cf64_1, value)
    (mx_cf64_1, x)
    (mx_f64_1, y)
);
/* y += the entries of outer row number i times x. The value is what that adds to x . y. */
MX_DECLARE_FOR(1D, fe_add_outer, fe_add_outer_args)
MX_DECLARE_REDUCE(1D, fe_add_outer_dot, fe_add_outer_args, double)

MX_ARGS(fe_clear_args, (mx_f64_1, x));
/* x = 0 */
MX_DECLARE_FOR(1D, fe_clear, fe_clear_args)
