#include "tl_app.h"

#include <stdio.h>
#include <stdlib.h>

static mx_err integers(tl_app *app, const char *name, app_compare compare, const app_series *series)
{
    int64_t *values = malloc((size_t)(series->count > 0 ? series->count : 1) * sizeof *values);
    const mx_err memory =
        values != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to write series '%s'", name);
    mx_err err = app_agree(app->base.comm, memory);
    if (err == MX_OK) {
        for (int64_t i = 0; i < series->count; i++) values[i] = (int64_t)series->values[i];
        err = app_results_series_i64(app->base.results, name, "1", compare, values, series->count);
    }
    free(values);
    return err;
}

static mx_err series(tl_app *app)
{
    const app_results r = app->base.results;
    const tl_summaries *s = &app->summaries;
    const struct {
        const char *name, *unit;
        app_compare compare;
        const app_series *series;
    } all[] = {
        {"time", "time", APP_EXACT, &s->time},
        {"volume", "length^2", TL_SUMS, &s->volume},
        {"mass", "mass", TL_SUMS, &s->mass},
        {"internal_energy", "energy", TL_SUMS, &s->energy},
        {"temperature_total", "mass*energy/length^2", TL_SUMS, &s->temperature},
        {"cg_residual", "energy/length^2", APP_ROUNDING, &app->residuals},
    };
    MX_TRY(integers(app, "step", APP_EXACT, &s->step));
    MX_TRY(integers(app, "cg_iterations", TL_ITERATIONS, &app->step_iterations));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_results_series_f64(r, all[i].name, all[i].unit, all[i].compare,
                                      all[i].series->values, all[i].series->count));
    return MX_OK;
}

/* This rank's cells of a view, row by row, in `values`. */
static mx_err gather(tl_app *app, mx_view view, double *values)
{
    mx_view cells;
    MX_TRY(mx_subview(view,
                      MX_SLICES(mx_span(TL_GHOSTS, TL_GHOSTS + app->rows),
                                mx_span(TL_GHOSTS, TL_GHOSTS + app->columns)),
                      &cells));
    const mx_err err = mx_export(app->base.ctx, cells, values, NULL);
    MX_TRY(mx_view_destroy(&cells));
    return err;
}

static mx_err field(tl_app *app, const char *name, const char *unit, app_compare compare,
                    mx_view view, double *values)
{
    const double origin[] = {app->deck.ymin, app->deck.xmin}, spacing[] = {app->dy, app->dx};
    MX_TRY(app_agree(app->base.comm, gather(app, view, values)));
    return app_results_field(app->base.results, name, unit, compare, &app->decomp, values, origin,
                             spacing);
}

static mx_err write_fields(tl_app *app, double *values)
{
    MX_TRY(field(app, "density", "mass/length^2", APP_EXACT, app->views.density, values));
    MX_TRY(field(app, "energy", "energy/mass", TL_SUMS, app->views.energy, values));
    MX_TRY(field(app, "temperature", "energy/length^2", TL_SUMS, app->views.u, values));
    return field(app, "temperature_start", "energy/length^2", TL_SUMS, app->views.u_start, values);
}

static mx_err fields(tl_app *app)
{
    double *values = malloc((size_t)app->rows * (size_t)app->columns * sizeof *values);
    const mx_err memory =
        values != NULL ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory to write fields");
    mx_err err = app_agree(app->base.comm, memory);
    if (err == MX_OK) err = write_fields(app, values);
    free(values);
    return err;
}

/* The originals' last lines, and the speed. */
static mx_err print_end(tl_app *app)
{
    app_base *const base = &app->base;
    const double cells = (double)app->deck.x_cells * (double)app->deck.y_cells,
                 iterations = (double)app->iterations;
    double seconds = app->solve->totals.seconds;
    if (app->deck.dialect == TL_DIALECT_REFERENCE)
        app_print(base->report, "\n Calculation complete\n Tea is finishing\n Wall clock    %.6f\n",
                  app_now() - app->started);
    MX_TRY(app_max_f64(base->comm, &seconds, 1));
    if (app->deck.profiler_on) MX_TRY(app_report_table(base->report, 0));
    if (app->iterations > 0)
        app_print(base->report, " CG: %lld iterations, milliseconds an iteration: %.4f\n",
                  (long long)app->iterations, 1e3 * seconds / iterations);
    base->merit = seconds > 0 ? cells * iterations / seconds : 0;
    base->merit_unit = "cell iterations/s";
    return MX_OK;
}

mx_err tl_output(void *data)
{
    tl_app *const app = data;
    MX_TRY(print_end(app));
    if (app->base.results == NULL) return MX_OK;
    MX_TRY(series(app));
    return fields(app);
}
