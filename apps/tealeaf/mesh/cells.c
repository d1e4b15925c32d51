#include "tl_app.h"

mx_range_3 tl_cells_3d(const tl_app *app, int layers)
{
    mx_range_3 range = mx_range_3d(app->base.ctx, 0, 0, 0, 0, 0, 0);
    for (int d = 0; d < 3; d++) {
        range.begin[d] = app->ghosts - (app->decomp.neighbour[d][0] >= 0 ? layers : 0);
        range.end[d] =
            app->ghosts + app->decomp.cells[d] + (app->decomp.neighbour[d][1] >= 0 ? layers : 0);
    }
    return range;
}

mx_range_2 tl_cells(const tl_app *app, int layers)
{
    mx_range_2 range = mx_range_2d(app->base.ctx, 0, 0, 0, 0);
    for (int d = 0; d < 2; d++) {
        range.begin[d] = app->ghosts - (app->decomp.neighbour[d][0] >= 0 ? layers : 0);
        range.end[d] =
            app->ghosts + app->decomp.cells[d] + (app->decomp.neighbour[d][1] >= 0 ? layers : 0);
    }
    return range;
}
