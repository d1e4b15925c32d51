/* Conjugate gradients in three kernels: with a preconditioner, in 3-D on hosts, and where launches
 * are checked against a backend of another layout. Others go by passes (passes/cg_in_passes.c).
 *
 * The scalars of an iteration stay with the vectors: r.r and what else it needs go into a ring `rr`
 * by iteration, p.w into `pw`, their sums over ranks are made in place, and the kernels that need
 * alpha and beta take them from there in their prologues. On a device, iterations can so be queued
 * without waiting; the host reads the ring after each batch. Iterations that were queued after
 * convergence change nothing, because their alpha is 0. On hosts, where the ring can be read at any
 * time, a batch is one iteration.
 *
 * With several ranks the ghosts of r (of z, with a preconditioner) are exchanged, not those of p,
 * while the scalars are summed over the ranks: both are ready at the same time, and p = r + beta p
 * then gives the ghosts of p too, from the same numbers as on the rank that owns them. So w = A p
 * is one launch over all cells that waits for no message. Rejected: to exchange p while the
 * interior of w is computed. The edges then need launches of their own, which cost more than the
 * messages: on a GPU, because they are small, on hosts, because the columns are not contiguous.
 *
 * With the polynomial as preconditioner beta has the flexible form (Golub and Ye, SIAM J. Sci.
 * Comput. 21, 1999, 1305). Convergence is that of r.r with every preconditioner. */
#include "tl_app.h"

#include <math.h>

static int place(int64_t iteration, int scalar)
{
    return (int)(iteration % TL_RING) * TL_SCALARS + scalar;
}

static bool is_preconditioned(const tl_app *app)
{
    return app->polynomial_is_preconditioner || app->deck.preconditioner != TL_PRECONDITIONER_NONE;
}

/* Where the scalar is that alpha and beta come from. */
static int rho_of(const tl_app *app, int64_t iteration)
{
    return place(iteration, is_preconditioned(app) ? TL_RZ : TL_RR);
}

/* z of each block of this rank; its scalar at `at` of the ring. */
static mx_err precondition_blocks(tl_app *app, int at)
{
    const int blocks = (app->rows + TL_BLOCK - 1) / TL_BLOCK;
    app->precondition.first = app->ghosts;
    app->precondition.last = app->ghosts + app->rows;
    if (tl_is_3d(&app->deck)) {
        mx_range_3 range = tl_cells_3d(app, 0); /* of planes, blocks and columns */
        range.begin[1] = 0;
        range.end[1] = blocks;
        return tl_precondition_block_3d_into(range, &app->precondition, app->views.rr, at);
    }
    mx_range_2 range = tl_cells(app, 0);
    range.begin[0] = 0;
    range.end[0] = blocks;
    return tl_precondition_block_into(range, &app->precondition, app->views.rr, at);
}

/* z.(r - r before). Terms cancel: they are up to |z| |r before|, and |z| is at most |r|, because no
 * eigenvalue of A is below 1. */
static mx_err add_change(tl_app *app, int64_t n)
{
    const double before = app->residuals.values[app->residuals.count - 1];
    MX_TRY(mx_view_set_check_scale(app->views.rr, before * before));
    MX_TRY(TL_LAUNCH_INTO(tl_dot_change, app, 0, &app->dot, app->views.rr, place(n, TL_CHANGE)));
    return mx_view_set_check_scale(app->views.rr, 0);
}

/* z = M^-1 r of iteration n, and its scalars of this rank. */
static mx_err precondition(tl_app *app, int64_t n)
{
    if (app->polynomial_is_preconditioner) {
        MX_TRY(tl_apply_polynomial(app));
        app->dot.before = n > 0 ? place(n - 1, TL_RZ) : 0;
        app->dot.product = (int)(n % TL_RING);
        MX_TRY(TL_LAUNCH_INTO(tl_dot, app, 0, &app->dot, app->views.rr, place(n, TL_RZ)));
        return n == app->cg_start ? MX_OK : add_change(app, n);
    }
    if (app->deck.preconditioner == TL_PRECONDITIONER_DIAGONAL)
        return TL_LAUNCH_INTO(tl_precondition_diagonal, app, 0, &app->precondition, app->views.rr,
                              place(n, TL_RZ));
    if (app->deck.preconditioner == TL_PRECONDITIONER_MULTIGRID)
        return tl_multigrid_apply(app->multigrid, app->views.rr, place(n, TL_RZ));
    return precondition_blocks(app, place(n, TL_RZ));
}

/* The scalars of iteration n over all ranks, and the ghosts of r or z. */
static mx_err share(tl_app *app, int64_t n)
{
    const bool z = is_preconditioned(app);
    MX_TRY(app_box_halo_begin(app->halo, 1, z ? &app->views.z : &app->views.r, 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, place(n, 0), z ? TL_SCALARS : 1));
    return app_box_halo_end(app->halo);
}

