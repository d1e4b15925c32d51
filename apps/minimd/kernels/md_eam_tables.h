/* The tables of the embedded-atom method, as kernels read them: see md_potential.h for the formulas,
 * forces/eam.c for the steps. */
#pragma once
#include "input/md_potential.h"
#include "md_kernels.h"

/* Splines as kernels read them, made once. A row has the coefficients of one interval.
 *   pair_knots        [elements * elements * r_knots][MD_PAIR_SPLINES]: row (e_i * elements + e_j)
 *                     * r_knots + k has the density f that an atom j of element e_j adds at its
 *                     neighbour of element e_i, then r phi(r) of the two: one line of the cache
 *   pair_slopes       [as pair_knots]: f', three coefficients and a 0, then those of r^2 phi'(r);
 *                     made where the form of the list asks for it
 *   embedding_knots   [elements * rho_knots][MD_SPLINE]: F */
enum { MD_PAIR_SPLINES = 2 * MD_SPLINE };
MX_ACCESSOR(md_pair_knots, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS, 8)
MX_ACCESSOR(md_embedding_knots, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS, 4)

/* What kernels need to know of the tables. */
typedef struct md_eam_tables {
    int elements;
    int element[MD_MAX_ELEMENTS]; /* of each type */
    int r_knots, rho_knots;
    double r_inverse, rho_inverse; /* 1 / the steps */
    double cutoff_square;
} md_eam_tables;
