/* Recursive coordinate bisection: a box of cells is split in two, each half again, along the
 * dimensions in turn, until each rank has one box. Unlike a grid of ranks (decomp.h) it has boxes
 * of nearly equal size for any number of ranks, also a prime one; but a box may have several
 * neighbours on one side.
 *
 * Dimensions are those of decomp.h: 0 is the slowest (z in 3-D), and is split first, then 1, 2, and
 * 0 again. Let P ranks share a box of n cells along the dimension. The upper U = P - floor(P/2)
 * ranks get the upper floor(n U / P) cells. The other ranks get the other cells. Lower ranks have
 * lower cells. No table is stored: a box is found in log2(ranks) steps. */
#pragma once
#include "decomp.h"

typedef struct app_bisection {
    int dims; /* 2 or 3 */
    int ranks;
    mx_gid global[APP_MAX_DIMS];
} app_bisection;

/* The cells of one rank. */
typedef struct app_box {
    mx_gid first[APP_MAX_DIMS];
    mx_gid cells[APP_MAX_DIMS];
} app_box;

/* Splits `global` (dims entries, each at least 1) over `ranks` ranks. Every rank computes the same.
 * MX_ERR_INPUT if a rank would have no cell; MX_ERR_EXTENT if the cells of a rank would not fit
 * mx_lid; MX_ERR_ARG. */
mx_err app_bisection_create(int ranks, int dims, const mx_gid *global, app_bisection *bisection);

/* The box of a rank, 0 to ranks-1. */
app_box app_bisection_box(const app_bisection *bisection, int rank);
