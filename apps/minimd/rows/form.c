/* Full lists in rows, as a form of lists. */
#include "md_rows.h"

#include "md_app.h"

#include <math.h>

/* list=2d has other forms too: half lists, and those that teams share, are not in rows here. */
static bool fits(const md_input *in, bool on_host)
{
    const bool half = in->neighbours == MD_NEIGHBOURS_HALF ||
                      in->neighbours == MD_NEIGHBOURS_HALF_2D ||
                      (in->neighbours == MD_NEIGHBOURS_AUTO && in->ghost_newton == 1);
    (void)on_host;
    return (in->list == MD_LIST_AUTO || in->list == MD_LIST_2D) && !half &&
           in->policy == MD_POLICY_RANGE;
}

static void destroy(md_app *app)
{
    md_row_list *const r = app->list;
    (void)mx_view_destroy(&r->views.neighbour);
    (void)mx_view_destroy(&r->views.neighbour_count);
    *r = (md_row_list){0};
}

/* Neighbours that a row has room for at first: those of the mean density of the box and a quarter
 * more, and some, until rows that are longer are seen. No more than there are atoms. */
static int64_t first_room(const md_app *app, double atoms)
{
    const double *const length = app->box.length, cutoff = app->list_cutoff;
    const double density = (double)app->atoms / (length[0] * length[1] * length[2]);
    const double sphere = 4.0 / 3.0 * MX_PI * cutoff * cutoff * cutoff;
    return (int64_t)fmin(1.25 * density * sphere, atoms) + 8;
}

/* Rows, and their counts. */
static double bytes(const md_app *app, const md_mean_counts *n)
{
    return (double)sizeof(int32_t) * n->local * (double)(first_room(app, n->held) + 1);
}

/* ---- the list ---- */

static void set_views(const md_views *from, md_row_views *v)
{
    v->position = from->position;
    v->type = from->type;
    v->force = from->force;
    v->pair = from->pair;
    v->bin_begin = from->bin_begin;
    v->bin_atom = from->bin_atom;
    v->pair_knots = from->pair_knots;
    v->embedding_knots = from->embedding_knots;
    v->derivative = from->derivative;
}

/* Rows for all local atoms and some that may come, of `room` neighbours. */
static mx_err reserve(md_app *app, int64_t room)
{
    md_row_list *const r = app->list;
    md_row_views *const v = &r->views;
    const mx_ctx ctx = app->base.ctx;
    const mx_view_options options = {.uninitialized = true};
    MX_TRY(mx_view_destroy(&v->neighbour));
    MX_TRY(mx_view_destroy(&v->neighbour_count));
    const int64_t rows = (int64_t)app->local + app->local / 64 + 1, extents[] = {rows, room};
    MX_REQUIRE(room <= MX_INDEX_END, MX_ERR_EXTENT, "an atom would have %lld neighbours",
               (long long)room);
    MX_TRY(mx_view_create(ctx, "neighbours", MX_I32, 2, extents, &options, &v->neighbour));
    MX_TRY(
        mx_view_create(ctx, "neighbour counts", MX_I32, 1, extents, &options, &v->neighbour_count));
    r->room = (int)room;
    r->rows = (int)rows;
    return MX_OK;
}

static mx_err bind(md_app *app)
{
    const mx_ctx ctx = app->base.ctx;
    md_row_list *const r = app->list;
    if (r->room == 0) return MX_OK; /* there is no list yet */
    set_views(&app->views, &r->views);
    if (app->input.force == MD_FORCE_EAM) {
        r->density.tables = r->eam.tables = app->eam;
        MX_TRY(md_eam_density_args_bind(ctx, &r->views, &r->density));
        return md_eam_force_args_bind(ctx, &r->views, &r->eam);
    }
    r->lj.lj = app->lj;
    return md_lj_args_bind(ctx, &r->views, &r->lj);
}

static mx_err build(md_app *app)
{
    md_row_list *const r = app->list;
    md_list_args args = {.cutoff_square = app->list_cutoff * app->list_cutoff};
    md_list_size size;
    MX_TRY(md_fill_bins(app));
    set_views(&app->views, &r->views);
    if (r->room == 0) MX_TRY(reserve(app, first_room(app, (double)app->local + app->ghosts)));
    if (app->local > r->rows) MX_TRY(reserve(app, r->room));
    args.bins = app->bins;
    for (;;) {
        args.room = r->room;
        MX_TRY(md_list_args_bind(app->base.ctx, &r->views, &args));
        MX_TRY(md_list_full(md_local_range(app), &args, &size));
        if (size.longest <= r->room) break;
        MX_TRY(reserve(app, size.longest + size.longest / 32 + 1));
    }
    app->pairs = size.pairs;
    return bind(app);
}

/* ---- forces ---- */

/* In the precision of the input. */
static mx_err lj_of(md_app *app, mx_range_1 atoms, md_energy *energy)
{
    md_row_list *const r = app->list;
    const bool mixed = app->input.precision == MD_PRECISION_MIXED;
    if (energy == NULL) return mixed ? md_lj_full_mixed(atoms, &r->lj) : md_lj_full(atoms, &r->lj);
    return mixed ? md_lj_full_mixed_energy(atoms, &r->lj, energy)
                 : md_lj_full_energy(atoms, &r->lj, energy);
}

static mx_err lj(md_app *app, md_energy *energy) { return lj_of(app, md_local_range(app), energy); }

/* Atoms without ghosts as neighbours come first. */
static bool has_phases(const md_app *app) { return app->interior > 0; }

static mx_err lj_phase(md_app *app, md_phase phase)
{
    const mx_ctx ctx = app->base.ctx;
    return lj_of(app,
                 phase == MD_WITHOUT_GHOSTS ? mx_range_1d(ctx, 0, app->interior)
                                            : mx_range_1d(ctx, app->interior, app->local),
                 NULL);
}

const md_list_form md_form_rows = {
    .name = "rows",
    .state_bytes = sizeof(md_row_list),
    .fits = fits,
    .destroy = destroy,
    .bytes = bytes,
    .order = md_order_by_bins,
    .build = build,
    .bind = bind,
    .bins_inverse = md_bins_inverse,
    .lj = lj,
    .has_phases = has_phases,
    .lj_phase = lj_phase,
    .eam_density = md_rows_eam_density,
    .eam_force = md_rows_eam_force,
};
