#define _POSIX_C_SOURCE 200809L /* fcntl, open */
#include "app.h"

#include "command_line.h"
#include "output_files.h"

#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the start ---- */

/* Where a standard stream is closed, the next file or socket that is opened would get its number,
 * and what is printed would go there. A file that is open for the other direction takes its place:
 * printing then fails, as it should. */
static void keep_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (fcntl(stream, F_GETFD) != -1) continue;
        const int got = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
        if (got != stream && got >= 0) close(got);
    }
}

static mx_err start(app_base *app, const app_definition *definition, int argc, char **argv)
{
    app->definition = definition;
    app->verdict = "passed";
    app->exit_code = APP_EXIT_OK;
    MX_TRY(app_comm_open(&argc, &argv, &app->comm));
    MX_TRY(app_command_compare(app->comm, definition->name, argc, argv));
    MX_TRY(app_agree(app->comm, app_command_copy(argc, argv, &app->argv)));
    app->argc = argc;
    return MX_OK;
}

/* ---- what is printed instead of a run ---- */

static app_program program_of(const app_definition *d)
{
    return (app_program){.name = d->name,
                         .summary = d->summary,
                         .deck = d->deck,
                         .default_deck = d->default_deck,
                         .input = d->input,
                         .notes = d->notes,
                         .checkpoints = d->keep != NULL};
}

static void print_version(const app_definition *d)
{
    printf("%s (minx) %s\n%s\n", d->name, mx_version(), mx_build_description());
}

/* Prints what an option asks for instead of a run; *answered: there was one. */
static mx_err answer(app_base *app, bool *answered)
{
    const app_definition *const d = app->definition;
    const app_options *const o = &app->options;
    const bool mx_help = app_command_has(app->argc, app->argv, "--mx-help"); /* minx printed it */
    *answered = o->help || o->version || o->help_deck || o->backends || mx_help;
    if (!*answered) return MX_OK;
    if (app_rank(app->comm) == 0) {
        const app_program program = program_of(d);
        if (o->help)
            app_options_help(&program, stdout);
        else if (o->version)
            print_version(d);
        else if (o->help_deck && d->input)
            app_keys_help(d->input, stdout);
        else if (o->backends)
            app_backends_print(stdout);
    }
    return app_print_finish(app->comm, NULL);
}

/* ---- the run ---- */

/* Ends a stage on all ranks together, or ends the run. */
static mx_err end_stage(app_base *app, mx_err err)
{
    const bool of_all = err == MX_OK || err == MX_ERR_INPUT;
    if (of_all) return app_agree(app->comm, err);
    if (app_size(app->comm) == 1 || app_is_agreed(app->comm, err)) return err;
    app_progress_end(app->report);
    app_abort(app->comm, app->definition->name);
    return err;
}

static mx_err stage(app_base *app, app_stage *call)
{
    return call ? end_stage(app, call(app)) : MX_OK;
}

static mx_err read_deck(app_base *app)
{
    const app_program program = program_of(app->definition);
    const mx_err err =
        app_read_file(app->comm, app->options.deck, &app->deck_text, &app->deck_length);
    if (err == MX_OK) return MX_OK;
    return app_agree(app->comm, app_options_fail_deck(&program, &app->options, err));
}

/* The deck, then what the command line sets: the same on every rank. */
static mx_err read_input(app_base *app)
{
    const app_definition *const d = app->definition;
    const app_options *const o = &app->options;
    if (o->deck) MX_TRY(read_deck(app));
    if (d->input)
        MX_TRY(app_agree(app->comm,
                         app_keys_read(&app->keys, d->input, o->deck, app->deck_text,
                                       app->deck_length, o->overrides, (char *)app + d->input_at)));
    return MX_OK;
}

