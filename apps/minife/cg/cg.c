/* Conjugate gradients, from x = 0.
 *
 * cg                  as the original: p = z + beta p, w = A p, alpha = r.z / p.w, x += alpha p, r -= alpha w, where z = M r is the
 *                     preconditioned residual, or r. Two sums over ranks an iteration, three with a preconditioner.
 * single-reduction    Chronopoulos and Gear 1989. A is multiplied by z instead of p, and A p follows by the recurrence that p has:
 *                     s = A z + beta s. So r.r, r.z and z.Az are known together: one sum over ranks an iteration.
 *
 * When to stop: after max_iterations, or when || r ||, the norm of the true residual also with a
 * preconditioner, is at most the tolerance. The original compares the norm that an iteration starts
 * with before it computes it anew. So it does one iteration after the norm is small enough, and so
 * does cg without preconditioner: iteration k is done if the norm after k - 2 iterations (k = 1:
 * the first one) is above the tolerance, and all iterations before were done. In all other cases
 * the norm after k - 1 iterations counts.
 *
 * The scalars of an iteration stay with the vectors, in a ring by iterations. Their sums over ranks
 * are made in place, and kernels take alpha and beta from there in their prologues. On a device
 * iterations are queued in batches without waiting, and the host reads the ring after each batch.
 * An iteration that was queued after the end changes nothing. On hosts a batch is one iteration; so
 * it is with multigrid and hpcg, whose iterations have so many kernels that one round trip does not
 * count, and cost too much to be done in vain. Single reduction learns the norm after iteration k
 * in iteration k + 1.
 *
 * Bytes of an iteration: those of a product and of the preconditioner; for a row of cg x, r, p, w
 * read and x, r written (48), z, p read and p written (24), and r, z read for their product (16).
 * Single reduction: x, r, p, s, z, w read, x, r, p, s written (80). */
#include "fe_app.h"

#include <math.h>

static mx_range_1 rows(const fe_app *app)
{
    return mx_range_1d(app->base.ctx, 0, fe_rows(&app->level.mesh));
}

/* Where checkpoints are kept, all scalars of an iteration are summed in it: they are the same on
 * all ranks then. */
static bool sums_at_once(const fe_app *app) { return app->base.checkpoint != NULL; }

static bool is_single(const fe_app *app) { return app->input.solver == FE_SOLVER_SINGLE_REDUCTION; }

/* ---- parts of an iteration, whose time is counted where the host waits for each kernel ---- */

static void begin_part(const fe_app *app, app_region *part)
{
    if (app->parts.counting) app_region_begin(part);
}

static void end_part(const fe_app *app, app_region *part, double bytes, double flops)
{
    if (app->parts.counting) app_region_end(part, bytes, flops, 0);
}

static void end_vectors(const fe_app *app, double bytes_of_row, double flops_of_row)
{
    const double n = fe_rows(&app->level.mesh);
    end_part(app, app->parts.vectors, n * bytes_of_row, n * flops_of_row);
}

/* Sums `count` scalars of iteration k over the ranks. */
static mx_err sum(fe_app *app, int64_t k, int first, int count)
{
    begin_part(app, app->parts.sums);
    MX_TRY(app_sum_view(app->base.transport, app->vectors.scalars, fe_scalar_at(k, first), count));
    end_part(app, app->parts.sums, 0, 0);
    return MX_OK;
}

/* w = A v, with the ghosts of v; the scalars from FE_PW on get this rank's v . w. With overlap the
 * exchange is a part of the product. */
static mx_err multiply(fe_app *app, mx_view v, int64_t k)
{
    fe_level *const level = &app->level;
    const fe_work work = fe_work_of_product(level);
    const int at = fe_scalar_at(k, FE_PW);
    if (level->outer == NULL) {
        begin_part(app, app->parts.exchange);
        MX_TRY(fe_exchange(level, v));
        end_part(app, app->parts.exchange, 0, 0);
    }
    begin_part(app, app->parts.product);
    if (level->outer == NULL)
        MX_TRY(fe_apply_dot(level, v, app->vectors.w, app->vectors.scalars, at));
    else
        MX_TRY(fe_overlap_dot(level, v, app->vectors.w, app->vectors.scalars, at));
    end_part(app, app->parts.product, work.bytes, work.flops);
    return MX_OK;
}

/* r = p = b - A x; this rank's r . r */
static mx_err start(fe_app *app)
{
    MX_TRY(fe_copy(rows(app), &app->start));
    MX_TRY(multiply(app, app->vectors.p, 0));
    return fe_start_into(rows(app), &app->start, app->vectors.scalars, fe_scalar_at(0, FE_RR));
}

mx_err fe_residual(fe_app *app, double *norm)
{
    MX_TRY(start(app));
    MX_TRY(sum(app, 0, FE_RR, 1));
    MX_TRY(mx_read_element(app->base.ctx, app->vectors.scalars, fe_scalar_at(0, FE_RR), norm));
    *norm = sqrt(*norm);
    return MX_OK;
}

