/* What a run of miniMD is to do: the original's deck and options, and ours. Knows no MPI.
 *
 * A deck of the original is positional (deck.c). Behind its 14 lines may stand lines key=value,
 * for the keys that the original does not have. All keys can be set on the command line too, by the
 * original's options (-s 20) or by name (nx=20).
 *
 * Units: of the deck. lj: everything in units of the first type's epsilon, sigma and mass. metal:
 * eV, Angstrom, ps, g/mol, K. */
#pragma once
#include "input/keys.h"

enum { MD_MAX_TYPES = 8 };

typedef enum md_units { MD_UNITS_LJ, MD_UNITS_METAL } md_units;
typedef enum md_force { MD_FORCE_LJ, MD_FORCE_EAM } md_force;
typedef enum md_mixing { MD_MIXING_GEOMETRIC, MD_MIXING_ARITHMETIC } md_mixing;
typedef enum md_shift { MD_SHIFT_NONE, MD_SHIFT_FORCE } md_shift;
typedef enum md_neighbours {
    MD_NEIGHBOURS_AUTO,
    MD_NEIGHBOURS_FULL,
    MD_NEIGHBOURS_HALF,
    MD_NEIGHBOURS_HALF_2D /* half, and of the kind that the original has */
} md_neighbours;

typedef enum md_list_kind {
    MD_LIST_AUTO,
    MD_LIST_2D, /* of the backend's layout */
    MD_LIST_2D_RIGHT,
    MD_LIST_2D_LEFT,
    MD_LIST_CSR,
    MD_LIST_CLUSTERS
} md_list_kind;
typedef enum md_newton { MD_NEWTON_SCATTER, MD_NEWTON_ATOMIC } md_newton;
typedef enum md_policy { MD_POLICY_RANGE, MD_POLICY_TEAM } md_policy;

typedef enum md_precision { MD_PRECISION_DOUBLE, MD_PRECISION_MIXED } md_precision;

typedef struct md_input {
    /* the deck's 14 lines */
    int units;             /* md_units */
    const char *data_file; /* a LAMMPS data file with the atoms; NULL: a lattice */
    int force;             /* md_force */
    double epsilon[MD_MAX_TYPES], sigma[MD_MAX_TYPES]; /* of each type; one value: of all types */
    int epsilons, sigmas;
    int64_t nx, ny, nz; /* unit cells of the lattice, four atoms each */
    int64_t steps;
    double dt;
    double temperature; /* at the start; not used with a data file */
    double density;     /* atoms per volume; not used with a data file */
    int every;          /* steps from one neighbour list to the next, or to the next check */
    double cutoff;  /* of the force; EAM: the potential file's counts, this one is for the list */
    double skin;    /* the list's cutoff is cutoff + skin */
    int64_t thermo; /* steps between lines of thermodynamic output; 0: at the start and the end */

    /* options of the original */
    int64_t size;     /* nx = ny = nz; 0: not given */
    int types;        /* types of atoms of the lattice */
    int bins;         /* along each direction of the box; 0: automatic */
    int neighbours;   /* md_neighbours */
    int list;         /* md_list_kind */
    int newton;       /* md_newton */
    int policy;       /* md_policy */
    int ghost_newton; /* 1: a half list has pairs with ghosts once; 0: twice; -1: automatic */
    int sort;         /* steps between sorts of the atoms by bins; 0: never; below 0: `every` */
    int yaml;         /* 1: write the YAML file */
    bool yaml_screen; /* print it */
    bool check_exchange;
    bool safe_exchange;

    /* ours */
    int64_t frames; /* steps between frames of the trajectory in the results file; 0: none */
    /* the file with the embedded-atom potential, or funcfl files, "A,B"; NULL: the original's */
    const char *potential;
    const char *elements;      /* its element for each type, "Al,Cu"; NULL: by position */
    double mass[MD_MAX_TYPES]; /* one for each type, or one for all */
    int masses;                /* how many are given; 0: all are 1, or those of the potential */
    int mixing;                /* md_mixing: of epsilon and sigma of two types */
    int shift;                 /* md_shift: of the Lennard-Jones potential at the cutoff */
    /* after every `every` steps makes a new list only if an atom has moved half the skin since the
     * last one */
    bool neigh_check;
    int precision; /* md_precision */
    int overlap; /* 1: compute forces of atoms without ghosts as neighbours while ghosts are on their way */
} md_input;

extern const app_input md_keys;

/* What is solved, in short: "lj", "eam". */
const char *md_problem_name(const md_input *in);

/* deck.c: reads a deck, as app_input.read. MX_ERR_INPUT with one message "FILE:LINE: KEY: got X,
 * expected Y". */
mx_err md_deck_read(app_keys *keys, const char *text, size_t length);

/* keys.c: app_keys_read of a deck alone, for tests. */
mx_err md_deck_parse(const char *name, const char *text, size_t length, app_keys *keys,
                     md_input *input);
