/* The grids of multigrid, which grids.c makes and a cycle (multigrid.c) uses. Private to this folder. */
#pragma once
#include "tl_multigrid.h"

enum { TL_MAX_GRIDS = 32 };

/* A grid that the ranks share. Its arrays are `views`; kernels bind `bound`. */
typedef struct tl_grid {
    app_decomp decomp; /* that of the solver, but for the cells */
    app_box_halo halo;
    int cells[TL_GRID_DIMS];    /* of this rank */
    int halvings[TL_GRID_DIMS]; /* from the solver's mesh */
    double spacing[TL_GRID_DIMS];
    tl_grid_widths widths;
    tl_grid_shape shape;
    tl_grid_views views, bound;
    tl_grid_args to_x, to_other, restriction;
} tl_grid;

struct tl_multigrid {
    const app_base *base;
    bool solid;    /* 3-D */
    bool by_pairs; /* hosts: see kernels/grid.c */
    int steps;
    double omega[TL_BOTTOM_STEPS];
    int count;
    tl_grid grids[TL_MAX_GRIDS];
    tl_bottom bottom;
    tl_dot_args dot; /* of a solver's mesh that is small */
};

/* ---- launches ---- */

/* Indices of cells. */
typedef struct tl_box {
    int begin[TL_GRID_DIMS], end[TL_GRID_DIMS];
} tl_box;

/* The cells of the grid, and `more` layers of ghosts behind them. */
static inline tl_box tl_cells_of(const tl_grid *g, int more)
{
    tl_box cells;
    for (int d = 0; d < TL_GRID_DIMS; d++) {
        cells.begin[d] = 1;
        cells.end[d] = g->cells[d] + 1 + more;
    }
    return cells;
}

static inline mx_range_2 tl_range_2d(const tl_multigrid *m, tl_box b)
{
    return mx_range_2d(m->base->ctx, b.begin[1], b.end[1], b.begin[2], b.end[2]);
}

static inline mx_range_3 tl_range_3d(const tl_multigrid *m, tl_box b)
{
    return mx_range_3d(m->base->ctx, b.begin[0], b.end[0], b.begin[1], b.end[1], b.begin[2],
                       b.end[2]);
}

#define TL_LAUNCH(NAME, m, box, args)                        \
    ((m)->solid ? NAME##_3d(tl_range_3d((m), (box)), (args)) \
                : NAME(tl_range_2d((m), (box)), (args)))
#define TL_LAUNCH_INTO(NAME, m, box, args, sums, at)                            \
    ((m)->solid ? NAME##_3d_into(tl_range_3d((m), (box)), (args), (sums), (at)) \
                : NAME##_into(tl_range_2d((m), (box)), (args), (sums), (at)))

/* The face ghosts of one of the grid's arrays. Collective. */
static inline mx_err tl_grid_exchange(tl_grid *g, mx_view field)
{
    return app_box_halo_exchange(g->halo, 1, &field, 1, APP_HALO_FACES);
}

/* ---- grids ---- */

/* Makes all grids, and the small ones below them. m has base, solid, by_pairs, steps and omega.
 * Collective. After a failure, destroy. */
mx_err tl_grids_create(tl_multigrid *m, const tl_multigrid_of *of);
void tl_grids_destroy(tl_multigrid *m);
