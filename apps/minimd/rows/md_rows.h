/* Lists in rows: each local atom has a row of a table with all its neighbours (full lists), in the
 * backend's layout. Lennard-Jones forces in double and mixed precision, and the embedded-atom method.
 *
 * A pair is in the rows of both atoms. So no atom is written by two items, and nothing is sent back:
 * each rank has all neighbours of its local atoms. The price is that every pair is computed twice. On
 * devices, where each atom has a thread for itself, this is the fastest form. */
#pragma once
#include "kernels/md_eam_tables.h"
#include "kernels/md_kernels.h"

typedef struct md_app md_app;

MX_ACCESSOR(md_indices, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
/* F'(rho) of local atoms and ghosts */
MX_ACCESSOR(md_derivatives, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct md_row_views {
    mx_view position, type, force, pair, bin_begin, bin_atom; /* of md_views */
    mx_view pair_knots, embedding_knots, derivative; /* of md_views; embedded-atom method */
    mx_view neighbour_count;                         /* i32 [rows]: local atoms and some more */
    /* i32 [rows][room]: neighbour n of atom i is (i, n). -1 follows the last one of a row that is not
     * full, so that all backends store the same. */
    mx_view neighbour;
} md_row_views;

/* ---- the list (kernels/list.c) ---- */

MX_ARGS_FROM(md_list_args, md_row_views,
    (md_positions, position)
    (md_indices, bin_begin)
    (md_indices, bin_atom)
    (mx_i32_1, neighbour_count)
    (mx_i32_2, neighbour),
    md_bins bins;
    double cutoff_square;
    int room; /* neighbours that a row can have; what is beyond is counted, not stored */
);
/* the full list: for each local atom, all other atoms within the list's cutoff. The value: the size
 * of the list */
MX_DECLARE_REDUCE(1D, md_list_full, md_list_args, md_list_size)

/* ---- Lennard-Jones (kernels/lj.c) ---- */

MX_ARGS_FROM(md_lj_args, md_row_views,
    (md_positions, position)
    (md_types, type)
    (mx_cf64_2, pair)
    (mx_ci32_1, neighbour_count)
    (mx_ci32_2, neighbour)
    (mx_f64_2, force),
    md_lj_pairs lj;
);
/* forces on local atoms, from a full list; with energy and virial, of which each pair gives half to
 * either atom */
MX_DECLARE_FOR(1D, md_lj_full, md_lj_args)
MX_DECLARE_REDUCE(1D, md_lj_full_energy, md_lj_args, md_energy)
/* the same with precision=mixed: distances of atoms are rounded to float, and pairs computed in
 * float; sums are in double */
MX_DECLARE_FOR(1D, md_lj_full_mixed, md_lj_args)
MX_DECLARE_REDUCE(1D, md_lj_full_mixed_energy, md_lj_args, md_energy)

/* ---- the embedded-atom method (kernels/eam.c) ---- */

MX_ARGS_FROM(md_eam_density_args, md_row_views,
    (md_positions, position)
    (md_types, type)
    (md_pair_knots, pair_knots)
    (md_embedding_knots, embedding_knots)
    (mx_ci32_1, neighbour_count)
    (mx_ci32_2, neighbour)
    (mx_f64_1, derivative),
    md_eam_tables tables;
    int local, team_atoms; /* team forms */
);
/* F'(rho) of local atoms; the value is the sum of F(rho) */
MX_DECLARE_FOR(1D, md_eam_density, md_eam_density_args)
MX_DECLARE_REDUCE(1D, md_eam_density_energy, md_eam_density_args, double)
/* a potential of one element, whose splines are in scratch of level 0: 32 bytes a knot; over teams
 * of team_atoms atoms */
MX_DECLARE_FOR(TEAM, md_eam_density_team, md_eam_density_args)

MX_ARGS_FROM(md_eam_force_args, md_row_views,
    (md_positions, position)
    (md_types, type)
    (md_pair_knots, pair_knots)
    (mx_ci32_1, neighbour_count)
    (mx_ci32_2, neighbour)
    (md_derivatives, derivative)
    (mx_f64_2, force),
    md_eam_tables tables;
    int local, team_atoms; /* team forms */
);
/* forces on local atoms; with half of the energy and virial of their pairs, without F */
MX_DECLARE_FOR(1D, md_eam_force, md_eam_force_args)
MX_DECLARE_REDUCE(1D, md_eam_force_energy, md_eam_force_args, md_energy)
/* as md_eam_density_team: 64 bytes a knot */
MX_DECLARE_FOR(TEAM, md_eam_force_team, md_eam_force_args)

/* ---- drivers ---- */

/* All zero at first. */
typedef struct md_row_list {
    md_row_views views;
    int room; /* neighbours that a row has room for */
    int rows; /* local atoms that the list has room for */
    md_lj_args lj;
    md_eam_density_args density;
    md_eam_force_args eam;
} md_row_list;

/* eam.c: as in md_list_form. */
mx_err md_rows_eam_density(md_app *app, double *embedding);
mx_err md_rows_eam_force(md_app *app, md_energy *energy);
