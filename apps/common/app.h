/* The skeleton of an app. Its main.c says what the app is, and calls app_run:
 *
 *     typedef struct heat { app_base base; heat_input input; mx_view u; ... } heat;
 *
 *     static const app_definition definition = {
 *         .name = "heat", .size = sizeof(heat), .input = &heat_keys,
 *         .input_at = offsetof(heat, input), .run = heat_run, ...};
 *
 *     int main(int argc, char **argv) { return app_run(&definition, argc, argv); }
 *
 * A run, in this order, on all ranks together:
 *
 *   1. MPI starts. The command lines of all ranks are compared. minx starts, with the options
 *      --mx-KEY.
 *   2. The command line is read. --help and its like are answered, and end the run. The launcher is
 *      checked.
 *   3. app_run opens the report, the input (the deck, then keys on the command line), the results
 *      file, the context and the transport.
 *   4. The stages of the app: set_up; keep and the restart, if the user asks for checkpoints or a
 *      restart; run, verify, output. A run that a signal stopped ends after `run`, with exit code 5
 *      and without a results file.
 *   5. app_run writes what every results file has: provenance, parameters, regions, verdict, exit
 *      code, digests.
 *   6. The last lines are printed, and the results file is renamed to its final name. If lines
 *      could not be printed (a full disk, a pipe without a reader), the results are kept, and the
 *      exit code is 3.
 *   7. If the exit code is not 0, rank 0 says why in the last lines, on stderr: failed checks,
 *      other lines of app_print_last, the error. No rank ends before the launcher has read them,
 *      because launchers then end the other ranks and print lines of their own.
 *
 * Files. All files of a run are in one table (app_paths.h), so that no file replaces one that the
 * run reads, or another one. app_run adds those of the command line; a stage adds those of its app,
 * before the run writes anything to them (app_path_reads and its like).
 *
 * Errors. A stage returns the first error that it meets. After each stage the ranks agree on the
 * error. A stage may also return an error that is not agreed: perhaps only this rank has it, and
 * the others wait for messages of this rank. Such an error ends the run on all ranks (app_abort).
 * There are two exceptions: a run on one rank, and MX_ERR_INPUT, which all ranks return. */
#pragma once
#include "app_paths.h"
#include "backend.h"
#include "checkpoint.h"
#include "frames.h"
#include "report.h"
#include "results.h"
#include "strbuf.h"
#include "transport.h"

typedef struct app_definition app_definition;

/* What every app has: the first member of the app's own struct, which is all zero when a run
 * begins. Everything in it belongs to app_run, which closes and frees it. Stages read it. They may
 * write only the members whose comment says `a stage may set it`. */
typedef struct app_base {
    const app_definition *definition;
    int argc; /* the command line as it was given; argv ends with NULL */
    char **argv;
    double started; /* app_now() at the start of the program */

    app_comm comm;
    app_options options;
    app_keys keys;      /* of the input: where each was set */
    char *deck_text;    /* the deck as it was read, ended by a NUL; NULL: there is none */
    size_t deck_length; /* bytes, without the NUL */
    app_paths paths;    /* the files of the run */
    app_report report;
    app_results results; /* NULL: no results file was asked for */
    mx_ctx ctx;
    app_region *whole;         /* from the start of the set-up to the end of the run */
    app_transport transport;   /* how data of kernels go to other ranks */
    app_checkpoint checkpoint; /* NULL: neither checkpoints nor a restart */
    bool restarted;            /* a checkpoint was restored: the stage `run` continues from it */
    int64_t
        first_step; /* that a restart went on from; the stage `run` sets it, for the provenance */
    bool stopped;   /* by a signal: the stage `run` must return at once */

    /* what says the number of threads of ctx (backend.h); NULL: the backend */
    const char *threads_origin;

    double *field;         /* memory of app_field and app_field_frame; NULL: none yet */
    size_t field_capacity; /* the number of values that fit */

    bool failed;     /* a check failed (app_check) */
    app_strbuf last; /* the lines of app_print_last */
    /* the precision of its numbers, for the provenance; NULL: "f64"; a stage may set it */
    const char *precision;
    /* the verdict of a run whose checks all hold, "passed"; a stage may set it to another one */
    const char *verdict;
    /* the exit code of a run whose checks all hold; a stage may set it to APP_EXIT_NOT_CONVERGED */
    int exit_code;

    double merit;           /* the figure of merit, set by app_merit */
    const char *merit_unit; /* NULL: there is none yet */
} app_base;

/* A stage: `app` is the app's struct, so it can be converted to a pointer to app_base. Called on
 * all ranks. Returns MX_OK or the first error that it met (see Errors above). */
typedef mx_err app_stage(void *app);

