/* Lists of clusters, as drivers use them: md_clusters.h explains the method. */
#include "md_clusters.h"
#include "minx/kit/sort.h"

#include <inttypes.h>

/* Bins of a column in the height of a cluster, and the room of a row at first. */
enum { BINS_A_CLUSTER = 8, ROOM_HALF = 24, ROOM_FULL = 32 };

/* ---- views ---- */

mx_err md_fit_view(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                   mx_layout layout, mx_view *view)
{
    const mx_view_options options = {.layout = layout, .uninitialized = true};
    int64_t grown[MX_MAX_RANK];
    if (view->generation != 0) {
        mx_view_info info;
        MX_TRY(mx_view_get_info(*view, &info));
        bool fits = info.extent[0] >= extents[0];
        for (int d = 1; d < rank; d++) fits = fits && info.extent[d] == extents[d];
        if (fits) return MX_OK;
        MX_TRY(mx_view_destroy(view));
    }
    for (int d = 0; d < rank; d++) grown[d] = extents[d];
    grown[0] += grown[0] / 16 + 1;
    return mx_view_create(ctx, label, type, rank, grown, &options, view);
}

mx_err md_vectors_begin(mx_ctx ctx, const md_vector_views *v, int64_t parts, int64_t *vectors)
{
    md_vector_args args = {.parts = (int)parts};
    MX_TRY(md_vector_args_bind(ctx, v, &args));
    MX_TRY(md_number_vectors(mx_range_1d(ctx, 0, parts + 1), &args, vectors));
    MX_REQUIRE(*vectors < MX_INDEX_END, MX_ERR_EXTENT,
               "a list of clusters would need %" PRId64
               " vectors of pairs (limit %d): use more ranks, or a shorter cutoff or skin",
               *vectors, MX_INDEX_END);
    return MX_OK;
}

static mx_err fit_line(mx_ctx ctx, const char *label, int64_t count, mx_view *view)
{
    return md_fit_view(ctx, label, MX_I32, 1, &count, MX_LAYOUT_DEFAULT, view);
}

static mx_err fit_points(mx_ctx ctx, const char *label, mx_type type, int64_t clusters, int rows,
                         mx_view *view)
{
    const int64_t extents[] = {clusters, rows, MD_CLUSTER};
    return md_fit_view(ctx, label, type, 3, extents, MX_LAYOUT_RIGHT, view);
}

static mx_err fit_table(mx_ctx ctx, const char *label, mx_type type, int64_t clusters,
                        int64_t columns, mx_view *view)
{
    const int64_t extents[] = {clusters, columns};
    return md_fit_view(ctx, label, type, 2, extents, MX_LAYOUT_RIGHT, view);
}

static void set_views(const md_cluster_atoms *atoms, md_cluster_views *v)
{
    v->position = atoms->position;
    v->force = atoms->force;
    v->type = atoms->type;
    v->pair = atoms->pair;
    v->bin = atoms->bin;
    v->bin_atom = atoms->bin_atom;
}

/* Of the coordinates, those of the precision. */
static mx_err bind_forces(mx_ctx ctx, const md_cluster_views *v, bool mixed, md_cluster_args *a)
{
    if (mixed) {
        mx_bind_none(&a->point);
        mx_bind_none(&a->push);
        MX_TRY(mx_bind(ctx, v->fixed, &a->fixed));
        MX_TRY(mx_bind(ctx, v->push_single, &a->push_single));
    } else {
        MX_TRY(mx_bind(ctx, v->point, &a->point));
        MX_TRY(mx_bind(ctx, v->push, &a->push));
        mx_bind_none(&a->fixed);
        mx_bind_none(&a->push_single);
    }
    MX_TRY(mx_bind(ctx, v->slot_atom, &a->slot_atom));
    MX_TRY(mx_bind(ctx, v->slot_type, &a->slot_type));
    MX_TRY(mx_bind(ctx, v->first, &a->first));
    MX_TRY(mx_bind(ctx, v->local_end, &a->local_end));
    MX_TRY(mx_bind(ctx, v->row_end, &a->row_end));
    MX_TRY(mx_bind(ctx, v->near, &a->near));
    MX_TRY(mx_bind(ctx, v->pair, &a->pair));
    return mx_bind(ctx, v->force, &a->force);
}

