/* Conjugate gradients without preconditioner, in one pass over the cells an iteration (tl_pass.h).
 *
 * The usual three kernels of an iteration (w = A p; u, r and r.r; p) move 96 bytes a cell and have
 * two sums over ranks. Here all is done as soon as alpha is known, with the beta that follows from
 * w.w and r.w before the new r.r is known (Meurant 1987; Chen and Carson, SIAM J. Sci. Comput. 42,
 * 2020, A3230, compare such variants). alpha and the test of convergence use the true r.r. So an
 * iteration moves 72 bytes, or 64 in the mean where u changes in every second pass, and its four
 * sums go over the ranks at once, together with the ghosts of w. The number of iterations was the
 * same in all of the published problems. Where the system is ill-conditioned, the rounding errors
 * of beta can cost iterations: docs/tealeaf-deck.md has numbers.
 *
 * Pass 0 only computes w = A p for p = r, so n iterations take n + 1 passes. The sums of a pass
 * stay with the vectors, in a ring, as in cg.c; passes queued after convergence change nothing.
 * Where host code can access the arrays, the pass runs by bands, in 2-D only; elsewhere by
 * columns. */
#include "tl_app.h"

/* The next pass, its sums over all ranks, and the ghosts of w. */
static mx_err next_pass(tl_app *app)
{
    tl_passes *const s = &app->passes;
    const int64_t n = s->done;
    MX_TRY(tl_passes_next(app->base.ctx, s));
    MX_TRY(app_box_halo_begin(app->halo, 1, &s->w[n % 2], 1, APP_HALO_FACES));
    MX_TRY(app_sum_view(app->base.transport, s->numbers, tl_place_of_pass(n) * TL_PASS_SUMS,
                        TL_PASS_SUMS));
    return app_box_halo_end(app->halo);
}

mx_err tl_pass_start(tl_app *app, const tl_progress *at)
{
    app->cg_start = at->n;
    app->rho.count = app->pw.count = 0;
    tl_passes_restart(&app->passes, at->tolerance);
    MX_TRY(next_pass(app));
    return app_series_add(&app->rho, at->rr);
}

/* Takes the completed iterations up to `last`, as far as the first that converged. */
static mx_err follow(tl_app *app, tl_progress *at, int64_t last)
{
    tl_pass_sums *sums;
    MX_TRY(mx_deep_copy(app->base.ctx, app->sums_host, app->passes.views.sums));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->sums_host, (void **)&sums));
    do {
        at->n++;
        const int64_t pass = at->n - app->cg_start;
        MX_TRY(tl_record(app, at, sums[tl_place_of_pass(pass)].rr));
        MX_TRY(app_series_add(&app->rho, sums[tl_place_of_pass(pass)].rr));
        MX_TRY(app_series_add(&app->pw, sums[tl_place_of_pass(pass - 1)].pw));
    } while (at->n < last && at->rr > at->tolerance);
    return MX_OK;
}

mx_err tl_pass_iterate(tl_app *app, tl_progress *at, int64_t limit)
{
    tl_passes *const s = &app->passes;
    const int64_t batch = s->bands > 0 ? 1 : TL_BATCH;
    while (at->rr > at->tolerance && at->n < limit) {
        const int64_t last = at->n + batch < limit ? at->n + batch : limit;
        for (int64_t i = at->n + 1; i <= last; i++) MX_TRY(next_pass(app));
        MX_TRY(follow(app, at, last));
    }
    return MX_OK;
}
