/* Iterations whose coefficients are known in advance: Chebyshev's and Jacobi's, and Chebyshev's
 * as a preconditioner.
 *
 * Chebyshev's iteration needs bounds of the eigenvalues, from low to high (eigenvalues.c), and
 * no sums over cells:
 *
 *     theta = (high + low) / 2,  delta = (high - low) / 2,  sigma = theta / delta,  rho(0) = 1 / sigma
 *     the first step: M^-1 (b - A u) / theta
 *     then  rho(n) = 1 / (2 sigma - rho(n-1)),  alpha = rho(n) rho(n-1),  beta = 2 rho(n) / delta
 *
 * (Saad, Iterative Methods for Sparse Linear Systems, 12.1). With u = 0 and b = r a fixed number
 * of steps makes z = P(A) r, the polynomial preconditioner. Jacobi's iteration is the same
 * kernel with alpha = 0, beta = 1 and M = the diagonal of A.
 *
 * Each step writes u to another array than the one that it reads, so two sets of arguments take
 * turns. The residual that a step computes is that of the u before it.
 *
 * Each step needs one more layer of ghosts than it computes. So with `depth` layers of ghosts
 * one exchange is enough for as many steps: earlier steps also compute the cells of other ranks
 * that later ones need (matrix powers). On hosts in 2-D such steps are taken in one sweep over
 * the cells (sweeps.c). A single rank takes all steps so. The last of these sweeps computes the
 * residual after its steps too, where there is one more layer of ghosts for it. */
#include "tl_polynomials.h"

#include <math.h>

/* ---- coefficients ---- */

typedef struct coefficients {
    bool jacobi;
    double theta, delta, rho; /* rho of the step before; 0 before the first one */
} coefficients;

static coefficients first_coefficients(const tl_app *app)
{
    const tl_eigenvalues *const e = &app->eigenvalues;
    return (coefficients){.jacobi = app->solver->solver == TL_SOLVER_JACOBI,
                          .theta = (e->high + e->low) / 2,
                          .delta = (e->high - e->low) / 2};
}

static void next_coefficients(coefficients *c, double *alpha, double *beta)
{
    *alpha = 0;
    *beta = 1;
    if (c->jacobi) return;
    const double sigma = c->theta / c->delta;
    const bool first = c->rho == 0;
    const double rho = first ? 1 / sigma : 1 / (2 * sigma - c->rho);
    *alpha = first ? 0 : rho * c->rho;
    *beta = first ? 1 / c->theta : 2 * rho / c->delta;
    c->rho = rho;
}

/* Prepares a sweep of n steps. */
static void set_steps(tl_sweep_args *a, coefficients *c, int n, int parity)
{
    a->steps = n;
    a->parity = parity;
    for (int s = 0; s < n; s++) next_coefficients(c, &a->alpha[s], &a->beta[s]);
}

/* ---- a solver ---- */

/* Fills `depth` layers of ghosts of u (or z, or next), and of the step where later steps read it
 * there. */
static mx_err exchange(tl_app *app, mx_view u, int depth)
{
    const mx_view fields[] = {u, app->views.step};
    return app_box_halo_exchange(app->halo, depth, fields, depth > 1 ? 2 : 1,
                                 depth > 1 ? APP_HALO_CORNERS : APP_HALO_FACES);
}

/* Queues a step on u, with the sum of its squared residual at `at` of the ring. */
static mx_err step_on_u(tl_app *app, tl_polynomial_args *a, int at)
{
    return tl_polynomials_of(app)->weighted
               ? TL_LAUNCH_INTO(tl_polynomial_diagonal_norm, app, 0, a, app->views.rr, at)
               : TL_LAUNCH_INTO(tl_polynomial_norm, app, 0, a, app->views.rr, at);
}

/* Queues steps first to first + n - 1 of those between two checks, of which each has its place in
 * the ring; and with `residual` the residual after them, with the two places that follow. */
static mx_err steps_on_u(tl_app *app, coefficients *c, int first, int n, bool residual)
{
    tl_polynomials *const own = tl_polynomials_of(app);
    const int parity = first % 2;
    const mx_view u = parity == 0 ? app->views.u : app->views.next;
    if (n == 1) {
        tl_polynomial_args *const a = &own->on_u[parity];
        next_coefficients(c, &a->alpha, &a->beta);
        MX_TRY(exchange(app, u, 1));
        return step_on_u(app, a, first);
    }
    MX_TRY(exchange(app, u, app->ghosts));
    set_steps(&own->sweeps.on_u, c, n, parity);
    own->sweeps.on_u.residual = residual;
    MX_TRY(tl_sweep(app, &own->sweeps.on_u, 0));
    return tl_sweep_norms(app, &own->sweeps.on_u, first);
}

/* Records the residual of u, and computes the smallest one that rounding allows. */
static mx_err record_now(tl_app *app, tl_progress *at, tl_residual_norms now)
{
    const double limit = tl_rounding_limit(&app->deck, now.magnitude);
    at->tolerance = fmax(at->tolerance, limit * limit);
    return tl_record(app, at, now.norm * now.norm);
}

static int smaller(int64_t a, int b) { return a < b ? (int)a : b; }

