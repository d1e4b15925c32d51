/* Arrays of cells in memory: how their lines are placed. */
#pragma once
#include "minx/minx.h"

/* A GPU reads pairs of cells. */
enum { TL_PAIR = 2 };

/* The number of an array that may begin in any part of a page of memory. */
enum { TL_ANY_PART = -1 };

/* An array of cells and ghosts, of rank 2 or 3 and type MX_F64. Cell 0 of each line along the
 * contiguous index is at the start of a cache line, in arrays narrower than 64 at a multiple of
 * 16 bytes: vectors of eight cells, or the cells of 32 threads of a GPU, are then in as few
 * lines of the cache as possible.
 *
 * In 2-D on hosts, arrays with different numbers modulo 6 begin in different parts of a page of
 * memory, if there are enough lines, and a line is not a whole number of pages long. Some spare
 * lines of memory are in front. Allocators put all large arrays at the same place of a page. Then
 * the first-level cache has too few places for a cell of each, and a CPU takes a load from one array
 * for one that has to wait for a store to another. */
mx_err tl_make_array(mx_ctx ctx, const char *label, int rank, const int64_t *extents, int ghosts,
                     int number, mx_view *view);

/* How many lines of memory such an array of `lines` lines has in front, at most. */
int64_t tl_spare_lines(const mx_ctx_info *ctx, int rank, int64_t lines);

/* An array of rank 3 as an array of rows: the same memory. Rows have the numbers that
 * kernels/tl_kernels.h says. */
mx_err tl_make_rows(mx_ctx ctx, mx_view view, int *plane, int *row, mx_view *rows);