/* z = M r after iteration k; this rank's r . z */
static mx_err precondition(fe_app *app, int64_t k)
{
    if (app->preconditioner == NULL) return MX_OK;
    const fe_work work = fe_work_of_preconditioner(app->preconditioner);
    begin_part(app, app->parts.precondition);
    MX_TRY(fe_precondition(app->preconditioner));
    end_part(app, app->parts.precondition, work.bytes, work.flops);
    begin_part(app, app->parts.vectors);
    MX_TRY(fe_dot_into(rows(app), &app->dot, app->vectors.scalars, fe_scalar_at(k, FE_RZ)));
    end_vectors(app, 16, 2);
    return MX_OK;
}

/* ---- iterations ---- */

static fe_iteration numbers(const fe_app *app, int64_t k)
{
    const int64_t lag = fe_lag(&app->input);
    const fe_iteration at = {.k = (int)(k % FE_RING),
                             .before = (int)((k - 1) % FE_RING),
                             .earlier = (int)(k > 1 ? (k - 2) % FE_RING : 0),
                             .compared = (int)(k > lag ? (k - lag) % FE_RING : 0),
                             .product = app->preconditioner != NULL ? FE_RZ : FE_RR,
                             .first = k == 1,
                             .tolerance = app->tolerance};
    return at;
}

static mx_err iterate(fe_app *app, int64_t k)
{
    app->update.at = app->direction.at = numbers(app, k);
    MX_TRY(precondition(app, k - 1));
    if (app->preconditioner != NULL) MX_TRY(sum(app, k - 1, FE_RZ, 1));
    begin_part(app, app->parts.vectors);
    MX_TRY(fe_direction(rows(app), &app->direction));
    end_vectors(app, 24, 2);
    MX_TRY(multiply(app, app->vectors.p, k));
    MX_TRY(sum(app, k, FE_PW, FE_PRODUCT_PARTS));
    begin_part(app, app->parts.vectors);
    MX_TRY(fe_update_into(rows(app), &app->update, app->vectors.scalars, fe_scalar_at(k, FE_RR)));
    end_vectors(app, 48, 6);
    return sum(app, k, FE_RR, 1);
}

/* r . r after the first iterations is summed with the other scalars; the initial one was summed
 * before. */
static mx_err iterate_single(fe_app *app, int64_t k)
{
    app->single.at = numbers(app, k);
    MX_TRY(precondition(app, k - 1));
    MX_TRY(multiply(app, app->vectors.z, k - 1));
    const int first = k == 1 || sums_at_once(app) ? FE_RZ : FE_RR;
    MX_TRY(sum(app, k - 1, first, FE_PW + FE_PRODUCT_PARTS - first));
    begin_part(app, app->parts.vectors);
    MX_TRY(fe_single_into(rows(app), &app->single, app->vectors.scalars, fe_scalar_at(k, FE_RR)));
    end_vectors(app, 80, 10);
    return sums_at_once(app) ? sum(app, k, FE_RR, 1) : MX_OK;
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

/* Iteration k divides r.z by p.Ap. Both are above 0, as the matrix and the preconditioner are
 * positive definite; else its scalars mean nothing. */
static mx_err check_breakdown(fe_app *app, const double *scalars, int64_t k)
{
    const bool single = is_single(app);
    const int product = app->preconditioner != NULL ? FE_RZ : FE_RR;
    const double rz = scalars[fe_scalar_at(k - 1, product)];
    double pw = single ? scalars[fe_scalar_at(k, FE_PS)] : 0;
    for (int part = 0; !single && part < FE_PRODUCT_PARTS; part++)
        pw += scalars[fe_scalar_at(k, FE_PW + part)];
    app->breakdown = !(rz > 0 && pw > 0);
    if (!app->breakdown) return MX_OK;
    return app_print_last(
        &app->base,
        "conjugate gradients broke down in iteration %lld: r.z = %g, p.Ap = %g, expected "
        "numbers above 0: the matrix or the preconditioner is not positive definite",
        (long long)k, rz, pw);
}

/* After k iterations: is the norm that iteration k + 1 would compare small enough? */
static bool is_small(const fe_app *app, int64_t k)
{
    const int64_t lag = fe_lag(&app->input);
    return app->residuals.values[k + 1 > lag ? k + 1 - lag : 0] <= app->tolerance;
}

/* Takes iterations first..last, whose scalars are summed, as a loop on the host would have; *ended:
 * it would have stopped. */
static mx_err follow(fe_app *app, int64_t first, int64_t last, bool *ended)
{
    double *scalars;
    MX_TRY(mx_deep_copy(app->base.ctx, app->scalars_host, app->vectors.scalars));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->scalars_host, (void **)&scalars));
    for (int64_t k = first; k <= last && !*ended; k++) {
        const double norm = app->residuals.values[k - 1];
        app->final_residual = norm;
        *ended = norm == 0; /* exact: another iteration would divide 0 by 0 */
        if (*ended) break;
        print_residual(app, k, norm);
        MX_TRY(check_breakdown(app, scalars, k));
        *ended = app->breakdown;
        if (*ended) break;
        MX_TRY(app_series_add(&app->residuals, sqrt(scalars[fe_scalar_at(k, FE_RR)])));
        app->iterations = k;
        *ended = is_small(app, k);
    }
    return MX_OK;
}

