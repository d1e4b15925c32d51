/* Conjugate gradients (Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49, 1952, 409), with a
 * preconditioner M. Without one M = 1, and z is r.
 *
 *     z = M^-1 r,  p = z
 *     until r.r is small enough
 *         w = A p,   alpha = r.z / p.w
 *         u += alpha p,   r -= alpha w
 *         z = M^-1 r,   beta = r.z / r.z of the iteration before
 *         p = z + beta p
 *
 * Convergence is that of r.r with every preconditioner. The kernels compute alpha and beta themselves
 * (the prologues in kernels/cg.c), from sums in views beside the vectors (scalars.c). So a device can have several iterations queued
 * before the host checks convergence (batches.c).
 *
 * Without a preconditioner, 2-D decks and devices use passes/ instead, whose iteration is one pass over
 * the cells (forms.c chooses).
 *
 * Several ranks exchange the ghosts of z, while the scalars are summed over the ranks. p = z + beta p
 * then gives the ghosts of p too, from the same numbers as on the rank that owns them, and w = A p
 * is one launch over all cells that waits for no message. Rejected: to exchange p while the
 * interior of w is computed. The edges then need launches of their own, which cost more than the
 * messages: on a GPU, because they are small, on hosts, because the columns are not contiguous. */
#include "tl_cg.h"

mx_err tl_cg_start(tl_app *app, tl_progress *at)
{
    MX_TRY(tl_begin_scalars(app, at));
    MX_TRY(tl_precondition(app, at->n));                             /* z = M^-1 r */
    MX_TRY(tl_share_first(app, at));                                 /* r.z; the ghosts of z */
    return mx_deep_copy(app->base.ctx, app->views.p, *tl_cg_z(app)); /* p = z */
}

mx_err tl_cg_next_direction(tl_app *app, int64_t n)
{
    MX_TRY(tl_precondition(app, n)); /* z = M^-1 r */
    MX_TRY(tl_share(app, n));        /* r.r and r.z over all ranks; the ghosts of z */
    /* beta = r.z / r.z of the iteration before, p = z + beta p */
    return TL_LAUNCH(tl_cg_direction, app, 1, tl_cg_direction_of(app));
}

static mx_err iteration(tl_app *app, int64_t n)
{
    const int pw_at = tl_place_of_pw(n), rr_at = tl_place(n, TL_RR);
    /* w = A p, and p.w */
    MX_TRY(TL_LAUNCH_INTO(tl_cg_matvec, app, 0, &app->matvec, app->views.pw, pw_at));
    MX_TRY(app_sum_view(app->base.transport, app->views.pw, pw_at, 1));
    /* alpha = r.z / p.w, u += alpha p, r -= alpha w, and r.r of this rank */
    MX_TRY(TL_LAUNCH_INTO(tl_cg_update, app, 0, &app->update, app->views.rr, rr_at));
    return tl_cg_next_direction(app, n);
}

mx_err tl_cg_iterate_by(tl_app *app, tl_progress *at, int64_t limit, tl_cg_iteration *iteration_of)
{
    while (at->rr > at->tolerance && at->n < limit) {
        const int64_t last = tl_last_of_batch(app, at->n, limit);
        for (int64_t n = at->n + 1; n <= last; n++) {
            tl_set_places(app, n);
            MX_TRY(iteration_of(app, n));
        }
        MX_TRY(tl_follow(app, at, last)); /* reads r.r */
    }
    return MX_OK;
}

mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    return tl_cg_iterate_by(app, at, limit, iteration);
}
