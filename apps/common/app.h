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
 *   6. the last lines are printed. Only after that is the results file renamed to its final name, so that the exit code in it
 *      is the one that the program ends with.
 *
 * Errors. A stage returns the first error that it meets. After each stage the ranks agree on the
 * error. A stage may also return an error that is not agreed: perhaps only this rank has it, and
 * the others wait for messages of this rank. Such an error ends the run on all ranks (app_abort).
 * There are two exceptions: a run on one rank, and MX_ERR_INPUT, which all ranks return. */
#pragma once
#include "backend.h"
#include "checkpoint.h"
#include "frames.h"
#include "report.h"
#include "results.h"
#include "transport.h"

typedef struct app_definition app_definition;

/* What every app has: the first member of the app's own struct, which is all zero when a run
 * begins. Stages read it. They may write only the members whose comment says `a stage may set
 * it`. */
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
    bool restarted;            /* a checkpoint was restored: the stage `run` continues from it */
    bool stopped;              /* by a signal: the stage `run` must return at once */

    bool failed; /* a check failed (app_check) */
    /* the precision of its numbers, for the provenance; NULL: "f64"; a stage may set it */
    const char *precision;
    /* the verdict of a run whose checks all hold, "passed"; a stage may set it to another one */
    const char *verdict;
    /* the exit code of a run whose checks all hold; a stage may set it to APP_EXIT_NOT_CONVERGED */
    int exit_code;

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
    size_t input_at;          /* offset in the app's struct of the struct that the keys fill */

    app_stage *set_up; /* all that a run needs */
    app_stage *keep;   /* tells base.checkpoint what to keep (checkpoint.h); NULL: no checkpoints */
    /* names of keys, with blanks between them, whose values a restart may change: end time, what is
     * printed */
    const char *free_at_restart;
    app_stage *run;    /* calls app_step_end */
    app_stage *verify; /* compares the solution with expected values, by app_check */
    app_stage *output; /* prints the last lines; series and fields, into base.results */

    /* Frees what the stages made; called once, however far the run came, also when set_up was never
     * called. */
    void (*clean_up)(void *app);
};

/* Runs the app; returns the program's exit code (comm.h). */
int app_run(const app_definition *definition, int argc, char **argv);

/* Compares a value with its expected value: prints one line, stores /verification/NAME, and sets
 * base->failed unless it holds. `tolerance` is relative to |expected|, absolute where that is 0.
 * NaN never holds. `compare`: as for app_results_check. Collective, agreed. */
mx_err app_check(app_base *base, const char *name, double value, double expected, double tolerance,
                 app_compare compare);

/* /fields/NAME: the cells of a view of doubles of rank 2 or 3, which has `ghosts` ghost cells on
 * every side. `origin` and `spacing` may be NULL (results.h). Collective, agreed. */
mx_err app_field(app_base *base, const char *name, const char *unit, app_compare compare,
                 const app_decomp *decomp, mx_view view, int ghosts, const double *origin,
                 const double *spacing);

/* The next one of the frames of such a field, whose slab is app_slab_cells of the decomposition.
 * Collective, agreed. */
mx_err app_field_frame(app_base *base, app_frames frames, int64_t step, double time,
                       const app_decomp *decomp, mx_view view, int ghosts);

/* /series/NAME: a history; with app_history_i64 its values are whole numbers. Collective. */
mx_err app_history(app_base *base, const char *name, const char *unit, app_compare compare,
                   const app_series *series);
mx_err app_history_i64(app_base *base, const char *name, const char *unit, app_compare compare,
                       const app_series *series);

/* Sets the figure of merit, by the end of the stage output. */
void app_merit(app_base *base, double value, const char *unit);

/* Prints "NAME: note: TEXT" on stderr, from rank 0, also with --quiet: for input that is valid, but
 * probably a mistake. */
void app_note(const app_base *base, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The end of a step, for checkpoints: after it the stage `run` returns if base->stopped.
 * Collective, agreed. */
mx_err app_step_end(app_base *base, int64_t step);

/* |value / expected - 1|, or |value| where 0 is expected. */
double app_relative(double value, double expected);

/* Prints the lines that say where the run takes place: backend, layout, ranks, threads, device,
 * transport. */
void app_print_place(app_base *base);

/* The verdict and the exit code of the run as it stands. */
const char *app_verdict(const app_base *base);
int app_verdict_code(const app_base *base);