/* The files that the command line names. */
static mx_err list_files(app_base *app)
{
    const app_options *const o = &app->options;
    app_paths *const paths = &app->paths;
    MX_TRY(app_paths_add_streams(app->comm, paths));
    if (o->deck) MX_TRY(app_path_reads(app, "the input", o->deck));
    if (o->restart) MX_TRY(app_paths_add_restart(app->comm, paths, o->restart));
    if (o->output) MX_TRY(app_paths_add_results(app->comm, paths, o->output));
    return o->checkpoint ? app_paths_add_checkpoint(app->comm, paths, o->checkpoint) : MX_OK;
}

static mx_err open_checkpoint(app_base *app)
{
    const app_options *const o = &app->options;
    const app_checkpoint_plan plan = {.program = app->definition->name,
                                      .file = o->checkpoint,
                                      .every = o->checkpoint_every,
                                      .restart = o->restart,
                                      .argc = app->argc,
                                      .argv = app->argv};
    const bool wanted = plan.file || plan.every || plan.restart;
    mx_err err = MX_OK;
    if (wanted && !app->definition->keep)
        err = MX_FAIL(MX_ERR_INPUT, "%s has no checkpoints", plan.program);
    MX_TRY(app_agree(app->comm, err));
    return app_checkpoint_create(app->comm, &plan, &app->checkpoint);
}

static mx_err begin(app_base *app)
{
    const app_definition *const d = app->definition;
    const app_origin origin = {.app = d->name, .argc = app->argc, .argv = app->argv};
    MX_TRY(app_report_create(app->comm, app->options.quiet, &app->report));
    MX_TRY(app_region_add(app->report, "whole run", &app->whole));
    MX_TRY(read_input(app));
    MX_TRY(list_files(app));
    MX_TRY(app_results_create(app->comm, app->options.output, &origin, &app->results));
    MX_TRY(open_checkpoint(app));
    MX_TRY(app_context_create(app->comm, &app->options, &app->ctx, &app->threads_origin));
    return app_transport_create(app->comm, app->ctx, app->options.gpu_mpi, &app->transport);
}

static mx_err store_provenance(app_base *app)
{
    mx_ctx_info info;
    char threads[16];
    MX_TRY(mx_ctx_get_info(app->ctx, &info));
    snprintf(threads, sizeof threads, "%d", info.threads);
    MX_TRY(app_results_provenance(app->results, "backend", info.backend));
    MX_TRY(app_results_provenance(app->results, "threads", threads));
    MX_TRY(app_results_provenance(app->results, "layout", mx_layout_name(info.layout)));
    MX_TRY(app_results_provenance(app->results, "device", info.device_name));
    MX_TRY(app_results_provenance(app->results, "precision",
                                  app->precision != NULL ? app->precision : "f64"));
    MX_TRY(app_results_provenance(app->results, "core_build", mx_build_description()));
    MX_TRY(app_results_provenance_i64(app->results, "first_step", app->first_step));
    return app_results_provenance(app->results, "halo_path", app_transport_path(app->transport));
}

static mx_err store_parameter(app_results results, const app_parameter *p)
{
    switch (p->kind) {
    case APP_PARAMETER_REAL: return app_results_parameter_f64(results, p->name, p->real, p->unit);
    case APP_PARAMETER_WHOLE: return app_results_parameter_i64(results, p->name, p->whole, p->unit);
    case APP_PARAMETER_TEXT: return app_results_parameter_text(results, p->name, p->text);
    case APP_PARAMETER_LIST:
        return app_results_parameter_list(results, p->name, p->list, p->count, p->unit);
    }
    return MX_OK;
}

/* The input as it was given, and every parameter as it was understood. */
static mx_err store_input(app_base *app)
{
    const app_definition *const d = app->definition;
    const void *const target = (const char *)app + d->input_at;
    if (app->deck_text) MX_TRY(app_results_deck(app->results, app->deck_text, app->deck_length));
    if (app->options.overrides)
        MX_TRY(app_results_parameter_text(app->results, "overrides", app->options.overrides));
    for (int i = 0; d->input; i++) {
        app_parameter p;
        MX_TRY(
            app_agree(app->comm, app_keys_parameter(d->input, app->keys.dialect, target, i, &p)));
        if (!p.name) break;
        const mx_err err = store_parameter(app->results, &p);
        app_parameter_free(&p);
        MX_TRY(err);
    }
    return MX_OK;
}

