/* The embedded-atom method on lists of clusters (md_clusters.h; md_potential.h has the formulas).
 *
 * The steps are those of forces/eam.c. When a list of clusters was made, its pairs are written one
 * after another, in vectors of pairs: first the inner pairs, those within an inner cutoff, then the
 * outer ones. The inner cutoff is the potential's and a margin. While no atom has moved farther than
 * half the margin since then, no outer pair is within the potential's cutoff, and the passes leave
 * outer pairs out. So nearly all lanes are pairs that matter; of the lanes of clusters these are one
 * in four. A pair beyond the cutoff adds 0, so leaving it out changes no bit of a result.
 *
 * A vector is as long as a register of the backend (minx/kit/simd_parts.h): eight pairs with AVX-512
 * and on GPUs, four with AVX2, else two. The pairs of a group (kernels/md_part_rows.h), at most four,
 * are those of one atom; behind an atom's last pair, lanes of its group are empty. In half lists of
 * the default problem these are a tenth of the lanes. With eight pairs of one atom they would be a
 * sixth.
 *
 * Coordinates and coefficients are loaded by rows of four numbers (kernels/md_part_rows.h): x, y, z
 * and F'(rho) of an atom, and the four coefficients of an interval of a spline.
 *
 * The passes go through a list in batches of a few vectors (MD_BATCH pairs), so that all numbers
 * of a batch and the rows that it reads stay in the first cache. Larger batches are slower.
 *
 * Half lists: a pair of local atoms is in one row, which adds to both atoms. Tiles and colours are
 * those of the Lennard-Jones forces, so results have the same bits for any number of threads. A
 * pair with a ghost gives its local atom's share.
 *
 * Rejected: all of a vector's work in one loop, from coordinates to sums (its chain of dependent
 * operations is so long that a core cannot compute enough vectors at the same time); finding the
 * pairs within the cutoff in each step, and writing them one after another (slower);
 * tables of floats (forces would not be the gradient of the energy). */
#pragma once
#include "kernels/md_eam_tables.h"
#include "md_clusters.h"

MX_ACCESSOR(md_quads, double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 4)
MX_ACCESSOR(md_const_quads, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 4)

enum { MD_BATCH = 128 };
/* The parts of a list: pairs with local atoms, and with ghosts, each within the inner cutoff and
 * beyond it when the list was made. */
enum { MD_EAM_LOCAL, MD_EAM_LOCAL_OUTER, MD_EAM_GHOSTS, MD_EAM_GHOSTS_OUTER, MD_EAM_PARTS };

/* Slots are numbered through: slot s of cluster c is c * MD_CLUSTER + s. */
typedef struct md_eam_cluster_views {
    /* of md_cluster_views; `point` has coordinates of when the list was made */
    mx_view position, slot_atom, slot_type, point, first, local_end, row_end, near;
    mx_view force, derivative, pair_knots, pair_slopes, embedding_knots; /* of md_views */
    mx_view place;   /* f64 [slots][4]: x, y, z, and F'(rho) */
    mx_view density; /* f64 [local slots]: rho */
    mx_view sum;     /* f64 [local slots][4]: the force */
    mx_view moved;   /* f64 [1]: the square of the longest way of an atom since the list was made */
    /* The pairs of the list, in vectors; a group has pairs of one atom. Those of cluster c in a part
     * are vectors begin(n) to begin(n + 1) - 1, n = part * local clusters + c. */
    mx_view count; /* i32 [parts * local clusters]: of vectors */
    mx_view begin; /* i32 [parts * local clusters + 1] */
    mx_view self;  /* i32 [vectors][groups]: 4 * slot of the atom */
    /* i32 [vectors][pairs]: 4 * slot of the other atom; rest of a group: of its own atom */
    mx_view other;
} md_eam_cluster_views;

MX_ARGS_FROM(md_eam_list_args, md_eam_cluster_views,
    (md_const_points, point)
    (mx_ci32_1, local_end) (mx_ci32_1, row_end)
    (mx_ci32_2, near)
    (mx_i32_1, count)
    (mx_ci32_1, begin)
    (mx_i32_2r, self) (mx_i32_2r, other),
    int local_clusters;
    double inner_square; /* of the inner cutoff */
);
/* Over 2 * local clusters: count. Item 2 c is for pairs with local atoms, 2 c + 1 for those with
 * ghosts, which are few: so all threads have some of both. The value: pairs of a vector, where
 * there are clusters. */
