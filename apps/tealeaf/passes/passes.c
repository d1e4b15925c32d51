#include "tl_passes.h"

#include "mesh/tl_arrays.h"

#include <limits.h>

static mx_err make_views(mx_ctx ctx, mx_view r, const tl_pass *pass, tl_passes *s)
{
    mx_view_info sums, like;
    const int64_t numbers = TL_RING * TL_PASS_SUMS;
    static const char *const labels[] = {"cg r, second", "cg p, second", "cg w, second"};
    MX_TRY(mx_view_create_1d(ctx, "cg sums", MX_USER(tl_pass_sums), TL_RING, &s->views.sums));
    /* as results of kernels they are compared with a tolerance; as a view, bit by bit */
    MX_TRY(mx_view_set_unchecked(s->views.sums));
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
        MX_TRY(tl_make_array(ctx, labels[n], like.rank, like.extent, pass->ghosts, TL_ANY_PART,
                             &s->second[n]));
    return MX_OK;
}

static mx_err bind_bands(mx_ctx ctx, const tl_views *of, tl_passes *s)
{
    tl_pass_views views = s->views;
    views.u = of->u;
    views.v = of->v;
    views.r = of->r;
    views.p = of->p;
    views.w = of->w;
    MX_TRY(tl_bands_args_bind(ctx, &views, &s->in_bands));
    return tl_lines_args_bind(ctx, &views, &s->lines);
}

/* The elements from a line to the next, and in 3-D from a sheet to the next. */
typedef struct distances {
    int64_t line, sheet;
} distances;

static distances distances_of(const mx_view_info *view)
{
    if (view->rank == 2) return (distances){.line = mx_max(view->stride[0], view->stride[1])};
    return (distances){.line = view->stride[1], .sheet = mx_max(view->stride[0], view->stride[2])};
}

/* Is cell 0 of each line at a multiple of 16 bytes, behind this number of ghosts? */
static bool has_pairs(const mx_view_info *view, const distances *distance, int ghosts)
{
    const uintptr_t first = (uintptr_t)view->data / sizeof(double) + (uintptr_t)ghosts;
    return first % TL_PAIR == 0 && distance->line % TL_PAIR == 0 && distance->sheet % TL_PAIR == 0;
}

/* The elements of a view as one long row, from the first to the last. */
static mx_err flatten(mx_ctx ctx, mx_view view, int ghosts, distances *all, mx_view *flat)
{
    mx_view_info f;
    MX_TRY(mx_view_get_info(view, &f));
    const int64_t elements = (int64_t)(f.bytes / sizeof(double));
    const distances distance = distances_of(&f);
    const int64_t extents[] = {1, elements};
    const mx_view_options options = {.space = f.space, .layout = MX_LAYOUT_RIGHT};
    MX_REQUIRE(elements <= INT_MAX, MX_ERR_EXTENT,
               "a rank has %lld cells with their ghosts, expected at most %d: use more ranks",
               (long long)elements, INT_MAX);
    if (all->line == 0) *all = distance;
    MX_REQUIRE(
        distance.line == all->line && distance.sheet == all->sheet, MX_ERR_EXTENT,
        "view '%s': lines and sheets are %lld and %lld elements apart, those of the others %lld and %lld",
        f.label, (long long)distance.line, (long long)distance.sheet, (long long)all->line,
        (long long)all->sheet);
    MX_REQUIRE(f.rank == 2 || has_pairs(&f, &distance, ghosts), MX_ERR_LAYOUT,
               "view '%s': lines do not begin at multiples of 16 bytes: make it by tl_make_array",
               f.label);
    return mx_view_wrap(ctx, f.label, f.type, 2, extents, NULL, &options, f.data, flat);
}

