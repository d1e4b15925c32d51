/* What TeaLeaf's stored fields say when computed anew. Pure arithmetic on arrays in row-major
 * order, [y_cells][x_cells]; no file is read and nothing printed. */
#pragma once
#include "tl_deck.h"

/* Integrals over the domain: the quantities of TeaLeaf's field summary. */
typedef struct tv_sums {
    double volume, mass, energy,
        u; /* volume, density, density * specific energy, density * temperature */
} tv_sums;

typedef struct tv_mesh {
    int64_t x, y;
    double dx, dy;
} tv_mesh;

tv_mesh tv_mesh_of(const tl_deck *deck);

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

/* Cells whose density is not exactly that of the deck. */
int64_t tv_foreign_densities(const tl_deck *deck, const double *density);

/* Largest |u - density * energy| / |u| over the cells. */
double tv_energy_mismatch(const tl_deck *deck, const double *density, const double *energy,
                          const double *u);

/* Largest |u - u0| / |u0|, u0 being the deck's initial temperature. */
double tv_initial_mismatch(const tl_deck *deck, const double *u);

/* Smallest and largest value; NaN where any value is. */
void tv_extremes(const double *values, int64_t count, double *min, double *max);
