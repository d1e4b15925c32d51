/* Sweeps of several polynomial steps (tl_sweep.h) on this rank's arrays. Devices and 3-D take one
 * step at a time. So does a run whose launches are checked against a backend of another layout:
 * there lines are columns instead of rows. */
#include "tl_polynomials.h"

static tl_sweeps *own_of(const tl_app *app) { return &tl_polynomials_of(app)->sweeps; }

/* `steps`: how many follow each other at most. */
static mx_err bind(tl_app *app, mx_view b, mx_view u, int64_t steps, tl_sweep_args *a)
{
    const tl_views *const v = &app->views;
    const tl_sweeps *const s = own_of(app);
    const int across = s->across, along = 1 - across;
    const double weights[] = {app->mesh.ry, app->mesh.rx}; /* of faces between rows, columns */
    const tl_sweep_views views = {.u = u,
                                  .next = v->next,
                                  .step = v->step,
                                  .b = b,
                                  .v = v->v,
                                  /* v: not read */
                                  .diagonal = tl_polynomials_of(app)->weighted ? v->diagonal : v->v,
                                  .line_sums = s->line_sums};
    MX_TRY(tl_sweep_args_bind(app->base.ctx, &views, a));
    const mx_range_2 cells = tl_cells(app, 0);
    a->local_lines = (tl_span){(int)cells.begin[across], (int)cells.end[across]};
    a->local_cells = (tl_span){(int)cells.begin[along], (int)cells.end[along]};
    a->across = weights[across];
    a->along = weights[along];
    a->weighted = tl_polynomials_of(app)->weighted;
    const int of_sweep = steps < TL_SWEEP_STEPS ? (int)steps : TL_SWEEP_STEPS;
    const int max_bands = s->sums.lines / (2 * mx_max(of_sweep, 1));
    a->bands = mx_clamp(s->threads, 1, mx_max(max_bands, 1));
    a->segment = TL_SEGMENT;
    return MX_OK;
}

mx_err tl_sweeps_create(tl_app *app)
{
    tl_sweeps *const s = own_of(app);
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    if (!info.host_accessible || app->other_layout || tl_is_3d(&app->deck)) return MX_OK;
    s->across = info.layout == MX_LAYOUT_LEFT ? 1 : 0;
    s->sums.lines = s->across == 1 ? app->columns : app->rows;
    s->threads = info.threads;
    MX_TRY(mx_view_create_1d(app->base.ctx, "line sums of steps", MX_F64,
                             (int64_t)TL_SWEEP_SUMS * s->sums.lines, &s->line_sums));
    const tl_sweep_sums_views sums = {.rr = app->views.rr, .line_sums = s->line_sums};
    MX_TRY(tl_sweep_sums_args_bind(app->base.ctx, &sums, &s->sums));
    MX_TRY(bind(app, app->views.u_start, app->views.u, TL_STEPS_BETWEEN_CHECKS, &s->on_u));
    return app->solver->solver == TL_SOLVER_PPCG
               ? bind(app, app->views.r, app->views.z, tl_polynomials_of(app)->inner_steps,
                      &s->on_z)
               : MX_OK;
}

mx_err tl_sweeps_agree(tl_app *app)
{
    int64_t without = own_of(app)->threads == 0;
    MX_TRY(app_max_i64(app->base.comm, &without, 1));
    if (without) own_of(app)->threads = 0;
    return MX_OK;
}

int tl_sweep_limit(const tl_app *app)
{
    if (own_of(app)->threads == 0) return 1;
    if (app_size(app->base.comm) == 1) return TL_SWEEP_STEPS;
    return app->ghosts < TL_SWEEP_STEPS ? app->ghosts : TL_SWEEP_STEPS;
}

mx_err tl_sweep(tl_app *app, tl_sweep_args *a, int layers)
{
    const int across = own_of(app)->across, along = 1 - across;
    const int stages = a->steps + a->residual;
    for (int s = 0; s < stages; s++) {
        const mx_range_2 cells = tl_cells(app, layers + stages - 1 - s);
        a->lines[s] = (tl_span){(int)cells.begin[across], (int)cells.end[across]};
        a->cells[s] = (tl_span){(int)cells.begin[along], (int)cells.end[along]};
    }
    MX_TRY(tl_sweep_bands(mx_tiled_1d(mx_range_1d(app->base.ctx, 0, a->bands), 1), a));
    if (a->bands == 1) return MX_OK;
    return tl_sweep_gaps(mx_tiled_1d(mx_range_1d(app->base.ctx, 1, a->bands), 1), a);
}

mx_err tl_sweep_norms(tl_app *app, const tl_sweep_args *a, int at)
{
    tl_sweep_sums_args *const sums = &own_of(app)->sums;
    const int count = a->steps + 2 * a->residual;
    sums->first = at;
    return tl_sweep_sums(mx_tiled_1d(mx_range_1d(app->base.ctx, 0, count), 1), sums);
}
