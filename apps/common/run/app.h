/* The skeleton of an app. Its main.c says what the program is, and reads as an outline of a run:
 *
 *     typedef struct heat { app_base base; heat_input input; mx_view u; ... } heat;
 *
 *     static const app_program program = {
 *         .name = "heat", .summary = "heat in a rod", .input = &heat_keys, .checkpoints = true};
 *
 *     static mx_err run_stages(heat *h)
 *     {
 *         MX_TRY(app_open(&h->base));         files, backend, transport
 *         MX_TRY(heat_set_up(h));
 *         MX_TRY(heat_restart(h));
 *         MX_TRY(heat_run(h));
 *         if (h->base.stopped) return app_stop(&h->base);
 *         MX_TRY(heat_verify(h));
 *         MX_TRY(heat_write(h));
 *         return app_publish(&h->base);
 *     }
 *
 *     int main(int argc, char **argv)
 *     {
 *         heat h = {0};
 *         mx_err err = app_begin(&h.base, &program, argc, argv, &h.input);
 *         if (err == MX_OK && !h.base.answered) err = run_stages(&h);
 *         const int code = app_finish(&h.base, err);
 *         heat_clean_up(&h);
 *         app_close(&h.base);
 *         return code;
 *     }
 *
 * The functions of this header that begin, open, end and close are called in this order, on all
 * ranks. Those between app_open and app_publish are the app's stages. A stage is a function with
 * one line, `return app_end_stage(&h->base, verify(h));`, around what it does.
 *
 * Files. All files of a run are in one table (app_paths.h), so that no file replaces one that the
 * run reads, or another one. app_open adds those of the command line; a stage adds those of its
 * app, before the run writes anything to them (app_path_reads and its like).
 *
 * Errors. What a stage does ends with the first error that it meets. At the end of each stage the
 * ranks agree on the error (app_end_stage). So run_stages returns the same on all ranks, and
 * app_finish prints the message. */
#pragma once
#include "app_paths.h"
#include "backend.h"
#include "comm/transport.h"
#include "input/options.h"
#include "input/strbuf.h"
#include "job.h"
#include "report.h"
#include "results/checkpoint.h"
#include "results/frames.h"
#include "results/results.h"
#include "summary.h"

/* What every app has: a member of the app's own struct, which is all zero when a run begins.
 * Everything in it belongs to the functions of this header; app_close frees it. Stages read it.
 * They may write only the members whose comment says `a stage may set it`. */
struct app_base {
    const app_program *program;
    void *input;   /* the struct that the keys of program->input fill; NULL: there are no keys */
    bool answered; /* --help or its like was answered, and there is nothing to run */
    int argc;      /* the command line as it was given; argv ends with NULL */
    char **argv;
    double started; /* app_now() at the start of the program */
    /* what the start takes, in seconds: MPI, the backend, the transport */
    double mpi_seconds, backend_seconds, transport_seconds;
    app_job job; /* where the run takes place */

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
    char *restart;             /* the checkpoint to go on from; NULL: from the beginning */
    bool restarted;            /* it was restored: the stage `run` continues from it */
    /* steps or iterations that were done before this run, for the provenance: 0, or those of the
     * checkpoint; a stage may set it */
    int64_t first_step;
    bool stopped; /* by a signal, after a checkpoint: the stage `run` ends at once */

    /* what says the number of threads of ctx (backend.h); NULL: the backend */
    const char *threads_origin;

    double *field;         /* memory of app_field and app_field_frame; NULL: none yet */
    size_t field_capacity; /* the number of values that fit */

    bool failed;     /* a check failed (app_check) */
    app_strbuf last; /* the lines of app_print_last */
    /* the precision of its numbers, for the provenance: "f64"; a stage may set it */
    const char *precision;
    /* the verdict of a run whose checks all hold, "passed"; a stage may set it to another one */
    const char *verdict;
    /* the exit code of a run whose checks all hold; a stage may set it to APP_EXIT_NOT_CONVERGED */
    int exit_code;

    app_problem problem; /* what is solved: set by app_solves */
    int64_t iterations;  /* or steps, that this run has done; a stage may set it */
    app_summary summary;
};

/* ---- a run, from its begin to its end: app.c, app_restart.c, app_publish.c ---- */

