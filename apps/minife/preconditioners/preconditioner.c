#include "fe_preconditioner.h"

#include <stdlib.h>

/* As a preconditioner alone, the polynomial is to damp all but the lowest eigenvalues, which
 * conjugate gradients find. */
static const double RATIO = 30;

struct fe_preconditioner {
    fe_preconditioning kind;
    fe_smoother smoother;
    fe_multigrid *multigrid;
    fe_hpcg *hpcg;
};

static mx_err create(fe_preconditioner *p, fe_level *level, mx_view r, mx_view z)
{
    switch (p->kind) {
    case FE_PRECONDITIONER_MULTIGRID: return fe_multigrid_create(level, r, z, &p->multigrid);
    case FE_PRECONDITIONER_HPCG: return fe_hpcg_create(level, r, z, &p->hpcg);
    case FE_PRECONDITIONER_CHEBYSHEV:
        return fe_smoother_create(level, r, z, (int)level->input->chebyshev_degree, RATIO,
                                  &p->smoother);
    case FE_PRECONDITIONER_NONE:
    case FE_PRECONDITIONER_DIAGONAL: break;
    }
    return fe_smoother_create(level, r, z, 0, RATIO, &p->smoother);
}

mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out)
{
    fe_preconditioner *const p = calloc(1, sizeof *p);
    *out = p;
    MX_REQUIRE(p != NULL, MX_ERR_MEMORY, "no memory for a preconditioner");
    p->kind = (fe_preconditioning)level->input->preconditioner;
    const mx_err err = create(p, level, r, z);
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
    fe_hpcg_destroy(&p->hpcg);
    free(p);
}

mx_err fe_precondition(fe_preconditioner *p)
{
    if (p->multigrid != NULL) return fe_multigrid_cycle(p->multigrid);
    if (p->hpcg != NULL) return fe_hpcg_cycle(p->hpcg);
    return fe_smooth(&p->smoother, FE_FROM_ZERO);
}

fe_work fe_work_of_preconditioner(const fe_preconditioner *p)
{
    if (p->multigrid != NULL) return fe_work_of_cycle(p->multigrid);
    if (p->hpcg != NULL) return fe_work_of_hpcg(p->hpcg);
    return fe_work_of_smoother(&p->smoother, FE_FROM_ZERO);
}
