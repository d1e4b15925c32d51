/* A run that stops after a checkpoint, and one that goes on from it. */
#include "app.h"

#include <string.h>

/* ---- the input as a checkpoint keeps it ---- */

/* Is the name one of the words? */
static bool is_among(const char *words, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = words ? words : ""; *at; at += strspn(at, " ")) {
        const size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, name, length) == 0) return true;
        at += word;
    }
    return false;
}

/* A line of the input as a checkpoint keeps it; 17 digits tell any two doubles apart. */
static mx_err add_line(app_strbuf *lines, const app_parameter *p)
{
    MX_TRY(app_strbuf_add(lines, "%s=", p->name));
    switch (p->kind) {
    case APP_PARAMETER_REAL: return app_strbuf_add(lines, "%.17g\n", p->real);
    case APP_PARAMETER_WHOLE: return app_strbuf_add(lines, "%lld\n", (long long)p->whole);
    case APP_PARAMETER_TEXT: return app_strbuf_add(lines, "%s\n", p->text);
    case APP_PARAMETER_LIST:
        for (int i = 0; i < p->count; i++)
            MX_TRY(app_strbuf_add(lines, "%s%.17g", i > 0 ? "," : "", p->list[i]));
    }
    return app_strbuf_add(lines, "\n");
}

/* The parameters that a restart must have too. */
static mx_err add_lines(app_base *base, app_strbuf *lines)
{
    const app_program *const program = base->program;
    MX_TRY(app_strbuf_add(lines, "dialect_number=%d\n", base->keys.dialect));
    for (int i = 0; program->input; i++) {
        app_parameter p;
        MX_TRY(app_keys_parameter(program->input, base->keys.dialect, base->input, i, &p));
        if (!p.name) break;
        const mx_err err = is_among(program->free_at_restart, p.name) ? MX_OK : add_line(lines, &p);
        app_parameter_free(&p);
        MX_TRY(err);
    }
    return MX_OK;
}

static mx_err keep_input(app_base *base)
{
    app_strbuf lines = {0};
    mx_err err = add_lines(base, &lines);
    if (err == MX_OK) err = app_keep_input(base->checkpoint, lines.text);
    app_strbuf_free(&lines);
    return app_agree(base->comm, err);
}

/* ---- the restart ---- */

mx_err app_restore(app_base *base)
{
    if (!base->checkpoint) return MX_OK;
    MX_TRY(keep_input(base));
    MX_TRY(app_checkpoint_restore(base->checkpoint));
    base->restarted = app_checkpoint_restarts(base->checkpoint);
    return MX_OK;
}

mx_err app_end_restart(app_base *base, mx_err err)
{
    MX_TRY(app_end_stage(base, err));
    if (base->restarted)
        app_print(base->report, " Restarted from %s\n", base->restart);
    else if (base->options.restart)
        app_print(base->report, " No checkpoint %s is there yet: this run begins\n",
                  base->options.checkpoint);
    return MX_OK;
}

/* ---- steps, and the stop ---- */

mx_err app_step_end(app_base *base, int64_t step)
{
    return app_checkpoint_step(base->checkpoint, step, &base->stopped);
}

/* The checkpoint is complete: a line or a summary that cannot be written does not make the run fail. */
mx_err app_stop(app_base *base)
{
    const char *const line = app_checkpoint_stop_line(base->checkpoint);
    app_progress_end(base->report);
    app_results_discard(&base->results);
    MX_TRY(app_summary_make(base));
    app_print(base->report, " %s\nverdict: %s\n", line, app_verdict(base));
    if (app_summary_publish(base) == MX_OK && app_print_finish(base->comm, base->report) == MX_OK)
        return MX_OK;
    return app_print_last(base, "%s (%s)", line, mx_err_message());
}