static mx_err bind_columns(mx_ctx ctx, const tl_views *of, int ghosts, tl_passes *s)
{
    const mx_view from[] = {of->u, of->v,        of->r,        of->p,
                            of->w, s->second[0], s->second[1], s->second[2]};
    enum { U, V, FIRST, SECOND = FIRST + 3 };
    distances all = {0};
    for (int n = 0; n < SECOND + 3; n++) MX_TRY(flatten(ctx, from[n], ghosts, &all, &s->flat[n]));
    tl_pass_views views = s->views;
    views.u = s->flat[U];
    views.v = s->flat[V];
    for (int n = 0; n < 2; n++) {
        const mx_view *const read = &s->flat[n == 0 ? FIRST : SECOND];
        const mx_view *const written = &s->flat[n == 0 ? SECOND : FIRST];
        views.r_before = read[0];
        views.p_before = read[1];
        views.w_before = read[2];
        views.r = written[0];
        views.p = written[1];
        views.w = written[2];
        MX_TRY(tl_columns_args_bind(ctx, &views, &s->in_columns[n]));
        s->in_columns[n].pitch = (int)all.line;
        s->in_columns[n].sheet = (int)all.sheet;
    }
    return MX_OK;
}

/* Of columns: the number of threads that a GPU runs together. */
enum { WARP = 32 };
/* The number of items that occupy a large GPU. A host that stands for a device gets few, so that
 * small meshes there have items with several lines or sheets. */
enum { ITEMS = 1 << 16, FEW_ITEMS = 256 };
/* Where there are more cells, an item has several lines, in 3-D several sheets: then fewer items
 * read the cells beside their own again. More than these gain nothing on a large GPU. */
enum { MAX_LINES = 16, MAX_SHEETS = 32 };

/* The dimensions by their distance in memory. */
typedef struct order {
    int contiguous, middle, slowest;
} order;

static order order_of(mx_layout layout, int dims)
{
    const order left = {0, 1, 2}, right = {dims - 1, dims - 2, 0};
    return layout == MX_LAYOUT_LEFT ? left : right;
}

static void shape_columns(const mx_ctx_info *info, const tl_pass *pass, int sheets, double between,
                          tl_columns_args *c)
{
    const int64_t items = info->device < 0 ? FEW_ITEMS : ITEMS;
    const int64_t area = (int64_t)pass->lines * pass->length, pairs = area * sheets / 2;
    c->pass = *pass;
    c->width = (pass->length + WARP - 1) / WARP * WARP;
    c->lines_of_item = mx_clamp((int)(area / items), 1, MAX_LINES);
    c->sheets = sheets;
    c->sheets_of_item = mx_clamp((int)(pairs / items), 1, MAX_SHEETS);
    c->between = between;
}

mx_err tl_passes_create(mx_ctx ctx, const tl_views *of, int dims, const int *cells, int ghosts,
                        bool neighbours, const tl_mesh *mesh, tl_passes *s)
{
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    const bool solid = dims == 3;
    const order axes = order_of(info.layout, dims);
    const double weights[] = {mesh->rz, mesh->ry, mesh->rx}, *const weight = weights + 3 - dims;
    const tl_pass pass = {.lines = cells[axes.middle],
                          .length = cells[axes.contiguous],
                          .ghosts = ghosts,
                          .across = weight[axes.middle],
                          .along = weight[axes.contiguous]};
    const int sheets = solid ? cells[axes.slowest] : 1;
    *s = (tl_passes){.solid = solid};
    if (info.host_accessible && !solid)
        s->bands = info.threads < pass.lines ? info.threads : pass.lines;
    MX_TRY(make_views(ctx, of->r, &pass, s));
    MX_TRY(s->bands > 0 ? bind_bands(ctx, of, s) : bind_columns(ctx, of, ghosts, s));
    s->w[0] = s->bands > 0 ? of->w : s->second[2];
    s->w[1] = of->w;
    s->in_bands.pass = pass;
    s->in_bands.bands = s->bands;
    s->lines.lines = pass.lines;
    for (int n = 0; n < 2; n++)
        shape_columns(&info, &pass, sheets, solid ? weight[axes.slowest] : 0, &s->in_columns[n]);
    if (!solid) return MX_OK;
    const int per_item = s->in_columns[0].sheets_of_item;
    s->items[axes.contiguous] = (pass.length + 1) / 2;
    s->items[axes.middle] = pass.lines;
    s->items[axes.slowest] = (sheets + per_item - 1) / per_item;
    s->ghosts = neighbours ? sheets * tl_ghosts_of_sheet(&pass) : 0;
    return MX_OK;
}