static mx_err batch_size(const fe_app *app, int64_t *size)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    *size = info.host_accessible || fe_has_many_kernels(app->preconditioner) ? 1 : FE_BATCH;
    return MX_OK;
}

/* The first residual; after a restart, the scalars of the iterations before. */
static mx_err begin(fe_app *app)
{
    if (app->base.restarted) {
        MX_TRY(mx_deep_copy(app->base.ctx, app->vectors.scalars, app->scalars_host));
    } else {
        MX_TRY(fe_residual(app, &app->final_residual));
        MX_TRY(app_series_add(&app->residuals, app->final_residual));
    }
    app->tolerance = fe_tolerance(&app->input, app->residuals.values[0]);
    app_print(app->base.report, "Initial Residual = %g\n", app->residuals.values[0]);
    return MX_OK;
}

static mx_err solve(fe_app *app)
{
    const int64_t max = app->input.max_iterations;
    int64_t batch;
    MX_TRY(batch_size(app, &batch));
    MX_TRY(begin(app));
    bool ended = is_small(app, app->iterations);
    int64_t followed = app->base.first_step = app->first_iterations = app->iterations;
    for (int64_t k = followed + 1; k <= max && !ended; k += batch) {
        const int64_t last = k + batch - 1 < max ? k + batch - 1 : max;
        for (int64_t i = k; i <= last; i++)
            MX_TRY(is_single(app) ? iterate_single(app, i) : iterate(app, i));
        const bool later = is_single(app) && !sums_at_once(app);
        if (later && last == max) MX_TRY(sum(app, max, FE_RR, 1));
        const int64_t known = later && last < max ? last - 1 : last;
        MX_TRY(follow(app, followed + 1, known, &ended));
        followed = known;
        app_progress(app->base.report, "cg iterations, at most", last, max);
        if (!ended) MX_TRY(app_step_end(&app->base, app->iterations));
        if (app->base.stopped) break;
    }
    return mx_fence(app->base.ctx);
}

/* What an iteration must move and compute. */
static fe_work work_of_iteration(const fe_app *app)
{
    const double n = fe_rows(&app->level.mesh);
    fe_work work = fe_work_of_product(&app->level);
    work.bytes += (is_single(app) ? 80 : 48 + 24) * n;
    work.flops += 2 * n + (is_single(app) ? 10 : 8) * n;
    if (app->preconditioner != NULL) {
        const fe_work more = fe_work_of_preconditioner(app->preconditioner);
        work.bytes += more.bytes + 16 * n;
        work.flops += more.flops + 2 * n;
    }
    return work;
}

/* Too few iterations are no failure: the original's default, 200, are too few for large meshes. */
static void note_limit(fe_app *app)
{
    const double residual = app->residuals.values[app->iterations];
    if (app->breakdown || !fe_reached_limit(&app->input, app->iterations, app->residuals.values))
        return;
    app->base.verdict = "iteration limit";
    app_print(app->base.report,
              "CG ended at max_iterations=%lld: its residual, %g, is above the tolerance, %g. "
              "Checks of the solution allow %.2g for that\n",
              (long long)app->iterations, residual, app->tolerance,
              fe_unfinished((double)app->level.all_rows, residual));
}

static mx_err run(fe_app *app)
{
    mx_ctx_info before, after;
    app_print(app->base.report, "Starting CG solver ... \n");
    MX_TRY(mx_ctx_get_info(app->base.ctx, &before));
    app_region_begin(app->solve_time);
    app->parts.counting = before.host_accessible;
    MX_TRY(solve(app));
    app->parts.counting = false;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &after));
    const fe_work work = work_of_iteration(app);
    app->base.iterations = app->iterations - app->first_iterations;
    const double n = (double)app->base.iterations;
    app_region_end(app->solve_time, n * work.bytes, n * work.flops,
                   after.synchronisations - before.synchronisations);
    app_progress_end(app->base.report);
    if (app->base.stopped) return MX_OK;
    if (fe_lag(&app->input) == 1) app->final_residual = app->residuals.values[app->iterations];
    app_print(app->base.report, "Final Resid Norm: %g\n", app->final_residual);
    note_limit(app);
    if (app->breakdown) {
        app->base.verdict = "breakdown";
        app->base.exit_code = APP_EXIT_NOT_CONVERGED;
    }
    return MX_OK;
}

mx_err fe_run(fe_app *app) { return app_end_run(&app->base, run(app)); }
