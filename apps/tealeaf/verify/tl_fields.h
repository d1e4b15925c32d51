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

/* The deck's initial temperature, density times energy, in *u; the sums of that state; and how many
 * cells have another density than the deck says. Sums are kept in long double, so that what differs
 * is the program's rounding. */
int64_t tv_initial(const tl_deck *deck, const double *density, double *u, tv_sums *sums);

/* What a temperature has. */
typedef struct tv_field {
    tv_sums sums;    /* with a density; the energy is the integral of the temperature */
    double norm;     /* 2-norm */
    double min, max; /* NaN where any value is */
} tv_field;
tv_field tv_field_of(const tl_deck *deck, const double *density, const double *u);

/* The linear system of one step, (I - dt div K grad) u = b, at given u and b. */
typedef struct tv_residual {
    double norm;      /* ||b - A u||, 2-norm */
    double magnitude; /* || |b| + |A| |u| ||: what rounding errors are in proportion to */
} tv_residual;

enum { TV_MAX_SYSTEMS = 3 };
typedef struct tv_system {
    const double *u, *b;
    tv_residual residual; /* tv_find_residuals sets it */
} tv_system;

/* Finds the residuals. Returns the largest sum of magnitudes in a row of A: it bounds A and |A| in
 * the maximum norm and, A being symmetric, in the 2-norm. At most TV_MAX_SYSTEMS. */
double tv_find_residuals(const tl_deck *deck, const double *density, tv_system *systems, int count);

/* Largest |u - density * energy| / |u| over the cells. */
double tv_energy_mismatch(const tl_deck *deck, const double *density, const double *energy,
                          const double *u);

/* Largest |u - u0| / |u0|. */
double tv_mismatch(const double *u, const double *u0, int64_t count);
