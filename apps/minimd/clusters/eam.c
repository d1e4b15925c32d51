/* The embedded-atom method on lists of clusters, as drivers use it: see md_eam_clusters.h. */
#include "md_eam_clusters.h"

#include <inttypes.h>
#include <math.h>

/* The margin of the inner cutoff, as a share of what the list's is longer than the potential's. With
 * a longer one more pairs are computed in each step, with a shorter one outer pairs are needed
 * sooner. Atoms of the default problem move by up to 0.155 of the skin between two lists. */
#define MARGIN 0.33
/* Lengths are computed from coordinates as they are stored, so they have a relative error of some
 * 1e-15. The inner cutoff is longer by this share, and atoms may move less far by it. */
#define ROUNDING 1e-12

static mx_err fit_slots(mx_ctx ctx, const char *label, int64_t clusters, mx_view *view)
{
    const int64_t extents[] = {clusters * MD_CLUSTER, 4};
    return md_fit_view(ctx, label, MX_F64, 2, extents, MX_LAYOUT_RIGHT, view);
}

static mx_err fit_line(mx_ctx ctx, const char *label, int64_t count, mx_view *view)
{
    return md_fit_view(ctx, label, MX_I32, 1, &count, MX_LAYOUT_DEFAULT, view);
}

/* Vectors of so many pairs, in groups of four, or as one group. */
static mx_err fit_vectors(mx_ctx ctx, int64_t vectors, int64_t width, md_eam_cluster_views *v)
{
    const int64_t groups[] = {vectors, (width + 3) / 4}, pairs[] = {vectors, width};
    MX_TRY(md_fit_view(ctx, "atoms of pairs", MX_I32, 2, groups, MX_LAYOUT_RIGHT, &v->self));
    return md_fit_view(ctx, "pairs", MX_I32, 2, pairs, MX_LAYOUT_RIGHT, &v->other);
}

/* The pairs, from the rows of clusters. */
static mx_err find_pairs(mx_ctx ctx, const md_clusters *c, double inner_cutoff,
                         md_eam_cluster_views *v)
{
    const int64_t local = c->local_clusters, parts = MD_EAM_PARTS * local;
    md_eam_list_args args = {.local_clusters = c->local_clusters,
                             .inner_square = inner_cutoff * inner_cutoff};
    int64_t vectors = 0, width = 0, wrong = 0;
    MX_ASSERT(c->whole);
    MX_TRY(fit_line(ctx, "vectors of pairs", parts, &v->count));
    MX_TRY(fit_line(ctx, "first vectors", parts + 1, &v->begin));
    if (v->other.generation == 0) MX_TRY(fit_vectors(ctx, 0, MD_CLUSTER, v));
    MX_TRY(md_eam_list_args_bind(ctx, v, &args));
    MX_TRY(md_eam_count_pairs(mx_range_1d(ctx, 0, 2 * local), &args, &width));
    const md_vector_views counts = {v->count, v->begin};
    MX_TRY(md_vectors_begin(ctx, &counts, parts, &vectors));
    if (local == 0) width = MD_CLUSTER; /* there are no vectors, so any width will do */
    MX_TRY(fit_vectors(ctx, vectors, width, v));
    MX_TRY(md_eam_list_args_bind(ctx, v, &args));
    MX_TRY(md_eam_fill_vectors(mx_range_1d(ctx, 0, 2 * local), &args, &wrong));
    MX_REQUIRE(wrong == 0, MX_ERR_EXTENT,
               "a list of clusters: %" PRId64
               " parts have more or fewer vectors of pairs than were counted: two kernels round "
               "distances differently",
               wrong);
    return MX_OK;
}

mx_err md_eam_clusters_bind(mx_ctx ctx, const md_clusters *c, const md_views *views,
                            const md_eam_tables *tables, md_eam_clusters *e)
{
    md_eam_cluster_views *const v = &e->views;
    const md_cluster_views *const from = &c->views;
    if (from->near.generation == 0) return MX_OK; /* there is no list yet */
    v->position = views->position;
    v->slot_atom = from->slot_atom;
    v->slot_type = from->slot_type;
    v->point = from->point;
    v->first = from->first;
    v->local_end = from->local_end;
    v->row_end = from->row_end;
    v->near = from->near;
    v->force = views->force;
    v->derivative = views->derivative;
    v->pair_knots = views->pair_knots;
    v->pair_slopes = views->pair_slopes;
    v->embedding_knots = views->embedding_knots;
    e->args.tables = *tables;
    return v->other.generation == 0 ? MX_OK : md_eam_cluster_args_bind(ctx, v, &e->args);
}

