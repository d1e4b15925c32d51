/* Properties of the solution that are known in advance: volume, mass and energy stay those of the deck's states, because no flux
 * leaves the domain; the last step solves its equations; for published problems, the final U.
 *
 * Energy is kept to rounding even where the solver stops early: the columns of A sum to 1, so the first residual sums to 0,
 * and so do all vectors that conjugate gradients make of it. */
#include "tl_app.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* The published tolerance of U: 0.001 percent. */
static const double PUBLISHED_TOLERANCE = 1e-5;
/* Sums of up to 1e9 positive numbers in blocks: rounding stays well below this. */
static const double SUM_TOLERANCE = 1e-10;

static double relative(double value, double expected)
{
    return expected != 0 ? fabs(value / expected - 1) : fabs(value);
}

static mx_err check(tl_app *app, const char *name, double value, double expected, double tolerance)
{
    const bool passed = relative(value, expected) <= tolerance; /* false for NaN */
    app->passed = app->passed && passed;
    app_print(app->report,
              " check %-12s %.15e expected %.15e relative difference %.2e tolerance %.1e %s\n",
              name, value, expected, relative(value, expected), tolerance,
              passed ? "PASSED" : "FAILED");
    if (!passed && app->options.quiet &&
        app_rank(app->comm) == 0) /* --quiet still prints failures */
        fprintf(stderr, "tealeaf: check %s FAILED: got %.15e, expected %.15e, tolerance %.1e\n",
                name, value, expected, tolerance);
    return app_results_check(app->results, name, value, expected, tolerance, passed);
}

/* The residual of the last step, computed anew from what the solver returned, against eps, or what the solver says that it
 * reached where it stopped at max_iters. Both norms have some 10 roundings a cell, and the solver's own residual drifts from
 * the true one by one an iteration: apps/verify/verify_tealeaf.c has the sources of this bound, and computes the same. */
static mx_err check_residual(tl_app *app)
{
    if (app->step == 0) return MX_OK;
    const int64_t iterations = (int64_t)app->step_iterations.values[app->step - 1];
    const double *history = app->residuals.values + app->residuals.count - iterations - 1;
    const double scale = history[0] > 0 ? history[0] : 1, reached = history[iterations] / scale;
    tl_residual_norms first, last;
    MX_TRY(tl_agree(app, tl_true_residual(app, true, &first)));
    MX_TRY(tl_agree(app, tl_true_residual(app, false, &last)));
    const double drift =
        (10.0 + (double)iterations) * DBL_EPSILON * fmax(first.magnitude, last.magnitude);
    const double rounding = 10.0 * DBL_EPSILON * first.magnitude;
    return check(app, "residual", last.norm / scale, 0,
                 fmax(app->deck.eps, reached) + (drift + rounding) / scale);
}

/* The deck's volume, and its states' mass and energy over all ranks. */
static mx_err sum_deck(tl_app *app)
{
    double sums[] = {app->deck_summary.mass, app->deck_summary.energy};
    MX_TRY(app_sum_f64(app->comm, sums, 2));
    app->deck_summary.volume =
        (app->deck.xmax - app->deck.xmin) * (app->deck.ymax - app->deck.ymin);
    app->deck_summary.mass = sums[0];
    app->deck_summary.energy = sums[1];
    return MX_OK;
}

static void print_reference_verdict(tl_app *app, double expected)
{
    const double percent = fabs(100 * (app->last.temperature / expected) - 100);
    app_print(
        app->report,
        "Test problem%4d is within%16.7E%% of the expected solution\n This test is considered %s\n",
        app->deck.test_problem, percent, app->passed ? "PASSED" : "NOT PASSED");
}

static void print_port_verdict(tl_app *app, double expected)
{
    const double percent = fabs(100 * (app->last.temperature / expected) - 100);
    app_print(
        app->report,
        " Checking results...\n Expected %.15e\n Actual   %.15e\n This run %s (Difference is within %.8f%%)\n",
        expected, app->last.temperature, app->passed ? "PASSED" : "FAILED", percent);
    app_print(app->report, "Result:\n - Problem: %lldx%lld@%lld\n - Outcome: %s\n",
              (long long)app->deck.x_cells, (long long)app->deck.y_cells, (long long)app->step,
              app->passed ? "PASSED" : "FAILED");
}

mx_err tl_verify(tl_app *app)
{
    const char *source = NULL;
    double expected = 0;
    app->passed = true;
    MX_TRY(sum_deck(app));
    MX_TRY(check(app, "volume", app->last.volume, app->deck_summary.volume, SUM_TOLERANCE));
    MX_TRY(check(app, "mass", app->last.mass, app->deck_summary.mass, SUM_TOLERANCE));
    MX_TRY(check(app, "energy", app->last.energy, app->deck_summary.energy, SUM_TOLERANCE));
    MX_TRY(check_residual(app));
    const bool known = tl_deck_expected(&app->deck, &expected, &source);
    if (known) {
        MX_TRY(check(app, "U", app->last.temperature, expected, PUBLISHED_TOLERANCE));
        if (app->deck.dialect == TL_DIALECT_REFERENCE)
            print_reference_verdict(app, expected);
        else
            print_port_verdict(app, expected);
        app_print(app->report, " Expected value: %s\n", source);
    } else {
        app_print(app->report, " No value of U has been published for this deck\n");
    }
    app->verdict = !app->passed ? "failed" : app->iteration_limit ? "iteration limit" : "passed";
    app_print(app->report, " This run %s\n",
              !app->passed           ? "FAILED"
              : app->iteration_limit ? "reached its iteration limit"
                                     : "PASSED");
    return MX_OK;
}
