/* The neighbour list: which form it has, and how it is made. */
#include "md_app.h"

#include <math.h>

static md_cluster_atoms cluster_atoms(const md_app *app)
{
    const md_views *const v = &app->views;
    const md_box *const box = &app->box;
    md_cluster_atoms atoms = {.position = v->position,
                              .force = v->force,
                              .type = v->type,
                              .pair = v->pair,
                              .bin = v->bin,
                              .bin_atom = v->bin_atom,
                              .pushes = app->input.force == MD_FORCE_LJ,
                              .local = app->local,
                              .ghosts = app->ghosts,
                              .cutoff = app->list_cutoff};
    for (int d = 0; d < 3; d++) {
        atoms.low[d] = md_brick_low(box, d, box->brick[d]);
        atoms.high[d] = md_brick_low(box, d, box->brick[d] + 1);
    }
    return atoms;
}

mx_err md_order_atoms(md_app *app)
{
    if (app->list == MD_LIST_CLUSTERS) {
        const md_cluster_atoms atoms = cluster_atoms(app);
        return md_clusters_order(app->base.ctx, &atoms, &app->clusters, app->views.order);
    }
    return md_order_by_bins(app);
}

/* Rows for all local atoms and some that may come, of `room` neighbours. */
static mx_err reserve_list(md_app *app, int64_t room)
{
    md_views *const v = &app->views;
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
    app->list_room = (mx_lid)room;
    app->list_rows = (mx_lid)rows;
    return MX_OK;
}

/* A row for the density of the whole box and a quarter more, until rows that are longer are
 * seen. */
static int64_t first_room(const md_app *app)
{
    const double *const length = app->box.length, cutoff = app->list_cutoff;
    const double density = (double)app->atoms / (length[0] * length[1] * length[2]);
    const double sphere = 4.0 / 3.0 * MX_PI * cutoff * cutoff * cutoff;
    return (int64_t)fmin(1.25 * density * sphere, (double)app->local + app->ghosts) + 8;
}

static mx_err make_clusters(md_app *app)
{
    const md_cluster_atoms atoms = cluster_atoms(app);
    MX_TRY(md_clusters_build(app->base.ctx, &atoms, app->half, &app->clusters));
    app->pairs = app->clusters.size.pairs;
    MX_TRY(md_bind_force(app));
    if (app->input.force != MD_FORCE_EAM) return MX_OK;
    return md_eam_clusters_list(app->base.ctx, &app->clusters, app->list_cutoff,
                                &app->eam_clusters);
}

static mx_err make_rows(md_app *app)
{
    md_list_args args = {.cutoff_square = app->list_cutoff * app->list_cutoff};
    md_list_size size;
    MX_TRY(md_fill_bins(app));
    if (app->list_room == 0) MX_TRY(reserve_list(app, first_room(app)));
    if (app->local > app->list_rows) MX_TRY(reserve_list(app, app->list_room));
    args.bins = app->bins;
    for (;;) {
        args.room = app->list_room;
        MX_TRY(md_list_args_bind(app->base.ctx, &app->views, &args));
        MX_TRY(md_list_full(md_local_range(app), &args, &size));
        if (size.longest <= app->list_room) break;
        MX_TRY(reserve_list(app, size.longest + size.longest / 32 + 1));
    }
    app->pairs = size.pairs;
    return md_bind_force(app);
}

static mx_err make_flat(md_app *app)
{
    MX_TRY(md_fill_bins(app));
    MX_TRY(md_strided_build(app->base.ctx, &app->views, &app->bins, app->list_cutoff, app->local,
                            &app->flat));
    app->pairs = app->flat.pairs;
    return MX_OK;
}

mx_err md_make_list(md_app *app)
{
    if (app->is_flat) return make_flat(app);
    return app->list == MD_LIST_CLUSTERS ? make_clusters(app) : make_rows(app);
}

mx_err md_bind_list(md_app *app)
{
    const md_cluster_atoms atoms = cluster_atoms(app);
    return app->list == MD_LIST_CLUSTERS ? md_clusters_bind(app->base.ctx, &atoms, &app->clusters)
                                         : MX_OK;
}

double md_bins_inverse(const md_app *app, int d)
{
    const md_cluster_grid *const grid = &app->clusters.grid;
    if (app->list != MD_LIST_CLUSTERS) return app->bins.inverse[d];
    return d < 2 ? grid->inverse[d] : grid->bin_inverse;
}

/* On hosts the fastest list is the one of clusters, by vectors and with each pair computed once. On
 * a device it is the one with a row of neighbours for each atom, which has an item for itself. Some
 * options are for other lists only. */
static md_list_kind fastest_list(const md_input *in, bool on_host)
{
    const bool rows_only = in->ghost_newton == 1 || in->bins > 0 || in->policy == MD_POLICY_TEAM ||
                           in->newton == MD_NEWTON_ATOMIC ||
                           in->neighbours == MD_NEIGHBOURS_HALF_2D;
    /* clusters alone have half lists of these */
    const bool half_clusters = in->neighbours == MD_NEIGHBOURS_HALF &&
                               (in->force == MD_FORCE_EAM || in->precision == MD_PRECISION_MIXED);
    return half_clusters || (on_host && !rows_only) ? MD_LIST_CLUSTERS : MD_LIST_2D;
}

mx_err md_choose_list(md_app *app)
{
    const md_input *const in = &app->input;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    app->list =
        in->list == MD_LIST_AUTO ? fastest_list(in, info.host_accessible) : (md_list_kind)in->list;
    const bool clusters = app->list == MD_LIST_CLUSTERS;
    app->in_blocks = !info.host_accessible;
    app->half = in->neighbours != MD_NEIGHBOURS_AUTO
                    ? in->neighbours != MD_NEIGHBOURS_FULL
                    : in->ghost_newton == 1 || (clusters && info.host_accessible);
    app->ghost_newton = app->half && !clusters && in->ghost_newton != 0;
    app->is_flat = in->force == MD_FORCE_LJ && !clusters &&
                   (app->list != MD_LIST_2D || app->half || in->policy == MD_POLICY_TEAM);
    const bool left =
        app->list == MD_LIST_2D_LEFT || (app->list == MD_LIST_2D && info.layout == MX_LAYOUT_LEFT);
    app->clusters.mixed = in->precision == MD_PRECISION_MIXED;
    app->clusters.whole = in->force == MD_FORCE_EAM;
    app->flat.form = app->list == MD_LIST_CSR ? MD_STRIDED_CSR
                     : left                   ? MD_STRIDED_LEFT
                                              : MD_STRIDED_RIGHT;
    app->flat.half = app->half;
    app->flat.ghost_newton = app->ghost_newton;
    app->flat.atomic = in->newton == MD_NEWTON_ATOMIC;
    app->flat.team = in->policy == MD_POLICY_TEAM;
    return MX_OK;
}

void md_free_lists(md_app *app)
{
    (void)mx_view_destroy(&app->views.neighbour);
    (void)mx_view_destroy(&app->views.neighbour_count);
    md_clusters_destroy(&app->clusters);
    md_eam_clusters_destroy(&app->eam_clusters);
    md_strided_destroy(&app->flat);
}
