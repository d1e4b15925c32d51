#include "tl_forms.h"

#include "tl_app.h"

extern const tl_form tl_passes_form;
extern const tl_form tl_cg_form;
extern const tl_form tl_deflation_form;
extern const tl_form tl_chebyshev_form;
extern const tl_form tl_jacobi_form;
extern const tl_form tl_ppcg_form;
static const tl_form *const solvers[] = {
    &tl_passes_form,    /* CG without preconditioner, in 2-D and on devices */
    &tl_cg_form,        /* CG */
    &tl_deflation_form, /* DPCG */
    &tl_chebyshev_form, /* CG, then Chebyshev's iteration */
    &tl_jacobi_form,    /* Jacobi's iteration */
    &tl_ppcg_form,      /* CG, then CG with a polynomial as preconditioner */
};

extern const tl_preconditioner_form tl_diagonal_form;
extern const tl_preconditioner_form tl_blocks_form;
extern const tl_preconditioner_form tl_multigrid_form;
static const tl_preconditioner_form *const preconditioners[] = {
    &tl_diagonal_form,  /* jac_diag */
    &tl_blocks_form,    /* jac_block */
    &tl_multigrid_form, /* multigrid */
};

enum {
    SOLVERS = sizeof solvers / sizeof solvers[0],
    PRECONDITIONERS = sizeof preconditioners / sizeof preconditioners[0]
};

static mx_err choose_solver(const tl_app *app, tl_solver solver, const tl_form **form)
{
    for (int f = 0; f < SOLVERS; f++) {
        *form = solvers[f];
        const bool usable = (*form)->is_usable == NULL || (*form)->is_usable(app);
        if ((*form)->solver == solver && usable) return MX_OK;
    }
    *form = NULL;
    const bool asked = solver == app->deck.solver;
    return MX_FAIL(MX_ERR_INPUT, "%s: this program was built without the solver %s%s",
                   app->base.options.deck, asked ? "" : "CG, which begins ",
                   tl_solver_name(&app->deck));
}

static mx_err choose_preconditioner(tl_app *app)
{
    if (app->deck.preconditioner == TL_PRECONDITIONER_NONE) return MX_OK;
    for (int f = 0; f < PRECONDITIONERS; f++) {
        app->preconditioner = preconditioners[f];
        if (app->preconditioner->preconditioner == app->deck.preconditioner) return MX_OK;
    }
    app->preconditioner = NULL;
    return MX_FAIL(MX_ERR_INPUT, "%s: this program was built without the deck's preconditioner",
                   app->base.options.deck);
}

mx_err tl_choose_forms(tl_app *app)
{
    MX_TRY(choose_preconditioner(app));
    MX_TRY(choose_solver(app, app->deck.solver, &app->solver));
    if (app->solver->is_cg) app->cg = app->solver;
    return app->solver->begins_with_cg ? choose_solver(app, TL_SOLVER_CG, &app->cg) : MX_OK;
}

mx_err tl_create_forms(tl_app *app)
{
    const tl_preconditioner_form *const preconditioner = app->preconditioner;
    if (preconditioner != NULL && preconditioner->create != NULL)
        MX_TRY(preconditioner->create(app));
    if (app->cg != NULL && app->cg->create != NULL) MX_TRY(app->cg->create(app));
    if (app->solver == app->cg || app->solver->create == NULL) return MX_OK;
    return app->solver->create(app);
}

void tl_destroy_forms(tl_app *app)
{
    const tl_preconditioner_form *const preconditioner = app->preconditioner;
    if (preconditioner != NULL && preconditioner->destroy != NULL) preconditioner->destroy(app);
    if (app->cg != NULL && app->cg->destroy != NULL) app->cg->destroy(app);
    if (app->solver != app->cg && app->solver->destroy != NULL) app->solver->destroy(app);
}

void tl_print_forms(const tl_app *app)
{
    const tl_preconditioner_form *const preconditioner = app->preconditioner;
    if (preconditioner != NULL && preconditioner->print != NULL) preconditioner->print(app);
    if (app->solver->print != NULL) app->solver->print(app);
}

unsigned tl_arrays_of_forms(const tl_app *app)
{
    return app->solver->arrays | (app->cg != NULL ? app->cg->arrays : 0) |
           (app->preconditioner != NULL ? app->preconditioner->arrays : 0);
}

double tl_more_arrays_of_forms(const tl_app *app)
{
    double arrays = 0;
    if (app->solver->more_arrays != NULL) arrays += app->solver->more_arrays(app);
    if (app->cg != NULL && app->cg != app->solver && app->cg->more_arrays != NULL)
        arrays += app->cg->more_arrays(app);
    if (app->preconditioner != NULL && app->preconditioner->more_arrays != NULL)
        arrays += app->preconditioner->more_arrays(app);
    return arrays;
}