MX_DECLARE_REDUCE(1D, md_eam_count_pairs, md_eam_list_args, int64_t)
/* Likewise: self, other, from begin on. The value: of how many clusters and parts the vectors are
 * not as many as were counted; none, where both kernels round distances alike. */
MX_DECLARE_REDUCE(1D, md_eam_fill_vectors, md_eam_list_args, int64_t)

MX_ARGS_FROM(md_eam_cluster_args, md_eam_cluster_views,
    (md_positions, position)
    (md_const_slots, slot_atom) (md_const_slots, slot_type)
    (mx_ci32_1, first)
    (md_const_points, point)
    (md_pair_knots, pair_knots) (md_pair_knots, pair_slopes)
    (md_embedding_knots, embedding_knots)
    (md_quads, place)
    (md_quads, sum)
    (mx_f64_1, density)
    (mx_cf64_1, moved)
    (mx_ci32_1, begin)
    (mx_ci32_2r, self) (mx_ci32_2r, other)
    (mx_f64_1, derivative)
    (mx_f64_2, force),
    md_eam_tables tables;
    md_cluster_grid grid;
    int colour[2];
    int local_clusters;
    double allowed_square; /* of `moved`: up to it, no outer pair is within the cutoff */
);

/* Over slots: coordinates of places; sum = 0, density = 0. The value is for `moved`: it stays on
 * the device, where the passes read it, so the host does not wait in a step. */
MX_DECLARE_REDUCE(1D, md_eam_load_places, md_eam_cluster_args, double)
/* Over local clusters (full lists), or tiles of a colour (half lists): densities; forces, and the
 * energy and virial of pairs */
MX_DECLARE_FOR(1D, md_eam_cluster_densities, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_tile_densities, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_cluster_forces, md_eam_cluster_args)
MX_DECLARE_FOR(1D, md_eam_tile_forces, md_eam_cluster_args)
MX_DECLARE_REDUCE(1D, md_eam_cluster_forces_energy, md_eam_cluster_args, md_energy)
MX_DECLARE_REDUCE(1D, md_eam_tile_forces_energy, md_eam_cluster_args, md_energy)
/* Over local slots: F'(rho), to derivative and places; the value is the sum of F(rho) */
MX_DECLARE_FOR(1D, md_eam_embed_slots, md_eam_cluster_args)
MX_DECLARE_REDUCE(1D, md_eam_embed_slots_energy, md_eam_cluster_args, double)
/* Over slots of ghosts: F'(rho) of places, from derivative */
MX_DECLARE_FOR(1D, md_eam_load_derivatives, md_eam_cluster_args)
/* Over local slots: the forces on their atoms */
MX_DECLARE_FOR(1D, md_eam_store_forces, md_eam_cluster_args)

/* Over the parts of local clusters, as `begin`. The value: pairs of atoms at one place. The passes
 * take a distance of 0 for a lane without a pair. */
MX_DECLARE_REDUCE(1D, md_eam_count_touching, md_eam_cluster_args, int64_t)

/* ---- eam.c ---- */

/* All zero at first. */
typedef struct md_eam_clusters {
    md_eam_cluster_views views;
    md_eam_cluster_args args;
} md_eam_clusters;

/* After each list of clusters, and after views of atoms were replaced. Positions, derivatives and
 * knots are those of `views`. */
mx_err md_eam_clusters_bind(mx_ctx ctx, const md_clusters *c, const md_views *views,
                            const md_eam_tables *tables, md_eam_clusters *e);
/* After the list of clusters was made with this cutoff and the setting `whole`, and bound: the pairs
 * in it. Waits for the context. MX_ERR_EXTENT: there are too many. */
mx_err md_eam_clusters_list(mx_ctx ctx, const md_clusters *c, double list_cutoff,
                            md_eam_clusters *e);

/* F'(rho) of local atoms, into `derivative`, at their present positions and those of ghosts;
 * `embedding`: the sum of F(rho), for which it waits for the context; or NULL. */
mx_err md_eam_clusters_density(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, double *embedding);
/* Forces on local atoms, after the ghosts got their `derivative`. `energy`: of pairs alone, for which
 * it waits for the context; or NULL. */
mx_err md_eam_clusters_force(mx_ctx ctx, md_clusters *c, md_eam_clusters *e, md_energy *energy);
void md_eam_clusters_destroy(md_eam_clusters *e);
/* Pairs of atoms at one place, of this rank's list, at the last forces. */
mx_err md_eam_clusters_touching(mx_ctx ctx, const md_clusters *c, const md_eam_clusters *e,
                                int64_t *touching);
