#include "tl_app.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As Fortran's E26.17 writes a number: 0.d..dE+dd with 17 digits, right-aligned in 26 columns. */
static const char *fortran_e(double x, char *text, size_t size)
{
    char digits[40];
    int exponent = 0;
    snprintf(digits, sizeof digits, "%.16e", fabs(x));
    char *e = strchr(digits, 'e');
    if (e == NULL) { /* NaN or infinity */
        snprintf(text, size, "%26s", digits);
        return text;
    }
    if (x != 0) exponent = 1 + (int)strtol(e + 1, NULL, 10);
    *e = '\0';
    char number[64];
    snprintf(number, sizeof number, "%s0.%c%sE%+03d", signbit(x) ? "-" : "", digits[0], digits + 2,
             exponent);
    snprintf(text, size, "%26s", number);
    return text;
}

static void print_summary(tl_app *app, const tl_summary *s)
{
    const double values[] = {s->volume, s->mass, s->mass / s->volume, s->energy, s->temperature};
    char line[5 * 26 + 1] = "", number[64];
    for (int v = 0; v < 5; v++) strcat(line, fortran_e(values[v], number, sizeof number));
    app_print(app->base.report, "\n Time %.10g\n%13s%26s%26s%26s%26s%26s\n step:%7lld%s\n\n",
              app->time, "", "Volume", "Mass", "Density", "Energy", "U", (long long)app->step,
              line);
}

static mx_err summarise(tl_app *app)
{
    tl_summaries *history = &app->summaries;
    tl_summary s;
    MX_TRY(TL_LAUNCH(tl_summarise, app, 0, &app->summary, &s));
    double sums[] = {s.volume, s.mass, s.energy, s.temperature};
    MX_TRY(app_sum_f64(app->base.comm, sums, 4));
    app->last = (tl_summary){sums[0], sums[1], sums[2], sums[3]};
    print_summary(app, &app->last);
    if (history->step.count > 0 &&
        history->step.values[history->step.count - 1] == (double)app->step)
        return MX_OK;
    MX_TRY(app_series_add(&history->step, (double)app->step));
    MX_TRY(app_series_add(&history->time, app->time));
    MX_TRY(app_series_add(&history->volume, sums[0]));
    MX_TRY(app_series_add(&history->mass, sums[1]));
    MX_TRY(app_series_add(&history->energy, sums[2]));
    return app_series_add(&history->temperature, sums[3]);
}

/* ||u_start - A u|| / ||u_start - A u_start|| of the step just done, computed anew. */
static mx_err print_exact_error(tl_app *app, double first_residual)
{
    tl_residual_norms now;
    MX_TRY(tl_true_residual(app, false, &now));
    app_print(app->base.report, " EXACT error calculated as%14.7E\n",
              first_residual > 0 ? now.norm / first_residual : now.norm);
    return MX_OK;
}

/* The lines of a step, as each of the original codes prints them; times are rank 0's, cumulative
 * but for the step's. The number of iterations is the true one: the originals print one less. */
static mx_err print_reference_step(tl_app *app, int64_t first, double seconds)
{
    const double cells = tl_cells_of(&app->deck), all = app_now() - app->started;
    app_print(app->base.report, " Conduction error %14.7E\n", app->last_error);
    if (app->deck.check_result) MX_TRY(print_exact_error(app, app->residuals.values[first]));
    app_print(app->base.report, " Iteration count %8lld\n Wall clock    %.6f\n",
              (long long)(app->residuals.count - first - 1), all);
    app_print(app->base.report, " Average time per cell %.6E\n Step time per cell    %.6E\n",
              all / (cells * (double)(app->step - app->first_step)), seconds / cells);
    return MX_OK;
}

static mx_err print_port_step(tl_app *app, int64_t first)
{
    const double cells = tl_cells_of(&app->deck), all = app_now() - app->started;
    app_print(
        app->base.report,
        " %s: \t\t\t%lld iterations\n Wallclock: \t\t%.3lfs\n Avg. time per cell: \t%.6e\n Error: \t\t%.6e\n",
        tl_solver_name(&app->deck), (long long)(app->residuals.count - first - 1), all,
        all / (cells * (double)(app->step - app->first_step)),
        app->residuals.values[app->residuals.count - 1]);
    return app->deck.check_result ? print_exact_error(app, app->residuals.values[first]) : MX_OK;
}

static mx_err step(tl_app *app)
{
    const tl_deck *deck = &app->deck;
    const bool port = deck->dialect == TL_DIALECT_PORT;
    const int64_t first = app->residuals.count;
    const double started = app_now();
    if (port)
        app_print(app->base.report, "\n Timestep %lld\n", (long long)app->step + 1);
    else
        app_print(app->base.report, " Step %7lld time %11.7f timestep  %9.2E\n",
                  (long long)app->step + 1, app->time, deck->initial_timestep);
    MX_TRY(tl_solve(app));
    app->step++;
    app->time = (double)app->step * deck->initial_timestep;
    return port ? print_port_step(app, first)
                : print_reference_step(app, first, app_now() - started);
}

/* u before the first step, so that a summary can be made of it. */
static mx_err initial_temperature(tl_app *app) { return TL_LAUNCH(tl_start, app, 0, &app->start); }

/* Is a summary due after this step, before the last one? */
static bool summary_is_due(const tl_app *app)
{
    const tl_deck *deck = &app->deck;
    return deck->summary_frequency > 0 && app->step % deck->summary_frequency == 0 &&
           app->step < deck->steps;
}

/* The summary of the beginning. After a restart: the one that was not due if the run before had its
 * last step here. */
static mx_err begin(tl_app *app)
{
    const app_series *const steps = &app->summaries.step;
    MX_TRY(tl_begin_frames(app));
    if (!app->base.restarted) {
        MX_TRY(initial_temperature(app));
        MX_TRY(tl_add_frames(app));
        return summarise(app);
    }
    const bool done = steps->count > 0 && steps->values[steps->count - 1] == (double)app->step;
    return summary_is_due(app) && !done ? summarise(app) : MX_OK;
}

static mx_err run(tl_app *app)
{
    const tl_deck *deck = &app->deck;
    app->started = app_now();
    app->base.first_step = app->first_step = app->step;
    MX_TRY(begin(app));
    while (app->step < deck->steps) {
        MX_TRY(step(app));
        app_progress(app->base.report, "step", app->step, deck->steps);
        MX_TRY(tl_add_frames(app));
        if (summary_is_due(app)) MX_TRY(summarise(app));
        MX_TRY(app_step_end(&app->base, app->step));
        if (app->base.stopped) return MX_OK;
    }
    if (app->step > 0) MX_TRY(summarise(app));
    app_progress_end(app->base.report);
    return MX_OK;
}

mx_err tl_run(tl_app *app) { return app_end_run(&app->base, run(app)); }
