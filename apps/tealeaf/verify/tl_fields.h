/* What TeaLeaf's stored fields say when computed anew. Pure arithmetic on arrays in row-major
 * order, [y_cells][x_cells], in 3-D [z_cells][y_cells][x_cells]; no file is read and nothing
 * printed. */
#pragma once
#include "input/tl_deck.h"

/* Integrals over the domain: the quantities of TeaLeaf's field summary. */
typedef struct tv_sums {
    double volume;
    double mass;   /* of density */
    double energy; /* of density * specific energy */
    double u;      /* of density * temperature */
} tv_sums;

/* The number of cells. */
int64_t tv_count(const tl_deck *deck);

/* Sums of the deck's initial state: temperature is density * energy. Sums are kept in long double
 * here, so that what differs is the program's rounding. */
tv_sums tv_initial_sums(const tl_deck *deck);

/* Sums of a density and a temperature; the energy is the integral of the temperature. */
tv_sums tv_field_sums(const tl_deck *deck, const double *density, const double *temperature);

/* The linear system of one step, (I - dt div K grad) u = b, at given u and b. */
typedef struct tv_residual {
    double norm;      /* ||b - A u||, 2-norm */
    double magnitude; /* || |b| + |A| |u| ||: what rounding errors are in proportion to */
} tv_residual;
tv_residual tv_residual_of(const tl_deck *deck, const double *density, const double *u,
                           const double *b);

/* The deck's initial temperature in *u, and how many cells have another density than the deck
 * says. */
int64_t tv_initial(const tl_deck *deck, const double *density, double *u);

/* The largest sum of magnitudes in a row of A. It bounds A and |A| in the maximum norm and, A being
 * symmetric, in the 2-norm. */
double tv_row_bound(const tl_deck *deck, const double *density);

/* The 2-norm. */
double tv_norm(const double *values, int64_t count);

/* Largest |u - density * energy| / |u| over the cells. */
double tv_energy_mismatch(const tl_deck *deck, const double *density, const double *energy,
                          const double *u);

/* Largest |u - u0| / |u0|. */
double tv_mismatch(const double *u, const double *u0, int64_t count);

/* Smallest and largest value; NaN where any value is. */
void tv_extremes(const double *values, int64_t count, double *min, double *max);
