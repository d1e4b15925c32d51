/* Multigrid among the preconditioners. */
#include "tl_multigrid.h"

#include "tl_app.h"

static mx_err create(tl_app *app)
{
    const tl_multigrid_of of = {.base = &app->base,
                                .decomp = &app->decomp,
                                .halo = app->halo,
                                .r = app->views.r,
                                .z = app->views.z,
                                .bound = &app->bound,
                                .mesh = &app->mesh,
                                .spacing = {app->dz, app->dy, app->dx},
                                .steps = app->deck.smoothing_steps};
    tl_multigrid *multigrid;
    const mx_err err = tl_multigrid_create(&of, &multigrid);
    app->preconditioner_own = multigrid;
    return err;
}

static void destroy(tl_app *app)
{
    tl_multigrid *multigrid = app->preconditioner_own;
    tl_multigrid_destroy(&multigrid);
    app->preconditioner_own = NULL;
}

static void print(const tl_app *app)
{
    int divided, replicated;
    tl_multigrid_grids(app->preconditioner_own, &divided, &replicated);
    app_print(app->base.report,
              " multigrid: %d grids, %d of them by each rank alone; smoothing steps: %d\n",
              divided + replicated, replicated, app->deck.smoothing_steps);
}

/* Each grid has the faces, 1 / diagonal, and x of the step before. Coarse grids also have x and
 * b. */
static double more_arrays(const tl_app *app)
{
    const int dims = app->decomp.dims;
    const double own = dims + 1 + (app->deck.smoothing_steps > 1 ? 1 : 0);
    return own + (own + 2) / ((1 << dims) - 1);
}

static mx_err apply(tl_app *app, int64_t at)
{
    return tl_multigrid_apply(app->preconditioner_own, app->views.rr, at);
}

static void cost(const tl_app *app, double *bytes, double *flops)
{
    tl_multigrid_cost(app->preconditioner_own, bytes, flops);
}

/* A device queues few iterations: those that are queued behind the last one are wasted, and each
 * takes as long as several iterations without preconditioner. */
const tl_preconditioner_form tl_multigrid_form = {.preconditioner = TL_PRECONDITIONER_MULTIGRID,
                                                  .arrays = TL_ARRAY_Z,
                                                  .max_batch = 4,
                                                  .more_arrays = more_arrays,
                                                  .create = create,
                                                  .destroy = destroy,
                                                  .print = print,
                                                  .apply = apply,
                                                  .cost = cost};
