/* The scalars of conjugate gradients stay with the vectors: r.r and what else an iteration needs go
 * into a ring `rr` by iteration, p.w into `pw`, their sums over ranks are made in place, and the
 * kernels that need alpha and beta take them from there in their prologues. On a device, iterations
 * can so be queued without waiting; the host reads the ring after each batch. Iterations that were
 * queued after convergence change nothing, because their alpha is 0. On hosts, where the ring can
 * be read at any time, a batch is one iteration. */
#include "tl_cg.h"

int tl_place(int64_t iteration, int scalar)
{
    return (int)(iteration % TL_RING) * TL_SCALARS + scalar;
}

int tl_place_of_rho(const tl_app *app, int64_t iteration)
{
    return tl_place(iteration, app->preconditioner != NULL ? TL_RZ : TL_RR);
}

mx_err tl_begin_scalars(tl_app *app, const tl_progress *at)
{
    app->cg_start = at->n;
    app->update.tolerance = app->direction.tolerance = app->direction_of_z.tolerance =
        at->tolerance;
    app->rho.count = app->pw.count = 0;
    if (at->n == 0) return MX_OK; /* at the beginning of a step r.r is there */
    return mx_write_element(app->base.ctx, app->views.rr, tl_place(at->n, TL_RR), &at->rr);
}

mx_err tl_batch(const tl_app *app, int64_t *batch)
{
    mx_ctx_info info;
    const tl_preconditioner_form *const m = app->preconditioner;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    const int64_t queued = m != NULL && m->max_batch > 0 ? m->max_batch : TL_BATCH;
    *batch = info.host_accessible ? 1 : queued;
    return MX_OK;
}

void tl_set_places(tl_app *app, int64_t n, tl_cg_direction_args *direction)
{
    const bool flexible = app->preconditioner != NULL && app->preconditioner->is_flexible;
    app->update.norm = direction->norm = tl_place(n - 1, TL_RR);
    app->update.before = direction->before = tl_place_of_rho(app, n - 1);
    app->update.product = (int)(n % TL_RING);
    direction->now = flexible ? tl_place(n, TL_CHANGE) : tl_place_of_rho(app, n);
}

mx_err tl_share(tl_app *app, int64_t n)
{
    const bool z = app->preconditioner != NULL;
    MX_TRY(app_box_halo_begin(app->halo, 1, z ? &app->views.z : &app->views.r, 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, tl_place(n, 0), z ? TL_SCALARS : 1));
    return app_box_halo_end(app->halo);
}

mx_err tl_follow(tl_app *app, tl_progress *at, int64_t last)
{
    double *rr, *pw;
    MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->views.rr));
    MX_TRY(mx_deep_copy(app->base.ctx, app->pw_host, app->views.pw));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->rr_host, (void **)&rr));
    MX_TRY(mx_view_host_data(app->pw_host, (void **)&pw));
    do {
        at->n++;
        MX_TRY(tl_record(app, at, rr[tl_place(at->n, TL_RR)]));
        MX_TRY(app_series_add(&app->rho, rr[tl_place_of_rho(app, at->n)]));
        MX_TRY(app_series_add(&app->pw, pw[at->n % TL_RING]));
    } while (at->n < last && at->rr > at->tolerance);
    return MX_OK;
}
