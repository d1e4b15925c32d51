/* Chebyshev's and Jacobi's iterations, and PPCG: conjugate gradients with a polynomial as
 * preconditioner. Chebyshev's iteration and PPCG begin with conjugate gradients, whose scalars give
 * bounds of the eigenvalues. These are estimated once a run, because the matrix never changes. */
#include "cg/tl_cg.h"
#include "tl_polynomials.h"

#include <math.h>
#include <stdlib.h>

/* ---- set-up ---- */

static int halo_depth(const tl_app *app)
{
    return app_size(app->base.comm) > 1 ? app->deck.halo_depth : 1;
}

/* Chebyshev's and Jacobi's iterations use more than one layer in sweeps only, which are 2-D. */
static int halo_depth_of_steps(const tl_app *app)
{
    return tl_is_3d(&app->deck) ? 1 : halo_depth(app);
}

/* The two sets of arguments of a step: from `u` to next, and back. */
static mx_err bind_steps(tl_app *app, mx_view b, mx_view u, tl_polynomial_args pair[2])
{
    const tl_views *const v = &app->bound;
    tl_polynomial_views views = {.step = v->step,
                                 .next = v->next,
                                 .b = b,
                                 .u = u,
                                 .v = v->v,
                                 /* v: not read */
                                 .diagonal = tl_polynomials_of(app)->weighted ? v->diagonal : v->v};
    MX_TRY(tl_polynomial_args_bind(app->base.ctx, &views, &pair[0]));
    views.next = u;
    views.u = v->next;
    pair[0].mesh = pair[1].mesh = app->mesh;
    return tl_polynomial_args_bind(app->base.ctx, &views, &pair[1]);
}

static mx_err make(tl_app *app)
{
    tl_polynomials *const own = app->solver_own = calloc(1, sizeof *own);
    const tl_views *const v = &app->bound;
    MX_REQUIRE(own != NULL, MX_ERR_MEMORY, "no memory for the steps of a polynomial");
    own->inner_steps = tl_inner_steps(&app->deck);
    own->weighted = v->diagonal.generation != 0; /* a form has asked for it */
    const tl_preconditioner of_deck = app->deck.preconditioner;
    MX_REQUIRE(of_deck == TL_PRECONDITIONER_NONE || of_deck == TL_PRECONDITIONER_DIAGONAL,
               MX_ERR_ARG, "polynomials have no preconditioner but the diagonal");
    MX_TRY(bind_steps(app, v->u_start, v->u, own->on_u));
    if (app->solver->solver == TL_SOLVER_PPCG) MX_TRY(bind_steps(app, v->r, v->z, own->on_z));
    return tl_sweeps_create(app);
}

static mx_err create(tl_app *app)
{
    MX_TRY(app_agree(app->base.comm, make(app)));
    return tl_sweeps_agree(app);
}

static void destroy(tl_app *app)
{
    tl_polynomials *const own = tl_polynomials_of(app);
    if (own == NULL) return;
    (void)mx_view_destroy(&own->sweeps.line_sums);
    free(own);
    app->solver_own = NULL;
}

/* ---- what comes first ---- */

/* Conjugate gradients until the eigenvalues can be estimated: the deck's number of iterations, and
 * then until the residual is small enough for what comes after. */
static mx_err estimate_eigenvalues(tl_app *app, tl_progress *at)
{
    const tl_deck *const deck = &app->deck;
    const int64_t max = deck->max_iters, presteps = deck->presteps < max ? deck->presteps : max;
    MX_TRY(app->cg->start(app, at));
    MX_TRY(app->cg->iterate(app, at, presteps));
    while (at->rr > at->tolerance && at->n < max && sqrt(at->rr) > deck->epslim)
        MX_TRY(app->cg->iterate(app, at, at->n + 1));
    if (app->cg->end != NULL) MX_TRY(app->cg->end(app));
    if (app->eigenvalues.known || at->rr <= at->tolerance || at->n == max) return MX_OK;
    MX_TRY(
        tl_estimate_eigenvalues(app->rho.values, app->pw.values, app->pw.count, &app->eigenvalues));
    app_print(app->base.report,
              " Switching after %3lld CG its, error %15.7E\n Eigen min %.6E, Eigen max %.6E, "
              "Condition number %.6f\n",
              (long long)at->n, sqrt(at->rr), app->eigenvalues.low, app->eigenvalues.high,
              app->eigenvalues.high / app->eigenvalues.low);
    return MX_OK;
}