static mx_err store_common(app_base *app)
{
    if (!app->results) return MX_OK;
    MX_TRY(store_provenance(app));
    MX_TRY(store_input(app));
    const app_region *region;
    for (int i = 0; (region = app_report_region(app->report, i)) != NULL; i++)
        MX_TRY(app_results_region(app->results, region->name, &region->totals));
    return MX_OK;
}

static void print_end(app_base *app)
{
    app_print(app->report, " Wall clock of the whole program %.3f s\n", app_now() - app->started);
    if (app->merit_unit) app_figure_of_merit(app->report, app->merit, app->merit_unit);
}

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
static mx_err add_lines(app_base *app, app_strbuf *lines)
{
    const app_definition *const d = app->definition;
    const void *const target = (const char *)app + d->input_at;
    MX_TRY(app_strbuf_add(lines, "dialect_number=%d\n", app->keys.dialect));
    for (int i = 0; d->input; i++) {
        app_parameter p;
        MX_TRY(app_keys_parameter(d->input, app->keys.dialect, target, i, &p));
        if (!p.name) break;
        const mx_err err = is_among(d->free_at_restart, p.name) ? MX_OK : add_line(lines, &p);
        app_parameter_free(&p);
        MX_TRY(err);
    }
    return MX_OK;
}

static mx_err keep_input(app_base *app)
{
    app_strbuf lines = {0};
    mx_err err = add_lines(app, &lines);
    if (err == MX_OK) err = app_keep_input(app->checkpoint, lines.text);
    app_strbuf_free(&lines);
    return app_agree(app->comm, err);
}

/* After set_up: the stage `keep` names variables and views that must exist. */
static mx_err restart(app_base *app)
{
    if (!app->checkpoint) return MX_OK;
    MX_TRY(keep_input(app));
    MX_TRY(stage(app, app->definition->keep));
    MX_TRY(app_checkpoint_restore(app->checkpoint));
    app->restarted = app_checkpoint_restarts(app->checkpoint);
    if (!app->restarted) return MX_OK;
    MX_TRY(stage(app, app->definition->check_kept));
    app_print(app->report, " Restarted from %s\n", app->options.restart);
    return MX_OK;
}

/* The checkpoint is complete: a line that cannot be printed does not make the run fail. */
static mx_err stop(app_base *app)
{
    const char *const line = app_checkpoint_stop_line(app->checkpoint);
    app_progress_end(app->report);
    app_print(app->report, " %s\n", line);
    app_results_discard(&app->results);
    if (app_print_finish(app->comm, app->report) == MX_OK) return MX_OK;
    return app_print_last(app, "%s (%s)", line, mx_err_message());
}

/* A check that failed on one rank has failed. */
static mx_err agree_on_checks(app_base *app)
{
    int64_t failed = app->failed;
    MX_TRY(app_max_i64(app->comm, &failed, 1));
    const bool elsewhere = failed != 0 && !app->failed;
    app->failed = failed != 0;
    return elsewhere ? app_print_last(app, "a check FAILED on another rank") : MX_OK;
}

/* The threads of the run compute the digests of the results file; beside a device, threads of the
 * host. */
static mx_err seal(app_base *app)
{
    mx_ctx host = NULL;
    mx_ctx_info info;
    if (!app->results) return MX_OK;
    MX_TRY(mx_ctx_get_info(app->ctx, &info));
    const bool on_host = info.device < 0;
    if (!on_host) MX_TRY(app_host_context_create(app->comm, &app->options, &host));
    app_results_set_threads(app->results, on_host ? app->ctx : host);
    const mx_err err = app_results_seal(app->results, app_verdict(app), app_verdict_code(app));
    mx_ctx_destroy(&host);
    return err;
}

