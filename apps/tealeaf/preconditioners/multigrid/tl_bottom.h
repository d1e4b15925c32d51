/* Multigrid's small grids: see bottom.c. */
#pragma once
#include "run/app.h"
#include "tl_bottom_grids.h"

/* The last grid that the ranks share. */
typedef struct tl_bottom_of {
    bool solid;                 /* 3-D */
    const tl_grid_views *views; /* as kernels bind them */
    tl_grid_shape shape;
    int cells[TL_GRID_DIMS];      /* of this rank */
    int first[TL_GRID_DIMS];      /* cells before them */
    int global[TL_GRID_DIMS];     /* of the domain */
    double *width[TL_GRID_DIMS];  /* of each of these, in cells of the solver. Changed */
    double spacing[TL_GRID_DIMS]; /* of most cells */
    int steps;
    const double *omega;
} tl_bottom_of;

typedef struct tl_bottom {
    mx_view data;
    tl_bottom_args cycle;
    tl_bottom_copy_args collect, spread;
    mx_teams team;
    bool replays;   /* the cycle is a graph */
    mx_graph graph; /* NULL until the first cycle */
} tl_bottom;

/* After a failure, destroy. Collective. */
mx_err tl_bottom_create(const app_base *base, const tl_bottom_of *of, tl_bottom *bottom);
void tl_bottom_destroy(tl_bottom *bottom);

/* x = M^-1 b, ghosts of x included. Collective. */
mx_err tl_bottom_solve(const app_base *base, tl_bottom *bottom);
