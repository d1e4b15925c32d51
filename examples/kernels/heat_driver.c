#include "heat.h"

/* mx_view_swap exchanges the handles. The accessors in `args` still have the memory of before, so
 * they are bound in each step; a launch without that would be an error. */
mx_err heat_run(mx_range_3 cells, heat_views *views, double k, int steps)
{
    heat_args args = {.k = k};
    for (int s = 0; s < steps; s++) {
        MX_TRY(heat_args_bind(cells.ctx, views, &args));
        MX_TRY(heat_step(cells, &args));
        MX_TRY(mx_view_swap(&views->u, &views->fresh));
    }
    return MX_OK;
}