/* Results are not thrown away because a line could not be printed. */
static mx_err publish(app_base *app)
{
    MX_TRY(app_results_publish(&app->results));
    const mx_err err = app_print_finish(app->comm, app->report);
    if (err == MX_OK || !app->options.output) return err;
    return MX_FAIL(err, "%s; the results file %s is complete", mx_err_message(),
                   app->options.output);
}

static mx_err run(app_base *app)
{
    const app_definition *const d = app->definition;
    MX_TRY(begin(app));
    app_region_begin(app->whole);
    MX_TRY(stage(app, d->set_up));
    MX_TRY(restart(app));
    MX_TRY(stage(app, d->run));
    if (app->stopped) return stop(app);
    MX_TRY(end_stage(app, mx_fence(app->ctx)));
    app_region_end(app->whole, 0, 0, 1);
    MX_TRY(stage(app, d->verify));
    MX_TRY(stage(app, d->output));
    MX_TRY(app_agree(app->comm, agree_on_checks(app)));
    MX_TRY(store_common(app));
    MX_TRY(seal(app));
    print_end(app);
    return publish(app);
}

/* ---- the end ---- */

/* Ranks end with one code. */
static int agree_on_code(const app_base *app, mx_err err)
{
    int64_t code = err != MX_OK ? app_exit_code(err) : app_verdict_code(app);
    if (app->comm) (void)app_max_i64(app->comm, &code, 1);
    return (int)code;
}

/* Why the run ends with a code other than 0, behind all that was printed before. No rank ends
 * before it is out. All ranks have the same code. */
static void print_last(app_base *app, mx_err err, int code)
{
    const bool first = app->comm && app_rank(app->comm) == 0;
    if (app->report) app_progress_end(app->report);
    if (code == APP_EXIT_OK) return;
    if (first) app_print_through(app->comm, stdout);
    if (first && app->last.text) fputs(app->last.text, stderr);
    if (err != MX_OK) app_print_error(app->comm, app->definition->name);
    if (first) app_print_through(app->comm, stderr);
    if (app->comm) (void)app_barrier(app->comm);
}

static void finish(app_base *app)
{
    if (app->definition->clean_up) app->definition->clean_up(app);
    app_results_discard(&app->results);
    app_checkpoint_destroy(&app->checkpoint);
    app_report_destroy(&app->report);
    app_transport_destroy(&app->transport);
    mx_ctx_destroy(&app->ctx);
    mx_finalize();
    app_keys_close(&app->keys);
    app_options_close(&app->options);
    app_paths_free(&app->paths);
    app_strbuf_free(&app->last);
    free(app->field);
    free(app->deck_text);
    free((void *)app->argv);
    app_comm_close(&app->comm);
}

/* minx, then the command line without minx's options. */
static mx_err read_command_line(app_base *app)
{
    const app_program program = program_of(app->definition);
    int argc = app->argc;
    char **argv = NULL;
    mx_err err = app_agree(app->comm, app_command_copy(app->argc, app->argv, &argv));
    if (err == MX_OK) err = app_agree(app->comm, app_command_start_minx(app->comm, &argc, &argv));
    if (err == MX_OK)
        err = app_agree(app->comm, app_options_parse(&program, argc, argv, &app->options));
    free((void *)argv);
    return err;
}

static mx_err run_or_answer(app_base *app, const app_definition *definition, int argc, char **argv)
{
    bool answered = false;
    MX_TRY(start(app, definition, argc, argv));
    MX_TRY(read_command_line(app));
    MX_TRY(answer(app, &answered));
    if (answered) return MX_OK;
    MX_TRY(app_comm_check_launcher(app->comm));
    return run(app);
}

int app_run(const app_definition *definition, int argc, char **argv)
{
    const double started = app_now();
    keep_standard_streams();
    app_base *const app = calloc(1, definition->size);
    if (!app) {
        fprintf(stderr, "%s: error: no memory to start\n", definition->name);
        return APP_EXIT_RUNTIME;
    }
    app->started = started;
    const mx_err err = run_or_answer(app, definition, argc, argv);
    const int code = agree_on_code(app, err);
    print_last(app, err, code);
    finish(app);
    free(app);
    return code;
}

