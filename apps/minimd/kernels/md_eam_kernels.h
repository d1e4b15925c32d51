/* The on-node work of the embedded-atom method: see md_potential.h for the formulas, forces/eam.c
 * for the steps. */
#pragma once
#include "input/md_potential.h"
#include "md_kernels.h"

/* Splines as kernels read them, made once. A row has the coefficients of one interval.
 *   pair_knots        [elements * elements * r_knots][MD_PAIR_SPLINES]: row (e_i * elements + e_j)
 *                     * r_knots + k has the density f that an atom j of element e_j adds at its
 *                     neighbour of element e_i, then r phi(r) of the two: one line of the cache
 *   pair_slopes       [as pair_knots]: f', three coefficients and a 0, then those of r^2 phi'(r);
 *                     made for lists of clusters only
 *   embedding_knots   [elements * rho_knots][MD_SPLINE]: F */
enum { MD_PAIR_SPLINES = 2 * MD_SPLINE };
MX_ACCESSOR(md_pair_knots, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS, 8)
MX_ACCESSOR(md_embedding_knots, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS, 4)
/* F'(rho) of local atoms and ghosts */
MX_ACCESSOR(md_derivatives, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* What both kernels need to know of the tables. */
typedef struct md_eam_tables {
    int elements;
    int element[MD_MAX_ELEMENTS]; /* of each type */
    int r_knots, rho_knots;
    double r_inverse, rho_inverse; /* 1 / the steps */
    double cutoff_square;
} md_eam_tables;

typedef struct md_eam_density_args {
    md_positions position;
    md_types type;
    md_pair_knots pair_knots;
    md_embedding_knots embedding_knots;
    mx_ci32_1 neighbour_count;
    mx_ci32_2 neighbour;
    mx_f64_1 derivative;
    md_eam_tables tables;
    int local, team_atoms; /* team forms */
} md_eam_density_args;
MX_BUNDLE(md_eam_density_args, md_views, position, type, pair_knots, embedding_knots,
          neighbour_count, neighbour, derivative)
/* F'(rho) of local atoms; the value is the sum of F(rho) */
MX_DECLARE_FOR(1D, md_eam_density, md_eam_density_args)
MX_DECLARE_REDUCE(1D, md_eam_density_energy, md_eam_density_args, double)
/* a potential of one element, whose splines are in scratch of level 0: 32 bytes a knot; over teams
 * of team_atoms atoms */
MX_DECLARE_FOR(TEAM, md_eam_density_team, md_eam_density_args)

typedef struct md_eam_force_args {
    md_positions position;
    md_types type;
    md_pair_knots pair_knots;
    mx_ci32_1 neighbour_count;
    mx_ci32_2 neighbour;
    md_derivatives derivative;
    mx_f64_2 force;
    md_eam_tables tables;
    int local, team_atoms; /* team forms */
} md_eam_force_args;
MX_BUNDLE(md_eam_force_args, md_views, position, type, pair_knots, neighbour_count, neighbour,
          derivative, force)
/* forces on local atoms; with half of the energy and virial of their pairs, without F */
MX_DECLARE_FOR(1D, md_eam_force, md_eam_force_args)
MX_DECLARE_REDUCE(1D, md_eam_force_energy, md_eam_force_args, md_energy)
/* as md_eam_density_team: 64 bytes a knot */
MX_DECLARE_FOR(TEAM, md_eam_force_team, md_eam_force_args)
