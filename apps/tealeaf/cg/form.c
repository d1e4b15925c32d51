/* Plain CG among the solvers (forms.c). */
#include "tl_cg.h"

void tl_cg_cost(const tl_app *app, double *bytes, double *flops)
{
    *bytes = TL_CG_BYTES;
    *flops = tl_is_3d(&app->deck) ? TL_CG_FLOPS_3D : TL_CG_FLOPS;
    if (app->preconditioner == NULL) return;
    double more_bytes = 0, more_flops = 0;
    app->preconditioner->cost(app, &more_bytes, &more_flops);
    *bytes += more_bytes;
    *flops += more_flops;
}

const tl_form tl_cg_form = {.solver = TL_SOLVER_CG,
                            .arrays = TL_ARRAYS_OF_CG,
                            .is_cg = true,
                            .start = tl_cg_start,
                            .iterate = tl_cg_iterate,
                            .cost = tl_cg_cost};
