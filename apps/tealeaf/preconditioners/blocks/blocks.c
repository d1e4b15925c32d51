/* Diagonal blocks of A as preconditioner: each has TL_BLOCK cells along y. */
#include "tl_app.h"

static mx_err apply(tl_app *app, int64_t at)
{
    const int blocks = (app->rows + TL_BLOCK - 1) / TL_BLOCK;
    app->precondition.first = app->ghosts;
    app->precondition.last = app->ghosts + app->rows;
    if (tl_is_3d(&app->deck)) {
        mx_range_3 range = tl_cells_3d(app, 0); /* of planes, blocks and columns */
        range.begin[1] = 0;
        range.end[1] = blocks;
        return tl_precondition_block_3d_into(range, &app->precondition, app->views.rr, at);
    }
    mx_range_2 range = tl_cells(app, 0);
    range.begin[0] = 0;
    range.end[0] = blocks;
    return tl_precondition_block_into(range, &app->precondition, app->views.rr, at);
}

static void cost(const tl_app *app, double *bytes, double *flops)
{
    (void)app;
    *bytes = TL_BLOCK_BYTES;
    *flops = 0;
}

const tl_preconditioner_form tl_blocks_form = {
    .preconditioner = TL_PRECONDITIONER_BLOCK, .arrays = TL_ARRAY_Z, .apply = apply, .cost = cost};
