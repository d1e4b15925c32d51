/* One time step: the system is solved by the form that set-up has chosen for the deck's solver. */
#include "tl_app.h"

#include <float.h>
#include <math.h>

/* r = u_start - A u with its ghosts; rr: r.r over all ranks. */
static mx_err begin(tl_app *app, double *rr)
{
    MX_TRY(TL_LAUNCH(tl_start, app, 0, &app->start));
    MX_TRY(app_box_halo_exchange(app->halo, 1, &app->views.u, 1, APP_HALO_FACES));
    MX_TRY(TL_LAUNCH_INTO(tl_residual, app, 0, &app->residual, app->views.rr, 0));
    MX_TRY(app_box_halo_exchange_and_sum(app->halo, 1, &app->views.r, 1, APP_HALO_FACES,
                                         app->views.rr, 0, 1, NULL));
    MX_TRY(mx_read_element(app->base.ctx, app->views.rr, 0, rr));
    MX_REQUIRE(isfinite(*rr), MX_ERR_INPUT,
               "step %lld: the initial residual is not a finite number: the deck's values are "
               "too large to compute with",
               (long long)app->step + 1);
    const double eps = app->deck.eps;
    MX_REQUIRE(
        *rr == 0 || eps * eps * *rr >= DBL_MIN, MX_ERR_INPUT,
        "step %lld: the initial residual %g times eps %g is too small to be squared: rescale the units of the deck",
        (long long)app->step + 1, sqrt(*rr), eps);
    if (app->deck.verbose_on) app_print(app->base.report, " Initial residual %15.7E\n", sqrt(*rr));
    return app_series_add(&app->residuals, sqrt(*rr));
}

static mx_err iterate_to_tolerance(tl_app *app, tl_progress *at)
{
    const tl_form *const form = app->solver;
    MX_TRY(form->start(app, at));
    MX_TRY(form->iterate(app, at, app->deck.max_iters));
    return form->end != NULL ? form->end(app) : MX_OK;
}

static mx_err end(tl_app *app)
{
    MX_TRY(TL_LAUNCH(tl_finish, app, 0, &app->finish));
    return mx_fence(app->base.ctx);
}

/* How often the host has waited for the device. */
static mx_err waits(const tl_app *app, int64_t *count)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    *count = info.synchronisations + app->waits;
    return MX_OK;
}

mx_err tl_solve(tl_app *app)
{
    const double cells = (double)app->planes * (double)app->rows * (double)app->columns;
    double bytes, flops;
    tl_progress at = {0};
    int64_t before, after;

    app_region_begin(app->rest);
    MX_TRY(begin(app, &at.rr));
    const bool solid = tl_is_3d(&app->deck);
    app_region_end(app->rest, cells * (TL_RESIDUAL_BYTES + 32),
                   cells * (double)(solid ? TL_RESIDUAL_FLOPS_3D : TL_RESIDUAL_FLOPS), 1);
    const double first_rr = at.rr;
    at.tolerance = app->deck.eps * app->deck.eps * first_rr;

    MX_TRY(waits(app, &before));
    app_region_begin(app->solve);
    MX_TRY(iterate_to_tolerance(app, &at));
    MX_TRY(mx_fence(app->base.ctx)); /* iterations that were queued behind the end */
    MX_TRY(waits(app, &after));
    app->solver->cost(app, &bytes, &flops);
    app_region_end(app->solve, cells * bytes * (double)at.n, cells * flops * (double)at.n,
                   after - before);

    app_region_begin(app->rest);
    MX_TRY(end(app));
    app_region_end(app->rest, cells * 24, cells, 1);

    app->iteration_limit = app->iteration_limit || at.rr > at.tolerance;
    app->last_error = first_rr > 0 ? sqrt(at.rr / first_rr) : 0;
    app->base.iterations += at.n;
    return app_series_add(&app->step_iterations, (double)at.n);
}
