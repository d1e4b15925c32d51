/* Checkpoints: what a run needs to go on later, in a file of its own, and the restart from it.
 *
 * An app says once what is to be kept, and the same list writes and restores:
 *
 *     MX_TRY(app_keep_i64(c, "step", &app->step, 1, app_keep_whole(0, last)));
 *     MX_TRY(app_keep_series(c, "energy", &app->energies, app_keep_finite()));
 *     MX_TRY(app_keep_view(c, "u", &app->u, &cells, app_keep_finite()));
 *     MX_TRY(app_checkpoint_restore(c));          with --restart
 *     for each step: ...; MX_TRY(app_checkpoint_step(c, app->step, &stop)); if (stop) ...
 *
 * A run that goes on from a checkpoint, on as many ranks and the same backend, gives the same bits
 * as one that was not interrupted, if the list holds all that later steps read; on other ranks or
 * backends it differs by rounding.
 *
 * A checkpoint is written to a temporary file, flushed to the disk, and renamed. FILE is the
 * newest, FILE.1 the one before. At every moment there is a whole one. A checkpoint that cannot be
 * written (a full disk) is a warning, and the run goes on.
 *
 * Signals: where checkpoints are written, SIGTERM and SIGUSR1, on any rank, make a run write one at
 * the end of its step and stop. */
#pragma once
#include "domain/slab.h"
#include "series.h"

typedef struct app_checkpoint *app_checkpoint;

/* What the user asked for, by --checkpoint, --checkpoint-every and --restart. */
typedef struct app_checkpoint_plan {
    const char *program;
    const char *file;    /* NULL: none are written */
    const char *every;   /* "N": steps, "Ns": seconds; NULL: at signals only */
    const char *restart; /* a file; NULL: from the beginning */
    int argc;            /* for the record */
    char **argv;
} app_checkpoint_plan;

/* MX_ERR_INPUT for an `every` that is no number, or without a file. Not collective. */
mx_err app_checkpoint_check(const app_checkpoint_plan *plan);

/* MX_ERR_IO if `file`, or the previous checkpoint FILE.1, could not be written, MX_ERR_INPUT if
 * there is no plain file `restart` that may be read. That they replace no other file of the run is
 * for app_paths_add (app_paths.h). With neither `file` nor `restart` *checkpoint is
 * NULL, and all functions accept that. What the plan points to must outlive it. Collective,
 * agreed. */
mx_err app_checkpoint_create(app_comm comm, const app_checkpoint_plan *plan,
                             app_checkpoint *checkpoint);

/* For --restart=auto: the checkpoint to go on from. It is `file`, or the previous checkpoint FILE.1
 * where only that is there. *found is its name, which the caller frees; NULL if neither is there.
 * Whatever is there is found: that it is no file, or a damaged one, is for app_checkpoint_create and
 * app_checkpoint_restore to say. MX_ERR_INPUT if `file` is NULL; MX_ERR_MEMORY. Collective,
 * agreed. */
mx_err app_checkpoint_find(app_comm comm, const char *file, char **found);

/* Accepts NULL; sets *checkpoint = NULL. */
void app_checkpoint_destroy(app_checkpoint *checkpoint);

/* ---- what is kept ----
 *
 * All ranks make the same calls in the same order, each with another `name`, which is stored as
 * /state/NAME: not empty, without '/' and control characters. Not collective. Only the pointers are
 * kept: what they point to is read when a checkpoint is written, and must outlive the checkpoint.
 * Errors: MX_ERR_ARG for an invalid name or one that is there already (rows also take the name
 * NAME_of_rank), MX_ERR_MEMORY. */

/* The numbers that something kept may have: low to high. NaN is in no range. A restart refuses a
 * file with another number, as a deck's value out of range is refused. */
typedef struct app_keep_range {
    double low, high;
    bool whole; /* without a fraction */
} app_keep_range;
app_keep_range app_keep_finite(void);
app_keep_range app_keep_from_0(void);                   /* finite, not negative */
app_keep_range app_keep_whole(mx_gid low, mx_gid high); /* limits up to 2^53 - 1 */
#define APP_KEEP_MAX_WHOLE ((mx_gid)9007199254740991)

