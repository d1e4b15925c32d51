/* When checkpoints are written, and how ranks agree on it.
 *
 * A signal often comes to one rank only, or to several at different moments, but all must stop
 * after the same step. So they compare: one reduction (maximum) of the signal, of the seconds that
 * a step took, and of whether rank 0's clock says that it is time. The seconds that a step took
 * give the number of steps until the next comparison, which is the same on all ranks: as many as
 * take 20 ms. A step that takes longer is compared at each of its ends. So a reduction of at most
 * some tens of microseconds costs at most some thousandths of the time, and a signal is seen at the
 * end of the step, or 20 ms later. Rejected: a reduction per step (a step of molecular dynamics may
 * take less than a millisecond, and waits for the slowest rank); clocks alone (those of the ranks
 * differ). */
#define _POSIX_C_SOURCE 200809L /* stat, access */
#include "checkpoint_file.h"

#include "comm/signals.h"
#include "input/text.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const double check_every = 0.020; /* seconds */
enum { MAX_STEPS_BETWEEN = 1000 };

/* ---- the plan ---- */

static mx_err fail_every(const char *text)
{
    app_shown shown;
    return MX_FAIL(MX_ERR_INPUT,
                   "--checkpoint-every: got %s, expected a whole number of steps (100), or seconds "
                   "with an s (600s)",
                   app_text_show(text, strlen(text), &shown));
}

static mx_err parse_every(const char *text, int64_t *steps, double *seconds)
{
    const size_t length = strlen(text);
    *steps = 0;
    *seconds = 0;
    if (length > 1 && text[length - 1] == 's') {
        if (app_text_real(text, length - 1, seconds) != APP_NUMBER_OK || *seconds <= 0)
            return fail_every(text);
        return MX_OK;
    }
    if (app_text_whole(text, length, steps) != APP_NUMBER_OK || *steps < 1) return fail_every(text);
    return MX_OK;
}

mx_err app_checkpoint_check(const app_checkpoint_plan *plan)
{
    int64_t steps;
    double seconds;
    if (!plan->every) return MX_OK;
    MX_REQUIRE(plan->file, MX_ERR_INPUT,
               "--checkpoint-every: got no name of a file, expected --checkpoint=FILE as well");
    return parse_every(plan->every, &steps, &seconds);
}

/* Can the file be written? Creating a temporary file answers it. */
static mx_err try_file(const char *file)
{
    app_output output;
    MX_TRY(app_output_reserve("checkpoint", file, APP_OUTPUT_PREVIOUS, &output));
    app_output_remove(&output);
    app_output_free(&output);
    return MX_OK;
}

/* Where the newest checkpoint is not there, the one before may be. */
static mx_err fail_restart(const char *file, const char *reason)
{
    char *previous = NULL;
    const bool other = app_output_previous(file, &previous) == MX_OK && access(previous, R_OK) == 0;
    const mx_err err =
        MX_FAIL(MX_ERR_INPUT, "--restart: got %s, expected a checkpoint: %s%s%s", file, reason,
                other ? "; the checkpoint before it is " : "", other ? previous : "");
    free(previous);
    return err;
}

/* A file that is not there is a mistake in the command line; a damaged one is found when it is
 * read. */
static mx_err check_restart(const char *file)
{
    struct stat info;
    if (stat(file, &info) != 0 || access(file, R_OK) != 0)
        return fail_restart(file, strerror(errno));
    return S_ISREG(info.st_mode) ? MX_OK : fail_restart(file, "it is not a plain file");
}

/* ---- --restart=auto ---- */

enum { NEWEST, PREVIOUS, NONE };

/* A file that may not be looked at is there. */
static bool is_missing(const char *file)
{
    struct stat info;
    return stat(file, &info) != 0 && errno == ENOENT;
}

/* names[NEWEST] and names[PREVIOUS]; the caller frees them. If FILE is a link whose target is missing,
 * neither is found. Then the run ends, because the checkpoint cannot be written. */
static mx_err name_both(const char *file, char *names[])
{
    MX_REQUIRE(file, MX_ERR_INPUT,
               "--restart=auto: got no name of a file, expected --checkpoint=FILE as well");
    names[NEWEST] = strdup(file);
    MX_REQUIRE(names[NEWEST], MX_ERR_MEMORY, "no memory for the name of the checkpoint");
    return app_output_previous(file, &names[PREVIOUS]);
}

mx_err app_checkpoint_find(app_comm comm, const char *file, char **found)
{
    char *names[NONE + 1] = {NULL};
    int64_t which = NONE;
    mx_err err = app_agree(comm, name_both(file, names));
    if (err == MX_OK && app_rank(comm) == 0) {
        which = NEWEST;
        while (which < NONE && is_missing(names[which])) which++;
    }
    if (err == MX_OK) err = app_broadcast(comm, &which, sizeof which);
    *found = err == MX_OK ? names[which] : NULL;
    for (int i = 0; i < NONE; ++i)
        if (names[i] != *found) free(names[i]);
    return err;
}

/* ---- begin and end ---- */

