/* What a checkpoint keeps: all that later steps, summaries and the results file read and that does
 * not follow from the deck. Density, conductivities and the vectors of the solver do: each step
 * sets them anew. u and u_start are kept because the results file has those of the last step, also
 * if nothing is left to be done after the restart. */
#include "tl_app.h"

static mx_err keep_series(tl_app *app)
{
    tl_summaries *const s = &app->summaries;
    const struct {
        const char *name;
        app_series *series;
    } all[] = {
        {"cg_residual", &app->residuals}, {"cg_iterations", &app->step_iterations},
        {"summary_step", &s->step},       {"summary_time", &s->time},
        {"summary_volume", &s->volume},   {"summary_mass", &s->mass},
        {"summary_energy", &s->energy},   {"summary_temperature", &s->temperature},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_keep_series(app->base.checkpoint, all[i].name, all[i].series));
    return MX_OK;
}

mx_err tl_keep(void *data)
{
    tl_app *const app = data;
    const app_checkpoint c = app->base.checkpoint;
    const mx_ctx ctx = app->base.ctx;
    const app_slab cells = app_slab_cells(&app->decomp);
    MX_TRY(app_keep_i64(c, "step", &app->step, 1));
    MX_TRY(app_keep_f64(c, "time", &app->time, 1));
    MX_TRY(app_keep_f64(c, "last_error", &app->last_error, 1));
    MX_TRY(app_keep_flag(c, "iteration_limit", &app->iteration_limit));
    MX_TRY(app_keep_flag(c, "eigenvalues_known", &app->eigenvalues.known));
    MX_TRY(app_keep_f64(c, "eigenvalue_low", &app->eigenvalues.low, 1));
    MX_TRY(app_keep_f64(c, "eigenvalue_high", &app->eigenvalues.high, 1));
    MX_TRY(keep_series(app));
    MX_TRY(app_keep_view(c, "energy", ctx, &app->views.energy, app->ghosts, &cells));
    MX_TRY(app_keep_view(c, "u", ctx, &app->views.u, app->ghosts, &cells));
    return app_keep_view(c, "u_start", ctx, &app->views.u_start, app->ghosts, &cells);
}
