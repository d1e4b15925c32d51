/* Iterations whose coefficients are known in advance: Chebyshev's and Jacobi's, and Chebyshev's as
 * a preconditioner.
 *
 * Chebyshev's iteration needs bounds of the eigenvalues, from low to high (eigenvalues.c), and no
 * sums over cells:
 *
 *     theta = (high + low) / 2,  delta = (high - low) / 2,  sigma = theta / delta,  rho(0) = 1 / sigma
 *     the first step: M^-1 (b - A u) / theta
 *     then  rho(n) = 1 / (2 sigma - rho(n-1)),  alpha = rho(n) rho(n-1),  beta = 2 rho(n) / delta
 *
 * (Saad, Iterative Methods for Sparse Linear Systems, 12.1). With u = 0 and b = r a fixed number of
 * steps makes z = P(A) r, the polynomial preconditioner. Jacobi's iteration is the same kernel with
 * alpha = 0, beta = 1 and M = the diagonal of A.
 *
 * Each step writes u to another array than the one that it reads, so two sets of arguments take
 * turns. The residual that a step computes is that of the u before it. */
#include "tl_app.h"

#include <math.h>

/* ---- coefficients ---- */

typedef struct chebyshev {
    double theta, delta, rho; /* rho of the step before; 0 before the first one */
} chebyshev;

static chebyshev chebyshev_begin(const tl_eigenvalues *e)
{
    return (chebyshev){.theta = (e->high + e->low) / 2, .delta = (e->high - e->low) / 2};
}

static void next_step(chebyshev *c, double *alpha, double *beta)
{
    const double sigma = c->theta / c->delta;
    const bool first = c->rho == 0;
    const double rho = first ? 1 / sigma : 1 / (2 * sigma - c->rho);
    *alpha = first ? 0 : rho * c->rho;
    *beta = first ? 1 / c->theta : 2 * rho / c->delta;
    c->rho = rho;
}

/* ---- a solver ---- */

static bool is_weighted(const tl_app *app)
{
    return app->deck.solver == TL_SOLVER_JACOBI ||
           app->deck.preconditioner == TL_PRECONDITIONER_DIAGONAL;
}

/* Queues a step on u, with the sum of its squared residual at `at` of the ring. */
static mx_err step_on_u(tl_app *app, int which, int at)
{
    tl_polynomial_args *const a = &app->on_u[which];
    mx_view *const u = which == 0 ? &app->views.u : &app->views.next;
    MX_TRY(app_box_halo_exchange(app->halo, 1, u, 1, APP_HALO_FACES));
    return is_weighted(app)
               ? TL_LAUNCH_INTO(tl_polynomial_diagonal_norm, app, 0, a, app->views.rr, at)
               : TL_LAUNCH_INTO(tl_polynomial_norm, app, 0, a, app->views.rr, at);
}

/* The residual of u as it is; and the smallest one that rounding allows. */
static mx_err record_now(tl_app *app, tl_progress *at)
{
    tl_residual_norms now;
    MX_TRY(tl_true_residual(app, false, &now));
    const double limit = tl_rounding_limit(&app->deck, now.magnitude);
    at->tolerance = fmax(at->tolerance, limit * limit);
    return tl_record(app, at, now.norm * now.norm);
}

mx_err tl_solve_by_steps(tl_app *app, tl_progress *at)
{
    const bool jacobi = app->deck.solver == TL_SOLVER_JACOBI;
    chebyshev c = {0};
    if (!jacobi) c = chebyshev_begin(&app->eigenvalues);
    /* TL_STEPS_BETWEEN_CHECKS is even: then u is again where it was */
    while (at->rr > at->tolerance && at->n < app->deck.max_iters) {
        const int64_t left = app->deck.max_iters - at->n;
        const int steps = left < TL_STEPS_BETWEEN_CHECKS ? (int)left : TL_STEPS_BETWEEN_CHECKS;
        const int64_t first = at->n;
        double *norms;
        for (int s = 0; s < steps; s++) {
            double alpha = 0, beta = 1;
            if (!jacobi) next_step(&c, &alpha, &beta);
            app->on_u[s % 2].alpha = alpha;
            app->on_u[s % 2].beta = beta;
            MX_TRY(step_on_u(app, s % 2, s));
        }
        if (steps % 2 == 1) MX_TRY(mx_deep_copy(app->base.ctx, app->views.u, app->views.next));
        MX_TRY(app_sum_view(app->base.transport, app->views.rr, 0, steps));
        MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->views.rr));
        MX_TRY(mx_fence(app->base.ctx));
        MX_TRY(mx_view_host_data(app->rr_host, (void **)&norms));
        for (int s = 1; s < steps; s++) { /* the norm of the first u is known */
            at->n = first + s;
            MX_TRY(tl_record(app, at, norms[s]));
        }
        at->n = first + steps;
        MX_TRY(record_now(app, at));
    }
    return MX_OK;
}

/* ---- a preconditioner ---- */

/* A step on z; which = 0: from z to next; valid: how many layers of ghosts it also computes. */
static mx_err step_on_z(tl_app *app, int which, int valid)
{
    return is_weighted(app) ? TL_LAUNCH(tl_polynomial_diagonal, app, valid, &app->on_z[which])
                            : TL_LAUNCH(tl_polynomial, app, valid, &app->on_z[which]);
}

static mx_err first_on_z(tl_app *app, int which, int valid)
{
    return is_weighted(app) ? TL_LAUNCH(tl_polynomial_first_diagonal, app, valid, &app->on_z[which])
                            : TL_LAUNCH(tl_polynomial_first, app, valid, &app->on_z[which]);
}

/* Fills all layers of ghosts of z, or of next, and of the step where later steps read it there. */
static mx_err exchange_z(tl_app *app, int which)
{
    const int depth = app->ghosts;
    const mx_view fields[] = {which == 0 ? app->views.z : app->views.next, app->views.step};
    return app_box_halo_exchange(app->halo, depth, fields, depth > 1 ? 2 : 1,
                                 depth > 1 ? APP_HALO_CORNERS : APP_HALO_FACES);
}

/* Each step needs one more layer of ghosts than it computes. So with `depth` layers an exchange
 * lasts for as many steps: they compute the cells of other ranks that later ones need (matrix
 * powers). */
mx_err tl_apply_polynomial(tl_app *app)
{
    const int depth = app->ghosts;
    const int64_t steps = app->inner_steps;
    chebyshev c = chebyshev_begin(&app->eigenvalues);
    int which = steps % 2 == 0 ? 1 : 0; /* so that the last step ends in z */
    int valid = depth - 1;
    if (depth > 1)
        MX_TRY(app_box_halo_exchange(app->halo, valid, &app->views.r, 1, APP_HALO_CORNERS));
    next_step(&c, &app->on_z[which].alpha, &app->on_z[which].beta);
    MX_TRY(first_on_z(app, which, valid));
    for (int64_t s = 0; s < steps; s++) {
        which = 1 - which;
        if (valid == 0) {
            MX_TRY(exchange_z(app, which));
            valid = depth;
        }
        valid--;
        next_step(&c, &app->on_z[which].alpha, &app->on_z[which].beta);
        MX_TRY(step_on_z(app, which, valid));
    }
    return MX_OK;
}