/* ---- what stages call ---- */

mx_err app_step_end(app_base *base, int64_t step)
{
    return app_checkpoint_step(base->checkpoint, step, &base->stopped);
}

double app_relative(double value, double expected)
{
    return expected != 0 ? fabs(value / expected - 1) : fabs(value);
}

mx_err app_check(app_base *base, const char *name, double value, double expected, double tolerance,
                 app_compare compare)
{
    const double difference = app_relative(value, expected);
    const bool passed = difference <= tolerance; /* false for NaN */
    base->failed = base->failed || !passed;
    app_print(base->report,
              " check %-12s %.15e expected %.15e %s difference %.2e tolerance %.1e %s\n", name,
              value, expected, expected != 0 ? "relative" : "absolute", difference, tolerance,
              passed ? "PASSED" : "FAILED");
    if (!passed)
        MX_TRY(app_print_last(base, "check %s FAILED: got %.15e, expected %.15e, tolerance %.1e",
                              name, value, expected, tolerance));
    const app_checked check = {.name = name,
                               .value = value,
                               .expected = expected,
                               .tolerance = tolerance,
                               .passed = passed,
                               .compare = compare};
    return app_results_check(base->results, &check);
}

void app_print_note(const app_base *base, const char *format, ...)
{
    char text[512];
    va_list args;
    if (app_rank(base->comm) != 0) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    app_progress_end(base->report);
    fprintf(stderr, "%s: note: %s\n", base->definition->name, text);
}

mx_err app_print_last(app_base *base, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return app_strbuf_add(&base->last, "%s: %s\n", base->definition->name, text);
}

mx_err app_path_reads(app_base *base, const char *role, const char *path)
{
    return app_paths_add(base->comm, &base->paths, &(app_path){.name = path, .role = role});
}

/* A link to what is not there has no file that could be compared with those of the run. */
static mx_err check_written(const char *option, const char *path)
{
    char *resolved = NULL;
    MX_TRY(app_output_resolve(option, path, &resolved));
    free(resolved);
    return app_output_check_plain(option, path);
}

mx_err app_path_writes(app_base *base, const char *option, const char *role, const char *path)
{
    const app_path written = {.name = path, .role = role, .option = option};
    const bool first = app_rank(base->comm) == 0;
    MX_TRY(app_paths_add(base->comm, &base->paths, &written));
    return app_agree(base->comm, first ? check_written(option, path) : MX_OK);
}

mx_err app_path_folder(app_base *base, const char *option, const char *folder)
{
    const bool first = app_rank(base->comm) == 0;
    return app_agree(base->comm, first ? app_output_check_folder(option, folder) : MX_OK);
}

void app_print_place(app_base *base)
{
    mx_ctx_info info;
    if (mx_ctx_get_info(base->ctx, &info) != MX_OK) return;
    const int ranks = app_size(base->comm);
    const char *const origin = base->threads_origin;
    app_print(base->report, " backend %s, layout %s, %d rank%s of %d thread%s%s%s%s%s%s\n",
              info.backend, mx_layout_name(info.layout), ranks, ranks > 1 ? "s" : "", info.threads,
              info.threads > 1 ? "s" : "", origin != NULL ? " (" : "", origin != NULL ? origin : "",
              origin != NULL ? ")" : "", info.device_name[0] != '\0' ? ", " : "", info.device_name);
    const char *const reason = app_transport_reason(base->transport);
    app_print(base->report, " messages by %s%s%s\n", app_transport_path(base->transport),
              reason[0] != '\0' ? ": " : "", reason);
}

const char *app_verdict(const app_base *base) { return base->failed ? "failed" : base->verdict; }

int app_verdict_code(const app_base *base)
{
    if (base->stopped) return APP_EXIT_STOPPED;
    return base->failed ? APP_EXIT_FAILED : base->exit_code;
}
