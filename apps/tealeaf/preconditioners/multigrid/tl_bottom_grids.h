/* The sizes of multigrid's small grids, of which each rank has all cells. */
#pragma once
#include "tl_grid_kernels.h"

/* The grids of a domain of `global` cells, of which most are `spacing` apart, down
 * to one cell: cycle->grids and cycle->grid, from cycle->solid. *elements: numbers of all arrays.
 * MX_ERR_EXTENT if there are too many. Not collective. */
mx_err tl_bottom_make_grids(const int *global, const double *spacing, tl_bottom_args *cycle,
                            int *elements);

/* Which dimensions become coarser: those that have more than one cell and whose cells are less than
 * twice as wide as the narrowest. The others are less coupled. False: none. */
bool tl_coarsens(const int64_t *cells, const double *spacing, int *shift);

/* Along a dimension that becomes coarser. */
static inline int tl_coarse_cells(int cells) { return cells > 1 ? cells / 2 : 1; }
