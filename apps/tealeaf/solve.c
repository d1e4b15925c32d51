/* One time step: the system is solved by what the deck names. Chebyshev's iteration and PPCG begin
 * with conjugate gradients, whose scalars give bounds of the eigenvalues. These are estimated once
 * a run, because the matrix never changes. */
#include "tl_app.h"

#include <float.h>
#include <math.h>

/* r = u_start - A u, in 3-D also p = r, with ghosts of what the solver begins with; rr: r.r over all
 * ranks. */
static mx_err begin(tl_app *app, double *rr)
{
    app->polynomial_is_preconditioner = false;
    MX_TRY(TL_LAUNCH(tl_start, app, 0, &app->start));
    MX_TRY(app_box_halo_exchange(app->halo, 1, &app->views.u, 1, APP_HALO_FACES));
    MX_TRY(TL_LAUNCH_INTO(tl_residual, app, 0, &app->residual, app->views.rr, 0));
    const bool with_p = tl_is_3d(&app->deck) && !tl_uses_passes(app);
    mx_view *const first = with_p ? &app->views.p : &app->views.r;
    MX_TRY(app_box_halo_begin(app->halo, 1, first, 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, 0, 1));
    MX_TRY(app_box_halo_end(app->halo));
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

/* Conjugate gradients until the eigenvalues can be estimated: the deck's number of iterations, and
 * then until the residual is small enough for what comes after. */
static mx_err estimate_eigenvalues(tl_app *app, tl_progress *at)
{
    const tl_deck *const deck = &app->deck;
    const int64_t max = deck->max_iters, presteps = deck->presteps < max ? deck->presteps : max;
    MX_TRY(tl_cg_start(app, at));
    MX_TRY(tl_cg_iterate(app, at, presteps));
    while (at->rr > at->tolerance && at->n < max && sqrt(at->rr) > deck->epslim)
        MX_TRY(tl_cg_iterate(app, at, at->n + 1));
    MX_TRY(tl_cg_end(app));
    if (app->eigenvalues.known || at->rr <= at->tolerance || at->n == max) return MX_OK;
    MX_TRY(
        tl_estimate_eigenvalues(app->rho.values, app->pw.values, app->pw.count, &app->eigenvalues));
    app_print(app->base.report,
              " Switching after %3lld CG its, error %15.7E\n Eigen min %.6E, Eigen max %.6E, "
              "Condition number %.6f\n",
              (long long)at->n, sqrt(at->rr), app->eigenvalues.low, app->eigenvalues.high,
              app->eigenvalues.high / app->eigenvalues.low);
    return MX_OK;
}

static mx_err solve_by_cg(tl_app *app, tl_progress *at)
{
    MX_TRY(tl_cg_start(app, at));
    MX_TRY(tl_cg_iterate(app, at, app->deck.max_iters));
    return tl_cg_end(app);
}

static mx_err iterate_to_tolerance(tl_app *app, tl_progress *at)
{
    const int64_t max = app->deck.max_iters;
    switch (app->deck.solver) {
    case TL_SOLVER_CG:
    case TL_SOLVER_DPCG: return solve_by_cg(app, at);
    case TL_SOLVER_JACOBI: return tl_solve_by_steps(app, at);
    case TL_SOLVER_CHEBYSHEV:
        MX_TRY(estimate_eigenvalues(app, at));
        return tl_solve_by_steps(app, at);
    case TL_SOLVER_PPCG:
        if (!app->eigenvalues.known) MX_TRY(estimate_eigenvalues(app, at));
        if (at->rr <= at->tolerance || at->n == max) return MX_OK;
        app->polynomial_is_preconditioner = true;
        return solve_by_cg(app, at);
    }
    return MX_OK;
}

static mx_err end(tl_app *app)
{
    MX_TRY(TL_LAUNCH(tl_finish, app, 0, &app->finish));
    return mx_fence(app->base.ctx);
}

/* Bytes a cell of n steps of a polynomial: of as long sweeps as there are, then of what is left. */
static double bytes_of_steps(const tl_app *app, int64_t n)
{
    const tl_deck *const d = &app->deck;
    const int64_t of_sweep = tl_sweep_limit(app), left = n % of_sweep;
    const bool weighted =
        d->preconditioner == TL_PRECONDITIONER_DIAGONAL || d->solver == TL_SOLVER_JACOBI;
    const double more = weighted ? 8 : 0, step = TL_STEP_BYTES + more,
                 sweep = TL_SWEEP_BYTES + more;
    if (of_sweep == 1) return (double)n * step;
    return (double)(n / of_sweep) * sweep + (left > 1 ? sweep : (double)left * step);
}

/* Bytes and flops a cell of one iteration of the step's solver, without the presteps of others. */
static void cost_of_iteration(const tl_app *app, double *bytes, double *flops)
{
    const tl_deck *const d = &app->deck;
    const bool solid = tl_is_3d(d), weighted = d->preconditioner == TL_PRECONDITIONER_DIAGONAL;
    const bool passes = tl_uses_passes(app);
    const double cg_flops = solid ? TL_CG_FLOPS_3D : TL_CG_FLOPS;
    const double step_flops = solid ? TL_STEP_FLOPS_3D : TL_STEP_FLOPS;
    *bytes = (passes ? TL_PASS_BYTES : TL_CG_BYTES) + (weighted ? TL_DIAGONAL_BYTES : 0) +
             (d->preconditioner == TL_PRECONDITIONER_BLOCK ? TL_BLOCK_BYTES : 0);
    const double pass_flops = solid ? TL_PASS_FLOPS_3D : TL_PASS_FLOPS;
    *flops = passes ? pass_flops : cg_flops;
    if (d->solver == TL_SOLVER_DPCG) *flops += TL_DEFLATED_FLOPS;
    if (d->solver == TL_SOLVER_JACOBI || d->solver == TL_SOLVER_CHEBYSHEV) {
        *bytes = bytes_of_steps(app, TL_STEPS_BETWEEN_CHECKS) / TL_STEPS_BETWEEN_CHECKS;
        *flops = step_flops;
    } else if (app->multigrid != NULL) {
        double cycle, cycle_flops;
        tl_multigrid_cost(app->multigrid, &cycle, &cycle_flops);
        *bytes = TL_CG_BYTES + cycle;
        *flops = cg_flops + cycle_flops;
    } else if (d->solver == TL_SOLVER_PPCG) {
        *bytes = TL_CG_BYTES + TL_POLYNOMIAL_BYTES + bytes_of_steps(app, app->inner_steps);
        *flops = cg_flops + 6 + (double)app->inner_steps * step_flops;
    }
}

/* How often the host has waited for the device. */
static mx_err waits(const tl_app *app, int64_t *count)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    *count = info.synchronisations;
    if (app_readback_overlaps(&app->pass_sums)) *count += app->pass_sums.waits;
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
    app_region_end(app->rest, cells * ((solid ? TL_RESIDUAL_BYTES_3D : TL_RESIDUAL_BYTES) + 32),
                   cells * (double)(solid ? TL_RESIDUAL_FLOPS_3D : TL_RESIDUAL_FLOPS), 1);
    const double first_rr = at.rr;
    at.tolerance = app->deck.eps * app->deck.eps * first_rr;

    MX_TRY(waits(app, &before));
    if (app->step == app->first_step) app->before_iterations = app_now() - app->base.started;
    app_region_begin(app->solve);
    MX_TRY(iterate_to_tolerance(app, &at));
    MX_TRY(mx_fence(app->base.ctx)); /* iterations that were queued behind the end */
    MX_TRY(waits(app, &after));
    cost_of_iteration(app, &bytes, &flops);
    app_region_end(app->solve, cells * bytes * (double)at.n, cells * flops * (double)at.n,
                   after - before);

    app_region_begin(app->rest);
    MX_TRY(end(app));
    app_region_end(app->rest, cells * 24, cells, 1);

    app->iteration_limit = app->iteration_limit || at.rr > at.tolerance;
    app->last_error = first_rr > 0 ? sqrt(at.rr / first_rr) : 0;
    app->iterations += at.n;
    return app_series_add(&app->step_iterations, (double)at.n);
}