/* u and r of the next iteration; r.r of this rank goes to `at` of the ring. */
static mx_err step(tl_app *app, int at)
{
    const int product = app->update.product;
    MX_TRY(TL_LAUNCH_INTO(tl_cg_matvec, app, 0, &app->matvec, app->views.pw, product));
    MX_TRY(app_sum_view(app->base.transport, app->views.pw, product, 1));
    return TL_LAUNCH_INTO(tl_cg_update, app, 0, &app->update, app->views.rr, at);
}

/* Iteration n, behind the one of the scalars n - 1. */
static mx_err iterate(tl_app *app, int64_t n)
{
    tl_cg_direction_args *const direction =
        is_preconditioned(app) ? &app->direction_of_z : &app->direction;
    app->update.norm = direction->norm = place(n - 1, TL_RR);
    app->update.before = direction->before = rho_of(app, n - 1);
    app->update.product = (int)(n % TL_RING);
    direction->now = app->polynomial_is_preconditioner ? place(n, TL_CHANGE) : rho_of(app, n);
    MX_TRY(tl_is_deflated(app) ? tl_deflated_step(app, place(n, TL_RR))
                               : step(app, place(n, TL_RR)));
    if (is_preconditioned(app)) MX_TRY(precondition(app, n));
    MX_TRY(share(app, n));
    return TL_LAUNCH(tl_cg_direction, app, 1, direction);
}

bool tl_uses_passes(const tl_app *app)
{
    return app->deck.solver != TL_SOLVER_JACOBI && !tl_is_deflated(app) &&
           !is_preconditioned(app) && !app->other_layout &&
           (!tl_is_3d(&app->deck) || app->on_device);
}

mx_err tl_cg_start(tl_app *app, tl_progress *at)
{
    if (tl_uses_passes(app)) return tl_pass_start(app, at);
    app->cg_start = at->n;
    app->update.tolerance = app->direction.tolerance = app->direction_of_z.tolerance =
        at->tolerance;
    if (at->n > 0) /* at the beginning of a step it is there */
        MX_TRY(mx_write_element(app->base.ctx, app->views.rr, place(at->n, TL_RR), &at->rr));
    app->rho.count = app->pw.count = 0;
    if (tl_is_deflated(app))
        MX_TRY(tl_deflate(app, at, place(at->n, TL_RR)));
    else if (!is_preconditioned(app)) {
        if (!tl_is_3d(&app->deck)) MX_TRY(mx_deep_copy(app->base.ctx, app->views.p, app->views.r));
        return app_series_add(&app->rho, at->rr);
    }
    mx_view *const first = is_preconditioned(app) ? &app->views.z : &app->views.r;
    double rho;
    if (is_preconditioned(app)) {
        MX_TRY(precondition(app, at->n));
        MX_TRY(app_sum_view(app->base.transport, app->views.rr, rho_of(app, at->n), 1));
    }
    MX_TRY(app_box_halo_exchange(app->halo, 1, first, 1, APP_HALO_FACES));
    MX_TRY(mx_deep_copy(app->base.ctx, app->views.p, *first));
    MX_TRY(mx_read_element(app->base.ctx, app->views.rr, rho_of(app, at->n), &rho));
    return app_series_add(&app->rho, rho);
}

/* Takes the completed iterations up to `last`, as far as the first that converged. */
static mx_err follow(tl_app *app, tl_progress *at, int64_t last)
{
    double *rr, *pw;
    MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->views.rr));
    MX_TRY(mx_deep_copy(app->base.ctx, app->pw_host, app->views.pw));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->rr_host, (void **)&rr));
    MX_TRY(mx_view_host_data(app->pw_host, (void **)&pw));
    do {
        at->n++;
        MX_TRY(tl_record(app, at, rr[place(at->n, TL_RR)]));
        MX_TRY(app_series_add(&app->rho, rr[rho_of(app, at->n)]));
        MX_TRY(app_series_add(&app->pw, pw[at->n % TL_RING]));
    } while (at->n < last && at->rr > at->tolerance);
    return MX_OK;
}

mx_err tl_cg_end(tl_app *app)
{
    return tl_uses_passes(app) ? tl_passes_end(app->base.ctx, &app->passes) : MX_OK;
}

mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    mx_ctx_info info;
    if (tl_uses_passes(app)) return tl_pass_iterate(app, at, limit);
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const int64_t queued = app->multigrid != NULL ? TL_MULTIGRID_BATCH : TL_BATCH;
    const int64_t batch = info.host_accessible ? 1 : queued;
    while (at->rr > at->tolerance && at->n < limit) {
        const int64_t last = at->n + batch < limit ? at->n + batch : limit;
        for (int64_t i = at->n + 1; i <= last; i++) MX_TRY(iterate(app, i));
        MX_TRY(follow(app, at, last));
    }
    return MX_OK;
}
