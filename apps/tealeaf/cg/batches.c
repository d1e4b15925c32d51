/* Between two looks of the host at r.r a device runs a batch of iterations, which are queued without
 * waiting. Iterations that were queued after convergence change nothing, because their alpha is 0.
 * On hosts a batch is one iteration, because the host reads r.r without waiting. */
#include "tl_cg.h"

int64_t tl_last_of_batch(const tl_app *app, int64_t n, int64_t limit)
{
    const tl_preconditioner_form *const form = app->preconditioner;
    const int64_t queued = form != NULL && form->max_batch > 0 ? form->max_batch : TL_BATCH;
    const int64_t last = n + (app->on_device ? queued : 1);
    return last < limit ? last : limit;
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
        MX_TRY(app_series_add(&app->pw, pw[tl_place_of_pw(at->n)]));
    } while (at->n < last && at->rr > at->tolerance);
    return MX_OK;
}