static mx_err begin(app_checkpoint c)
{
    MX_TRY(app_checkpoint_check(&c->plan));
    if (c->plan.every) MX_TRY(parse_every(c->plan.every, &c->every_steps, &c->every_seconds));
    const bool first = app_rank(c->comm) == 0;
    if (c->plan.restart && first) MX_TRY(check_restart(c->plan.restart));
    if (c->plan.file && first) MX_TRY(try_file(c->plan.file));
    if (c->plan.file) app_signals_catch_stop();
    c->written_at = c->checked_at = app_now();
    c->written_step = -1;
    c->step = c->plan.restart ? -1 : 0;
    return MX_OK;
}

mx_err app_checkpoint_create(app_comm comm, const app_checkpoint_plan *plan,
                             app_checkpoint *checkpoint)
{
    *checkpoint = NULL;
    if (!plan->file && !plan->every && !plan->restart) return MX_OK;
    app_checkpoint const made = calloc(1, sizeof *made);
    mx_err err = made ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for checkpoints");
    if (err == MX_OK) {
        made->comm = comm;
        made->plan = *plan;
        err = begin(made);
    }
    err = app_agree(comm, err);
    *checkpoint = made;
    if (err != MX_OK) app_checkpoint_destroy(checkpoint);
    return err;
}

void app_checkpoint_destroy(app_checkpoint *checkpoint)
{
    app_checkpoint const c = *checkpoint;
    if (!c) return;
    for (int i = 0; i < c->count; ++i) free(c->kept[i].path);
    free(c->kept);
    free(c->input);
    free(c);
    *checkpoint = NULL;
}

/* ---- what is kept ---- */

/* Rows have a second array, PATH_of_rank. */
static bool same_path(const app_kept *a, const app_kept *b)
{
    static const char counts[] = "_of_rank";
    const size_t length = strlen(b->path);
    if (strcmp(a->path, b->path) == 0) return true;
    return b->kind == APP_KEPT_ROWS && strncmp(a->path, b->path, length) == 0 &&
           strcmp(a->path + length, counts) == 0;
}

static mx_err check_new(const struct app_checkpoint *c, const app_kept *kept)
{
    for (int i = 0; i < c->count; ++i)
        MX_REQUIRE(!same_path(&c->kept[i], kept) && !same_path(kept, &c->kept[i]), MX_ERR_ARG,
                   "checkpoint: the name of %s is that of %s, expected another one", kept->path,
                   c->kept[i].path);
    return MX_OK;
}

static mx_err add(app_checkpoint c, const char *name, app_kept kept)
{
    if (!c) return MX_OK;
    if (c->count == c->capacity) {
        const int capacity = c->capacity > 0 ? 2 * c->capacity : 32;
        app_kept *const grown = realloc(c->kept, (size_t)capacity * sizeof *grown);
        MX_REQUIRE(grown, MX_ERR_MEMORY, "no memory for a list of %d kept values", capacity);
        c->kept = grown;
        c->capacity = capacity;
    }
    MX_TRY(app_results_path("/state", name, &kept.path));
    const mx_err err = check_new(c, &kept);
    if (err == MX_OK)
        c->kept[c->count++] = kept;
    else
        free(kept.path);
    return err;
}

mx_err app_keep_f64(app_checkpoint c, const char *name, double *values, int count,
                    app_keep_range range)
{
    return add(c, name,
               (app_kept){.kind = APP_KEPT_F64, .data = values, .count = count, .range = range});
}

mx_err app_keep_i64(app_checkpoint c, const char *name, int64_t *values, int count,
                    app_keep_range range)
{
    return add(c, name,
               (app_kept){.kind = APP_KEPT_I64, .data = values, .count = count, .range = range});
}

mx_err app_keep_flag(app_checkpoint c, const char *name, bool *value)
{
    return add(c, name,
               (app_kept){.kind = APP_KEPT_FLAG, .data = value, .range = app_keep_whole(0, 1)});
}

mx_err app_keep_series(app_checkpoint c, const char *name, app_series *series, app_keep_range range)
{
    return add(c, name, (app_kept){.kind = APP_KEPT_SERIES, .data = series, .range = range});
}

mx_err app_keep_view(app_checkpoint c, const char *name, const mx_view *view,
                     const app_keep_box *box, app_keep_range range)
{
    return add(c, name,
               (app_kept){.kind = APP_KEPT_VIEW,
                          .ctx = box->ctx,
                          .view = view,
                          .ghosts = box->ghosts,
                          .slab = box->slab,
                          .range = range});
}

mx_err app_keep_rows(app_checkpoint c, const char *name, mx_view *view, const app_keep_number *rows,
                     app_keep_range range)
{
    return add(c, name,
               (app_kept){.kind = APP_KEPT_ROWS,
                          .ctx = rows->ctx,
                          .rows_view = view,
                          .rows = rows->count,
                          .total = rows->total,
                          .range = range});
}

mx_err app_keep_input(app_checkpoint c, const char *lines)
{
    if (!c) return MX_OK;
    free(c->input);
    c->input = strdup(lines);
    MX_REQUIRE(c->input, MX_ERR_MEMORY, "no memory for the input");
    return MX_OK;
}

