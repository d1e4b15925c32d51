/* How many cells multigrid's small grids have, and where their arrays are. Without MPI and without
 * views, so that it can be tested for any number of ranks. */
#include "tl_bottom_grids.h"

#include <limits.h>
#include <string.h>

bool tl_coarsens(const int64_t *cells, const double *spacing, int *shift)
{
    double least = 0;
    bool any = false;
    for (int d = 0; d < TL_GRID_DIMS; d++)
        if (cells[d] > 1 && (least == 0 || spacing[d] < least)) least = spacing[d];
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        shift[d] = cells[d] > 1 && spacing[d] < 2 * least;
        any = any || shift[d] == 1;
    }
    return any;
}

/* A grid with these cells, whose arrays begin at `begin`. */
static mx_err make_grid(const int *cells, bool solid, int64_t begin, tl_bottom_grid *g)
{
    const double row = cells[2] + 2.0, plane = row * (cells[1] + 2.0);
    const double size = solid ? plane * (cells[0] + 2.0) : plane;
    MX_REQUIRE((double)begin + (double)TL_BOTTOM_ARRAYS * size <= INT_MAX, MX_ERR_EXTENT,
               "multigrid: each rank would have all of %d x %d x %d cells of a coarse mesh, which "
               "are too many: expected fewer ranks, or another tl_preconditioner_type",
               cells[2], cells[1], cells[0]);
    *g = (tl_bottom_grid){
        .begin = (int)begin, .row = (int)row, .plane = solid ? (int)plane : 0, .size = (int)size};
    memcpy(g->cells, cells, sizeof g->cells);
    return MX_OK;
}

static tl_transfer transfer_of(const tl_bottom_grid *fine, const int *shift,
                               const tl_bottom_grid *coarse)
{
    tl_transfer t = {.plane = coarse->plane, .row = coarse->row};
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        t.shift[d] = shift[d];
        t.end[d] = fine->cells[d];
        t.last[d] = coarse->cells[d];
        t.odd[d] = shift[d] == 1 && fine->cells[d] % 2 == 1 ? fine->cells[d] : -1;
    }
    return t;
}

/* Behind the arrays of the last grid. */
static int64_t end_of(const tl_bottom_args *c)
{
    const tl_bottom_grid *const last = &c->grid[c->grids - 1];
    return last->begin + (int64_t)TL_BOTTOM_ARRAYS * last->size;
}

mx_err tl_bottom_make_grids(const int *global, const double *finest, tl_bottom_args *c,
                            int *elements)
{
    double spacing[TL_GRID_DIMS];
    int shift[TL_GRID_DIMS];
    memcpy(spacing, finest, sizeof spacing);
    c->grids = 1;
    MX_TRY(make_grid(global, c->solid, 0, &c->grid[0]));
    for (;;) {
        tl_bottom_grid *const fine = &c->grid[c->grids - 1];
        int64_t cells[TL_GRID_DIMS];
        int coarse[TL_GRID_DIMS];
        for (int d = 0; d < TL_GRID_DIMS; d++) cells[d] = fine->cells[d];
        *elements = (int)end_of(c);
        if (!tl_coarsens(cells, spacing, shift)) return MX_OK;
        MX_REQUIRE(c->grids < TL_BOTTOM_GRIDS, MX_ERR_EXTENT,
                   "multigrid: each rank would have all of %d x %d x %d cells of a coarse mesh, "
                   "which need more than %d meshes: expected fewer ranks, or another "
                   "tl_preconditioner_type",
                   global[2], global[1], global[0], TL_BOTTOM_GRIDS);
        for (int d = 0; d < TL_GRID_DIMS; d++) {
            coarse[d] = shift[d] == 1 ? tl_coarse_cells(fine->cells[d]) : fine->cells[d];
            if (shift[d] == 1) spacing[d] *= 2;
        }
        MX_TRY(make_grid(coarse, c->solid, end_of(c), &c->grid[c->grids]));
        fine->transfer = transfer_of(fine, shift, &c->grid[c->grids]);
        c->grids++;
    }
}
