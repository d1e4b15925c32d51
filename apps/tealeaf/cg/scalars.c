/* The scalars of conjugate gradients stay with the vectors: r.r and what else an iteration needs go
 * into a ring `rr` by iteration, and p.w into a ring `pw`. Their sums over ranks are made in place,
 * and the kernels that need alpha and beta take them from there in their prologues. */
#include "tl_cg.h"

int tl_place(int64_t iteration, int scalar)
{
    return (int)(iteration % TL_RING) * TL_SCALARS + scalar;
}

int tl_place_of_rho(const tl_app *app, int64_t iteration)
{
    return tl_place(iteration, app->preconditioner != NULL ? TL_RZ : TL_RR);
}

int tl_place_of_pw(int64_t iteration) { return (int)(iteration % TL_RING); }

mx_view *tl_cg_z(tl_app *app)
{
    return app->preconditioner != NULL ? &app->views.z : &app->views.r;
}

tl_cg_direction_args *tl_cg_direction_of(tl_app *app)
{
    return app->preconditioner != NULL ? &app->direction_of_z : &app->direction;
}

mx_err tl_begin_scalars(tl_app *app, const tl_progress *at)
{
    app->cg_start = at->n;
    app->update.tolerance = app->direction.tolerance = app->direction_of_z.tolerance =
        at->tolerance;
    app->rho.count = app->pw.count = 0;
    if (at->n == 0) return MX_OK; /* solve.c has written r.r there */
    return mx_write_element(app->base.ctx, app->views.rr, tl_place(at->n, TL_RR), &at->rr);
}

void tl_set_places(tl_app *app, int64_t n)
{
    const bool flexible = app->preconditioner != NULL && app->preconditioner->is_flexible;
    tl_cg_direction_args *const direction = tl_cg_direction_of(app);
    app->update.norm = direction->norm = tl_place(n - 1, TL_RR);
    app->update.before = direction->before = tl_place_of_rho(app, n - 1);
    app->update.product = tl_place_of_pw(n);
    direction->now = flexible ? tl_place(n, TL_CHANGE) : tl_place_of_rho(app, n);
}

mx_err tl_share_first(tl_app *app, const tl_progress *at)
{
    const int rho_at = tl_place_of_rho(app, at->n);
    double rho = at->rr;
    if (app->preconditioner != NULL) {
        MX_TRY(app_sum_view(app->base.transport, app->views.rr, rho_at, 1));
        MX_TRY(app_box_halo_exchange(app->halo, 1, &app->views.z, 1, APP_HALO_FACES));
        MX_TRY(mx_read_element(app->base.ctx, app->views.rr, rho_at, &rho));
    }
    return app_series_add(&app->rho, rho);
}

mx_err tl_share(tl_app *app, int64_t n)
{
    const int count = app->preconditioner != NULL ? TL_SCALARS : 1;
    return app_box_halo_exchange_and_sum(app->halo, 1, tl_cg_z(app), 1, APP_HALO_FACES,
                                         app->views.rr, tl_place(n, TL_RR), count, NULL);
}