mx_err md_clusters_bind(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c)
{
    set_views(atoms, &c->views);
    if (c->views.near.generation == 0) return MX_OK; /* there is no list yet */
    MX_TRY(md_point_args_bind(ctx, &c->views, &c->load));
    if (c->mixed) MX_TRY(md_fixed_args_bind(ctx, &c->views, &c->load_mixed));
    /* other forces have no such pairs */
    return atoms->pair.generation == 0 ? MX_OK : bind_forces(ctx, &c->views, c->mixed, &c->args);
}

void md_clusters_destroy(md_clusters *c)
{
    md_cluster_views *const v = &c->views;
    mx_view *const views[] = {&v->bin_begin, &v->first, &v->slot_atom, &v->slot_type,
                              &v->point,     &v->push,  &v->extent,    &v->local_end,
                              &v->row_end,   &v->near,  &v->fixed,     &v->push_single};
    for (size_t n = 0; n < sizeof views / sizeof *views; n++) (void)mx_view_destroy(views[n]);
    *c = (md_clusters){0};
}

/* ---- columns ---- */

static int at_least_one(double x) { return x < 1 ? 1 : x > 1e6 ? 1000000 : (int)x; }

static mx_err make_grid(const md_cluster_atoms *atoms, md_cluster_grid *g)
{
    double side[3], volume = 1, narrowest = INFINITY;
    for (int d = 0; d < 3; d++) {
        side[d] = atoms->high[d] - atoms->low[d];
        volume *= side[d];
    }
    /* a cube of a cluster's atoms; in a flat brick a column has as many */
    const double clusters = (atoms->local > 0 ? atoms->local : 1) / (double)MD_CLUSTER;
    const double edge = fmax(cbrt(volume / clusters), sqrt(side[0] * side[1] / clusters));
    for (int d = 0; d < 2; d++) {
        g->low[d] = atoms->low[d];
        g->columns[d] = at_least_one(side[d] / edge + 0.5);
        g->inverse[d] = g->columns[d] / side[d];
        g->margin[d] = (int)ceil(atoms->cutoff * g->inverse[d] + 1e-9);
        narrowest = fmin(narrowest, 1 / g->inverse[d]);
    }
    g->tile = (int)ceil(atoms->cutoff / narrowest + 1e-9); /* so a tile is wider than the cutoff */
    for (int d = 0; d < 2; d++) g->tiles[d] = (g->columns[d] + g->tile - 1) / g->tile;
    const double height = side[2] + 2 * atoms->cutoff;
    g->bin_low = atoms->low[2] - atoms->cutoff;
    g->bins = at_least_one(height / edge * BINS_A_CLUSTER);
    g->bin_inverse = g->bins / height;
    const double bins = (double)md_all_columns(g) * g->bins;
    MX_REQUIRE(bins < MX_INDEX_END, MX_ERR_EXTENT,
               "a list of clusters would need %.3g bins for %d atoms (limit %d): use more ranks",
               bins, atoms->local, MX_INDEX_END);
    return MX_OK;
}

/* `order`: the atoms by columns, and in these by z. bin_begin: where those of a bin begin. */
static mx_err sort_by_bins(mx_ctx ctx, int local, int64_t count, md_clusters *c, mx_view order)
{
    const int64_t begins = (int64_t)md_all_columns(&c->grid) * c->grid.bins + 1;
    md_cluster_views *const v = &c->views;
    md_cell_args args = {.grid = c->grid, .local = local};
    mx_view bin, begin, atom;
    MX_TRY(fit_line(ctx, "bin begins", begins, &v->bin_begin));
    MX_TRY(md_cell_args_bind(ctx, v, &args));
    MX_TRY(md_find_cells(mx_range_1d(ctx, 0, count), &args));
    MX_TRY(mx_subview(v->bin, MX_SLICES(mx_span(0, count)), &bin));
    MX_TRY(mx_subview(v->bin_begin, MX_SLICES(mx_span(0, begins)), &begin));
    MX_TRY(mx_subview(order, MX_SLICES(mx_span(0, count)), &atom));
    const mx_err err = mx_bin_sort(ctx, bin, begin, atom);
    MX_TRY(mx_view_destroy(&bin));
    MX_TRY(mx_view_destroy(&begin));
    MX_TRY(mx_view_destroy(&atom));
    return err;
}

mx_err md_clusters_order(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c, mx_view order)
{
    set_views(atoms, &c->views);
    MX_TRY(make_grid(atoms, &c->grid));
    return sort_by_bins(ctx, atoms->local, atoms->local, c, order);
}

