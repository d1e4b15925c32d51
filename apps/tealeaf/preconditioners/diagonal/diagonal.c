/* The diagonal of A as preconditioner, also called Jacobi's: z = r / diagonal. */
#include "tl_app.h"

static mx_err apply(tl_app *app, int64_t at)
{
    return TL_LAUNCH_INTO(tl_precondition_diagonal, app, 0, &app->precondition, app->views.rr, at);
}

static void cost(const tl_app *app, double *bytes, double *flops)
{
    (void)app;
    *bytes = TL_DIAGONAL_BYTES;
    *flops = 0;
}

const tl_preconditioner_form tl_diagonal_form = {.preconditioner = TL_PRECONDITIONER_DIAGONAL,
                                                 .arrays = TL_ARRAY_Z | TL_ARRAY_DIAGONAL,
                                                 .apply = apply,
                                                 .cost = cost};
