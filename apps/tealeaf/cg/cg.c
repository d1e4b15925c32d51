/* Conjugate gradients (Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49, 1952, 409), with a
 * preconditioner M or M = 1, in three kernels:
 *
 *     z = M^-1 r,  p = z
 *     until r.r is small enough
 *         w = A p,   alpha = r.z / p.w
 *         u += alpha p,   r -= alpha w
 *         z = M^-1 r,   beta = r.z / r.z of the iteration before
 *         p = z + beta p
 *
 * Convergence is that of r.r with every preconditioner. alpha and beta are formed by the kernels
 * that need them, from scalars that stay with the vectors (scalars.c).
 *
 * With several ranks the ghosts of r (of z, with a preconditioner) are exchanged, not those of p,
 * while the scalars are summed over the ranks: both are ready at the same time, and p = r + beta p
 * then gives the ghosts of p too, from the same numbers as on the rank that owns them. So w = A p
 * is one launch over all cells that waits for no message. Rejected: to exchange p while the
 * interior of w is computed. The edges then need launches of their own, which cost more than the
 * messages: on a GPU, because they are small, on hosts, because the columns are not contiguous. */
#include "tl_cg.h"

mx_err tl_cg_first_direction(tl_app *app, const tl_progress *at)
{
    mx_view *const z = app->preconditioner != NULL ? &app->views.z : &app->views.r;
    const int rho_at = tl_place_of_rho(app, at->n);
    double rho;
    if (app->preconditioner != NULL) {
        MX_TRY(tl_precondition(app, at->n));
        MX_TRY(app_sum_view(app->base.transport, app->views.rr, rho_at, 1));
    }
    MX_TRY(app_box_halo_exchange(app->halo, 1, z, 1, APP_HALO_FACES));
    MX_TRY(mx_deep_copy(app->base.ctx, app->views.p, *z));
    MX_TRY(mx_read_element(app->base.ctx, app->views.rr, rho_at, &rho));
    return app_series_add(&app->rho, rho);
}

mx_err tl_cg_start(tl_app *app, tl_progress *at)
{
    MX_TRY(tl_begin_scalars(app, at));
    if (app->preconditioner != NULL) return tl_cg_first_direction(app, at);
    /* r has its ghosts; in 3-D p = r is there */
    if (!tl_is_3d(&app->deck)) MX_TRY(mx_deep_copy(app->base.ctx, app->views.p, app->views.r));
    return app_series_add(&app->rho, at->rr);
}

/* w = A p, and p.w over all ranks; u += alpha p, r -= alpha w, and r.r of this rank. */
static mx_err plain_step(tl_app *app, int64_t at)
{
    const int product = app->update.product;
    MX_TRY(TL_LAUNCH_INTO(tl_cg_matvec, app, 0, &app->matvec, app->views.pw, product));
    MX_TRY(app_sum_view(app->base.transport, app->views.pw, product, 1));
    return TL_LAUNCH_INTO(tl_cg_update, app, 0, &app->update, app->views.rr, at);
}

mx_err tl_cg_iterate_by(tl_app *app, tl_progress *at, int64_t limit, tl_cg_step *step)
{
    tl_cg_direction_args *const direction =
        app->preconditioner != NULL ? &app->direction_of_z : &app->direction;
    int64_t batch;
    MX_TRY(tl_batch(app, &batch));
    while (at->rr > at->tolerance && at->n < limit) {
        const int64_t last = at->n + batch < limit ? at->n + batch : limit;
        for (int64_t n = at->n + 1; n <= last; n++) {
            tl_set_places(app, n, direction); /* of the scalars of alpha and beta */
            MX_TRY(step(app, tl_place(n, TL_RR)));
            if (app->preconditioner != NULL) MX_TRY(tl_precondition(app, n)); /* z = M^-1 r */
            MX_TRY(tl_share(app, n)); /* r.r and r.z over all ranks; ghosts of z */
            MX_TRY(TL_LAUNCH(tl_cg_direction, app, 1, direction)); /* p = z + beta p */
        }
        MX_TRY(tl_follow(app, at, last));
    }
    return MX_OK;
}

mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    return tl_cg_iterate_by(app, at, limit, plain_step);
}

void tl_cg_cost(const tl_app *app, double *bytes, double *flops)
{
    *bytes = TL_CG_BYTES;
    *flops = tl_is_3d(&app->deck) ? TL_CG_FLOPS_3D : TL_CG_FLOPS;
    if (app->preconditioner == NULL) return;
    double more_bytes = 0, more_flops = 0;
    app->preconditioner->cost(app, &more_bytes, &more_flops);
    *bytes += more_bytes;
    *flops += more_flops;
}

const tl_form tl_cg_form = {.solver = TL_SOLVER_CG,
                            .arrays = TL_ARRAYS_OF_CG,
                            .is_cg = true,
                            .start = tl_cg_start,
                            .iterate = tl_cg_iterate,
                            .cost = tl_cg_cost};
