/* A TeaLeaf deck (tea.in): what it says, with every default filled in.
 *
 * Two dialects exist. The reference code's keys carry tl_ (tl_use_cg, tl_eps), its circles are
 * called circle; the C++ port's do not (use_cg, eps) and its circles are circular. A deck with one
 * key that only the reference knows is a reference deck, one with a key that only the port knows is
 * a port deck, mixing is an error, and a deck with neither is a reference deck. Each keeps its own
 * defaults. The three-dimensional reference code has keys of its own, z_cells, zmin and zmax: a
 * reference deck with one of them is three-dimensional, and its shapes are cuboid, sphere (also
 * called circle) and point. */
#pragma once
#include "input/keys.h"

typedef enum tl_dialect {
    TL_DIALECT_REFERENCE,
    TL_DIALECT_PORT,
    TL_DIALECT_REFERENCE_3D
} tl_dialect;
/* In 3-D a rectangle is a cuboid, and a circle a sphere. TL_ALIAS: a second word for it, which no
 * deck that was read has. */
typedef enum tl_geometry { TL_BACKGROUND, TL_RECTANGLE, TL_CIRCLE, TL_POINT, TL_ALIAS } tl_geometry;
typedef enum tl_coefficient {
    TL_COEFFICIENT_DENSITY,
    TL_COEFFICIENT_INVERSE_DENSITY
} tl_coefficient;
typedef enum tl_solver {
    TL_SOLVER_CG,
    TL_SOLVER_JACOBI,
    TL_SOLVER_CHEBYSHEV,
    TL_SOLVER_PPCG,
    TL_SOLVER_DPCG /* deflated CG */
} tl_solver;
typedef enum tl_preconditioner {
    TL_PRECONDITIONER_NONE,
    TL_PRECONDITIONER_DIAGONAL,
    TL_PRECONDITIONER_BLOCK,
    TL_PRECONDITIONER_MULTIGRID
} tl_preconditioner;

enum { TL_MAX_STATES = 256 };

typedef struct tl_state {
    double density, energy; /* mass density and specific energy, both positive (energy may be 0) */
    tl_geometry geometry;   /* TL_BACKGROUND: state 1 */
    /* rectangle: its sides; circle: centre (xmin, ymin, zmin); point: (xmin, ymin, zmin). In 2-D
     * zmin and zmax are 0 */
    double xmin, xmax, ymin, ymax, zmin, zmax;
    double radius;
} tl_state;

typedef struct tl_deck {
    tl_dialect dialect;
    int states;
    tl_state state[TL_MAX_STATES]; /* state[0] is the deck's state 1 */
    double xmin, xmax, ymin, ymax, zmin, zmax;
    int64_t x_cells, y_cells, z_cells; /* in 2-D one cell from zmin = 0 to zmax = 1 */
    double initial_timestep;
    double end_time;
    int64_t end_step;
    int64_t summary_frequency; /* steps between field summaries; 0: only at the start and the end */
    int64_t visit_frequency;   /* steps between frames of the fields; 0: none */
    tl_solver solver;
    tl_preconditioner preconditioner;
    int64_t presteps;    /* CG iterations before Chebyshev's, and before the first ones of PPCG */
    double epslim;       /* the residual above which these go on */
    int64_t inner_steps; /* of PPCG's polynomial; -1: by the number of cells (tl_inner_steps) */
    int smoothing_steps; /* of multigrid, before a correction and after it */
    int halo_depth;      /* of polynomials: steps for each exchange of halos */
    /* of deflated CG: coarse cells, as sub-tiles of the reference (tl_coarse_choose); 0: not
     * given */
    int64_t tiles_per_problem, tiles_per_task, sub_tiles_per_tile;
    tl_coefficient coefficient;
    double eps; /* relative to the initial residual of each step, in both dialects */
    /* a step that reaches it is accepted, as in the originals; verdict "iteration limit" */
    int64_t max_iters;
    int64_t steps; /* to be done, by end_step, end_time and initial_timestep (app_steps) */
    /* boundaries mirror the cells: the diagonal of preconditioners has the faces there too. The
     * matrix is the same */
    bool reflective_boundary;
    bool check_result; /* print ||b - A x|| / ||r0|| of each step */
    int test_problem; /* 1..6: the reference's expected values; 0: none. Ignored in port decks, as by the port */
    bool profiler_on; /* print the table of regions at the end */
    bool verbose_on;  /* print the residual of each iteration */
    const char *out;  /* the file that gets the printed lines too; NULL: none */
} tl_deck;

