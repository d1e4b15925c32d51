/* A stencil in three dimensions: an explicit step of the heat equation on a grid with one ghost
 * cell on each side,
 *
 *     fresh = u + k (the sum of the six neighbours - 6 u),     k = diffusivity * time step / cell width^2, at most 1/6
 *
 * There are two kernels: one without result, and one that also gives the squared norm of the change
 * (fresh - u), so that a driver can test for a steady state. Tiles are a property of the range:
 * mx_tiled_3d(mx_range_3d(...), 8, 8, 0) runs the same kernels by blocks of rows.
 *
 * The driver steps in time: after each step the two fields change their places, and the arguments
 * are bound again. */
#pragma once
#include "minx/minx.h"

/* A step does not write u, so the loads of a cell need not wait for the store of another. */
MX_ACCESSOR(heat_before, const double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct heat_views {
    mx_view fresh, u;
} heat_views;
MX_ARGS_FROM(heat_args, heat_views,
    (mx_f64_3, fresh)
    (heat_before, u),
    double k;
);

MX_DECLARE_FOR(3D, heat_step, heat_args)
MX_DECLARE_REDUCE(3D, heat_step_norm, heat_args, double)

/* `steps` steps over the cells of the range, without its ghost cells; views->u is the field at the
 * beginning, and at the end. Both views must have the same values in the ghost cells. */
mx_err heat_run(mx_range_3 cells, heat_views *views, double k, int steps);