/* What an app is. It and all that it points to must exist until app_run returns. */
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
    const char *free_at_restart; /* NULL: none */
    /* after a restart: does what was restored fit together, and the input? By
     * app_checkpoint_refuse. NULL: nothing is to be compared */
    app_stage *check_kept;
    app_stage *run;    /* calls app_step_end */
    app_stage *verify; /* compares the solution with expected values, by app_check */
    app_stage *output; /* prints the last lines; series and fields, into base.results */

    /* Frees what the stages made; called once, however far the run came, also when set_up was never
     * called. */
    void (*clean_up)(void *app);
};

/* Runs the app, prints the message of an error on stderr, and returns the program's exit code
 * (comm.h). main calls it, and nothing else; it starts and ends MPI and minx. Collective. */
int app_run(const app_definition *definition, int argc, char **argv);

/* Compares a value with its expected value: prints one line, stores /verification/NAME, and sets
 * base->failed unless app_relative(value, expected) <= tolerance. A NaN fails. The numbers must be
 * the same on all ranks, because each rank decides for itself. `compare` and errors: as for
 * app_results_check. All ranks make the same calls. */
mx_err app_check(app_base *base, const char *name, double value, double expected, double tolerance,
                 app_compare compare);

/* The cells of a view of doubles: it has `ghosts` ghost cells on every side, which are not among
 * them. */
typedef struct app_cells {
    mx_view view; /* any memory space and layout */
    int ghosts;
} app_cells;

/* Writes a field: "/fields/NAME", of type MX_F64, with the slab app_slab_cells of the decomposition,
 * whose rank (2 or 3) the view has. Without a results file it does nothing. Errors: MX_ERR_MEMORY,
 * those of mx_subview and mx_export, and those of app_results_array. Collective, agreed. */
mx_err app_field(app_base *base, const app_array *array, app_cells cells);

/* Writes the next frame of such a field. `frames` was created with such an array; NULL: nothing is
 * done. step, time and errors: as for app_frames_add. Collective, agreed. */
mx_err app_field_frame(app_base *base, app_frames frames, int64_t step, double time,
                       app_cells cells);

/* Writes a history, "/series/NAME", of which rank 0's entries are stored: with the type MX_I64 as
 * whole numbers. Without a results file it does nothing. Errors: as for app_results_series, and
 * MX_ERR_MEMORY. All ranks make the same calls. */
mx_err app_history(app_base *base, const app_array *array, const app_series *series);

/* Sets the figure of merit, which the run prints as its last line: larger is better. To be called
 * at the end of the stage `output` at the latest; the last call counts. `unit` ("cell
 * iterations/s") is not copied. Not collective; the value of rank 0 is printed. */
void app_merit(app_base *base, double value, const char *unit);

/* Prints "NAME: note: TEXT" on stderr, from rank 0, also with --quiet: for input that is valid, but
 * probably a mistake. TEXT is cut after 511 bytes. Not collective. */
void app_print_note(const app_base *base, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Adds "NAME: TEXT" to the lines that rank 0 prints on stderr as the last of the run, also with
 * --quiet: why its exit code is not 0. TEXT is cut after 511 bytes. MX_ERR_MEMORY. Not
 * collective. */
mx_err app_print_last(app_base *base, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Adds a file that the run reads to the table of its files, before it is read. `role`, for
 * messages: "the data file". MX_ERR_INPUT if the run would replace it. Collective, agreed. */
mx_err app_path_reads(app_base *base, const char *role, const char *path);

/* The same for a file that the run writes, beside those that every app has. `option`: the key or
 * option by which the user named it ("dump"). MX_ERR_IO if it cannot be written. Collective,
 * agreed. */
mx_err app_path_writes(app_base *base, const char *option, const char *role, const char *path);

/* MX_ERR_IO if the value of `option` is no folder to write to. Collective, agreed. */
mx_err app_path_folder(app_base *base, const char *option, const char *folder);

/* To be called at the end of each step, where the state is one that a checkpoint may keep. `step`:
 * the number of steps that are done since the beginning of the problem, also after a restart.
 * Writes a checkpoint when one is due. If a signal asks the run to stop, it sets base->stopped:
 * then the stage `run` returns. Errors: as for app_checkpoint_step. Collective, agreed. */
mx_err app_step_end(app_base *base, int64_t step);

/* |value / expected - 1|, or |value| if `expected` is 0. */
double app_relative(double value, double expected);

/* Prints the two lines that say where the run takes place: backend, layout, ranks, threads and
 * device; and the transport. From rank 0; not collective. */
void app_print_place(app_base *base);

/* The verdict and the exit code that the run would have if it ended now. */
const char *app_verdict(const app_base *base);
int app_verdict_code(const app_base *base);
