/* Neighbour lists from cells, with overflow and growth. list(i, k), for k < count(i), are the
 * particles within a cutoff of particle i. The cutoff is at most the width of a cell. Full lists
 * have each pair twice. Half lists have it once, in the list of the lower index. A list that is not
 * full has a -1 after its last neighbour.
 *
 * The kernel counts all neighbours. If there are more than `capacity`, the last place of the list
 * has a -1 too: such a list is not valid. The result is the largest count. If that is more than the
 * capacity, the driver makes the lists longer and runs the kernel again. Kernels allocate no memory. */
#pragma once
#include "cells.h"

MX_ACCESSOR(neighbours_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, 3)
MX_ACCESSOR(neighbours_i32, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(neighbours_args,
    (neighbours_points, x)
    (neighbours_i32, cell) (neighbours_i32, begin) (neighbours_i32, order) /* as in cells.h */
    (mx_i32_2, list)
    (mx_i32_1, count),
    double cutoff2;
    int side, capacity; /* capacity: at least 1 */
    bool half;
);
MX_DECLARE_REDUCE(1D, neighbours_find, neighbours_args, int32_t)

/* The data of a driver. */
typedef struct neighbour_lists {
    mx_ctx ctx;
    int particles, capacity;
    mx_view list, count;
    neighbours_args args;
    int growths; /* how often the lists were too short */
} neighbour_lists;

/* capacity: the initial capacity of each list; less than 1 counts as 1. On failure *n has no
 * views. */
mx_err neighbours_create(mx_ctx ctx, int particles, int capacity, neighbour_lists *n);

/* Builds the lists of all particles, which `c` has sorted into cells. Waits for the context. */
mx_err neighbours_build(neighbour_lists *n, const cell_grid *c, mx_view x, double cutoff,
                        bool half);
mx_err neighbours_destroy(neighbour_lists *n);
