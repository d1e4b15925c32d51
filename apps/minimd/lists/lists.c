/* Bins, sorting, and the neighbour list. */
#include "md_app.h"
#include "minx/sort.h"

#include <math.h>

/* Bins with sides of at least `min_side`; returns how many there are. They fill the brick and the
 * list's cutoff around it. */
static double set_bins(md_app *app, double min_side)
{
    const md_box *const box = &app->box;
    md_bins *const b = &app->bins;
    double all = 1;
    for (int d = 0; d < 3; d++) {
        const double low = md_brick_low(box, d, box->brick[d]) - app->list_cutoff;
        const double width = md_brick_low(box, d, box->brick[d] + 1) + app->list_cutoff - low;
        const double wanted =
            app->input.bins > 0 ? box->length[d] / app->input.bins : 0.5 * app->list_cutoff;
        const double bins = fmax(1, floor(width / fmax(wanted, min_side)));
        b->bins[d] = (int)fmin(bins, 1e9);
        b->low[d] = low;
        b->inverse[d] = b->bins[d] / width;
        b->cutoff_bins[d] = (int)ceil(app->list_cutoff * b->inverse[d]);
        all *= bins;
    }
    return all;
}

/* Sides of about half the cutoff, or those of the input's number of bins along the box; larger ones
 * where there would be more than four bins for each atom. */
static void choose_bins(md_app *app)
{
    const md_bins *const b = &app->bins;
    const double limit = 4 * fmax(64, app->local + app->ghosts);
    double bins = set_bins(app, 0), volume = 1;
    for (int d = 0; d < 3; d++) volume *= b->bins[d] / b->inverse[d];
    /* in a long box all bins may be along one axis: then cubes of the mean volume are too many */
    for (double side = cbrt(volume / limit); bins > limit; side *= 1.1) bins = set_bins(app, side);
}

static int64_t count_bins(const md_bins *b)
{
    return (int64_t)b->bins[0] * b->bins[1] * b->bins[2];
}

/* A view of the begins of so many bins. */
static mx_err reserve_bins(md_app *app, int64_t bins)
{
    mx_view_info info = {0};
    if (app->views.bin_begin.generation != 0) MX_TRY(mx_view_get_info(app->views.bin_begin, &info));
    if (info.extent[0] == bins + 1) return MX_OK;
    MX_TRY(mx_view_destroy(&app->views.bin_begin));
    return mx_view_create_1d(app->base.ctx, "bin begins", MX_I32, bins + 1, &app->views.bin_begin);
}

/* Sorts atoms 0 to atoms - 1, whose bins are known: their order goes to `order_view`, and where
 * bins begin to `begins`, unless it is NULL. */
static mx_err sort_bins(md_app *app, int64_t atoms, const mx_view *begins, mx_view order_view)
{
    const mx_view none = {0};
    mx_view bin, order;
    MX_TRY(mx_subview(app->views.bin, MX_SLICES(mx_span(0, atoms)), &bin));
    mx_err err = mx_subview(order_view, MX_SLICES(mx_span(0, atoms)), &order);
    if (err == MX_OK) {
        err = mx_bin_sort(app->base.ctx, bin, begins != NULL ? *begins : none, order);
        MX_TRY(mx_view_destroy(&order));
    }
    MX_TRY(mx_view_destroy(&bin));
    return err;
}

/* ---- sorting ---- */

/* Moves a vector of all atoms to `spare`, in the new order, and swaps the views. */
static mx_err sort_vector(md_app *app, mx_view *vector, mx_view *spare)
{
    md_sort_vectors_args args;
    MX_TRY(mx_bind(app->base.ctx, app->views.order, &args.order));
    MX_TRY(mx_bind(app->base.ctx, *vector, &args.from));
    MX_TRY(mx_bind(app->base.ctx, *spare, &args.to));
    MX_TRY(md_sort_vectors(md_local_range(app), &args));
    const mx_view sorted = *spare;
    *spare = *vector;
    *vector = sorted;
    return MX_OK;
}

static void swap(mx_view *a, mx_view *b)
{
    const mx_view kept = *a;
    *a = *b;
    *b = kept;
}

/* Whole blocks have more places than there are bins. Where they have many more, because the box is
 * flat, bins are sorted by. */
static void choose_order(const md_app *app, md_order_args *args)
{
    const md_bins *const b = &app->bins;
    const int64_t bins = count_bins(b);
    double places = (double)MD_BLOCK * MD_BLOCK * MD_BLOCK;
    for (int d = 0; d < 3; d++) places *= md_blocks_along(b, d);
    args->bins = *b;
    args->in_blocks = app->in_blocks && places <= fmin(8.0 * (double)bins, 1e9);
    args->places = args->in_blocks ? (int)places : (int)bins;
}

/* Finds the new order of local atoms, by bins; on several ranks first those that are farther than
 * the list's cutoff from the sides of the brick, then the others. */
static mx_err find_order(md_app *app)
{
    const md_box *const box = &app->box;
    const bool one_rank = app_size(app->base.comm) == 1;
    md_order_args args = {.in_blocks = false};
    int64_t interior;
    choose_order(app, &args);
    for (int d = 0; d < 3; d++) {
        const double low = md_brick_low(box, d, box->brick[d]),
                     high = md_brick_low(box, d, box->brick[d] + 1);
        args.inner_low[d] = one_rank ? -INFINITY : low + app->list_cutoff;
        args.inner_high[d] = one_rank ? INFINITY : high - app->list_cutoff;
    }
    MX_TRY(md_order_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_find_places(md_local_range(app), &args, &interior));
    app->interior = one_rank ? 0 : (mx_lid)interior;
    return sort_bins(app, app->local, NULL, app->views.order);
}

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

static mx_err order_atoms(md_app *app)
{
    if (app->list == MD_LIST_CLUSTERS) {
        const md_cluster_atoms atoms = cluster_atoms(app);
        return md_clusters_order(app->base.ctx, &atoms, &app->clusters, app->views.order);
    }
    choose_bins(app);
    return find_order(app);
}

/* The forces will be computed anew, so that their view is the spare one for positions and
 * velocities. */
mx_err md_sort_atoms(md_app *app)
{
    md_views *const v = &app->views;
    md_sort_names_args names;
    MX_TRY(order_atoms(app));
    MX_TRY(sort_vector(app, &v->position, &v->force));
    MX_TRY(sort_vector(app, &v->velocity, &v->force));
    MX_TRY(md_sort_names_args_bind(app->base.ctx, v, &names));
    MX_TRY(md_sort_names(md_local_range(app), &names));
    swap(&v->type, &v->type_spare);
    swap(&v->id, &v->id_spare);
    return md_bind(app);
}

/* ---- the list ---- */

/* Bins of local atoms and ghosts. */
static mx_err fill_bins(md_app *app)
{
    const int64_t atoms = (int64_t)app->local + app->ghosts;
    md_bin_args args = {.bins = app->bins};
    MX_TRY(md_bin_args_bind(app->base.ctx, &app->views, &args));
    MX_TRY(md_find_bins(mx_range_1d(app->base.ctx, 0, atoms), &args));
    MX_TRY(reserve_bins(app, count_bins(&app->bins)));
    return sort_bins(app, atoms, &app->views.bin_begin, app->views.bin_atom);
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
    choose_bins(app);
    MX_TRY(fill_bins(app));
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
    choose_bins(app);
    MX_TRY(fill_bins(app));
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
