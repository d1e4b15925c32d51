/* Conjugate gradients, and the parts of them that other forms use. */
#pragma once
#include "tl_app.h"

/* ---- cg.c ---- */

/* start needs u, r with its ghosts, and at->rr, and uses the preconditioner app->preconditioner.
 * iterate goes on until r.r is at most at->tolerance, or until iteration `limit`. Collective. */
mx_err tl_cg_start(tl_app *app, tl_progress *at);
mx_err tl_cg_iterate(tl_app *app, tl_progress *at, int64_t limit);

/* The same with another kind of iteration. It gets p with its ghosts, and app->update with the places
 * of the scalars. It ends with tl_cg_next_direction. Collective. */
typedef mx_err tl_cg_iteration(tl_app *app, int64_t n);
mx_err tl_cg_iterate_by(tl_app *app, tl_progress *at, int64_t limit, tl_cg_iteration *iteration);

/* The end of iteration n, from r and this rank's r.r: the next p with its ghosts. Collective. */
mx_err tl_cg_next_direction(tl_app *app, int64_t n);

/* ---- form.c ---- */

/* Bytes and flops of an iteration in each cell. */
void tl_cg_cost(const tl_app *app, double *bytes, double *flops);

/* ---- precondition.c ---- */

/* z = M^-1 r of iteration n, and its scalars of this rank. Collective. */
mx_err tl_precondition(tl_app *app, int64_t n);

/* ---- scalars.c: the scalars of the iterations, which stay with the vectors ---- */

/* Where a scalar (TL_RR and so on) of an iteration is in views.rr. */
int tl_place(int64_t iteration, int scalar);
/* The element of views.rr with the numerator of alpha: r.r, or r.z with a preconditioner. */
int tl_place_of_rho(const tl_app *app, int64_t iteration);
/* Where p.w of an iteration is in views.pw. */
int tl_place_of_pw(int64_t iteration);

/* The array that has z: r, without a preconditioner. The arguments of p = z + beta p. */
mx_view *tl_cg_z(tl_app *app);
tl_cg_direction_args *tl_cg_direction_of(tl_app *app);

/* Begins histories and tolerance anew, with at->rr as r.r of iteration at->n. */
mx_err tl_begin_scalars(tl_app *app, const tl_progress *at);

/* Tells app->update and tl_cg_direction_of(app) where the scalars of iteration n are. */
void tl_set_places(tl_app *app, int64_t n);

/* Sums the scalars of iteration n over all ranks, and exchanges the ghosts of z. At the start r.r is over all ranks, and r
 * has its ghosts. Collective. */
mx_err tl_share_first(tl_app *app, const tl_progress *at);
mx_err tl_share(tl_app *app, int64_t n);

/* ---- batches.c: the iterations between two looks at r.r ---- */

/* The last iteration of the batch after iteration n. */
int64_t tl_last_of_batch(const tl_app *app, int64_t n, int64_t limit);

/* Reads r.r of the iterations up to `last`, and records them until the first that converged. */
mx_err tl_follow(tl_app *app, tl_progress *at, int64_t last);