/* MPI starts, and the command lines of all ranks are compared. minx starts, with the options
 * --mx-KEY. The command line is read: --help and its like are answered, which ends the run
 * (base->answered). The launcher is checked. The deck is read into *input, then keys on the command
 * line. `program` and `input` must exist until app_close. Collective, agreed. */
mx_err app_begin(app_base *base, const app_program *program, int argc, char **argv, void *input);

/* Lists the files of the command line, begins the results file, and creates the checkpoint, the
 * context and the transport. Collective, agreed. */
mx_err app_open(app_base *base);

/* The end of a stage, with the error of what it did: the first error of all ranks, on all ranks.
 * `err` may also be an error that is not agreed: perhaps only this rank has it, and the others wait
 * for messages of this rank. Such an error ends the run on all ranks (app_abort). There are two
 * exceptions: a run on one rank, and MX_ERR_INPUT, which all ranks return. Collective, agreed. */
mx_err app_end_stage(app_base *base, mx_err err);

/* The end of the stage `run`, which does steps or iterations: as app_end_stage. It also waits for
 * all kernels, and ends the region `whole`. */
mx_err app_end_run(app_base *base, mx_err err);

/* In the stage `restart`, after it has told base->checkpoint what to keep (checkpoint.h): adds the
 * parameters of the input. If the user asked for a restart, it restores the state, and
 * base->restarted is true. Without checkpoints it does nothing. Collective, agreed. */
mx_err app_restore(app_base *base);

/* The end of the stage `restart`: as app_end_stage. It also prints which file was restored, or that
 * --restart=auto found none. */
mx_err app_end_restart(app_base *base, mx_err err);

/* The end of a run that a signal stopped, instead of the stages that are left: writes the summary,
 * and says how to go on. There is no results file, and the exit code is 5. Collective. */
mx_err app_stop(app_base *base);

/* After the last stage: writes what every results file has (provenance, summary, parameters,
 * regions, verdict, exit code, digests), prints the last lines, renames the results file to its
 * final name, and writes the summary. If lines could not be printed (a full disk, a pipe without a
 * reader), these files are kept, and the exit code is 3. Collective, agreed. */
mx_err app_publish(app_base *base);

/* The exit code of the program, for the first error of the run: the same on all ranks. If it is not
 * 0, rank 0 says why in the last lines, on stderr: failed checks, other lines of app_print_last,
 * the error. No rank ends before the launcher has read them, because launchers then end the other
 * ranks and print lines of their own. An error that is not agreed ends all ranks (app_abort).
 * Collective. */
int app_finish(app_base *base, mx_err err);

/* Closes and frees all that *base has, ends minx and MPI. To be called in any case, as app_finish,
 * after the app has freed what it made. Collective. */
void app_close(app_base *base);

/* ---- what stages call: app_check.c, app_output.c; files and place: app.c ---- */

/* What a check expects of a value. */
typedef struct app_expect {
    double value;
    double tolerance;    /* relative to |value|, absolute where that is 0 */
    app_compare compare; /* as in app_checked */
} app_expect;

/* Compares a value with its expected value: prints one line, stores /verification/NAME, and sets
 * base->failed unless app_relative(value, expected.value) <= expected.tolerance. A NaN fails. The
 * numbers must be the same on all ranks, because each rank decides for itself. Errors: as for
 * app_results_check. All ranks make the same calls. */
mx_err app_check(app_base *base, const char *name, double value, app_expect expected);

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

/* In the set-up: says what the run solves. The figure of merit follows from that, from
 * base->iterations and from the seconds of the slowest rank. Texts are not copied. Not
 * collective. */
void app_solves(app_base *base, const app_problem *problem);

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
 * then the stage `run` ends. Errors: as for app_checkpoint_step. Collective, agreed. */
mx_err app_step_end(app_base *base, int64_t step);

/* |value / expected - 1|, or |value| if `expected` is 0. */
double app_relative(double value, double expected);

/* Prints the two lines that say where the run takes place: backend, layout, ranks, threads and
 * device; and the transport. From rank 0; not collective. */
void app_print_place(app_base *base);

/* The verdict and the exit code that the run would have if it ended now. */
const char *app_verdict(const app_base *base);
int app_verdict_code(const app_base *base);