/* Can a sweep of n steps compute the residual after them? */
static bool sweep_has_residual(const tl_app *app, int n)
{
    return n > 1 && (app_size(app->base.comm) == 1 || n < app->ghosts);
}

/* `steps` steps, and the norms of all of them. */
static mx_err steps_to_check(tl_app *app, tl_progress *at, coefficients *c, int steps)
{
    const int64_t first = at->n;
    const int limit = tl_sweep_limit(app);
    const int of_last = steps % limit == 0 ? limit : steps % limit;
    const bool residual = sweep_has_residual(app, of_last);
    const int sums = residual ? steps + 2 : steps;
    double *norms;
    for (int s = 0, n; s < steps; s += n) {
        n = smaller(steps - s, limit);
        MX_TRY(steps_on_u(app, c, s, n, residual && s + n == steps));
    }
    if (steps % 2 == 1) MX_TRY(mx_deep_copy(app->base.ctx, app->views.u, app->views.next));
    MX_TRY(app_sum_view(app->base.transport, app->views.rr, 0, sums));
    MX_TRY(mx_deep_copy(app->base.ctx, app->rr_host, app->views.rr));
    MX_TRY(mx_fence(app->base.ctx));
    MX_TRY(mx_view_host_data(app->rr_host, (void **)&norms));
    for (int s = 1; s < steps; s++) { /* the norm of the first u is known */
        at->n = first + s;
        MX_TRY(tl_record(app, at, norms[s]));
    }
    at->n = first + steps;
    tl_residual_norms now;
    if (residual)
        now = (tl_residual_norms){sqrt(norms[steps]), sqrt(norms[steps + 1])};
    else
        MX_TRY(tl_true_residual(app, false, &now));
    return record_now(app, at, now);
}

mx_err tl_solve_by_steps(tl_app *app, tl_progress *at, int64_t limit)
{
    coefficients c = first_coefficients(app);
    if (app->ghosts > 1) /* steps compute in ghosts too */
        MX_TRY(app_box_halo_exchange(app->halo, app->ghosts, &app->views.u_start, 1,
                                     APP_HALO_CORNERS));
    /* TL_STEPS_BETWEEN_CHECKS is even: then u is again where it was */
    while (at->rr > at->tolerance && at->n < limit) {
        const int steps = smaller(limit - at->n, TL_STEPS_BETWEEN_CHECKS);
        MX_TRY(steps_to_check(app, at, &c, steps));
    }
    return MX_OK;
}

/* ---- a preconditioner ---- */

/* A step on z or next, from which it goes to the other one; `layers` of ghosts are computed too. */
static mx_err step_on_z(tl_app *app, tl_polynomial_args *a, int layers)
{
    return tl_polynomials_of(app)->weighted ? TL_LAUNCH(tl_polynomial_diagonal, app, layers, a)
                                            : TL_LAUNCH(tl_polynomial, app, layers, a);
}

static mx_err first_on_z(tl_app *app, tl_polynomial_args *a, int layers)
{
    return tl_polynomials_of(app)->weighted
               ? TL_LAUNCH(tl_polynomial_first_diagonal, app, layers, a)
               : TL_LAUNCH(tl_polynomial_first, app, layers, a);
}

/* n steps, the first one from z (parity 0) or next. The last one computes `layers` of ghosts
 * too. */
static mx_err steps_on_z(tl_app *app, coefficients *c, int parity, int n, int layers)
{
    tl_polynomials *const own = tl_polynomials_of(app);
    if (n == 1) {
        tl_polynomial_args *const a = &own->on_z[parity];
        next_coefficients(c, &a->alpha, &a->beta);
        return step_on_z(app, a, layers);
    }
    set_steps(&own->sweeps.on_z, c, n, parity);
    return tl_sweep(app, &own->sweeps.on_z, layers);
}

mx_err tl_apply_polynomial(tl_app *app)
{
    tl_polynomials *const own = tl_polynomials_of(app);
    const int depth = app->ghosts, limit = tl_sweep_limit(app);
    const int64_t steps = own->inner_steps;
    /* how many steps an exchange lasts for */
    const int lasts = app_size(app->base.comm) == 1 ? limit : depth;
    coefficients c = first_coefficients(app);
    int parity = steps % 2 == 0 ? 1 : 0; /* so that the last step ends in z */
    int valid = depth - 1;               /* layers of ghosts */
    if (depth > 1)
        MX_TRY(app_box_halo_exchange(app->halo, valid, &app->views.r, 1, APP_HALO_CORNERS));
    next_coefficients(&c, &own->on_z[parity].alpha, &own->on_z[parity].beta);
    MX_TRY(first_on_z(app, &own->on_z[parity], valid));
    parity = 1 - parity;
    for (int64_t done = 0; done < steps;) {
        if (valid == 0) {
            MX_TRY(exchange(app, parity == 0 ? app->views.z : app->views.next, depth));
            valid = lasts;
        }
        const int n = smaller(steps - done, valid < limit ? valid : limit);
        valid -= n;
        MX_TRY(steps_on_z(app, &c, parity, n, valid));
        parity = (parity + n) % 2;
        done += n;
    }
    return MX_OK;
}
