/* What an app brings to minx-verify: its checks of the physics, as a table of rows. The app's
 * checking files are in its own folder, know no MPI, and are named in its CMakeLists.txt
 * (minx_add_physics); they read the file by results_reader.h alone, may use the app's deck parser,
 * and never its solver: the check must be independent. */
#pragma once
#include "input/keys.h"
#include "results/compare.h"
#include "results/results_reader.h"
#include "verdict.h"

/* What the stored check of this name, /verification/NAME, must hold. It may not be absent. */
typedef struct vf_recomputed {
    const char *name;
    double value, value_tolerance;
    double expected, expected_tolerance;
    /* the tolerance that the app's check used, and by how much the stored one may differ from it */
    double tolerance, tolerance_tolerance;
    /* The two are of the value itself. The stored tolerance is relative to the stored expected
     * value, unless that is 0. */
    bool absolute;
    app_compare compare; /* of two runs */
} vf_recomputed;

enum { VF_MAX_RECOMPUTED = 16 };

/* What is expected of an object of the file (contents.h). */
typedef struct vf_mark {
    bool expected;   /* a dataset: a row describes it; a group: something in it, or itself */
    bool attributes; /* were compared */
} vf_mark;

/* What /summary says of the problem, from the input and the histories. */
typedef struct vf_problem {
    const char *name; /* NULL: the app does not say */
    int64_t size, iterations;
    const char *merit, *unit; /* of the figure of merit */
} vf_problem;

/* The state that the rows of an app share begins with this. Rows print their checks into
 * `verdict`. */
typedef struct vf_base {
    app_reader reader;
    vf_verdict *verdict;
    vf_recomputed recomputed[VF_MAX_RECOMPUTED];
    int recomputed_count;
    /* of a run whose checks all hold: "passed" and 0, unless a row says otherwise */
    const char *outcome;
    int exit_code;
    int64_t ranks;
    int64_t first_step;    /* of a restart; 0: from the beginning */
    const char *precision; /* of the provenance: "f64", unless the app says otherwise */
    app_keys keys;         /* of the input */
    const void *input;     /* the struct that the keys filled; NULL: there are none */
    vf_mark *marks;        /* by node of the file */
    bool intact;           /* all that is described is there */
    vf_problem problem;    /* `contents` sets it */
} vf_base;

/* Adds a check that must be stored. */
void vf_recompute(vf_base *base, vf_recomputed check);

/* Parses the stored deck, with what the command line set, into *target, and compares every
 * parameter of /input. False where the deck cannot be parsed. base->keys is to be closed in any
 * case; texts in *target are valid until then. */
bool vf_input(vf_base *base, const app_input *input, void *target);

typedef struct vf_row {
    const char *name;
    bool (*check)(void *state); /* false: the rows after it cannot be checked */
} vf_row;

/* Exported as vf_physics_APP. Before the rows, the stored deck is parsed, with what the command
 * line set, and every parameter of /input is compared with it; then `contents` says what else the
 * file must hold. Where something is missing, no row can be checked. */
typedef struct vf_physics {
    const char *app;        /* as the file names it */
    const app_input *input; /* NULL: the app has no keys */
    size_t state_bytes; /* of a struct that begins with vf_base; zero at the start. 0: of vf_base */
    /* calls vf_expect and the like (contents.h); NULL: the file may hold any datasets */
    void (*contents)(void *state);
    void (*release)(void *state); /* NULL: there is nothing to free */
    const vf_row *rows;
    int count;
} vf_physics;

/* All apps whose physics is known, ended by NULL; made by CMake. */
extern const vf_physics *const vf_physics_list[];
