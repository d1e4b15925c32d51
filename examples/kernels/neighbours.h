/* Neighbour lists from cells, with overflow and growth: list(i, k), for k < count(i), are the particles within a cutoff of i,
 * which is at most the width of a cell. A full list has each pair twice; a half list has it once, in the list of the lower index.
 *
 * The kernel counts all neighbours and stores as many as there is room for. It returns the longest count: if that is more than
 * the capacity, the driver makes the list larger and runs the kernel again. No memory is allocated in a kernel. */
#pragma once
#include "cells.h"

MX_ACCESSOR(neighbours_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, 3)

typedef struct neighbours_args {
    neighbours_points x;
    mx_ci32_1 cell, begin, order; /* as in cells.h */
    mx_i32_2 list;
    mx_i32_1 count;
    double cutoff2;
    int side, capacity;
    bool half;
} neighbours_args;
MX_DECLARE_REDUCE(1D, neighbours_find, neighbours_args, int32_t)

/* What a driver holds. */
typedef struct neighbours {
    mx_ctx ctx;
    int particles, capacity;
    mx_view list, count;
    neighbours_args args;
    int growths; /* how often the list was too small */
} neighbours;

/* capacity: of each list, to begin with. On failure *n holds nothing. */
mx_err neighbours_create(mx_ctx ctx, int particles, int capacity, neighbours *n);
/* Lists of all particles, which `c` has sorted into cells. Waits. */
mx_err neighbours_build(neighbours *n, const cells *c, mx_view x, double cutoff, bool half);
mx_err neighbours_destroy(neighbours *n);
