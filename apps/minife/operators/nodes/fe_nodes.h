#pragma once
#include "operators/shared/fe_matrix_free_kernels.h"

/* a block of rows, as in fe_assemble_block; scratch at level 1: two planes of lines of y, two of x
 * with one line more on each side */
MX_DECLARE_FOR(TEAM, fe_nodes_block, fe_free_args)
MX_DECLARE_REDUCE(TEAM, fe_nodes_block_dot, fe_free_args, double)
/* a tile of rows (tiles_kernels.c), also one of `blocks`; scratch at level 0: 8 (y + 1) (x + 1) + y
 * x doubles, where y and x are the sizes of a tile */
MX_DECLARE_FOR(TEAM, fe_nodes_tile, fe_free_args)
MX_DECLARE_REDUCE(TEAM, fe_nodes_tile_dot, fe_free_args, double)
