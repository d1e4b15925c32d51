/* z = M^-1 r, and the sums that beta needs.
 *
 * With a flexible preconditioner, a polynomial, beta has the form of Golub and Ye (SIAM J. Sci.
 * Comput. 21, 1999, 1305): z.(r - r before) in place of z.r. */
#include "tl_cg.h"

/* z.(r - r before). This sum is a small difference of large terms. Each is at most |r| |r before|,
 * because |z| is at most |r|: no eigenvalue of A is below 1. A check against another backend compares
 * with that size. */
static mx_err add_change(tl_app *app, int64_t n)
{
    const double before = app->residuals.values[app->residuals.count - 1];
    app->dot.before = tl_place(n - 1, TL_RZ);
    app->dot.product = tl_place_of_pw(n);
    MX_TRY(mx_view_set_check_scale(app->views.rr, before * before));
    MX_TRY(TL_LAUNCH_INTO(tl_dot_change, app, 0, &app->dot, app->views.rr, tl_place(n, TL_CHANGE)));
    return mx_view_set_check_scale(app->views.rr, 0);
}

mx_err tl_precondition(tl_app *app, int64_t n)
{
    const tl_preconditioner_form *const form = app->preconditioner;
    if (form == NULL) return MX_OK; /* z is r */
    MX_TRY(form->apply(app, tl_place(n, TL_RZ)));
    return form->is_flexible && n != app->cg_start ? add_change(app, n) : MX_OK;
}