/* ---- clusters ---- */

static mx_err make_clusters(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c)
{
    const int columns = md_all_columns(&c->grid);
    md_cluster_views *const v = &c->views;
    md_count_args count = {.grid = c->grid};
    md_fill_args fill = {.grid = c->grid};
    int32_t total = 0, local = 0;
    MX_TRY(fit_line(ctx, "first clusters", (int64_t)columns + 1, &v->first));
    MX_TRY(md_count_args_bind(ctx, v, &count));
    MX_TRY(md_count_clusters(mx_range_1d(ctx, 0, (int64_t)columns + 1), &count, &total));
    MX_TRY(mx_read_element(ctx, v->first, md_local_columns(&c->grid), &local));
    MX_REQUIRE(total <= MD_MAX_CLUSTERS, MX_ERR_EXTENT,
               "a rank would have %d clusters of atoms (limit %d): use more ranks, or list=2d",
               total, MD_MAX_CLUSTERS);
    c->clusters = total;
    c->local_clusters = local;
    c->push_rows = c->half && atoms->pushes ? local : 0;
    MX_TRY(fit_table(ctx, "slot atoms", MX_I32, total, MD_CLUSTER, &v->slot_atom));
    MX_TRY(fit_table(ctx, "slot types", MX_I32, total, MD_CLUSTER, &v->slot_type));
    MX_TRY(fit_table(ctx, "extents", MX_F64, total, 6, &v->extent));
    MX_TRY(fit_points(ctx, "points", MX_F64, total, 3, &v->point));
    MX_TRY(fit_points(ctx, "pushes", MX_F64, c->mixed ? 0 : c->push_rows, 3, &v->push));
    if (c->mixed) {
        MX_TRY(fit_points(ctx, "fixed points", MX_I32, total, 3, &v->fixed));
        MX_TRY(fit_points(ctx, "pushes", MX_F32, c->push_rows, 3, &v->push_single));
    }
    MX_TRY(md_fill_args_bind(ctx, v, &fill));
    return md_fill_clusters(mx_range_1d(ctx, 0, columns), &fill);
}

static mx_err measure_clusters(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c)
{
    const mx_range_1 all = mx_range_1d(ctx, 0, c->clusters);
    double farthest = 0;
    for (int d = 0; d < 3; d++)
        farthest = fmax(farthest, fmax(fabs(atoms->low[d]), fabs(atoms->high[d])));
    c->load.far = farthest + 1e4 * atoms->cutoff;
    c->load.push_rows = c->mixed ? 0 : c->push_rows;
    c->args.unit = ldexp(1.0, ilogb(atoms->cutoff) - 27);
    c->load_mixed.units_per_length = 1 / c->args.unit;
    c->load_mixed.push_rows = c->push_rows;
    MX_TRY(md_point_args_bind(ctx, &c->views, &c->load));
    MX_TRY(md_load_points(all, &c->load));
    return md_measure_clusters(all, &c->load);
}

/* ---- rows ---- */

static mx_err fit_rows(mx_ctx ctx, md_clusters *c)
{
    const int64_t rows = (int64_t)c->local_clusters * MD_CLUSTER;
    const int64_t extents[] = {rows, c->room};
    md_cluster_views *const v = &c->views;
    MX_TRY(fit_line(ctx, "local ends", rows, &v->local_end));
    MX_TRY(fit_line(ctx, "row ends", rows, &v->row_end));
    return md_fit_view(ctx, "near clusters", MX_I32, 2, extents, MX_LAYOUT_DEFAULT, &v->near);
}

static mx_err find_rows(mx_ctx ctx, double cutoff, md_clusters *c)
{
    md_near_args args = {
        .grid = c->grid, .cutoff = cutoff, .half = c->half, .whole = c->whole, .mixed = c->mixed};
    if (c->room == 0) c->room = c->half ? ROOM_HALF : ROOM_FULL;
    for (;;) {
        args.room = c->room;
        MX_TRY(fit_rows(ctx, c));
        MX_TRY(md_near_args_bind(ctx, &c->views, &args));
        MX_TRY(md_find_near(mx_range_1d(ctx, 0, c->local_clusters), &args, &c->size));
        if (c->size.longest <= c->room) return MX_OK;
        c->room = (int)(c->size.longest + c->size.longest / 16 + 1);
    }
}

