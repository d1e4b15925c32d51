#include "tl_passes.h"

static mx_err make_views(mx_ctx ctx, mx_view r, const tl_pass *pass, tl_passes *s)
{
    mx_view_info sums, like;
    const int64_t numbers = TL_RING * TL_PASS_SUMS;
    static const char *const labels[] = {"cg r, second", "cg p, second", "cg w, second"};
    MX_TRY(mx_view_create_1d(ctx, "cg sums", MX_USER(tl_pass_sums), TL_RING, &s->views.sums));
    /* as results of kernels they are compared with a tolerance; as a view, bit by bit */
    MX_TRY(mx_view_set_check(s->views.sums, MX_CHECK_NOTHING));
    MX_TRY(mx_view_get_info(s->views.sums, &sums));
    MX_TRY(mx_view_wrap(ctx, "cg sums", MX_F64, 1, &numbers, NULL, NULL, sums.data, &s->numbers));
    if (s->bands > 0) {
        MX_TRY(mx_view_create_1d(ctx, "cg line sums", MX_F64, (int64_t)TL_PASS_SUMS * pass->lines,
                                 &s->views.line_sums));
        return mx_view_create_1d(ctx, "cg edges", MX_F64, tl_edges_size(s->bands, pass->length),
                                 &s->views.edges);
    }
    MX_TRY(mx_view_get_info(r, &like));
    for (int n = 0; n < 3; n++)
        MX_TRY(mx_view_create_2d(ctx, labels[n], MX_F64, like.extent[0], like.extent[1],
                                 &s->second[n]));
    return MX_OK;
}

static mx_err bind(mx_ctx ctx, const tl_views *of, tl_passes *s)
{
    tl_pass_views views = s->views;
    const mx_view first[] = {of->r, of->p, of->w};
    views.u = of->u;
    views.v = of->v;
    views.r = of->r;
    views.p = of->p;
    views.w = of->w;
    if (s->bands > 0) {
        MX_TRY(tl_bands_args_bind(ctx, &views, &s->in_bands));
        return tl_lines_args_bind(ctx, &views, &s->lines);
    }
    for (int n = 0; n < 2; n++) {
        const mx_view *const from = n == 0 ? first : s->second;
        const mx_view *const to = n == 0 ? s->second : first;
        views.r_before = from[0];
        views.p_before = from[1];
        views.w_before = from[2];
        views.r = to[0];
        views.p = to[1];
        views.w = to[2];
        MX_TRY(tl_tiles_args_bind(ctx, &views, &s->in_tiles[n]));
    }
    return MX_OK;
}

mx_err tl_passes_create(mx_ctx ctx, const tl_views *of, int rows, int columns, int ghosts,
                        const tl_mesh *mesh, tl_passes *s)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const bool left = info.layout == MX_LAYOUT_LEFT;
    const tl_pass pass = {.lines = left ? columns : rows,
                          .length = left ? rows : columns,
                          .ghosts = ghosts,
                          .across = left ? mesh->rx : mesh->ry,
                          .along = left ? mesh->ry : mesh->rx};
    *s = (tl_passes){.bands = 0};
    if (info.host_accessible) s->bands = info.threads < pass.lines ? info.threads : pass.lines;
    MX_TRY(make_views(ctx, of->r, &pass, s));
    MX_TRY(bind(ctx, of, s));
    s->w[0] = s->bands > 0 ? of->w : s->second[2];
    s->w[1] = of->w;
    s->in_bands.pass = s->in_tiles[0].pass = s->in_tiles[1].pass = pass;
    s->in_bands.bands = s->bands;
    s->lines.lines = pass.lines;
    s->in_tiles[0].tiles = s->in_tiles[1].tiles =
        (pass.length + TL_TILE_LENGTH - 1) / TL_TILE_LENGTH;
    return MX_OK;
}

void tl_passes_destroy(tl_passes *s)
{
    mx_view *views[] = {&s->views.sums, &s->numbers,   &s->views.line_sums, &s->views.edges,
                        &s->second[0],  &s->second[1], &s->second[2]};
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) (void)mx_view_destroy(views[v]);
}

void tl_passes_restart(tl_passes *s, double tolerance)
{
    s->done = 0;
    s->in_bands.pass.tolerance = s->in_tiles[0].pass.tolerance = s->in_tiles[1].pass.tolerance =
        tolerance;
}

/* Where the sums of the pass before number n are. */
static int before(int64_t n) { return n == 0 ? -1 : (int)tl_place_of_pass(n - 1); }

static mx_err by_bands(mx_ctx ctx, tl_passes *s)
{
    const mx_range_1 bands = mx_tiled_1d(mx_range_1d(ctx, 0, s->bands), 1);
    s->in_bands.pass.before = before(s->done);
    s->in_bands.parity = (int)(s->done % 2);
    if (s->done == 0) MX_TRY(tl_keep_edges(bands, &s->in_bands));
    MX_TRY(tl_pass_bands(bands, &s->in_bands));
    return tl_pass_lines_into(mx_range_1d(ctx, 0, s->lines.lines), &s->lines, s->views.sums,
                              tl_place_of_pass(s->done));
}

static mx_err by_tiles(mx_ctx ctx, tl_passes *s)
{
    tl_tiles_args *const a = &s->in_tiles[s->done % 2];
    const int64_t across = (a->pass.lines + TL_TILE_LINES - 1) / TL_TILE_LINES;
    const mx_teams teams = mx_league(ctx, across * a->tiles, MX_AUTO, MX_AUTO);
    a->pass.before = before(s->done);
    return tl_pass_tiles_into(mx_with_scratch(teams, 0, TL_TILE_SCRATCH * sizeof(double), 0), a,
                              s->views.sums, tl_place_of_pass(s->done));
}

mx_err tl_passes_next(mx_ctx ctx, tl_passes *s)
{
    MX_TRY(s->bands > 0 ? by_bands(ctx, s) : by_tiles(ctx, s));
    s->done++;
    return MX_OK;
}