static inline bool tl_is_3d(const tl_deck *deck)
{
    return deck->dialect == TL_DIALECT_REFERENCE_3D;
}

/* The keys, and the parser of decks. */
extern const app_input tl_input;

/* app_keys_read of a deck alone. Parses `length` bytes of `text`; `name` is used in messages only.
 * On failure MX_ERR_INPUT with one message "NAME:LINE: KEY: got X, expected Y", and *deck is
 * unspecified. Reads nothing beyond text[length-1]; never crashes. */
mx_err tl_deck_parse(const char *name, const char *text, size_t length, tl_deck *deck);

/* Keys that the deck has, and that only older versions of the originals knew; they have no effect.
 * In the order of their lines: the first one behind `after`, of all where that is NULL. NULL: there
 * is none. */
const app_given *tl_deck_old_key(const app_keys *keys, const app_given *after);

/* The number of cells; the volume of the domain, and of a cell (in 2-D the area). */
double tl_cells_of(const tl_deck *deck);
double tl_volume(const tl_deck *deck);
double tl_cell_volume(const tl_deck *deck);

/* The number of steps in PPCG's polynomial: inner_steps, or where that is -1 the reference's, 4
 * times the whole part of the fourth root of the number of cells; in 3-D, of the eighth root. */
int64_t tl_inner_steps(const tl_deck *deck);

/* "CG" and so on. */
const char *tl_solver_name(const tl_deck *deck);

/* What is solved, in short: "cg 2-D", "ppcg jac_diag 3-D". Returns name->text. */
typedef struct tl_name {
    char text[64];
} tl_name;
const char *tl_problem_name(const tl_deck *deck, tl_name *name);

/* The regions of the report: the solver, and what a step does beside it. */
#define TL_SOLVE_REGION "solve"
#define TL_OTHER_REGION "step_begin_and_end"

/* Do the solver's vectors sum to 0 over the domain? Then each step keeps the energy to rounding,
 * converged or not. The columns of A sum to 1, so if the residual b - A u sums to 0, every
 * polynomial of A times it does so too. M^-1 r of another preconditioner does not. In deflated
 * CG the residual sums to 0 in each coarse cell, with every preconditioner. */
bool tl_keeps_energy(const tl_deck *deck);

/* By how much volume, mass and energy may differ from those of the deck's states, relative. Rounding
 * alone changes them: each of a few thousand iterations adds some unit roundoffs of random sign.
 * This leaves a factor of 100. Where the energy is not kept, more of it may change. */
#define TL_CONSERVED_TOLERANCE 1e-10

/* The smallest residual that a step asks for where rounding errors limit it: 4 roundings in
 * proportion to `magnitude`, || |b| + |A| |u| ||. Chebyshev's and Jacobi's iterations compute
 * b - A u anew each time; the residual of CG is a recurrence, which goes on falling. */
double tl_rounding_limit(const tl_deck *deck, double magnitude);

/* Iterations of Chebyshev and Jacobi between two checks of convergence. */
enum { TL_STEPS_BETWEEN_CHECKS = 10 };

/* The published final value of U (the volume integral of density times temperature) for this deck,
 * or false if none is known for it. Reference decks: by test_problem (1..6 in 2-D, and in 3-D;
 * whether the deck really is that problem is checked, and a deck that is not gets false). Port
 * decks: by mesh, end step, time step, domain, coefficient and the standard five states. `source`
 * names where the value was published. The tolerance of the originals is 0.001 percent, i.e. 1e-5
 * relative. */
bool tl_deck_expected(const tl_deck *deck, double *expected, const char **source);

/* MX_ERR_INPUT, with the part that differs, for a reference deck that names a test_problem and is
 * not that problem: the originals would compare with a value that means nothing. `name` is used in
 * the message. */
mx_err tl_deck_check_problem(const char *name, const tl_deck *deck);