mx_err md_eam_clusters_list(mx_ctx ctx, const md_clusters *c, double list_cutoff,
                            md_eam_clusters *e)
{
    const double cutoff = sqrt(e->args.tables.cutoff_square);
    const double margin = MARGIN * fmax(list_cutoff - cutoff, 0);
    const double allowed = 0.5 * margin * (1 - ROUNDING);
    const int64_t slots = (int64_t)c->local_clusters * MD_CLUSTER, one = 1;
    md_eam_cluster_views *const v = &e->views;
    MX_TRY(fit_slots(ctx, "places", c->clusters, &v->place));
    MX_TRY(fit_slots(ctx, "sums", c->local_clusters, &v->sum));
    MX_TRY(md_fit_view(ctx, "moved", MX_F64, 1, &one, MX_LAYOUT_DEFAULT, &v->moved));
    MX_TRY(md_fit_view(ctx, "densities", MX_F64, 1, &slots, MX_LAYOUT_DEFAULT, &v->density));
    MX_TRY(find_pairs(ctx, c, (cutoff + margin) * (1 + ROUNDING), v));
    e->args.allowed_square = allowed * allowed;
    e->args.grid = c->grid;
    e->args.local_clusters = c->local_clusters;
    return md_eam_cluster_args_bind(ctx, v, &e->args);
}

void md_eam_clusters_destroy(md_eam_clusters *e)
{
    md_eam_cluster_views *const v = &e->views;
    mx_view *const views[] = {&v->place, &v->density, &v->sum,  &v->moved,
                              &v->count, &v->begin,   &v->self, &v->other};
    for (size_t n = 0; n < sizeof views / sizeof *views; n++) (void)mx_view_destroy(views[n]);
    *e = (md_eam_clusters){0};
}

static mx_range_1 local_slots(mx_ctx ctx, const md_clusters *c)
{
    return mx_range_1d(ctx, 0, (int64_t)c->local_clusters * MD_CLUSTER);
}

static mx_err add_densities(mx_ctx ctx, md_clusters *c, md_eam_clusters *e)
{
    if (!c->half) return md_eam_cluster_densities(mx_range_1d(ctx, 0, c->local_clusters), &e->args);
    for (int colour = 0; colour < MD_COLOURS; colour++)
        MX_TRY(md_eam_tile_densities(md_tiles(ctx, &c->grid, colour, e->args.colour), &e->args));
    return MX_OK;
}

mx_err md_eam_clusters_density(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, double *embedding)
{
    const int64_t slots = (int64_t)c->clusters * MD_CLUSTER;
    MX_TRY(md_eam_load_places_into(mx_range_1d(ctx, 0, slots), &e->args, e->views.moved, 0));
    MX_TRY(add_densities(ctx, c, e));
    return embedding ? md_eam_embed_slots_energy(local_slots(ctx, c), &e->args, embedding)
                     : md_eam_embed_slots(local_slots(ctx, c), &e->args);
}

static mx_err add_forces(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, md_energy *energy)
{
    const mx_range_1 clusters = mx_range_1d(ctx, 0, c->local_clusters);
    if (!c->half)
        return energy ? md_eam_cluster_forces_energy(clusters, &e->args, energy)
                      : md_eam_cluster_forces(clusters, &e->args);
    if (energy) *energy = (md_energy){0, 0, 0};
    for (int colour = 0; colour < MD_COLOURS; colour++) {
        const mx_range_1 tiles = md_tiles(ctx, &c->grid, colour, e->args.colour);
        md_energy share;
        MX_TRY(energy ? md_eam_tile_forces_energy(tiles, &e->args, &share)
                      : md_eam_tile_forces(tiles, &e->args));
        if (energy) md_add_energies(&share, energy);
    }
    return MX_OK;
}

mx_err md_eam_clusters_force(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, md_energy *energy)
{
    const int64_t local = (int64_t)c->local_clusters * MD_CLUSTER;
    const int64_t all = (int64_t)c->clusters * MD_CLUSTER;
    MX_TRY(md_eam_load_derivatives(mx_range_1d(ctx, local, all), &e->args));
    MX_TRY(add_forces(ctx, c, e, energy));
    return md_eam_store_forces(local_slots(ctx, c), &e->args);
}

mx_err md_eam_clusters_touching(mx_ctx ctx, const md_clusters *c, const md_eam_clusters *e,
                                int64_t *touching)
{
    return md_eam_count_touching(mx_range_1d(ctx, 0, (int64_t)MD_EAM_PARTS * c->local_clusters),
                                 &e->args, touching);
}