void tl_passes_destroy(tl_passes *s)
{
    mx_view *views[] = {&s->views.sums, &s->numbers,   &s->views.line_sums, &s->views.edges,
                        &s->second[0],  &s->second[1], &s->second[2]};
    for (size_t v = 0; v < sizeof views / sizeof views[0]; v++) (void)mx_view_destroy(views[v]);
    for (size_t v = 0; v < sizeof s->flat / sizeof s->flat[0]; v++)
        (void)mx_view_destroy(&s->flat[v]);
}

void tl_passes_restart(tl_passes *s, double tolerance)
{
    s->done = 0;
    s->in_bands.pass.tolerance = tolerance;
    for (int n = 0; n < 2; n++) s->in_columns[n].pass.tolerance = tolerance;
}

enum { NO_PASS = -1 };

/* Where the sums of pass n are. */
static int place_of(int64_t n) { return n < 0 ? NO_PASS : (int)tl_place_of_pass(n); }

static mx_err by_bands(mx_ctx ctx, tl_passes *s)
{
    const mx_range_1 bands = mx_tiled_1d(mx_range_1d(ctx, 0, s->bands), 1);
    if (s->done == 0) MX_TRY(tl_keep_edges(bands, &s->in_bands));
    MX_TRY(tl_pass_bands(bands, &s->in_bands));
    return tl_pass_lines_into(mx_range_1d(ctx, 0, s->lines.lines), &s->lines, s->views.sums,
                              tl_place_of_pass(s->done));
}

static mx_err by_columns(mx_ctx ctx, tl_passes *s, mx_partials *partials)
{
    tl_columns_args *const a = &s->in_columns[s->done % 2];
    const int64_t groups = (a->pass.lines + a->lines_of_item - 1) / a->lines_of_item;
    if (s->solid) {
        const mx_range_3 range = mx_range_3d(ctx, 0, s->items[0], 0, s->items[1], 0, s->items[2]);
        if (s->ghosts > 0) MX_TRY(tl_pass_ghosts_3d(mx_range_1d(ctx, 0, s->ghosts), a));
        return tl_pass_columns_3d_partials(range, a, s->views.sums, tl_place_of_pass(s->done),
                                           partials);
    }
    return tl_pass_columns_partials(mx_range_1d(ctx, 0, (int)(groups * a->width)), a, s->views.sums,
                                    tl_place_of_pass(s->done), partials);
}

/* Runs the next pass. `before`: the pass that its alpha and beta come from. */
static mx_err run(mx_ctx ctx, int64_t before, tl_passes *s, mx_partials *partials)
{
    const int parity = (int)(s->done % 2);
    tl_pass *const pass = s->bands > 0 ? &s->in_bands.pass : &s->in_columns[parity].pass;
    pass->parity = parity;
    pass->before = place_of(before);
    pass->before_that = place_of(s->done - 2);
    MX_TRY(s->bands > 0 ? by_bands(ctx, s) : by_columns(ctx, s, partials));
    s->done++;
    return MX_OK;
}

mx_err tl_passes_next(mx_ctx ctx, tl_passes *s, mx_partials *partials)
{
    return run(ctx, s->done - 1, s, partials);
}

mx_err tl_passes_end(mx_ctx ctx, tl_passes *s)
{
    return s->done % 2 == 1 ? run(ctx, NO_PASS, s, NULL) : MX_OK;
}
