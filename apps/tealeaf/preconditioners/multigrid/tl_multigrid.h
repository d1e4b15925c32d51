/* Multigrid as a preconditioner: multigrid.c has the method. */
#pragma once
#include "domain/box_halo.h"
#include "kernels/tl_kernels.h"
#include "tl_bottom.h"

typedef struct tl_multigrid tl_multigrid;

/* The solver's mesh and arrays. */
typedef struct tl_multigrid_of {
    const app_base *base;
    const app_decomp *decomp;
    app_box_halo halo;
    mx_view r, z;          /* the arrays that are exchanged, with one layer of ghosts, */
    const tl_views *bound; /* and as kernels bind them */
    const tl_mesh *mesh;
    double spacing[TL_GRID_DIMS]; /* widths of a cell: along z, y, x */
    int steps; /* of smoothing, before a correction and after it: 1 to TL_BOTTOM_STEPS */
} tl_multigrid_of;

/* Makes the coarse grids. v has its ghosts. Collective. */
mx_err tl_multigrid_create(const tl_multigrid_of *of, tl_multigrid **multigrid);
void tl_multigrid_destroy(tl_multigrid **multigrid);

/* z = M^-1 r, by one cycle; element `at` of `sums` gets this rank's part of r . z. Collective. */
mx_err tl_multigrid_apply(tl_multigrid *m, mx_view sums, int64_t at);

/* The number of grids that are divided among the ranks, and of those that each rank has whole. */
void tl_multigrid_grids(const tl_multigrid *m, int *divided, int *replicated);

/* What a cycle must move and compute, for each cell of the solver. */
void tl_multigrid_cost(const tl_multigrid *m, double *bytes, double *flops);