/* ---- use ---- */

bool app_checkpoint_restarts(app_checkpoint c) { return c && c->plan.restart; }

mx_err app_checkpoint_restore(app_checkpoint c)
{
    if (!app_checkpoint_restarts(c)) return MX_OK;
    return app_checkpoint_read(c);
}

mx_err app_checkpoint_refuse(app_checkpoint c, const char *name, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return MX_FAIL(MX_ERR_INPUT, "--restart: %s: /state/%s: %s", c->plan.restart, name, text);
}

mx_err app_checkpoint_check_count(app_checkpoint c, const char *name, const app_series *series,
                                  int64_t count)
{
    if (series->count == count) return MX_OK;
    return app_checkpoint_refuse(c, name, "got %lld entries, expected %lld",
                                 (long long)series->count, (long long)count);
}

mx_err app_checkpoint_check_steps(app_checkpoint c, const char *name, const app_series *steps,
                                  int64_t last)
{
    if (steps->count < 1) return app_checkpoint_refuse(c, name, "got no entry, expected one");
    for (int64_t i = 0; i < steps->count; ++i) {
        const double low = i > 0 ? steps->values[i - 1] + 1 : 0, high = i > 0 ? (double)last : 0;
        if (steps->values[i] >= low && steps->values[i] <= high) continue;
        return app_checkpoint_refuse(c, name, "entry %lld: got %.16g, expected %.16g to %.16g",
                                     (long long)i, steps->values[i], low, high);
    }
    return MX_OK;
}

mx_err app_checkpoint_check_end(app_checkpoint c, const char *name, int64_t done, int64_t end,
                                const char *what)
{
    if (done <= end) return MX_OK;
    return app_checkpoint_refuse(c, name, "got %lld, more than %s, %lld: nothing is left to do",
                                 (long long)done, what, (long long)end);
}

/* What the ranks compare; the maximum over the ranks counts. */
typedef struct comparison {
    double signal;           /* its number, or 0 */
    double seconds_per_step; /* since the last comparison */
    double due;              /* 1: time for a checkpoint, by rank 0's clock */
} comparison;

static mx_err compare(app_checkpoint c, comparison *all)
{
    const double now = app_now();
    const int64_t steps = c->steps_since_check;
    const bool due =
        app_rank(c->comm) == 0 && c->every_seconds > 0 && now - c->written_at >= c->every_seconds;
    double values[3] = {app_signals_stop(), (now - c->checked_at) / (double)steps, due ? 1 : 0};
    MX_TRY(app_max_f64(c->comm, values, 3));
    *all = (comparison){values[0], values[1], values[2]};
    const double next = check_every / (all->seconds_per_step + 1e-9);
    const int64_t grown = 2 * steps < MAX_STEPS_BETWEEN ? 2 * steps : MAX_STEPS_BETWEEN;
    c->check_in = next < 1 ? 1 : next < (double)grown ? (int64_t)next : grown;
    c->steps_since_check = 0;
    return MX_OK;
}

static void warn(app_checkpoint c, int64_t step)
{
    if (app_rank(c->comm) != 0) return;
    fflush(stdout);
    fprintf(stderr, "%s: warning: no checkpoint after step %lld: %s; ", c->plan.program,
            (long long)step, mx_err_message());
    if (c->written_step >= 0)
        fprintf(stderr, "that of step %lld is kept\n", (long long)c->written_step);
    else
        fprintf(stderr, "this run has written none before\n");
}

/* Failures to write are agreed, and the run can go on; after a failure to communicate it cannot. */
static mx_err write_one(app_checkpoint c, int64_t step, bool must)
{
    if (c->written_step == step) return MX_OK;
    const mx_err err = app_checkpoint_write(c, step);
    if (err == MX_OK) c->written_step = step;
    c->written_at = app_now();
    if (err == MX_OK || must || (err != MX_ERR_IO && err != MX_ERR_MEMORY)) return err;
    warn(c, step);
    return MX_OK;
}

static const char *signal_name(int number) { return number == SIGTERM ? "SIGTERM" : "SIGUSR1"; }

mx_err app_checkpoint_step(app_checkpoint c, int64_t step, bool *stop)
{
    *stop = false;
    if (!c || !c->plan.file) return MX_OK;
    comparison all = {0};
    const bool compared = ++c->steps_since_check >= c->check_in;
    if (compared) MX_TRY(compare(c, &all));
    const int64_t before = c->step >= 0 ? c->step : step - 1;
    const bool by_steps = c->every_steps > 0 && step / c->every_steps > before / c->every_steps;
    c->step = step;
    *stop = all.signal > 0;
    if (by_steps || all.due > 0 || *stop) MX_TRY(write_one(c, step, *stop));
    if (compared) c->checked_at = app_now(); /* without the time of writing */
    if (*stop)
        snprintf(c->stop_line, sizeof c->stop_line,
                 "Stopped by %s after step %lld. Go on with --restart=%s",
                 signal_name((int)all.signal), (long long)step, c->plan.file);
    return MX_OK;
}

const char *app_checkpoint_stop_line(app_checkpoint c) { return c ? c->stop_line : ""; }
