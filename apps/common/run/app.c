#define _POSIX_C_SOURCE 200809L /* fcntl, open, strdup */
#include "app.h"

#include "command_line.h"
#include "results/output_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the command line ---- */

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

/* MPI, and one command line of all ranks. */
static mx_err start(app_base *base, int argc, char **argv)
{
    const char *const name = base->program->name;
    app_job_find(&base->job);
    app_results_start();
    MX_TRY(app_comm_open(&argc, &argv, &base->comm));
    base->mpi_seconds = app_now() - base->started;
    MX_TRY(app_command_compare(base->comm, name, argc, argv));
    MX_TRY(app_agree(base->comm, app_command_copy(argc, argv, &base->argv)));
    base->argc = argc;
    return MX_OK;
}

/* minx, then the command line without minx's options. */
static mx_err read_command_line(app_base *base)
{
    int argc = base->argc;
    char **argv = NULL;
    mx_err err = app_agree(base->comm, app_command_copy(base->argc, base->argv, &argv));
    if (err == MX_OK) err = app_agree(base->comm, app_command_start_minx(base->comm, &argc, &argv));
    if (err == MX_OK)
        err = app_agree(base->comm, app_options_parse(base->program, argc, argv, &base->options));
    free((void *)argv);
    return err;
}

static void print_version(const app_program *program)
{
    printf("%s (minx) %s\n%s\n", program->name, mx_version(), mx_build_description());
}

/* Prints what an option asks for instead of a run, if there is such an option. */
static mx_err answer(app_base *base)
{
    const app_program *const program = base->program;
    const app_options *const o = &base->options;
    const bool mx_help = app_command_has(base->argc, base->argv, "--mx-help"); /* minx printed it */
    base->answered = o->help || o->version || o->help_deck || o->backends || mx_help;
    if (!base->answered) return MX_OK;
    if (app_rank(base->comm) == 0) {
        if (o->help)
            app_options_help(program, stdout);
        else if (o->version)
            print_version(program);
        else if (o->help_deck && program->input)
            app_keys_help(program->input, stdout);
        else if (o->backends)
            app_backends_print(stdout);
    }
    return app_print_finish(base->comm, NULL);
}

/* ---- the input ---- */

static mx_err read_deck(app_base *base)
{
    const mx_err err =
        app_read_file(base->comm, base->options.deck, &base->deck_text, &base->deck_length);
    if (err == MX_OK) return MX_OK;
    return app_agree(base->comm, app_options_fail_deck(base->program, &base->options, err));
}

/* The deck, then what the command line sets: the same on every rank. */
static mx_err read_input(app_base *base)
{
    const app_input *const input = base->program->input;
    const app_options *const o = &base->options;
    if (o->deck) MX_TRY(read_deck(base));
    if (input)
        MX_TRY(app_agree(base->comm, app_keys_read(&base->keys, input, o->deck, base->deck_text,
                                                   base->deck_length, o->overrides, base->input)));
    return MX_OK;
}

mx_err app_begin(app_base *base, const app_program *program, int argc, char **argv, void *input)
{
    base->started = app_now();
    base->program = program;
    base->input = input;
    base->precision = "f64";
    base->verdict = "passed";
    base->exit_code = APP_EXIT_OK;
    keep_standard_streams();
    MX_TRY(start(base, argc, argv));
    MX_TRY(read_command_line(base));
    MX_TRY(answer(base));
    if (base->answered) return MX_OK;
    MX_TRY(app_comm_check_launcher(base->comm));
    MX_TRY(app_report_create(base->comm, base->options.quiet, &base->report));
    MX_TRY(app_region_add(base->report, "whole_run", &base->whole));
    return read_input(base);
}

/* ---- files ---- */

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

/* The checkpoint of --restart. */
static mx_err choose_restart(app_base *base)
{
    const app_options *const o = &base->options;
    if (!o->restart) return MX_OK;
    if (strcmp(o->restart, "auto") == 0)
        return app_checkpoint_find(base->comm, o->checkpoint, &base->restart);
    base->restart = strdup(o->restart);
    mx_err err = MX_OK;
    if (!base->restart) err = MX_FAIL(MX_ERR_MEMORY, "no memory for the name of the checkpoint");
    return app_agree(base->comm, err);
}

/* The files that the command line names. */
static mx_err list_files(app_base *base)
{
    const app_options *const o = &base->options;
    app_paths *const paths = &base->paths;
    MX_TRY(app_paths_add_streams(base->comm, paths));
    if (o->deck) MX_TRY(app_path_reads(base, "the input", o->deck));
    if (base->restart) MX_TRY(app_paths_add_restart(base->comm, paths, base->restart));
    if (o->output) MX_TRY(app_paths_add_results(base->comm, paths, o->output));
    if (o->summary) MX_TRY(app_path_writes(base, "--summary", "the summary", o->summary));
    return o->checkpoint ? app_paths_add_checkpoint(base->comm, paths, o->checkpoint) : MX_OK;
}

