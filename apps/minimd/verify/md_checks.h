/* What the files of minx-verify's checks of miniMD share. */
#pragma once
#include "contents.h"

#include "md_sizes.h"
#include "md_stored.h"

#include <math.h>

#define MIXED_TOLERANCE 3e-6
#define LIST_TOLERANCE 1e-3

/* the cutoff is at most so many times as long as the box, and the reach so many cells */
#define MV_MAX_BOXES 15
#define MV_MAX_REACH (MV_MAX_BOXES + 1)

typedef struct coefficients {
    double epsilon, sigma, cutoff;
} coefficients;

/* Lennard-Jones of two types: what does not depend on the distance. */
typedef struct lj_terms {
    double epsilon, sigma_squared, cutoff, cutoff_squared;
    double edge;                       /* edge_of in pairs.c */
    double at_cutoff, force_at_cutoff; /* energy and force there */
} lj_terms;

/* Units: energy in m v^2, Boltzmann's constant, pressure of one energy per volume; as the original
 * has them. And their names in the file. */
typedef struct mv_units {
    double energy, boltzmann, pressure;
    const char *energy_name, *temperature_name, *pressure_name, *length_name, *time_name,
        *mass_name, *velocity_name, *momentum_name;
    bool is_h5md; /* H5MD's readers know length and time */
} mv_units;

typedef struct minimd {
    vf_base base;
    mv_units units;
    int64_t atoms, types;
    int64_t entries;             /* of the histories */
    vf_schedule lines, frames;   /* when there are entries, and frames */
    int64_t last_step;           /* that was done */
    double *position, *velocity; /* [atoms][3]; position: from the box's corner */
    int64_t *type;               /* from 0 on */
    double *box;                 /* corner, sides */
    double *mass;                /* of each type */
    double *stored_pairs;        /* [types * types]: epsilon, sigma, cutoff */
    coefficients pair[MD_MAX_TYPES][MD_MAX_TYPES];
    md_potential potential;
    int element[MD_MAX_TYPES]; /* of each type */
    int64_t *step;             /* histories */
    double *time, *temperature, *pressure, *potential_energy, *total, *conserved, *motion;
    double *momentum[3];

    const double *at; /* positions that are summed, from the box's corner */
    /* cells: the atoms of cell c are cell_begin[c] to before cell_begin[c + 1], in the order of
     * cells */
    double cutoff, reach; /* reach: a little more, for pairs at the cutoff */
    int cells[3], reach_cells[3];
    /* of a row of cells that is so many rows along y and z away: how many cells along x, in either
     * direction, are within the reach; -1: none */
    int reach_along_x[2 * MV_MAX_REACH + 1][2 * MV_MAX_REACH + 1];
    int64_t *cell_begin, *cell_of_atom;
    double *cell_at[3]; /* the coordinates of atoms, in the order of cells */
    int *cell_type;     /* and their types */
    lj_terms lj[MD_MAX_TYPES][MD_MAX_TYPES];
    double edge;        /* EAM: edge_of in pairs.c */
    double distances;   /* that the sums over pairs of `at` take, from either side */
    double *derivative; /* EAM: F'(rho) of each atom, in the order of cells */

    /* sums over pairs of `at` */
    double energy, virial, at_cutoff;
    double energy_size, virial_size; /* of magnitudes */
    /* of pairs so near to the cutoff that the run may have counted them otherwise */
    double edge_energy, edge_virial;

    /* of the last state */
    double mvv, momentum_now[3], motion_now;
    double last_virial_size, last_energy_size;

    /* of the histories: did the conserved energy and the momentum change by no more than the app's
     * checks allow? */
    bool conserves_energy, conserves_momentum;
} minimd;

static inline const md_input *mv_input(const minimd *m) { return m->base.input; }

/* A compensated sum: its error is some roundings of the result, not one of each term. Of equal
 * terms, as a lattice has them, the roundings would have one sign. Neumaier, ZAMM 54 (1974) 39. */
typedef struct mv_sum {
    double value, lost;
} mv_sum;

static inline void mv_add(mv_sum *s, double term)
{
    const double next = s->value + term;
    s->lost += fabs(s->value) >= fabs(term) ? s->value - next + term : term - next + s->value;
    s->value = next;
}

static inline double mv_total(mv_sum s) { return s.value + s.lost; }

/* Of the embedded-atom method? Else Lennard-Jones. */
static inline bool mv_is_eam(const minimd *m) { return mv_input(m)->force == MD_FORCE_EAM; }

/* contents.c */
void mv_contents(void *state);

/* So many distances, and so many for each byte of positions, are computed for one state. With the
 * usual cutoffs a position (24 bytes) needs 200 to 400; here it may have 24,000. */
#define FREE_DISTANCES 1e9
#define DISTANCES_PER_BYTE 1000

/* pairs.c: moves positions to the box's corner; false where one is not in the box. */
bool mv_to_corner(minimd *m, const char *path, double *position);
/* The sums over pairs of these positions ([atoms][3], from the box's corner, in
 * it). False: it has said why it cannot, as where they need too many distances. */
bool mv_sum_pairs(minimd *m, const double *position);
/* The cells that mv_sum_pairs makes. mv_forget_cells: of a copy, which is to have its own. */
void mv_free_cells(minimd *m);
void mv_forget_cells(minimd *m);
/* The relative error of sums over pairs. */
double mv_pairs_tolerance(const minimd *m);

/* series.c: the histories, by whose sizes checks divide. */
md_energies mv_energies(const minimd *m);
/* Kinetic energy of an atom, at an entry. */
double mv_kinetic_energy(const minimd *m, int64_t entry);
/* Compares an entry with the sums over pairs of its positions. */
void mv_check_entry(minimd *m, int64_t entry);
/* The site of an atom of a lattice, from the box's corner; index from 0 on. */
void mv_lattice_site(const minimd *m, int64_t index, double *at);
bool mv_row_histories(void *state);

/* frames.c */
bool mv_row_frames(void *state);