/* `count` numbers that are the same on all ranks. */
mx_err app_keep_f64(app_checkpoint checkpoint, const char *name, double *values, int count,
                    app_keep_range range);
mx_err app_keep_i64(app_checkpoint checkpoint, const char *name, int64_t *values, int count,
                    app_keep_range range);
mx_err app_keep_flag(app_checkpoint checkpoint, const char *name, bool *value);

/* A history that is the same on all ranks. */
mx_err app_keep_series(app_checkpoint checkpoint, const char *name, app_series *series,
                       app_keep_range range);

/* The elements [ghosts, ghosts + slab.count) of a view, in each dimension, which are this rank's
 * box of a global array. `ctx` copies them. */
typedef struct app_keep_box {
    mx_ctx ctx;
    int ghosts;
    app_slab slab;
} app_keep_box;

/* The box of *view, which has the rank of the slab, elements of f64, f32, i64 or i32, and any memory
 * space and layout. *box is copied. What is kept is the view that *view names when a checkpoint is
 * written, so an app may swap views. */
mx_err app_keep_view(app_checkpoint checkpoint, const char *name, const mx_view *view,
                     const app_keep_box *box, app_keep_range range);

/* The first *count rows, which `ctx` copies. The number differs among ranks and changes (particles).
 * total: rows of all ranks, which a file must have; negative: any number. */
typedef struct app_keep_number {
    mx_ctx ctx;
    mx_lid *count;
    mx_gid total;
} app_keep_number;

/* These rows of a view of rank 1 or 2. On as many ranks each gets its rows back in their order; on
 * another number the rows come in blocks, and the app sends them where they belong. *view is
 * replaced by a larger one where it is too small. *rows is copied. Views with the same `count` have
 * the same number of rows on each rank, also in a file. */
mx_err app_keep_rows(app_checkpoint checkpoint, const char *name, mx_view *view,
                     const app_keep_number *rows, app_keep_range range);

/* The input as lines "name=value": a run goes on only with an input of the same lines. Leave out
 * what may differ (the end of the run, what is printed). `lines` is copied. */
mx_err app_keep_input(app_checkpoint checkpoint, const char *lines);

/* ---- use ---- */

/* Restores the state from the checkpoint if a restart was asked for; else does nothing. MX_ERR_IO
 * if the file cannot be read or is damaged; the message then names the previous checkpoint, if
 * there is one. MX_ERR_INPUT if the file is of another program or another input; then nothing was
 * restored. MX_ERR_INPUT also if something kept is missing, has another type or extent, or a number
 * out of its range; then what stands before it in the list was restored. Collective, agreed. */
mx_err app_checkpoint_restore(app_checkpoint checkpoint);

/* For restored values that do not fit each other or the input: MX_ERR_INPUT, with the message
 * "--restart: FILE: /state/NAME: ", then the text. Not collective. */
mx_err app_checkpoint_refuse(app_checkpoint checkpoint, const char *name, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* What is often compared so; not collective either. A history has `count` entries. */
mx_err app_checkpoint_check_count(app_checkpoint checkpoint, const char *name,
                                  const app_series *series, int64_t count);
/* Steps rise from 0 to at most `last`. */
mx_err app_checkpoint_check_steps(app_checkpoint checkpoint, const char *name,
                                  const app_series *steps, int64_t last);
/* The run has not gone beyond its end: else nothing is left to do. what: "steps of the deck". */
mx_err app_checkpoint_check_end(app_checkpoint checkpoint, const char *name, int64_t done,
                                int64_t end, const char *what);

/* Was a restart asked for? */
bool app_checkpoint_restarts(app_checkpoint checkpoint);

/* To be called on all ranks at the end of every step, or of a group of steps. Writes a checkpoint
 * when one is due. With "every N steps" one is due if a multiple of N is among the steps since the
 * last call. If a signal asked to stop, it writes one too and sets *stop = true. Ranks agree on
 * signals by one small reduction, at most every 20 ms; if a step takes longer, at each step.
 * Collective, agreed. */
mx_err app_checkpoint_step(app_checkpoint checkpoint, int64_t step, bool *stop);

/* After app_checkpoint_step set *stop: one line that says which signal came, and how to go on.
 * Valid until the checkpoint is destroyed. */
const char *app_checkpoint_stop_line(app_checkpoint checkpoint);
