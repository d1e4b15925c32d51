#include "md_app.h"

#include <math.h>

/* The energy of all atoms drifts by what the cutoff without shift makes of it: within 2e-3 over 10,000 steps of the
 * default problem. */
mx_err md_verify(void *data)
{
    md_app *const app = data;
    const md_state *const s = &app->last;
    const double first = app->first.potential + app->first.kinetic,
                 last = s->potential + s->kinetic;
    const double momentum = fabs(s->momentum[0]) + fabs(s->momentum[1]) + fabs(s->momentum[2]);
    const double size = s->motion > 0 ? s->motion : 1;
    int64_t atoms = app->own;
    MX_TRY(app_sum_i64(app->base.comm, &atoms, 1));
    MX_TRY(app_check(&app->base, "atoms", (double)atoms, (double)app->atoms, 0, APP_EXACT));
    MX_TRY(app_check(&app->base, "momentum", momentum / size, 0, 1e-9, APP_NEVER));
    return app_check(&app->base, "energy", last, first, 1e-2, APP_NEVER);
}
