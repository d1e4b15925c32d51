/* The skeleton of an app. Its main.c says what the app is, and calls app_run:
 *
 *     typedef struct heat { app_base base; heat_input input; mx_view u; ... } heat;
 *
 *     static const app_definition definition = {.name = "heat", .size = sizeof(heat), .input = &heat_keys,
 *                                               .input_at = offsetof(heat, input), .run = heat_run, ...};
 *
 *     int main(int argc, char **argv) { return app_run(&definition, argc, argv); }
 *
 * A run, in this order, on all ranks together:
 *
 *   1. MPI starts; the command lines of all ranks are compared; minx starts, with the options --mx-KEY
 *   2. the command line; --help and its like are answered, and end the run
 *   3. report, input (deck, then keys on the command line), results file, context, transport
 *   4. the stages of the app: set_up, keep and the restart if the user asks for checkpoints or a restart, run, verify,
 *      output. A run that a signal stopped ends after `run`, with exit code 5 and without a results file
 *   5. what every results file has: provenance, parameters, regions, verdict, exit code, digests
 *   6. the last lines are printed. Only when they are out does the results file get its name: what is published has the exit
 *      code that the program ends with.
 *
 * Errors. A stage returns the first error that it meets. After each stage the ranks agree. An error on which they have not
 * agreed yet may be one of this rank alone, while the others wait for its messages, so it ends the run on all ranks (app_abort),
 * with two exceptions: there is only one rank, or it is MX_ERR_INPUT, which is an error on all ranks. */
#pragma once
#include "backend.h"
#include "checkpoint.h"
#include "frames.h"
#include "report.h"
#include "results.h"
#include "transport.h"

typedef struct app_definition app_definition;

/* What every app has: the first member of the app's own struct, which is all zero when a run begins. The stages read it; they
 * write only what is marked with `set`. */
typedef struct app_base {
    const app_definition *definition;
    int argc; /* the command line as it was given; argv ends with NULL */
    char **argv;
    double started; /* app_now() at the start of the program */

    app_comm comm;
    app_options options;
    app_keys keys; /* of the input: where each was set */
    char *deck_text;
    size_t deck_length;
    app_report report;
    app_results results; /* NULL: no results file was asked for */
    mx_ctx ctx;
    app_transport transport;   /* how data of kernels go to other ranks */
    app_checkpoint checkpoint; /* NULL: neither checkpoints nor a restart */
    bool restarted;            /* what is kept was restored: the stage `run` goes on from there */
    bool stopped;              /* by a signal: the stage `run` returns at once */

    bool failed;           /* a check failed (app_check) */
    const char *precision; /* of its numbers, for the provenance. NULL: "f64" */
    const char *verdict;   /* of a run whose checks hold. set: another one than "passed" */
    int exit_code;         /* of a run whose checks hold. set: APP_EXIT_NOT_CONVERGED */

    double merit; /* the figure of merit (app_merit) */
    const char *merit_unit;
} app_base;

/* A stage: `app` is the app's struct. Collective. */
typedef mx_err app_stage(void *app);

struct app_definition {
    const char *name;    /* of the program: "tealeaf" */
    const char *summary; /* completes "NAME: ..." */
    const char *notes;   /* the end of --help, or NULL */
    size_t size;         /* of the app's struct, whose first member is an app_base */

    const char *deck;         /* what --help calls the positional argument; NULL: there is none */
    const char *default_deck; /* read where none is given */
    const app_input *input;   /* keys, and how a deck is read; NULL: the app has none */
    size_t input_at;          /* where in the app's struct the struct is that the keys fill */

    app_stage *set_up; /* all that a run needs */
    app_stage *keep;   /* tells base.checkpoint what to keep (checkpoint.h); NULL: no checkpoints */
    /* keys that may differ when a run goes on from a checkpoint, with blanks between them: when it ends, what it prints */
    const char *free_at_restart;
    app_stage *run;    /* calls app_step_end */
    app_stage *verify; /* compares the solution with what is known of it, by app_check */
    app_stage *output; /* prints the last lines; series and fields, into base.results */

    /* Frees what the stages made; called once, however far the run came, also when set_up was never called. */
    void (*clean_up)(void *app);
};

/* Runs the app; returns the program's exit code (comm.h). */
int app_run(const app_definition *definition, int argc, char **argv);

/* Compares a value with what is known of it: prints one line, stores /verification/NAME, and sets base->failed unless it holds.
 * `tolerance` is relative to |expected|, absolute where that is 0. NaN never holds. `compare`: as for app_results_check.
 * Collective, agreed. */
mx_err app_check(app_base *base, const char *name, double value, double expected, double tolerance,
                 app_compare compare);

/* /fields/NAME: the cells of a view of doubles of rank 2 or 3, which has `ghosts` ghost cells on every side. `origin` and
 * `spacing` may be NULL (results.h). Collective, agreed. */
mx_err app_field(app_base *base, const char *name, const char *unit, app_compare compare,
                 const app_decomp *decomp, mx_view view, int ghosts, const double *origin,
                 const double *spacing);

/* The next one of the frames of such a field, whose slab is app_slab_cells of the decomposition. Collective, agreed. */
mx_err app_field_frame(app_base *base, app_frames frames, int64_t step, double time,
                       const app_decomp *decomp, mx_view view, int ghosts);

/* /series/NAME: a history; with app_history_i64 its values are whole numbers. Collective. */
mx_err app_history(app_base *base, const char *name, const char *unit, app_compare compare,
                   const app_series *series);
mx_err app_history_i64(app_base *base, const char *name, const char *unit, app_compare compare,
                       const app_series *series);

/* Sets the figure of merit, by the end of the stage output. */
void app_merit(app_base *base, double value, const char *unit);

/* Prints "NAME: note: TEXT" on stderr, from rank 0, also with --quiet: what is no error, but most likely not meant. */
void app_note(const app_base *base, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The end of a step, for checkpoints: after it the stage `run` returns if base->stopped. Collective, agreed. */
mx_err app_step_end(app_base *base, int64_t step);

/* |value / expected - 1|, or |value| where 0 is expected. */
double app_relative(double value, double expected);

/* Prints the lines that say where the run takes place: backend, layout, ranks, threads, device; the way of the messages. */
void app_print_place(app_base *base);

/* The verdict and the exit code of the run as it stands. */
const char *app_verdict(const app_base *base);
int app_verdict_code(const app_base *base);
