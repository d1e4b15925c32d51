/* What a checkpoint keeps: all that later steps, summaries and the results file read and that does
 * not follow from the deck. Density, conductivities and the vectors of the solver do: each step
 * sets them anew. u and u_start are kept because the results file has those of the last step, also
 * if nothing is left to be done after the restart. */
#include "tl_app.h"

typedef struct kept_series {
    const char *name;
    app_series *series;
    app_keep_range range;
} kept_series;
enum { SUMMARY_SERIES = 6, KEPT_SERIES = 8 };

static void list_series(tl_app *app, kept_series list[KEPT_SERIES])
{
    tl_summaries *const s = &app->summaries;
    const app_keep_range finite = app_keep_finite(), from_0 = app_keep_from_0();
    const kept_series all[KEPT_SERIES] = {
        {"summary_step", &s->step, app_keep_whole(0, APP_KEEP_MAX_WHOLE)},
        {"summary_time", &s->time, from_0},
        {"summary_volume", &s->volume, from_0},
        {"summary_mass", &s->mass, from_0},
        {"summary_energy", &s->energy, finite},
        {"summary_temperature", &s->temperature, finite},
        {"cg_residual", &app->residuals, from_0},
        {"cg_iterations", &app->step_iterations, app_keep_whole(0, app->deck.max_iters)},
    };
    for (int i = 0; i < KEPT_SERIES; i++) list[i] = all[i];
}

static mx_err keep_numbers(tl_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const app_keep_range from_0 = app_keep_from_0();
    MX_TRY(app_keep_i64(c, "step", &app->step, 1, app_keep_whole(0, APP_KEEP_MAX_WHOLE)));
    MX_TRY(app_keep_f64(c, "time", &app->time, 1, from_0));
    MX_TRY(app_keep_f64(c, "last_error", &app->last_error, 1, from_0));
    MX_TRY(app_keep_flag(c, "iteration_limit", &app->iteration_limit));
    MX_TRY(app_keep_flag(c, "eigenvalues_known", &app->eigenvalues.known));
    MX_TRY(app_keep_f64(c, "eigenvalue_low", &app->eigenvalues.low, 1, from_0));
    return app_keep_f64(c, "eigenvalue_high", &app->eigenvalues.high, 1, from_0);
}

static mx_err keep(tl_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const app_keep_box cells = {app->base.ctx, app->ghosts, app_slab_cells(&app->decomp)};
    const app_keep_range finite = app_keep_finite();
    kept_series list[KEPT_SERIES];
    list_series(app, list);
    MX_TRY(keep_numbers(app));
    for (int i = 0; i < KEPT_SERIES; i++)
        MX_TRY(app_keep_series(c, list[i].name, list[i].series, list[i].range));
    MX_TRY(app_keep_view(c, "energy", &app->views.energy, &cells, finite));
    MX_TRY(app_keep_view(c, "u", &app->views.u, &cells, finite));
    return app_keep_view(c, "u_start", &app->views.u_start, &cells, finite);
}

/* ---- after a restart ---- */

/* An entry of every history for each summary, the first one of step 0. */
static mx_err check_summaries(tl_app *app)
{
    const app_series *const steps = &app->summaries.step;
    kept_series list[KEPT_SERIES];
    list_series(app, list);
    for (int i = 0; i < SUMMARY_SERIES; i++)
        MX_TRY(app_checkpoint_check_count(app->base.checkpoint, list[i].name, list[i].series,
                                          steps->count));
    return app_checkpoint_check_steps(app->base.checkpoint, list[0].name, steps, app->step);
}

/* A step has as many residuals as iterations, and the initial one. */
static mx_err check_iterations(const tl_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    int64_t residuals = app->step;
    MX_TRY(app_checkpoint_check_count(c, "cg_iterations", &app->step_iterations, app->step));
    for (int64_t s = 0; s < app->step; s++) residuals += (int64_t)app->step_iterations.values[s];
    return app_checkpoint_check_count(c, "cg_residual", &app->residuals, residuals);
}

static mx_err check_kept(tl_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const double time = (double)app->step * app->deck.initial_timestep;
    const tl_eigenvalues *const e = &app->eigenvalues;
    MX_TRY(app_checkpoint_check_end(c, "step", app->step, app->deck.steps, "steps of the deck"));
    if (app->time != time)
        return app_checkpoint_refuse(c, "time", "got %.16g, expected %.16g, that of step %lld",
                                     app->time, time, (long long)app->step);
    if (e->known && !(e->low > 0 && e->low <= e->high))
        return app_checkpoint_refuse(c, "eigenvalue_low",
                                     "got %.16g, expected a number above 0, and at most %.16g",
                                     e->low, e->high);
    MX_TRY(check_summaries(app));
    return check_iterations(app);
}

mx_err tl_restart(tl_app *app)
{
    app_base *const base = &app->base;
    if (base->checkpoint == NULL) return MX_OK;
    MX_TRY(app_end_stage(base, keep(app)));
    MX_TRY(app_restore(base));
    return app_end_restart(base, base->restarted ? check_kept(app) : MX_OK);
}
