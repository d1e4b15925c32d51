#include "tl_app.h"

/* With sums in another order the solver stops some iterations earlier or later: where the deck asks
 * for a residual near rounding, up to 3.4 % of them were seen (8 of 331 on 120 x 120 cells). The
 * number of iterations grows with the cells along a side, and a bound from these is the same for
 * all runs of a deck. */
static app_compare iterations_within(const tl_deck *deck)
{
    const int64_t square = deck->x_cells > deck->y_cells ? deck->x_cells : deck->y_cells;
    const int64_t side = square > deck->z_cells ? square : deck->z_cells;
    return APP_WITHIN((double)(2 + side / 12));
}

static mx_err series(tl_app *app)
{
    app_base *const base = &app->base;
    const tl_summaries *s = &app->summaries;
    const bool solid = tl_is_3d(&app->deck);
    const char *const volume = solid ? "length^3" : "length^2";
    const char *const temperature = solid ? "energy/length^3" : "energy/length^2";
    const char *const total = solid ? "mass*energy/length^3" : "mass*energy/length^2";
    const struct {
        const char *name, *unit;
        app_compare compare;
        const app_series *series;
    } all[] = {
        {"time", "time", APP_EXACT, &s->time},
        {"volume", volume, TL_SUMS, &s->volume},
        {"mass", "mass", TL_SUMS, &s->mass},
        {"internal_energy", "energy", TL_SUMS, &s->energy},
        {"temperature_total", total, TL_SUMS, &s->temperature},
        {"cg_residual", temperature, APP_ROUNDING, &app->residuals},
    };
    MX_TRY(app_history_i64(base, "step", "1", APP_EXACT, &s->step));
    MX_TRY(app_history_i64(base, "cg_iterations", "1", iterations_within(&app->deck),
                           &app->step_iterations));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_history(base, all[i].name, all[i].unit, all[i].compare, all[i].series));
    return MX_OK;
}

static mx_err fields(tl_app *app)
{
    const bool solid = tl_is_3d(&app->deck);
    const char *const temperature = solid ? "energy/length^3" : "energy/length^2";
    const struct {
        const char *name, *unit;
        app_compare compare;
        mx_view view;
    } all[] = {
        {"density", solid ? "mass/length^3" : "mass/length^2", APP_EXACT, app->views.density},
        {"energy", "energy/mass", TL_SUMS, app->views.energy},
        {"temperature", temperature, TL_SUMS, app->views.u},
        {"temperature_start", temperature, TL_SUMS, app->views.u_start},
    };
    const double origin[] = {app->deck.zmin, app->deck.ymin, app->deck.xmin};
    const double spacing[] = {app->dz, app->dy, app->dx};
    const int first = solid ? 0 : 1;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_field(&app->base, all[i].name, all[i].unit, all[i].compare, &app->decomp,
                         all[i].view, app->ghosts, origin + first, spacing + first));
    return MX_OK;
}

/* The originals' last lines, and the speed. */
static mx_err print_end(tl_app *app)
{
    app_base *const base = &app->base;
    const double cells = tl_cells_of(&app->deck), iterations = (double)app->iterations;
    double slowest[] = {app->solve->totals.seconds, app->before_iterations}; /* over ranks */
    if (app->deck.dialect != TL_DIALECT_PORT)
        app_print(base->report, "\n Calculation complete\n Tea is finishing\n Wall clock    %.6f\n",
                  app_now() - app->started);
    MX_TRY(app_max_f64(base->comm, slowest, 2));
    const double seconds = slowest[0];
    if (app->deck.profiler_on) MX_TRY(app_report_table(base->report, 0));
    if (app->iterations > 0) {
        app_print(base->report, " From the start of the program to the first iteration %.3f s\n",
                  slowest[1]);
        app_print(base->report, " %s: %lld iterations, milliseconds an iteration: %.4f\n",
                  tl_solver_name(&app->deck), (long long)app->iterations,
                  1e3 * seconds / iterations);
    }
    app_merit(base, seconds > 0 ? cells * iterations / seconds : 0, "cell iterations/s");
    return MX_OK;
}

static mx_err output(tl_app *app)
{
    MX_TRY(print_end(app));
    if (app->base.results == NULL) return MX_OK;
    MX_TRY(series(app));
    return fields(app);
}

mx_err tl_write(tl_app *app) { return app_end_stage(&app->base, output(app)); }
