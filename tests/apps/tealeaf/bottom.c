/* Multigrid's small grids: of any number of ranks each has a cell or a few in the first of them. Sizes
 * as they come from 1 to 10^6 ranks, which no test can run: the grids end with one cell, their
 * arrays do not overlap, each fine cell is in one coarse cell, and what is too large is an error. */
#include "preconditioners/multigrid/tl_bottom_grids.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static int failures;

static void check(bool good, const int *cells, const char *what)
{
    if (good) return;
    printf("%d x %d x %d cells: %s\n", cells[2], cells[1], cells[0], what);
    failures++;
}

/* Each cell of the fine grid is in the coarse cell whose first and last ones enclose it. */
static void check_transfer(const tl_bottom_grid *fine, const tl_bottom_grid *coarse)
{
    const tl_transfer *const t = &fine->transfer;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        int next = 1;
        for (int c = 1; c <= coarse->cells[d]; c++) {
            check(TL_FINE_BEGIN(t, d, c) == next, fine->cells, "a cell is left out");
            next = TL_FINE_END(t, d, c);
            for (int f = TL_FINE_BEGIN(t, d, c); f < next; f++)
                check(TL_COARSE_INDEX(t, d, f) == c, fine->cells, "two coarse cells share a cell");
        }
        check(next == fine->cells[d] + 1, fine->cells, "the last cells are left out");
    }
}

static void check_grids(const int *global, const double *spacing, int expected)
{
    tl_bottom_args c = {.solid = global[0] > 1};
    int64_t begin = 0;
    int elements = -1;
    if (tl_bottom_make_grids(global, spacing, &c, &elements) != MX_OK) {
        check(false, global, mx_err_message());
        return;
    }
    check(expected == 0 || c.grids == expected, global, "another number of grids was expected");
    for (int n = 0; n < c.grids; n++) {
        const tl_bottom_grid *const g = &c.grid[n];
        int64_t size = ((int64_t)g->cells[1] + 2) * (g->cells[2] + 2);
        if (c.solid) size *= g->cells[0] + 2;
        check(g->size == size && g->begin == begin, global, "an array begins at another element");
        begin += TL_BOTTOM_ARRAYS * size;
        if (n + 1 < c.grids) check_transfer(g, g + 1);
    }
    const int *const last = c.grid[c.grids - 1].cells;
    check(last[0] == 1 && last[1] == 1 && last[2] == 1, global, "the last grid is not one cell");
    check(elements == begin, global, "elements are miscounted");
}

static void check_error(const int *global, const char *words)
{
    tl_bottom_args c = {.solid = global[0] > 1};
    int elements;
    const double spacing[] = {1, 1, 1};
    const mx_err err = tl_bottom_make_grids(global, spacing, &c, &elements);
    check(err == MX_ERR_EXTENT, global, "expected an error");
    check(strstr(mx_err_message(), words) != NULL, global, mx_err_message());
}

int main(void)
{
    static const double even[] = {1, 1, 1}, flat[] = {100, 7, 1}, tall[] = {0.1, 1, 30};
    /* planes, rows, columns; grids, with cells that are as long as wide */
    static const struct {
        int global[TL_GRID_DIMS], grids;
    } known[] = {
        {{1, 1, 1}, 1},       {{1, 1, 2}, 2},        {{1, 45, 45}, 6},      {{1, 64, 64}, 7},
        {{1, 100, 100}, 7},   {{1, 1, 5000}, 13},    {{1, 2049, 1}, 12},    {{13, 13, 13}, 4},
        {{16, 16, 16}, 5},    {{1, 512, 512}, 10},   {{1, 1024, 1024}, 11}, {{100, 100, 100}, 7},
        {{2, 1000, 500}, 10}, {{1, 1, 1000000}, 20},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        check_grids(known[k].global, even, known[k].grids);
        check_grids(known[k].global, flat, 0);
        check_grids(known[k].global, tall, 0);
    }
    check_error((int[]){1, 20000, 20000},
                "20000 x 20000 x 1 cells of a coarse mesh, which are too many");
    check_error((int[]){1, INT_MAX, INT_MAX}, "too many");
    check_error((int[]){700, 700, 700}, "expected fewer ranks");
    check_error((int[]){1, 1, 1 << 24}, "more than 24 meshes");
    return failures > 0;
}
