/* Properties of the solution that are known in advance: volume, mass and energy stay those of the
 * deck's states, because no flux leaves the domain; the last step solves its equations; for
 * published problems, the final U.
 *
 * Energy is kept to rounding where the solver's vectors sum to 0 (tl_keeps_energy), even where it
 * stops early. Else a step changes the sum of u by that of the residual that it leaves. */
#include "tl_app.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* The published tolerance of U: 0.001 percent. */
static const double PUBLISHED_TOLERANCE = 1e-5;

/* The residual of the last step, computed anew from what the solver returned, against eps, or what
 * the solver says that it reached where it stopped at max_iters. Both norms have some 10 roundings
 * a cell, and the solver's own residual drifts from the true one by one an iteration:
 * verify/checks.c has the sources of this bound, and computes the same. */
static mx_err check_residual(tl_app *app)
{
    if (app->step == 0) return MX_OK;
    const int64_t iterations = (int64_t)app->step_iterations.values[app->step - 1];
    const double *history = app->residuals.values + app->residuals.count - iterations - 1;
    const double scale = history[0] > 0 ? history[0] : 1, reached = history[iterations] / scale;
    tl_residual_norms first, last;
    MX_TRY(tl_true_residual(app, true, &first));
    MX_TRY(tl_true_residual(app, false, &last));
    const double drift =
        (10.0 + (double)iterations) * DBL_EPSILON * fmax(first.magnitude, last.magnitude);
    const double rounding = 10.0 * DBL_EPSILON * first.magnitude;
    const double tolerance = fmax(app->deck.eps, reached) + (drift + rounding) / scale;
    return app_check(&app->base, "residual", last.norm / scale,
                     (app_expect){0, tolerance, APP_ROUNDING});
}

/* The deck's volume, and its states' mass and energy over all ranks. */
static mx_err sum_deck(tl_app *app)
{
    double sums[] = {app->deck_summary.mass, app->deck_summary.energy};
    MX_TRY(app_sum_f64(app->base.comm, sums, 2));
    app->deck_summary.volume = tl_volume(&app->deck);
    app->deck_summary.mass = sums[0];
    app->deck_summary.energy = sums[1];
    return MX_OK;
}

static void print_reference_verdict(tl_app *app, double expected)
{
    const double percent = fabs(100 * (app->last.temperature / expected) - 100);
    app_print(
        app->base.report,
        "Test problem%4d is within%16.7E%% of the expected solution\n This test is considered %s\n",
        app->deck.test_problem, percent, !app->base.failed ? "PASSED" : "NOT PASSED");
}

static void print_port_verdict(tl_app *app, double expected)
{
    const double percent = fabs(100 * (app->last.temperature / expected) - 100);
    app_print(
        app->base.report,
        " Checking results...\n Expected %.15e\n Actual   %.15e\n This run %s (Difference is within %.8f%%)\n",
        expected, app->last.temperature, !app->base.failed ? "PASSED" : "FAILED", percent);
    app_print(app->base.report, "Result:\n - Problem: %lldx%lld@%lld\n - Outcome: %s\n",
              (long long)app->deck.x_cells, (long long)app->deck.y_cells, (long long)app->step,
              !app->base.failed ? "PASSED" : "FAILED");
}

/* The relative change of energy that the residuals of all steps allow: a sum over n cells is at
 * most sqrt(n) times the 2-norm. A step that converged left at most eps times its first residual.
 * That bound is the same in runs that add in another order. */
static double energy_left(const tl_app *app)
{
    const double cells = tl_cells_of(&app->deck);
    const double *r = app->residuals.values;
    double sum = 0;
    if (tl_keeps_energy(&app->deck) || !(app->deck_summary.energy > 0)) return 0;
    for (int64_t s = 0; s < app->step_iterations.count; s++) {
        const double allowed = app->deck.eps * r[0];
        r += (int64_t)app->step_iterations.values[s];
        sum += fmax(*r++, allowed);
    }
    return sum * sqrt(cells) * app->dx * app->dy * app->dz / app->deck_summary.energy;
}

static mx_err verify(tl_app *app)
{
    app_base *const base = &app->base;
    const tl_summary *const deck = &app->deck_summary, *const last = &app->last;
    const char *source = NULL;
    double expected = 0;
    MX_TRY(sum_deck(app));
    MX_TRY(app_check(base, "volume", last->volume,
                     (app_expect){deck->volume, TL_CONSERVED_TOLERANCE, TL_SUMS}));
    MX_TRY(app_check(base, "mass", last->mass,
                     (app_expect){deck->mass, TL_CONSERVED_TOLERANCE, TL_SUMS}));
    const double tolerance = TL_CONSERVED_TOLERANCE + energy_left(app);
    MX_TRY(app_check(base, "energy", last->energy, (app_expect){deck->energy, tolerance, TL_SUMS}));
    MX_TRY(check_residual(app));
    if (tl_deck_expected(&app->deck, &expected, &source)) {
        MX_TRY(app_check(base, "U", last->temperature,
                         (app_expect){expected, PUBLISHED_TOLERANCE, TL_SUMS}));
        if (app->deck.dialect != TL_DIALECT_PORT)
            print_reference_verdict(app, expected);
        else
            print_port_verdict(app, expected);
        app_print(base->report, " Expected value: %s\n", source);
    } else {
        app_print(base->report, " No value of U has been published for this deck\n");
    }
    if (app->iteration_limit) base->verdict = "iteration limit";
    app_print(base->report, " This run %s\n",
              base->failed           ? "FAILED"
              : app->iteration_limit ? "reached its iteration limit"
                                     : "PASSED");
    return MX_OK;
}

mx_err tl_verify(tl_app *app) { return app_end_stage(&app->base, verify(app)); }
