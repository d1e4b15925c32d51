/* Lists of clusters, as a form of lists. On hosts it is the fastest one: by vectors, and half lists
 * compute each pair once. */
#include "md_clusters.h"

#include "md_app.h"
#include "md_eam_clusters.h"

#include <math.h>

typedef struct cluster_list {
    md_clusters clusters;
    md_eam_clusters eam;
} cluster_list;

static bool is_eam(const md_app *app) { return app->input.force == MD_FORCE_EAM; }

static bool fits(const md_input *in, bool on_host)
{
    /* some options are for other lists only */
    const bool rows_only = in->ghost_newton == 1 || in->bins > 0 || in->policy == MD_POLICY_TEAM ||
                           in->newton == MD_NEWTON_ATOMIC ||
                           in->neighbours == MD_NEIGHBOURS_HALF_2D;
    /* clusters alone have half lists of these */
    const bool half_clusters = in->neighbours == MD_NEIGHBOURS_HALF &&
                               (in->force == MD_FORCE_EAM || in->precision == MD_PRECISION_MIXED);
    if (in->list != MD_LIST_AUTO) return in->list == MD_LIST_CLUSTERS;
    return half_clusters || (on_host && !rows_only);
}

static mx_err create(md_app *app)
{
    cluster_list *const l = app->list;
    l->clusters.mixed = app->input.precision == MD_PRECISION_MIXED;
    l->clusters.whole = is_eam(app);
    return MX_OK;
}

static void destroy(md_app *app)
{
    cluster_list *const l = app->list;
    md_clusters_destroy(&l->clusters);
    md_eam_clusters_destroy(&l->eam);
}

/* A list of clusters has a slot for each atom, with its position, number and type, and what forces,
 * precision and EAM need beside these. For each local atom it has an entry for each cluster, here a
 * cube of eight atoms, within the cutoff; so the centres of these are in a cube with rounded edges.
 * A fifth less: half lists leave out some of them. */
static double bytes(const md_app *app, const md_mean_counts *n)
{
    const bool eam = app->input.force == MD_FORCE_EAM;
    const bool mixed = app->input.precision == MD_PRECISION_MIXED;
    const double of_slot = 32 + (mixed ? 12 : 0) + (eam ? 32 : 0);
    const double of_local = eam ? 40 : app->half ? (mixed ? 12 : 24) : 0;
    const double c = app->list_cutoff, edge = cbrt(MD_CLUSTER / n->density);
    const double volume = edge * edge * (edge + 6 * c) + MX_PI * c * c * (3 * edge + 4.0 / 3.0 * c);
    const double entries = 0.8 * n->local * n->density * volume / MD_CLUSTER;
    return of_slot * n->held + of_local * n->local + (double)sizeof(int32_t) * entries;
}

/* ---- the list ---- */

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

static mx_err order(md_app *app)
{
    cluster_list *const l = app->list;
    const md_cluster_atoms atoms = cluster_atoms(app);
    return md_clusters_order(app->base.ctx, &atoms, &l->clusters, app->views.order);
}

static mx_err bind(md_app *app)
{
    cluster_list *const l = app->list;
    const md_cluster_atoms atoms = cluster_atoms(app);
    MX_TRY(md_clusters_bind(app->base.ctx, &atoms, &l->clusters));
    if (!is_eam(app)) return MX_OK;
    return md_eam_clusters_bind(app->base.ctx, &l->clusters, &app->views, &app->eam, &l->eam);
}

static mx_err build(md_app *app)
{
    cluster_list *const l = app->list;
    const md_cluster_atoms atoms = cluster_atoms(app);
    MX_TRY(md_clusters_build(app->base.ctx, &atoms, app->half, &l->clusters));
    app->pairs = l->clusters.size.pairs;
    MX_TRY(bind(app));
    if (!is_eam(app)) return MX_OK;
    return md_eam_clusters_list(app->base.ctx, &l->clusters, app->list_cutoff, &l->eam);
}

static double bins_inverse(const md_app *app, int d)
{
    const cluster_list *const l = app->list;
    const md_cluster_grid *const grid = &l->clusters.grid;
    return d < 2 ? grid->inverse[d] : grid->bin_inverse;
}

/* ---- forces ---- */

static mx_err lj(md_app *app, md_energy *energy)
{
    cluster_list *const l = app->list;
    MX_TRY(md_clusters_lj_local(app->base.ctx, &l->clusters, &app->lj, energy));
    return md_clusters_lj_ghosts(app->base.ctx, &l->clusters, energy);
}

static bool has_phases(const md_app *app)
{
    (void)app;
    return true;
}

static mx_err lj_phase(md_app *app, md_phase phase)
{
    cluster_list *const l = app->list;
    return phase == MD_WITHOUT_GHOSTS
               ? md_clusters_lj_local(app->base.ctx, &l->clusters, &app->lj, NULL)
               : md_clusters_lj_ghosts(app->base.ctx, &l->clusters, NULL);
}

static mx_err eam_density(md_app *app, double *embedding)
{
    cluster_list *const l = app->list;
    return md_eam_clusters_density(app->base.ctx, &l->clusters, &l->eam, embedding);
}

static mx_err eam_force(md_app *app, md_energy *energy)
{
    cluster_list *const l = app->list;
    return md_eam_clusters_force(app->base.ctx, &l->clusters, &l->eam, energy);
}

static mx_err eam_touching(md_app *app, int64_t *touching)
{
    const cluster_list *const l = app->list;
    return md_eam_clusters_touching(app->base.ctx, &l->clusters, &l->eam, touching);
}

const md_list_form md_form_clusters = {
    .name = "clusters",
    .state_bytes = sizeof(cluster_list),
    .half_on_hosts = true,
    .eam_slopes = true,
    .fits = fits,
    .create = create,
    .destroy = destroy,
    .bytes = bytes,
    .order = order,
    .build = build,
    .bind = bind,
    .bins_inverse = bins_inverse,
    .lj = lj,
    .has_phases = has_phases,
    .lj_phase = lj_phase,
    .eam_density = eam_density,
    .eam_force = eam_force,
    .eam_touching = eam_touching,
};
