/* Conjugate gradients without preconditioner, as the original: from x = 0, at most max_iterations, until ||r|| <= tolerance. The
 * norm that the original prints for iteration k, and compares, is that at the start of the iteration. So it does one iteration
 * after the norm is small enough, and so does this. */
#include "fe_app.h"

#include <float.h>
#include <math.h>

enum { BYTES_A_ENTRY = 12, BYTES_A_ROW = 8 + 8 + 8 + 24 + 16 + 24 };

static mx_range_1 rows(const fe_app *app)
{
    return mx_range_1d(app->base.ctx, 0, fe_rows(&app->mesh));
}

mx_err fe_multiply(fe_app *app, double *pw)
{
    if (app_size(app->base.comm) > 1)
        MX_TRY(app_forward(app->ghosts, 1, &app->views.p, APP_UNSHIFTED));
    MX_TRY(fe_product(rows(app), &app->product, pw));
    return app_sum_f64(app->base.comm, pw, 1);
}

/* r = p = b - A x; the value is r . r */
static mx_err start(fe_app *app, double *rr)
{
    double unused;
    MX_TRY(fe_copy(rows(app), &app->start));
    MX_TRY(fe_multiply(app, &unused));
    MX_TRY(fe_start(rows(app), &app->start, rr));
    return app_sum_f64(app->base.comm, rr, 1);
}

/* Has the method broken down: is p . A p not positive, but for rounding? The original's criterion. */
static bool broke_down(double pw, double *tolerance)
{
    if (pw < *tolerance && !(pw > 0)) return true;
    *tolerance = 0.1 * pw;
    return false;
}

static void print_residual(fe_app *app, int64_t k, double norm)
{
    const int64_t max = app->input.max_iterations;
    int64_t every = max / 10;
    every = every < 1 ? 1 : every > 50 ? 50 : every;
    if (k % every == 0 || k == max)
        app_print(app->base.report, "Iteration = %lld   Residual = %g\n", (long long)k, norm);
}

static mx_err iterate(fe_app *app)
{
    const fe_input *in = &app->input;
    double rr, pw, old_rr = 0, breakdown = DBL_EPSILON;
    MX_TRY(start(app, &rr));
    double norm = sqrt(rr);
    app->residuals[0] = norm;
    app_print(app->base.report, "Initial Residual = %g\n", norm);
    for (int64_t k = 1; k <= in->max_iterations && norm > in->tolerance; k++) {
        if (k > 1) {
            app->direction.beta = rr / old_rr;
            MX_TRY(fe_direction(rows(app), &app->direction));
        }
        norm = sqrt(rr);
        if (norm == 0) break; /* exact: another iteration would divide 0 by 0 */
        print_residual(app, k, norm);
        MX_TRY(fe_multiply(app, &pw));
        if (broke_down(pw, &breakdown)) {
            app->breakdown = true;
            break;
        }
        app->update.alpha = rr / pw;
        old_rr = rr;
        MX_TRY(fe_update(rows(app), &app->update, &rr));
        MX_TRY(app_sum_f64(app->base.comm, &rr, 1));
        app->residuals[k] = sqrt(rr);
        app->iterations = k;
        app_progress(app->base.report, "cg iterations, at most", k, in->max_iterations);
    }
    app->final_residual = norm;
    return MX_OK;
}

mx_err fe_run(void *data)
{
    fe_app *const app = data;
    app_print(app->base.report, "Starting CG solver ... \n");
    app_region_begin(app->solve_time);
    MX_TRY(iterate(app));
    MX_TRY(mx_fence(app->base.ctx));
    const double n = (double)app->iterations;
    app_region_end(
        app->solve_time,
        n * ((double)app->entries * BYTES_A_ENTRY + (double)fe_rows(&app->mesh) * BYTES_A_ROW),
        n * (2.0 * (double)app->entries + 10.0 * fe_rows(&app->mesh)), 2 * app->iterations);
    app_progress_end(app->base.report);
    app_print(app->base.report, "Final Resid Norm: %g\n", app->final_residual);
    if (app->breakdown) app->base.verdict = "breakdown";
    return MX_OK;
}
