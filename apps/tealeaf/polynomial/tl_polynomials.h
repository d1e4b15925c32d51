/* Iterations by polynomials in A: what their files share. */
#pragma once
#include "tl_app.h"
#include "tl_polynomial.h"
#include "tl_sweep.h"

/* Sweeps of several steps (sweeps.c). */
typedef struct tl_sweeps {
    int threads; /* 0: here one step is taken at a time */
    int across;  /* lines are counted along dimension 0, so they are rows; or along 1: columns */
    mx_view line_sums;
    tl_sweep_args on_u, on_z;
    tl_sweep_sums_args sums;
} tl_sweeps;

/* What Chebyshev's and Jacobi's iterations and PPCG have of their own. */
typedef struct tl_polynomials {
    tl_polynomial_args on_u[2], on_z[2]; /* from u, or z, to next; and back */
    int64_t inner_steps;                 /* that the preconditioner takes */
    bool weighted;                       /* M is the diagonal of A, else 1 */
    tl_sweeps sweeps;
} tl_polynomials;

static inline tl_polynomials *tl_polynomials_of(const tl_app *app) { return app->solver_own; }

/* eigenvalues.c: bounds of the eigenvalues from n iterations of CG: rho(0..n), pw(1..n).
 * MX_ERR_INPUT if there are none. */
mx_err tl_estimate_eigenvalues(const double *rho, const double *pw, int64_t n, tl_eigenvalues *e);

/* polynomial.c: Jacobi's or Chebyshev's iteration from u, as far as the tolerance or iteration
 * `limit`; and z = P(A) r. Collective. */
mx_err tl_solve_by_steps(tl_app *app, tl_progress *at, int64_t limit);
mx_err tl_apply_polynomial(tl_app *app);

/* sweeps.c: what sweeps need, where they are the faster form; not collective. tl_sweeps_agree: no
 * rank has them, unless all have; collective. */
mx_err tl_sweeps_create(tl_app *app);
mx_err tl_sweeps_agree(tl_app *app);
/* How many steps a sweep may take; 1: steps are to be taken one at a time. On several ranks it is
 * at most the number of layers of ghosts. */
int tl_sweep_limit(const tl_app *app);
/* Takes a->steps steps with the coefficients in `a`, and with a->residual the residual after them.
 * The last of these computes `layers` layers of ghosts, each one before one more. */
mx_err tl_sweep(tl_app *app, tl_sweep_args *a, int layers);
/* The sums of this rank in the last sweep, to elements of views.rr from `at` on: q.q of each step,
 * and with a->residual that of the last u and its magnitude. */
mx_err tl_sweep_norms(tl_app *app, const tl_sweep_args *a, int at);
