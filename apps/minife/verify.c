/* What is known of the solution:
 *
 *   rows, nonzeros   by formulas: (nx+1)(ny+1)(nz+1) and (3 nx+1)(3 ny+1)(3 nz+1)
 *   residual         ||b - A x|| computed anew, against what the solver says that it reached
 *   error            of the manufactured problem: the L2 norm over the domain, and the largest at a node
 *   analytic         of the original's problem: its check near the centre, and a sharper one (analytic.c) */
#include "fe_app.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double L2_CONSTANT = 0.95, MAX_CONSTANT = 0.3;

/* The elements whose low corner this rank owns, so that each element is counted once. */
static mx_range_3 own_elements(const fe_app *app)
{
    const app_box *part = &app->level.part;
    return mx_range_3d(app->base.ctx, part->first[0], part->first[0] + part->cells[0],
                       part->first[1], part->first[1] + part->cells[1], part->first[2],
                       part->first[2] + part->cells[2]);
}

/* The error of the manufactured problem falls with the square of the elements' size h. It is compared with C h^2, where C is
 * twice what distorted meshes of 16 to 64 elements along each side have: 0.474 in L2, 0.150 at nodes. */
static mx_err check_error(fe_app *app)
{
    const mx_range_1 rows = mx_range_1d(app->base.ctx, 0, fe_rows(&app->level.mesh));
    const int *n = app->level.mesh.elements;
    const int least = n[0] < n[1] ? (n[0] < n[2] ? n[0] : n[2]) : (n[1] < n[2] ? n[1] : n[2]);
    const double h = 1.0 / least;
    double square, largest;
    fe_error_args error = {.mesh = app->level.mesh};
    MX_TRY(mx_bind(app->base.ctx, app->vectors.p, &error.p));
    MX_TRY(mx_bind(app->base.ctx, app->level.views.coordinates, &error.coordinates));
    MX_TRY(fe_copy(rows, &app->start)); /* p = x */
    MX_TRY(fe_exchange(&app->level, app->vectors.p));
    MX_TRY(fe_error_l2(own_elements(app), &error, &square));
    MX_TRY(fe_error_max(rows, &error, &largest));
    MX_TRY(app_sum_f64(app->base.comm, &square, 1));
    MX_TRY(app_max_f64(app->base.comm, &largest, 1));
    app_print(app->base.report, "error: L2 %.6e, largest at a node %.6e\n", sqrt(square), largest);
    /* u of two runs differs by some 1e-12 of its size, which is 1; the errors are 1e-4 of that */
    const app_compare compare = APP_RELATIVE(1e-8);
    MX_TRY(app_check(&app->base, "error_l2", sqrt(square), 0, L2_CONSTANT * h * h, compare));
    return app_check(&app->base, "error_max", largest, 0, MAX_CONSTANT * h * h, compare);
}

/* ||b - A x||, computed anew, against the residual of the recurrence. Both drift apart by about one rounding of the largest
 * residual an iteration. */
static mx_err check_residual(fe_app *app, double *residual)
{
    double norm;
    MX_TRY(fe_residual(app, &norm));
    const double reached = app->residuals.values[app->iterations], first = app->residuals.values[0];
    const double drift = (10.0 + (double)app->iterations) * DBL_EPSILON * first;
    const double scale = first > 0 ? first : 1;
    *residual = norm;
    return app_check(&app->base, "residual", norm / scale, 0, (2 * reached + drift) / scale,
                     APP_NEVER);
}

mx_err fe_verify(void *data)
{
    fe_app *const app = data;
    const fe_input *in = &app->input;
    const double rows = (double)(in->nx + 1) * (double)(in->ny + 1) * (double)(in->nz + 1);
    const double entries =
        (double)(3 * in->nx + 1) * (double)(3 * in->ny + 1) * (double)(3 * in->nz + 1);
    MX_TRY(app_check(&app->base, "rows", (double)app->level.all_rows, rows, 0, APP_EXACT));
    MX_TRY(
        app_check(&app->base, "nonzeros", (double)app->level.all_entries, entries, 0, APP_EXACT));
    double residual;
    MX_TRY(check_residual(app, &residual));
    return app->input.problem == FE_PROBLEM_MANUFACTURED ? check_error(app)
                                                         : fe_check_analytic(app, residual);
}
