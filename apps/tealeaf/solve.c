/* One time step, by conjugate gradients without preconditioner.
 *
 * The scalars of an iteration stay with the vectors: r.r goes into a ring `rr` by iteration, p.w into `pw`, their sums over
 * ranks are made in place, and the kernels that need alpha and beta take them from there in their prologues. On a device,
 * iterations can so be queued without waiting; the host reads the ring after each batch. Iterations that were queued after
 * convergence change nothing, because their alpha is 0. On hosts, where the ring can be read at any time, a batch is one
 * iteration.
 *
 * With several ranks the ghosts of r are exchanged, not those of p, while r.r is summed over the ranks: both are ready at the
 * same time, and p = r + beta p then gives the ghosts of p too, from the same numbers as on the rank that owns them. So
 * w = A p is one launch over all cells that waits for no message. Rejected: to exchange p while the interior of w is
 * computed. The edges then need launches of their own, which cost more than the messages: on a GPU, because they are small, on
 * hosts, because the columns are not contiguous. Cost: 104 bytes and 23 flops a cell and iteration, two sums over ranks. */
#include "tl_app.h"

#include <float.h>
#include <math.h>

static int ring(int64_t iteration) { return (int)(iteration % TL_RING); }

/* The cells of this rank, and the ghosts that stand for cells of others. */
static mx_range_2 cells_and_ghosts(const tl_app *app)
{
    mx_range_2 range = tl_cells(app);
    for (int d = 0; d < 2; d++) {
        if (app->decomp.neighbour[d][0] >= 0) range.begin[d] -= TL_GHOSTS;
        if (app->decomp.neighbour[d][1] >= 0) range.end[d] += TL_GHOSTS;
    }
    return range;
}

/* Iteration n (from 1) of this step. */
static mx_err iterate(tl_app *app, int64_t n)
{
    const app_transport transport = app->base.transport;
    app->update.before = app->direction.before = ring(n - 1);
    app->direction.now = ring(n);
    MX_TRY(tl_cg_matvec_into(tl_cells(app), &app->matvec, app->views.pw, 0));
    MX_TRY(app_sum_view(transport, app->views.pw, 0, 1));
    MX_TRY(tl_cg_update_into(tl_cells(app), &app->update, app->views.rr, ring(n)));
    MX_TRY(app_box_halo_begin(app->halo, 1, &app->views.r, 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(transport, app->views.rr, ring(n), 1));
    MX_TRY(app_box_halo_end(app->halo));
    return tl_cg_direction(cells_and_ghosts(app), &app->direction);
}

/* r = p = u_start - A u, with the ghosts of p; rr[0] of the ring. */
static mx_err begin(tl_app *app, double *rr)
{
    MX_TRY(tl_start(tl_cells(app), &app->start));
    MX_TRY(app_box_halo_exchange(app->halo, 1, &app->views.u, 1, APP_HALO_FACES));
    MX_TRY(tl_residual_into(tl_cells(app), &app->residual, app->views.rr, ring(0)));
    MX_TRY(app_box_halo_begin(app->halo, 1, &app->views.p, 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, ring(0), 1));
    MX_TRY(app_box_halo_end(app->halo));
    MX_TRY(mx_read_element(app->base.ctx, app->views.rr, ring(0), rr));
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

/* Checks the completed iterations first..last for convergence. Records their residuals up to the first that converged; *n is
 * its number. */
static mx_err check_convergence(tl_app *app, int64_t first, int64_t last, double tolerance,
                                int64_t *n, double *rr)
{
    double *values;
    MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->views.rr));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->rr_host, (void **)&values));
    for (*n = first; *n <= last; (*n)++) {
        *rr = values[ring(*n)];
        MX_REQUIRE(isfinite(*rr), MX_ERR_INPUT,
                   "step %lld, iteration %lld: the residual is not a finite number",
                   (long long)app->step + 1, (long long)*n);
        MX_TRY(app_series_add(&app->residuals, sqrt(*rr)));
        if (app->deck.verbose_on)
            app_print(app->base.report, " Residual %lld %15.7E\n", (long long)*n, sqrt(*rr));
        if (*rr <= tolerance || *n == last) return MX_OK;
    }
    return MX_OK;
}

static mx_err iterate_to_tolerance(tl_app *app, double first_rr, int64_t *iterations)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const int64_t batch = info.host_accessible ? 1 : TL_BATCH, max_iterations = app->deck.max_iters;
    const double tolerance = app->deck.eps * app->deck.eps * first_rr;
    double rr = first_rr;
    int64_t n = 0;
    app->update.tolerance = app->direction.tolerance = tolerance;
    while (rr > tolerance && n < max_iterations) {
        const int64_t last = n + batch < max_iterations ? n + batch : max_iterations;
        for (int64_t i = n + 1; i <= last; i++) MX_TRY(iterate(app, i));
        MX_TRY(check_convergence(app, n + 1, last, tolerance, &n, &rr));
        app_progress(app->base.report, "cg iterations of this step, at most", n, max_iterations);
    }
    app->iteration_limit = app->iteration_limit || rr > tolerance;
    app->last_error = first_rr > 0 ? sqrt(rr / first_rr) : 0;
    *iterations = n;
    return MX_OK;
}

static mx_err end(tl_app *app)
{
    MX_TRY(tl_finish(tl_cells(app), &app->finish));
    return mx_fence(app->base.ctx);
}

mx_err tl_solve(tl_app *app)
{
    const double cells = (double)app->rows * (double)app->columns;
    double rr = 0;
    int64_t iterations = 0;
    mx_ctx_info before, after;

    app_region_begin(app->rest);
    MX_TRY(begin(app, &rr));
    app_region_end(app->rest, cells * (TL_RESIDUAL_BYTES + 32), cells * (double)TL_RESIDUAL_FLOPS,
                   1);

    MX_TRY(mx_ctx_get_info(app->base.ctx, &before));
    app_region_begin(app->solve);
    MX_TRY(iterate_to_tolerance(app, rr, &iterations));
    MX_TRY(mx_ctx_get_info(app->base.ctx, &after));
    app_region_end(app->solve, cells * (double)TL_CG_BYTES * (double)iterations,
                   cells * (double)TL_CG_FLOPS * (double)iterations,
                   after.synchronisations - before.synchronisations);

    app_region_begin(app->rest);
    MX_TRY(end(app));
    app_region_end(app->rest, cells * 24, cells, 1);

    app->iterations += iterations;
    return app_series_add(&app->step_iterations, (double)iterations);
}
