/* What a checkpoint keeps: the solver's vectors, scalars and history. Mesh, matrix and
 * preconditioner follow from the input, and are made anew. Vectors are kept as boxes of the nodes
 * of the whole mesh, so a run can go on with another number of ranks. */
#include "fe_app.h"

app_slab fe_node_slab(const fe_mesh *m)
{
    app_slab slab = {.rank = 3};
    for (int d = 0; d < 3; d++) {
        slab.global[d] = m->elements[d] + 1;
        slab.first[d] = m->first[d];
        slab.count[d] = m->count[d];
    }
    return slab;
}

/* The rows of a vector as a box of nodes. What is behind them, the ghosts, is exchanged anew. */
static mx_err box_of(const fe_app *app, mx_view vector, mx_view *box)
{
    const int *const n = app->level.mesh.count;
    const int64_t extents[] = {n[0], n[1], n[2]};
    const int64_t strides[] = {(int64_t)n[1] * n[2], n[2], 1};
    mx_view_info info;
    MX_TRY(mx_view_get_info(vector, &info));
    const mx_view_options options = {.space = info.space};
    return mx_view_wrap(app->base.ctx, info.label, MX_F64, 3, extents, strides, &options, info.data,
                        box);
}

static mx_err keep(fe_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const app_keep_box nodes = {app->base.ctx, 0, fe_node_slab(&app->level.mesh)};
    const struct {
        const char *name;
        mx_view vector;
        mx_view *box;
    } all[] = {{"x", app->vectors.x, &app->kept.x},
               {"r", app->vectors.r, &app->kept.r},
               {"p", app->vectors.p, &app->kept.p},
               {"s", app->vectors.s, &app->kept.s}};
    const int vectors = app->input.solver == FE_SOLVER_SINGLE_REDUCTION ? 4 : 3;
    double *scalars;
    MX_TRY(mx_view_host_data(app->scalars_host, (void **)&scalars));
    MX_TRY(
        app_keep_i64(c, "iterations", &app->iterations, 1, app_keep_whole(0, APP_KEEP_MAX_WHOLE)));
    MX_TRY(app_keep_f64(c, "final_residual", &app->final_residual, 1, app_keep_from_0()));
    MX_TRY(app_keep_f64(c, "scalars", scalars, FE_RING * FE_SCALARS, app_keep_finite()));
    MX_TRY(app_keep_series(c, "residuals", &app->residuals, app_keep_from_0()));
    for (int i = 0; i < vectors; i++) {
        MX_TRY(box_of(app, all[i].vector, all[i].box));
        MX_TRY(app_keep_view(c, all[i].name, all[i].box, &nodes, app_keep_finite()));
    }
    return MX_OK;
}

/* A residual for each iteration, and the initial one; that of the start of the last iteration is
 * kept twice. */
static mx_err check_kept(fe_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const int64_t iterations = app->iterations;
    const double *const residuals = app->residuals.values;
    MX_TRY(app_checkpoint_check_end(c, "iterations", iterations, app->input.max_iterations,
                                    "max_iterations"));
    MX_TRY(app_checkpoint_check_count(c, "residuals", &app->residuals, iterations + 1));
    const double expected = residuals[iterations > 0 ? iterations - 1 : 0];
    if (app->final_residual != expected)
        return app_checkpoint_refuse(c, "final_residual", "got %.16g, expected %.16g",
                                     app->final_residual, expected);
    return MX_OK;
}

mx_err fe_restart(fe_app *app)
{
    app_base *const base = &app->base;
    if (base->checkpoint == NULL) return MX_OK;
    MX_TRY(app_end_stage(base, keep(app)));
    MX_TRY(app_restore(base));
    return app_end_restart(base, base->restarted ? check_kept(app) : MX_OK);
}
