/* Preconditioners of conjugate gradients: what all of them need, and the two by Jacobi: the
 * diagonal of A, and diagonal blocks of it.
 *
 * With a flexible one, a polynomial, beta has the form of Golub and Ye (SIAM J. Sci. Comput. 21,
 * 1999, 1305): z.(r - r before) in place of z.r. */
#include "tl_cg.h"

/* z.(r - r before). Terms cancel: they are up to |z| |r before|, and |z| is at most |r|, because no
 * eigenvalue of A is below 1. */
static mx_err add_change(tl_app *app, int64_t n)
{
    const double before = app->residuals.values[app->residuals.count - 1];
    app->dot.before = tl_place(n - 1, TL_RZ);
    app->dot.product = (int)(n % TL_RING);
    MX_TRY(mx_view_set_check_scale(app->views.rr, before * before));
    MX_TRY(TL_LAUNCH_INTO(tl_dot_change, app, 0, &app->dot, app->views.rr, tl_place(n, TL_CHANGE)));
    return mx_view_set_check_scale(app->views.rr, 0);
}

mx_err tl_precondition(tl_app *app, int64_t n)
{
    MX_TRY(app->preconditioner->apply(app, tl_place(n, TL_RZ)));
    const bool has_change = app->preconditioner->is_flexible && n != app->cg_start;
    return has_change ? add_change(app, n) : MX_OK;
}

/* ---- the diagonal ---- */

static mx_err apply_diagonal(tl_app *app, int64_t at)
{
    return TL_LAUNCH_INTO(tl_precondition_diagonal, app, 0, &app->precondition, app->views.rr, at);
}

static void cost_of_diagonal(const tl_app *app, double *bytes, double *flops)
{
    (void)app;
    *bytes = TL_DIAGONAL_BYTES;
    *flops = 0;
}

const tl_preconditioner_form tl_diagonal_form = {.preconditioner = TL_PRECONDITIONER_DIAGONAL,
                                                 .arrays = TL_ARRAY_Z | TL_ARRAY_DIAGONAL,
                                                 .apply = apply_diagonal,
                                                 .cost = cost_of_diagonal};

/* ---- blocks ---- */

static mx_err apply_blocks(tl_app *app, int64_t at)
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

static void cost_of_blocks(const tl_app *app, double *bytes, double *flops)
{
    (void)app;
    *bytes = TL_BLOCK_BYTES;
    *flops = 0;
}

const tl_preconditioner_form tl_blocks_form = {.preconditioner = TL_PRECONDITIONER_BLOCK,
                                               .arrays = TL_ARRAY_Z,
                                               .apply = apply_blocks,
                                               .cost = cost_of_blocks};
