#include "fe_preconditioner.h"

#include <stdlib.h>

/* As a preconditioner alone, the polynomial is to damp all but the lowest eigenvalues, which conjugate gradients find. */
static const double RATIO = 30;

struct fe_preconditioner {
    int kind; /* fe_preconditioning */
    fe_smoother smoother;
    fe_multigrid *multigrid;
};

mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out)
{
    fe_preconditioner *const p = calloc(1, sizeof *p);
    *out = p;
    MX_REQUIRE(p != NULL, MX_ERR_MEMORY, "no memory for a preconditioner");
    p->kind = level->input->preconditioner;
    const int degree =
        p->kind == FE_PRECONDITIONER_CHEBYSHEV ? (int)level->input->chebyshev_degree : 0;
    const mx_err err = p->kind == FE_PRECONDITIONER_MULTIGRID
                           ? fe_multigrid_create(level, r, z, &p->multigrid)
                           : fe_smoother_create(level, r, z, degree, RATIO, &p->smoother);
    if (err != MX_OK) fe_preconditioner_destroy(out);
    return err;
}

void fe_preconditioner_destroy(fe_preconditioner **preconditioner)
{
    fe_preconditioner *const p = *preconditioner;
    *preconditioner = NULL;
    if (p == NULL) return;
    fe_smoother_destroy(&p->smoother);
    fe_multigrid_destroy(&p->multigrid);
    free(p);
}

mx_err fe_precondition(fe_preconditioner *p)
{
    return p->kind == FE_PRECONDITIONER_MULTIGRID ? fe_multigrid_cycle(p->multigrid)
                                                  : fe_smooth(&p->smoother, FE_FROM_ZERO);
}

fe_work fe_work_of_preconditioner(const fe_preconditioner *p)
{
    return p->kind == FE_PRECONDITIONER_MULTIGRID ? fe_work_of_cycle(p->multigrid)
                                                  : fe_work_of_smoother(&p->smoother, FE_FROM_ZERO);
}
