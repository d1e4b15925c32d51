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
    const tl_summaries *s = &app->summaries;
    const bool solid = tl_is_3d(&app->deck);
    const char *const volume = solid ? "length^3" : "length^2";
    const char *const temperature = solid ? "energy/length^3" : "energy/length^2";
    const char *const total = solid ? "mass*energy/length^3" : "mass*energy/length^2";
    const app_compare within = iterations_within(&app->deck);
    const struct {
        app_array array;
        const app_series *series;
    } all[] = {
        {{.path = "/series/step", .unit = "1", .compare = APP_EXACT, .type = MX_I64}, &s->step},
        {{.path = "/series/cg_iterations", .unit = "1", .compare = within, .type = MX_I64},
         &app->step_iterations},
        {{.path = "/series/time", .unit = "time", .compare = APP_EXACT, .type = MX_F64}, &s->time},
        {{.path = "/series/volume", .unit = volume, .compare = TL_SUMS, .type = MX_F64},
         &s->volume},
        {{.path = "/series/mass", .unit = "mass", .compare = TL_SUMS, .type = MX_F64}, &s->mass},
        {{.path = "/series/internal_energy", .unit = "energy", .compare = TL_SUMS, .type = MX_F64},
         &s->energy},
        {{.path = "/series/temperature_total", .unit = total, .compare = TL_SUMS, .type = MX_F64},
         &s->temperature},
        {{.path = "/series/cg_residual",
          .unit = temperature,
          .compare = APP_ROUNDING,
          .type = MX_F64},
         &app->residuals},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_history(&app->base, &all[i].array, all[i].series));
    return MX_OK;
}

static mx_err fields(tl_app *app)
{
    const bool solid = tl_is_3d(&app->deck);
    const char *const temperature = solid ? "energy/length^3" : "energy/length^2";
    const char *const density = solid ? "mass/length^3" : "mass/length^2";
    const double origin[] = {app->deck.zmin, app->deck.ymin, app->deck.xmin};
    const double spacing[] = {app->dz, app->dy, app->dx};
    const int first = solid ? 0 : 1;
    const app_place place = {.origin = origin + first, .spacing = spacing + first};
    const struct {
        const char *path, *unit;
        app_compare compare;
        mx_view view;
    } all[] = {
        {"/fields/density", density, APP_EXACT, app->views.density},
        {"/fields/energy", "energy/mass", TL_SUMS, app->views.energy},
        {"/fields/temperature", temperature, TL_SUMS, app->views.u},
        {"/fields/temperature_start", temperature, TL_SUMS, app->views.u_start},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const app_array array = {.path = all[i].path,
                                 .unit = all[i].unit,
                                 .compare = all[i].compare,
                                 .type = MX_F64,
                                 .slab = app_slab_cells(&app->decomp),
                                 .place = &place};
        MX_TRY(app_field(&app->base, &array, (app_cells){all[i].view, app->ghosts}));
    }
    return MX_OK;
}

/* The originals' last lines, and the speed. */
static mx_err print_end(tl_app *app)
{
    app_base *const base = &app->base;
    const int64_t iterations = base->iterations;
    double slowest[] = {app->solve->totals.seconds, app_now() - app->started,
                        app->solve->first - base->started}; /* over ranks */
    MX_TRY(app_max_f64(base->comm, slowest, 3));
    if (app->deck.dialect != TL_DIALECT_PORT)
        app_print(base->report, "\n Calculation complete\n Tea is finishing\n Wall clock    %.6f\n",
                  slowest[1]);
    if (app->deck.profiler_on) MX_TRY(app_report_table(base->report, 0));
    if (iterations == 0) return MX_OK;
    app_print(base->report, " From the start of the program to the first iteration %.3f s\n",
              slowest[2]);
    app_print(base->report, " %s: %lld iterations, milliseconds an iteration: %.4f\n",
              tl_solver_name(&app->deck), (long long)iterations,
              1e3 * slowest[0] / (double)iterations);
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
