/* Neighbour lists from cells, with overflow and growth: list(i, k), for k < count(i), are the particles within a cutoff of i,
 * which is at most the width of a cell. A full list has each pair twice; a half list has it once, in the list of the lower index.
 *
 * The kernel counts all neighbours and stores as many as there is room for. It returns the longest count: if that is more than
 * the capacity, the driver makes the list larger and runs the kernel again. No memory is allocated in a kernel. */
#pragma once
#include "cells.h"

MX_ACCESSOR(neighbours_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, 3)
MX_ACCESSOR(neighbours_ints, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct neighbours_args {
    neighbours_points x;
    neighbours_ints cell, begin, order; /* as in cells.h */
    mx_i32_2 list;
    mx_i32_1 count;
    double cutoff2;
    int side, capacity;
    bool half;
} neighbours_args;
MX_ARGS(neighbours_args, x, cell, begin, order, list, count)
MX_DECLARE_REDUCE(1D, neighbours_find, neighbours_args, int32_t)

/* What a driver holds. */
typedef struct neighbour_lists {
    mx_ctx ctx;
    int particles, capacity;
    mx_view list, count;
    neighbours_args args;
    int growths; /* how often the list was too small */
} neighbour_lists;

/* capacity: of each list, to begin with. On failure *n holds nothing. */
mx_err neighbours_create(mx_ctx ctx, int particles, int capacity, neighbour_lists *n);
/* Lists of all particles, which `c` has sorted into cells. Waits. */
mx_err neighbours_build(neighbour_lists *n, const cell_grid *c, mx_view x, double cutoff,
                        bool half);
mx_err neighbours_destroy(neighbour_lists *n);
