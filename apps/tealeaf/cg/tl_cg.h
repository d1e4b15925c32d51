/* Conjugate gradients, and the parts of them that other forms use. */
#pragma once
#include "tl_app.h"

/* ---- cg.c ---- */

/* From u, r and at->rr with the preconditioner app->preconditioner; then as far as the tolerance,
 * or iteration `limit`. Collective. */
mx_err tl_cg_start(tl_app *app, tl_progress *at);
mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit);

/* Bytes and flops a cell of an iteration. */
void tl_cg_cost(const tl_app *app, double *bytes, double *flops);

/* The first direction, p = M^-1 r or p = r with ghosts; its scalar goes to app->rho. Collective. */
mx_err tl_cg_first_direction(tl_app *app, const tl_progress *at);

/* The iterations, with `step` in place of w = A p, u += alpha p and r -= alpha w: from p with its
 * ghosts, and with the scalars of app->update; r.r of this rank goes to element `at` of views.rr.
 * Collective. */
typedef mx_err tl_cg_step(tl_app *app, int64_t at);
mx_err tl_cg_iterate_by(tl_app *app, tl_progress *at, int64_t limit, tl_cg_step *step);

/* ---- precondition.c ---- */

/* z = M^-1 r of iteration n, and its scalars of this rank. Collective. */
mx_err tl_precondition(tl_app *app, int64_t n);

/* ---- scalars.c: the scalars of the iterations, which stay with the vectors ---- */

/* Where a scalar (TL_RR and so on) of an iteration is in views.rr. */
int tl_place(int64_t iteration, int scalar);
/* Where the one is that alpha and beta come from: r.r, or r.z with a preconditioner. */
int tl_place_of_rho(const tl_app *app, int64_t iteration);

/* Begins histories and tolerance anew, with at->rr as r.r of iteration at->n. */
mx_err tl_begin_scalars(tl_app *app, const tl_progress *at);

/* How many iterations are queued before the host reads their scalars. */
mx_err tl_batch(const tl_app *app, int64_t *batch);

/* Tells app->update and `direction` where those of iteration n are. */
void tl_set_places(tl_app *app, int64_t n, tl_cg_direction_args *direction);

/* Those of iteration n over all ranks, and the ghosts of r, or z. Collective. */
mx_err tl_share(tl_app *app, int64_t n);

/* Takes the completed iterations up to `last`, as far as the first that converged. */
mx_err tl_follow(tl_app *app, tl_progress *at, int64_t last);
