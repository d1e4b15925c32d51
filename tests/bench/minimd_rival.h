/* The rival of miniMD: its bricks, and what it has for the embedded-atom method. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { SWAPS = 6, STENCILS = 125 };

typedef double point[3];

/* What the benchmark is about. Energies and pressures are printed in other units than those of the
 * forces. */
typedef struct rival_problem {
    double density, temperature, step;
    double list_cutoff; /* with the skin */
    int width;          /* of a list */
    /* the embedded-atom method: a pair with a ghost is in the lists of both bricks */
    bool ghosts_twice;
    double mvv_to_energy, boltzmann, printed_energy, printed_pressure;
    double mass;
    /* of the embedded-atom method: rows of splines, and the cutoff of the file */
    double cutoff, r_inverse, rho_inverse;
    int r_knots, rho_knots;
    double *density_rows, *pair_rows, *embedding_rows;
} rival_problem;

/* What a brick sends to a neighbour along an axis, its atoms near a face, and what it receives from
 * the opposite neighbour as ghosts. */
typedef struct swap {
    int count, first;  /* ghosts that arrive, and where */
    int sends, *index; /* atoms that leave */
    int from;          /* the brick that they come from */
    double shift;      /* added to what arrives */
} swap;

typedef struct brick {
    double low[3], high[3];
    int local, all, capacity;
    point *x, *v, *f, *spare;
    double *rho, *derivative; /* of the embedded-atom method */
    int *order, *bin;
    int leaving;
    point *outbox; /* position, velocity */
    swap swaps[SWAPS];
    int bins[3], bin_count, *begin;
    double bin_low[3], per_length[3];
    int stencil[STENCILS], stencils;
    int *list, *count;
    double energy, virial, kinetic;
    double seconds[3]; /* force, list, communication */
} brick;

/* Never NULL: ends the program. */
void *rival_allocate(size_t count, size_t size);

/* ---- minimd_rival_eam.c ---- */

/* Reads a potential, and sets the problem. */
bool rival_eam_read(const char *path, rival_problem *problem);
void rival_eam_create(brick *b);
/* F'(rho) of local atoms, and the energy of embedding; then, with that of ghosts, forces and the
 * other energies. */
void rival_eam_densities(brick *b, const rival_problem *problem);
void rival_eam_forces(brick *b, const rival_problem *problem, bool energies);
