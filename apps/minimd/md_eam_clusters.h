/* The embedded-atom method on lists of clusters (md_clusters.h; md_potential.h has the formulas).
 *
 * The steps are those of force_eam.c. Densities and forces are computed cluster by cluster. First the pairs of its eight atoms that
 * are within the cutoff are found in the rows of the list, by vectors and without gathers; the numbers of the other atoms are written one
 * after another. So square roots and tables are computed for full vectors of pairs that matter: of the lanes of clusters these are
 * one in four. Finding takes as long as all the rest. So densities keep the pairs that they found, and forces use them, where those
 * of a cluster fit in one batch (MD_BATCH, 136 bytes an atom); where they do not, forces find them anew. Coordinates and coefficients
 * are loaded by rows of four numbers (minx/simd_rows.h): x, y, z and F'(rho) of an atom, and the four coefficients of an interval of
 * a spline.
 *
 * Half lists: a pair of own atoms is in one row, which adds to both atoms. Tiles and colours are those of the Lennard-Jones forces, so
 * results have the same bits for any number of threads. A pair with a ghost gives its own atom's share. Only pairs of own atoms are
 * kept.
 *
 * Rejected: all of a vector's work in one loop, from coordinates to sums (its chain of dependent operations is so long that a core
 * cannot compute enough vectors at the same time); tables of floats (forces would not be the gradient of the energy). */
#pragma once
#include "md_clusters.h"
#include "md_eam_kernels.h"

MX_ACCESSOR(md_quads, double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 4)
MX_ACCESSOR(md_const_quads, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 4)

enum { MD_BATCH_VECTORS = 32, MD_BATCH = MD_BATCH_VECTORS * MD_CLUSTER };
MX_ACCESSOR(md_kept_pairs, int32_t, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, MD_BATCH + MD_CLUSTER)

/* Slots are numbered through: slot s of cluster c is c * MD_CLUSTER + s. */
typedef struct md_eam_cluster_views {
    /* of md_cluster_views */
    mx_view point, slot_atom, slot_type, first, own_end, row_end, near;
    mx_view force, derivative, pair_knots, embedding_knots; /* of md_views */
    mx_view place; /* f64 [slots][4]: x, y, z, and F'(rho) */
    /* What densities found. Of each own cluster: 4 * slot of the other atoms, the pairs of each atom, and whether these are all. */
    mx_view kept;       /* i32 [own clusters][MD_BATCH + MD_CLUSTER] */
    mx_view kept_count; /* i32 [own clusters][MD_CLUSTER] */
    mx_view kept_all;   /* i32 [own clusters] */
    mx_view sum;        /* f64 [own slots][4]: the force, and rho */
} md_eam_cluster_views;

typedef struct md_eam_cluster_args {
    md_const_points point;
    md_const_slots slot_atom, slot_type;
    mx_ci32_1 first, own_end, row_end;
    mx_ci32_2 near;
    md_pair_knots pair_knots;
    md_embedding_knots embedding_knots;
    md_quads place;
    md_quads sum;
    md_kept_pairs kept;
    md_slots kept_count;
    mx_i32_1 kept_all;
    mx_f64_1 derivative;
    mx_f64_2 force;
    md_eam_tables tables;
    md_cluster_grid grid;
    int colour[2];
    int own_clusters;
} md_eam_cluster_args;
MX_BUNDLE(md_eam_cluster_args, md_eam_cluster_views, point, slot_atom, slot_type, first, own_end,
          row_end, near, pair_knots, embedding_knots, place, sum, kept, kept_count, kept_all,
          derivative, force)

/* Over clusters: coordinates of places; sum = 0 */
MX_DECLARE_FOR(1D, md_eam_load_places, md_eam_cluster_args)
/* Over own clusters (full lists), or tiles of a colour (half lists): densities; forces, and the energy and virial of pairs */
MX_DECLARE_FOR(1D, md_eam_cluster_densities, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_tile_densities, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_cluster_forces, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_tile_forces, md_eam_cluster_args)
MX_DECLARE_REDUCE(1D, md_eam_cluster_forces_energy, md_eam_cluster_args, md_energy)
MX_DECLARE_REDUCE(1D, md_eam_tile_forces_energy, md_eam_cluster_args, md_energy)
/* Over own slots: F'(rho), to derivative and places; the value is the sum of F(rho) */
MX_DECLARE_FOR(1D, md_eam_embed_slots, md_eam_cluster_args)
MX_DECLARE_REDUCE(1D, md_eam_embed_slots_energy, md_eam_cluster_args, double)
/* Over slots of ghosts: F'(rho) of places, from derivative */
MX_DECLARE_FOR(1D, md_eam_load_derivatives, md_eam_cluster_args)
/* Over own slots: the forces on their atoms */
MX_DECLARE_FOR(1D, md_eam_store_forces, md_eam_cluster_args)

/* ---- eam_clusters.c ---- */

/* All zero at first. */
typedef struct md_eam_clusters {
    md_eam_cluster_views views;
    md_eam_cluster_args args;
} md_eam_clusters;

/* After each list, and after views of atoms were replaced. `derivative`, `knots`: of md_views. */
mx_err md_eam_clusters_bind(mx_ctx ctx, const md_clusters *c, const md_views *views,
                            const md_eam_tables *tables, md_eam_clusters *e);

/* F'(rho) of own atoms, into `derivative`, at their present positions and those of ghosts; `embedding`: the sum of F(rho), or NULL. */
mx_err md_eam_clusters_density(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, double *embedding);
/* Then, with `derivative` of ghosts: forces on own atoms; `energy`, of pairs alone, may be NULL. */
mx_err md_eam_clusters_force(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, md_energy *energy);
void md_eam_clusters_destroy(md_eam_clusters *e);
