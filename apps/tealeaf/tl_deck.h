/* A TeaLeaf deck (tea.in): what it says, with every default filled in.
 *
 * Two dialects exist. The reference code's keys carry tl_ (tl_use_cg, tl_eps), its circles are called circle; the C++
 * port's do not (use_cg, eps) and its circles are circular. A deck with one key that only the reference knows is a
 * reference deck, one with a key that only the port knows is a port deck, mixing is an error, and a deck with neither is
 * a reference deck. Each keeps its own defaults. */
#pragma once
#include "keys.h"

typedef enum tl_dialect { TL_DIALECT_REFERENCE, TL_DIALECT_PORT } tl_dialect;
typedef enum tl_geometry { TL_BACKGROUND, TL_RECTANGLE, TL_CIRCLE, TL_POINT } tl_geometry;
typedef enum tl_coefficient {
    TL_COEFFICIENT_DENSITY,
    TL_COEFFICIENT_INVERSE_DENSITY
} tl_coefficient;
typedef enum tl_solver { TL_SOLVER_CG } tl_solver;

enum { TL_MAX_STATES = 256 };

typedef struct tl_state {
    double density, energy; /* mass density and specific energy, both positive (energy may be 0) */
    tl_geometry geometry;   /* TL_BACKGROUND: state 1 */
    double xmin, xmax, ymin,
        ymax; /* rectangle: its sides; circle: centre (xmin, ymin); point: (xmin, ymin) */
    double radius;
} tl_state;

typedef struct tl_deck {
    tl_dialect dialect;
    int states;
    tl_state state[TL_MAX_STATES]; /* state[0] is the deck's state 1 */
    double xmin, xmax, ymin, ymax;
    int64_t x_cells, y_cells;
    double initial_timestep;
    double end_time;
    int64_t end_step;
    int64_t summary_frequency; /* steps between field summaries; 0: only at the start and the end */
    tl_solver solver;
    tl_coefficient coefficient;
    double eps; /* relative to the initial residual of each step, in both dialects */
    int64_t
        max_iters; /* a step that reaches it is accepted, as in the originals; verdict "iteration limit" */
    int64_t steps;     /* to be done, by end_step, end_time and initial_timestep (app_steps) */
    bool check_result; /* print ||b - A x|| / ||r0|| of each step */
    int test_problem; /* 1..6: the reference's expected values; 0: none. Ignored in port decks, as by the port */
    bool profiler_on; /* print the table of regions at the end */
    bool verbose_on;  /* print the residual of each iteration */
} tl_deck;

/* The keys, and the parser of decks. */
extern const app_input tl_input;

/* app_keys_read of a deck alone. Parses `length` bytes of `text`; `name` is used in messages only. On failure MX_ERR_INPUT with
 * one message "NAME:LINE: KEY: got X, expected Y", and *deck is unspecified. Reads nothing beyond text[length-1]; never crashes. */
mx_err tl_deck_parse(const char *name, const char *text, size_t length, tl_deck *deck);

/* The published final value of U (the volume integral of density times temperature) for this deck, or false if none is
 * known for it. Reference decks: by test_problem (1..6; whether the deck really is that problem is checked, and a deck
 * that is not gets false). Port decks: by mesh, end step, time step, domain, coefficient and the standard five states.
 * `source` names where the value was published. The tolerance of the originals is 0.001 percent, i.e. 1e-5 relative. */
bool tl_deck_expected(const tl_deck *deck, double *expected, const char **source);

/* MX_ERR_INPUT, with the part that differs, for a reference deck that names a test_problem and is not that problem: the
 * originals would compare with a value that means nothing. `name` is used in the message. */
mx_err tl_deck_check_problem(const char *name, const tl_deck *deck);
