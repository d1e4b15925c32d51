/* The residual of a system: that of each iteration, as the solver has it, and computed anew. */
#include "tl_app.h"

#include <math.h>

/* Why a residual may have grown without end, and what to do. */
static const char *reason(const tl_deck *deck)
{
    if (deck->solver != TL_SOLVER_CHEBYSHEV) return "";
    return deck->dialect == TL_DIALECT_PORT
               ? ": some eigenvalues are beyond the bounds from CG, expected more presteps"
               : ": some eigenvalues are beyond the bounds from CG, expected more tl_ch_cg_presteps";
}

mx_err tl_record(tl_app *app, tl_progress *at, double rr)
{
    at->rr = rr;
    if (!isfinite(rr))
        MX_TRY(mx_fence(app->base.ctx)); /* if a kernel failed, its error is returned */
    MX_REQUIRE(isfinite(rr), MX_ERR_INPUT,
               "step %lld, iteration %lld: the residual is not a finite number%s",
               (long long)app->step + 1, (long long)at->n, reason(&app->deck));
    if (app->deck.verbose_on)
        app_print(app->base.report, " Residual %lld %15.7E\n", (long long)at->n, sqrt(rr));
    app_progress(app->base.report, "iterations of this step, at most", at->n, app->deck.max_iters);
    return app_series_add(&app->residuals, sqrt(rr));
}

mx_err tl_true_residual(tl_app *app, bool of_start, tl_residual_norms *norms)
{
    tl_error_args args = app->error;
    tl_error_sums sums;
    if (of_start) args.u = args.u_start;
    MX_TRY(app_box_halo_exchange(app->halo, 1, of_start ? &app->views.u_start : &app->views.u, 1,
                                 APP_HALO_FACES));
    MX_TRY(TL_LAUNCH(tl_error, app, 0, &args, &sums));
    double both[] = {sums.rr, sums.magnitude};
    MX_TRY(app_sum_f64(app->base.comm, both, 2));
    *norms = (tl_residual_norms){sqrt(both[0]), sqrt(both[1])};
    return MX_OK;
}