mx_err md_clusters_build(mx_ctx ctx, const md_cluster_atoms *atoms, bool half, md_clusters *c)
{
    if (half != c->half) c->room = 0;
    c->half = half;
    set_views(atoms, &c->views);
    MX_TRY(make_grid(atoms, &c->grid));
    MX_TRY(
        sort_by_bins(ctx, atoms->local, (int64_t)atoms->local + atoms->ghosts, c, atoms->bin_atom));
    MX_TRY(make_clusters(ctx, atoms, c));
    MX_TRY(measure_clusters(ctx, atoms, c));
    MX_TRY(find_rows(ctx, atoms->cutoff, c));
    c->args.grid = c->grid;
    return md_clusters_bind(ctx, atoms, c);
}

/* ---- forces ---- */

mx_range_1 md_tiles(mx_ctx ctx, const md_cluster_grid *grid, int number, int *colour)
{
    const int x = number % MD_COLOURS_X, y = number / MD_COLOURS_X;
    const int across = (grid->tiles[0] - x + MD_COLOURS_X - 1) / MD_COLOURS_X;
    const int down = (grid->tiles[1] - y + MD_COLOURS_Y - 1) / MD_COLOURS_Y;
    colour[0] = x;
    colour[1] = y;
    return mx_dynamic_1d(mx_tiled_1d(mx_range_1d(ctx, 0, (int64_t)across * down), 1));
}

void md_add_energies(const md_energy *share, md_energy *energy)
{
    energy->potential += share->potential;
    energy->virial += share->virial;
    energy->at_cutoff += share->at_cutoff;
}

static mx_err add_energy(mx_err err, const md_energy *share, md_energy *energy)
{
    if (err == MX_OK) md_add_energies(share, energy);
    return err;
}

/* A kernel in its two forms: with `energy` NULL, and adding to it. */
#define LAUNCH_FORM(kernel, range, c, energy)     \
    ((energy) == NULL ? kernel(range, &(c)->args) \
                      : add_energy(kernel##_energy(range, &(c)->args, &share), &share, energy))
/* The same in the precision of pairs. */
#define LAUNCH(kernel, range, c, energy)                        \
    ((c)->mixed ? LAUNCH_FORM(kernel##_mixed, range, c, energy) \
                : LAUNCH_FORM(kernel, range, c, energy))

/* The coordinates of clusters from `begin` on. */
static mx_err load_points(mx_ctx ctx, const md_clusters *c, int begin, int end)
{
    const mx_range_1 range = mx_range_1d(ctx, begin, end);
    return c->mixed ? md_load_fixed(range, &c->load_mixed) : md_load_points(range, &c->load);
}

/* Colour by colour. */
static mx_err push_tiles(mx_ctx ctx, md_clusters *c, md_energy *energy)
{
    for (int colour = 0; colour < MD_COLOURS; colour++) {
        const mx_range_1 tiles = md_tiles(ctx, &c->grid, colour, c->args.colour);
        md_energy share = {0, 0, 0};
        MX_TRY(LAUNCH(md_lj_tiles, tiles, c, energy));
    }
    const mx_range_1 local = mx_range_1d(ctx, 0, c->local_clusters);
    return c->mixed ? md_store_pushes_mixed(local, &c->args) : md_store_pushes(local, &c->args);
}

mx_err md_clusters_lj_local(mx_ctx ctx, md_clusters *c, const md_lj_pairs *lj, md_energy *energy)
{
    const mx_range_1 rows = mx_range_1d(ctx, 0, (int64_t)c->local_clusters * MD_CLUSTER);
    md_energy share = {0, 0, 0};
    c->args.lj = *lj;
    c->args.lj.one_pair = lj->one_pair && !lj->shifted;
    if (energy != NULL) *energy = share;
    MX_TRY(load_points(ctx, c, 0, c->local_clusters));
    return c->half ? push_tiles(ctx, c, energy) : LAUNCH(md_lj_rows, rows, c, energy);
}

mx_err md_clusters_lj_ghosts(mx_ctx ctx, md_clusters *c, md_energy *energy)
{
    const mx_range_1 rows = mx_range_1d(ctx, 0, (int64_t)c->local_clusters * MD_CLUSTER);
    md_energy share = {0, 0, 0};
    MX_TRY(load_points(ctx, c, c->local_clusters, c->clusters));
    return LAUNCH(md_lj_ghosts, rows, c, energy);
}
