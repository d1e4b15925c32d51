/* Sorts particles into the cells of a cube, in three kernels:
 *
 *     count    each particle increments its cell's counter by an atomic; the old value is its slot in the cell
 *     offsets  a scan of the counters gives where each cell begins (offsets.h)
 *     fill     order(begin(cell) + slot) = particle, without atomics
 *
 * Cell c then has the particles order(begin(c)) to order(begin(c + 1) - 1). Their order inside a
 * cell depends on timing. A fourth kernel sorts each cell, so that later kernels give the same bits
 * on every backend. Cells along x are neighbours in memory. */
#pragma once
#include "offsets.h"

MX_ACCESSOR(cells_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 3)

MX_ARGS(cells_count_args,
    (cells_points, x)
    (mx_i32_1, cell) (mx_i32_1, slot) (mx_i32_1, count),
    double per_length; /* cells per unit of length */
    int side;          /* cells along each edge of the cube */
);
MX_DECLARE_FOR(1D, cells_count, cells_count_args)

MX_ARGS(cells_fill_args, (mx_ci32_1, cell) (mx_ci32_1, slot) (mx_ci32_1, begin) (mx_i32_1, order));
MX_DECLARE_FOR(1D, cells_fill, cells_fill_args)

MX_ARGS(cells_sort_args, (mx_ci32_1, begin) (mx_i32_1, order));
MX_DECLARE_FOR(1D, cells_sort, cells_sort_args)

/* The data of a driver. */
typedef struct cell_grid {
    mx_ctx ctx;
    int particles, side, count; /* count: side^3 */
    mx_view cell, slot;         /* for each particle */
    mx_view counts, begin;      /* for each cell, with one more element */
    mx_view order;
    cells_count_args count_args;
    offsets_args scan_args;
    cells_fill_args fill_args;
    cells_sort_args sort_args;
} cell_grid;

/* The cube extends from 0 to `length` along each axis. On failure *c has no views. */
mx_err cells_create(mx_ctx ctx, int particles, int side, double length, cell_grid *c);

/* Sorts particles at positions x(i, 0..2). Particles outside of the cube belong to its border
 * cells. Does not wait. */
mx_err cells_build(cell_grid *c, mx_view x);
mx_err cells_build_sorted(cell_grid *c, mx_view x);
mx_err cells_destroy(cell_grid *c);