/* ---- costs ---- */

/* Bytes a cell of n steps of a polynomial: of as long sweeps as there are, then of what is left. */
static double bytes_of_steps(const tl_app *app, int64_t n)
{
    const int64_t of_sweep = tl_sweep_limit(app), left = n % of_sweep;
    const double more = tl_polynomials_of(app)->weighted ? 8 : 0, step = TL_STEP_BYTES + more,
                 sweep = TL_SWEEP_BYTES + more;
    if (of_sweep == 1) return (double)n * step;
    return (double)(n / of_sweep) * sweep + (left > 1 ? sweep : (double)left * step);
}

static double flops_of_step(const tl_app *app)
{
    return tl_is_3d(&app->deck) ? TL_STEP_FLOPS_3D : TL_STEP_FLOPS;
}

static void cost_of_step(const tl_app *app, double *bytes, double *flops)
{
    *bytes = bytes_of_steps(app, TL_STEPS_BETWEEN_CHECKS) / TL_STEPS_BETWEEN_CHECKS;
    *flops = flops_of_step(app);
}

/* ---- Chebyshev's and Jacobi's iterations ---- */

const tl_form tl_chebyshev_form = {.solver = TL_SOLVER_CHEBYSHEV,
                                   .arrays = TL_ARRAYS_OF_STEPS,
                                   .begins_with_cg = true,
                                   .ghosts = halo_depth_of_steps,
                                   .create = create,
                                   .destroy = destroy,
                                   .start = estimate_eigenvalues,
                                   .iterate = tl_solve_by_steps,
                                   .cost = cost_of_step};

static mx_err start_jacobi(tl_app *app, tl_progress *at)
{
    (void)app;
    (void)at;
    return MX_OK;
}

const tl_form tl_jacobi_form = {.solver = TL_SOLVER_JACOBI,
                                .arrays = TL_ARRAYS_OF_STEPS | TL_ARRAY_DIAGONAL,
                                .ghosts = halo_depth_of_steps,
                                .create = create,
                                .destroy = destroy,
                                .start = start_jacobi,
                                .iterate = tl_solve_by_steps,
                                .cost = cost_of_step};

/* ---- PPCG ---- */

static mx_err apply(tl_app *app, int64_t at)
{
    MX_TRY(tl_apply_polynomial(app));
    return TL_LAUNCH_INTO(tl_dot, app, 0, &app->dot, app->views.rr, at);
}

static void cost_of_polynomial(const tl_app *app, double *bytes, double *flops)
{
    const int64_t steps = tl_polynomials_of(app)->inner_steps;
    *bytes = TL_POLYNOMIAL_BYTES + bytes_of_steps(app, steps);
    *flops = 6 + (double)steps * flops_of_step(app);
}

/* Not of a deck: `preconditioner` is that of the polynomial itself. */
static const tl_preconditioner_form by_polynomial = {
    .is_flexible = true, .apply = apply, .cost = cost_of_polynomial};

static mx_err start_ppcg(tl_app *app, tl_progress *at)
{
    return app->eigenvalues.known ? MX_OK : estimate_eigenvalues(app, at);
}

static mx_err iterate_ppcg(tl_app *app, tl_progress *at, int64_t limit)
{
    const tl_preconditioner_form *const before = app->preconditioner;
    if (at->rr <= at->tolerance || at->n == limit) return MX_OK;
    app->preconditioner = &by_polynomial;
    mx_err err = tl_cg_start(app, at);
    if (err == MX_OK) err = tl_cg_iterate(app, at, limit);
    app->preconditioner = before;
    return err;
}

static void cost_of_ppcg(const tl_app *app, double *bytes, double *flops)
{
    cost_of_polynomial(app, bytes, flops);
    *bytes += TL_CG_BYTES;
    *flops += tl_is_3d(&app->deck) ? TL_CG_FLOPS_3D : TL_CG_FLOPS;
}

const tl_form tl_ppcg_form = {.solver = TL_SOLVER_PPCG,
                              .arrays = TL_ARRAY_Z | TL_ARRAYS_OF_STEPS,
                              .begins_with_cg = true,
                              .ghosts = halo_depth,
                              .create = create,
                              .destroy = destroy,
                              .start = start_ppcg,
                              .iterate = iterate_ppcg,
                              .cost = cost_of_ppcg};
