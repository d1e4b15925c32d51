/* Conjugate gradients without preconditioner, as the original: from x = 0, at most max_iterations, until ||r|| <= tolerance. The
 * norm that the original prints for iteration k, and compares, is that at its start; the comparison is made before the norm of k
 * is known. So one iteration is done after the norm is small enough, and so it is here: iteration k is done if the norm after
 * k - 2 iterations (k = 1: the first one) is above the tolerance, and all iterations before were done.
 *
 * The scalars of iteration k stay with the vectors, in rings: p . w in pw(k), r . r in rr(k). Their sums over ranks are made in
 * place, and kernels take alpha and beta from there in their prologues. On a device iterations are queued in batches without
 * waiting, and the host reads the rings after each batch; on hosts a batch is one iteration.
 *
 * Bytes of an iteration: those of a product; for a row x, r, p, w read and x, r written (48), r, p read and p written (24). */
#include "fe_app.h"

#include <math.h>

enum { BYTES_OF_ROW = 48 + 24, FLOPS_OF_ROW = 2 + 6 + 2 };

static mx_range_1 rows(const fe_app *app)
{
    return mx_range_1d(app->base.ctx, 0, fe_rows(&app->level.mesh));
}

/* w = A p with the ghosts of p; pw(at) = p . w */
static mx_err multiply(fe_app *app, int at)
{
    const fe_vectors *v = &app->vectors;
    MX_TRY(fe_exchange(&app->level, v->p));
    MX_TRY(fe_apply_dot(&app->level, v->p, v->w, v->pw, at));
    return app_sum_view(app->base.transport, v->pw, at, 1);
}

mx_err fe_residual(fe_app *app, int at)
{
    MX_TRY(fe_copy(rows(app), &app->start));
    MX_TRY(multiply(app, at));
    MX_TRY(fe_start_into(rows(app), &app->start, app->vectors.rr, at));
    return app_sum_view(app->base.transport, app->vectors.rr, at, 1);
}

/* Queues iteration k. */
static mx_err iterate(fe_app *app, int64_t k)
{
    const fe_scalars scalars = {.now = fe_ring(k),
                                .before = fe_ring(k - 1),
                                .compared = fe_ring(k > 1 ? k - 2 : 0),
                                .tolerance = app->input.tolerance};
    app->update.scalars = app->direction.scalars = scalars;
    MX_TRY(multiply(app, scalars.now));
    MX_TRY(fe_update_into(rows(app), &app->update, app->vectors.rr, scalars.now));
    MX_TRY(app_sum_view(app->base.transport, app->vectors.rr, scalars.now, 1));
    return fe_direction(rows(app), &app->direction);
}

/* ---- what the host sees ---- */

static void print_residual(fe_app *app, int64_t k, double norm)
{
    const int64_t max = app->input.max_iterations;
    int64_t every = max / 10;
    every = every < 1 ? 1 : every > 50 ? 50 : every;
    if (k % every == 0 || k == max)
        app_print(app->base.report, "Iteration = %lld   Residual = %g\n", (long long)k, norm);
}

/* Takes the queued iterations first..last as the original's loop would have; *ended: it would have stopped. */
static mx_err follow(fe_app *app, int64_t first, int64_t last, bool *ended)
{
    double *rr, *pw;
    MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->vectors.rr));
    MX_TRY(mx_deep_copy(app->base.ctx, app->pw_host, app->vectors.pw));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->rr_host, (void **)&rr));
    MX_TRY(mx_view_host_data(app->pw_host, (void **)&pw));
    for (int64_t k = first; k <= last && !*ended; k++) {
        const double norm = app->residuals[k - 1];
        *ended = app->residuals[k > 1 ? k - 2 : 0] <= app->input.tolerance;
        if (*ended) break;
        app->final_residual = norm;
        *ended = norm == 0; /* exact: another iteration would divide 0 by 0 */
        if (*ended) break;
        print_residual(app, k, norm);
        app->breakdown = !(pw[fe_ring(k)] > 0);
        *ended = app->breakdown;
        if (*ended) break;
        app->residuals[k] = sqrt(rr[fe_ring(k)]);
        app->iterations = k;
    }
    return MX_OK;
}

static mx_err solve(fe_app *app)
{
    const int64_t max = app->input.max_iterations;
    mx_ctx_info info;
    bool ended = false;
    double rr;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const int64_t batch = info.host_accessible ? 1 : FE_BATCH;
    MX_TRY(fe_residual(app, 0));
    MX_TRY(mx_read_element(app->base.ctx, app->vectors.rr, 0, &rr));
    app->residuals[0] = app->final_residual = sqrt(rr);
    app_print(app->base.report, "Initial Residual = %g\n", app->final_residual);
    for (int64_t k = 1; k <= max && !ended; k += batch) {
        const int64_t last = k + batch - 1 < max ? k + batch - 1 : max;
        for (int64_t i = k; i <= last; i++) MX_TRY(iterate(app, i));
        MX_TRY(follow(app, k, last, &ended));
        app_progress(app->base.report, "cg iterations, at most", last, max);
    }
    return mx_fence(app->base.ctx);
}

mx_err fe_run(void *data)
{
    fe_app *const app = data;
    mx_ctx_info before, after;
    app_print(app->base.report, "Starting CG solver ... \n");
    MX_TRY(mx_ctx_get_info(app->base.ctx, &before));
    app_region_begin(app->solve_time);
    MX_TRY(solve(app));
    MX_TRY(mx_ctx_get_info(app->base.ctx, &after));
    const fe_work product = fe_work_of_product(&app->level);
    const double n = (double)app->iterations, own = fe_rows(&app->level.mesh);
    app_region_end(app->solve_time, n * (product.bytes + own * BYTES_OF_ROW),
                   n * (product.flops + own * FLOPS_OF_ROW),
                   after.synchronisations - before.synchronisations);
    app_progress_end(app->base.report);
    app_print(app->base.report, "Final Resid Norm: %g\n", app->final_residual);
    if (app->breakdown) app->base.verdict = "breakdown";
    return MX_OK;
}
