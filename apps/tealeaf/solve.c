/* One time step, by conjugate gradients without preconditioner.
 *
 * The scalars of an iteration stay with the vectors: r.r goes into a ring `rr` by iteration, p.w into `pw`, and the kernels
 * that need alpha and beta take them from there in their prologues. On a device, iterations can so be queued without
 * waiting; the host reads the ring after each batch. Iterations that were queued after convergence change
 * nothing, because their alpha is 0. On hosts, and with several ranks, where each sum has to go through MPI anyway, a batch is
 * one iteration.
 *
 * With several ranks the ghosts of p travel while the interior of w = A p is computed; the cells along the four edges
 * follow when they are there. Cost: 104 bytes and 23 flops a cell and iteration, two sums over ranks. */
#include "tl_app.h"

#include <float.h>
#include <math.h>

static int ring(int64_t iteration) { return (int)(iteration % TL_RING); }

/* Element `index` of a view: its sum over all ranks, on all ranks. */
static mx_err sum_over_ranks(tl_app *app, mx_view view, int index)
{
    double value;
    if (app_size(app->base.comm) == 1) return MX_OK;
    MX_TRY(mx_read_element(app->base.ctx, view, index, &value));
    MX_TRY(app_sum_f64(app->base.comm, &value, 1));
    return mx_write_element(app->base.ctx, view, index, &value);
}

/* w = A p along the four edges of this rank's cells, p.w into elements 1 to 4. */
static mx_err matvec_edges(tl_app *app)
{
    const int first = TL_GHOSTS, rows = app->rows, columns = app->columns;
    const int last_row = first + rows - 1, last_column = first + columns - 1;
    const mx_range_2 edges[] = {
        mx_range_2d(app->base.ctx, first, first + 1, first, last_column + 1),
        mx_range_2d(app->base.ctx, rows > 1 ? last_row : last_row + 1, last_row + 1, first,
                    last_column + 1),
        mx_range_2d(app->base.ctx, first + 1, last_row, first, first + 1),
        mx_range_2d(app->base.ctx, first + 1, last_row, columns > 1 ? last_column : last_column + 1,
                    last_column + 1),
    };
    for (int e = 0; e < 4; e++)
        MX_TRY(tl_cg_matvec_into(edges[e], &app->matvec, app->views.pw, e + 1));
    return MX_OK;
}

/* pw[0] = p . A p over all ranks, w = A p. */
static mx_err matvec(tl_app *app)
{
    double *parts;
    if (!app_box_halo_needed(app->halo))
        return tl_cg_matvec_into(tl_cells(app, 0), &app->matvec, app->views.pw, 0);
    MX_TRY(app_box_halo_begin(app->halo, 1, &app->views.p, 1, APP_HALO_FACES));
    MX_TRY(tl_cg_matvec_into(tl_cells(app, 1), &app->matvec, app->views.pw, 0));
    MX_TRY(app_box_halo_end(app->halo));
    MX_TRY(matvec_edges(app));
    MX_TRY(mx_deep_copy(app->base.ctx, app->pw_host, app->views.pw));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->pw_host, (void **)&parts));
    for (int e = 1; e < TL_PARTS; e++) parts[0] += parts[e];
    MX_TRY(app_sum_f64(app->base.comm, parts, 1));
    return mx_deep_copy(app->base.ctx, app->views.pw, app->pw_host);
}

/* Iteration n (from 1) of this step. */
static mx_err iterate(tl_app *app, int64_t n)
{
    app->update.before = app->direction.before = ring(n - 1);
    app->direction.now = ring(n);
    MX_TRY(matvec(app));
    MX_TRY(tl_cg_update_into(tl_cells(app, 0), &app->update, app->views.rr, ring(n)));
    MX_TRY(sum_over_ranks(app, app->views.rr, ring(n)));
    return tl_cg_direction(tl_cells(app, 0), &app->direction);
}

/* r = p = u_start - A u; rr[0] of the ring. */
static mx_err begin(tl_app *app, double *rr)
{
    MX_TRY(tl_start(tl_cells(app, 0), &app->start));
    MX_TRY(app_box_halo_exchange(app->halo, 1, &app->views.u, 1, APP_HALO_FACES));
    MX_TRY(tl_residual_into(tl_cells(app, 0), &app->residual, app->views.rr, ring(0)));
    MX_TRY(sum_over_ranks(app, app->views.rr, ring(0)));
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
    return tl_series_add(&app->residuals, sqrt(*rr));
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
        MX_TRY(tl_series_add(&app->residuals, sqrt(*rr)));
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
    const int64_t batch = info.host_accessible || app_size(app->base.comm) > 1 ? 1 : TL_BATCH,
                  max_iterations = app->deck.max_iters;
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
    MX_TRY(tl_finish(tl_cells(app, 0), &app->finish));
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
    return tl_series_add(&app->step_iterations, (double)iterations);
}