/* ---- what a run needs ---- */

static mx_err open_checkpoint(app_base *base)
{
    const app_options *const o = &base->options;
    const app_checkpoint_plan plan = {.program = base->program->name,
                                      .file = o->checkpoint,
                                      .every = o->checkpoint_every,
                                      .restart = base->restart,
                                      .argc = base->argc,
                                      .argv = base->argv};
    const bool wanted = plan.file || plan.every || plan.restart;
    mx_err err = MX_OK;
    if (wanted && !base->program->checkpoints)
        err = MX_FAIL(MX_ERR_INPUT, "%s has no checkpoints", plan.program);
    MX_TRY(app_agree(base->comm, err));
    return app_checkpoint_create(base->comm, &plan, &base->checkpoint);
}

mx_err app_open(app_base *base)
{
    const app_options *const o = &base->options;
    MX_TRY(choose_restart(base));
    MX_TRY(list_files(base));
    const app_origin origin = {.app = base->program->name,
                               .date = base->job.date.text,
                               .argc = base->argc,
                               .argv = base->argv};
    MX_TRY(app_results_create(base->comm, o->output, &origin, &base->results));
    MX_TRY(app_summary_open(base));
    MX_TRY(open_checkpoint(base));
    const double before = app_now();
    MX_TRY(app_context_create(base->comm, o, &base->ctx, &base->threads_origin));
    base->backend_seconds = app_now() - before;
    MX_TRY(app_transport_create(base->comm, base->ctx, o->gpu_mpi, &base->transport));
    base->transport_seconds = app_now() - before - base->backend_seconds;
    app_region_begin(base->whole);
    return MX_OK;
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
    app_print(base->report, " started in %.3f s: MPI %.3f, backend %.3f, messages %.3f\n",
              app_now() - base->started, base->mpi_seconds, base->backend_seconds,
              base->transport_seconds);
}

/* ---- the ends of stages ---- */

/* An error that is not agreed may be this rank's alone, while the others wait for its messages: it
 * ends all of them. */
static void abort_unless_agreed(app_base *base, mx_err err)
{
    if (app_size(base->comm) == 1 || app_is_agreed(base->comm, err)) return;
    if (base->report) app_progress_end(base->report);
    app_abort(base->comm, base->program->name);
}

mx_err app_end_stage(app_base *base, mx_err err)
{
    const bool of_all = err == MX_OK || err == MX_ERR_INPUT;
    if (of_all) return app_agree(base->comm, err);
    abort_unless_agreed(base, err);
    return err;
}

mx_err app_end_run(app_base *base, mx_err err)
{
    MX_TRY(app_end_stage(base, err));
    MX_TRY(app_end_stage(base, app_transport_fence(base->transport)));
    app_region_end(base->whole, 0, 0, 1);
    return MX_OK;
}

/* ---- the end of the program ---- */

/* Ranks end with one code. */
static int agree_on_code(const app_base *base, mx_err err)
{
    int64_t code = err != MX_OK ? app_exit_code(err) : app_verdict_code(base);
    if (base->comm) (void)app_max_i64(base->comm, &code, 1);
    return (int)code;
}

/* Why the run ends with a code other than 0, behind all that was printed before. No rank ends
 * before it is out. All ranks have the same code. */
static void print_last(app_base *base, mx_err err, int code)
{
    const bool first = base->comm && app_rank(base->comm) == 0;
    if (base->report) app_progress_end(base->report);
    if (code == APP_EXIT_OK) return;
    if (first) app_print_through(base->comm, stdout);
    if (first && base->last.text) fputs(base->last.text, stderr);
    if (err != MX_OK) app_print_error(base->comm, base->program->name);
    if (first) app_print_through(base->comm, stderr);
    if (base->comm) (void)app_barrier(base->comm);
}

int app_finish(app_base *base, mx_err err)
{
    const bool of_all = err == MX_OK || err == MX_ERR_INPUT;
    if (!of_all && base->comm) abort_unless_agreed(base, err);
    const int code = agree_on_code(base, err);
    print_last(base, err, code);
    return code;
}

void app_close(app_base *base)
{
    app_results_discard(&base->results);
    app_summary_close(base);
    app_checkpoint_destroy(&base->checkpoint);
    app_report_destroy(&base->report);
    app_transport_destroy(&base->transport);
    mx_ctx_destroy(&base->ctx);
    mx_finalize();
    app_keys_close(&base->keys);
    app_options_close(&base->options);
    app_paths_free(&base->paths);
    app_strbuf_free(&base->last);
    free(base->restart);
    free(base->field);
    free(base->deck_text);
    free((void *)base->argv);
    app_comm_close(&base->comm);
}
