/* TeaLeaf: heat conduction in two dimensions, implicit in time, by conjugate gradients. See README.md and
 * `tealeaf --help`. */
#include "tl_app.h"

#include <stdio.h>
#include <stdlib.h>

static bool list_deck_keys, list_backends;

static const app_option own_options[] = {
    {"help-deck", APP_OPTION_SWITCH, &list_deck_keys, .help = "list the keys of decks, and stop",
     .instead_of_run = true},
    {"backends", APP_OPTION_SWITCH, &list_backends,
     .help = "list the backends available here, and stop", .instead_of_run = true},
};

static const app_program program = {
    .name = "tealeaf",
    .summary = "solves heat conduction on a 2-D mesh, as the deck says",
    .deck = "DECK",
    .default_deck = "tea.in",
    .options = own_options,
    .option_count = 2,
    .notes =
        "Exit codes: 0 ran and verified; 1 verification failed; 2 bad usage or input; 3 failure at run time. A step that\n"
        "ends at the deck's maximum number of iterations is accepted, as by the original codes: the verdict then is\n"
        "\"iteration limit\", and the exit code is 0 if all checks pass. (4, no convergence, is never returned.)\n",
};

/* Prints what an option asks for instead of a run (--help and others); false: there is none. */
static bool answer(tl_app *app)
{
    const app_options *o = &app->options;
    const bool asked = o->help || o->version || list_deck_keys || list_backends;
    if (app_rank(app->comm) != 0) return asked;
    if (o->help)
        app_options_help(&program, stdout);
    else if (o->version)
        printf("tealeaf (minx) %s\n%s\n", mx_version(), mx_build_description());
    else if (list_deck_keys)
        tl_deck_keys(stdout);
    else if (list_backends)
        app_backends_print(stdout);
    return asked;
}

static mx_err read_deck(tl_app *app)
{
    MX_TRY(app_read_file(app->comm, app->options.deck, &app->deck_text, &app->deck_length));
    MX_TRY(app_agree(
        app->comm, tl_deck_parse(app->options.deck, app->deck_text, app->deck_length, &app->deck)));
    return app_agree(app->comm, tl_deck_check_problem(app->options.deck, &app->deck));
}

static void print_banner(tl_app *app)
{
    mx_ctx_info info;
    (void)mx_ctx_get_info(app->ctx, &info);
    app_print(
        app->report,
        "\n Tea (minx %s)\n\n deck %s (%s dialect; eps is relative to each step's initial residual)\n",
        mx_version(), app->options.deck,
        app->deck.dialect == TL_DIALECT_REFERENCE ? "reference" : "port");
    app_print(app->report, " backend %s, layout %s, %d rank%s of %d thread%s%s%s\n", info.backend,
              mx_layout_name(info.layout), app_size(app->comm), app_size(app->comm) > 1 ? "s" : "",
              info.threads, info.threads > 1 ? "s" : "", info.device_name[0] != '\0' ? ", " : "",
              info.device_name);
    app_print(app->report, " mesh %lld x %lld, decomposed into %d by %d, halo by %s\n",
              (long long)app->deck.x_cells, (long long)app->deck.y_cells, app->decomp.ranks[1],
              app->decomp.ranks[0], app_halo_path(app->halo));
}

static mx_err print_performance(tl_app *app)
{
    const double cells = (double)app->deck.x_cells * (double)app->deck.y_cells;
    double seconds = app->solve->totals.seconds;
    MX_TRY(app_max_f64(app->comm, &seconds, 1));
    if (app->deck.profiler_on) MX_TRY(app_report_table(app->report, 0));
    if (app->iterations > 0)
        app_print(app->report, " CG: %lld iterations, milliseconds an iteration: %.4f\n",
                  (long long)app->iterations, 1e3 * seconds / (double)app->iterations);
    app_figure_of_merit(app->report, seconds > 0 ? cells * (double)app->iterations / seconds : 0,
                        "cell iterations/s");
    return MX_OK;
}

static mx_err run(tl_app *app, int argc, char **argv)
{
    MX_TRY(app_report_create(app->comm, app->options.quiet, &app->report));
    MX_TRY(read_deck(app));
    MX_TRY(app_results_check_input(app->comm, app->options.output, app->options.deck));
    MX_TRY(
        app_results_create(app->comm, app->options.output, "tealeaf", argc, argv, &app->results));
    MX_TRY(app_context_create(app->comm, &app->options, &app->ctx));
    MX_TRY(tl_setup(app));
    print_banner(app);
    MX_TRY(tl_agree(app, tl_run(app)));
    MX_TRY(tl_verify(app));
    if (app->deck.dialect == TL_DIALECT_REFERENCE)
        app_print(app->report, "\n Calculation complete\n Tea is finishing\n Wall clock    %.6f\n",
                  app_now() - app->started);
    MX_TRY(print_performance(app));
    MX_TRY(tl_output(app));
    return app_results_finish(&app->results, app->verdict,
                              app->passed ? APP_EXIT_OK : APP_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    tl_app app = {0};
    bool answered = false;
    mx_err err = app_comm_open(&argc, &argv, &app.comm);
    if (err == MX_OK) err = app_agree(app.comm, mx_init());
    if (err == MX_OK)
        err = app_agree(app.comm, app_options_parse(&program, argc, argv, &app.options));
    if (err == MX_OK) answered = answer(&app);
    if (err == MX_OK && !answered) err = run(&app, argc, argv);
    if (err == MX_OK) err = app_print_finish(app.comm);
    int code = err != MX_OK             ? app_exit_code(err)
               : answered || app.passed ? APP_EXIT_OK
                                        : APP_EXIT_FAILED;
    if (app.report != NULL) app_progress_end(app.report);
    if (err != MX_OK) app_print_error(app.comm, program.name);
    tl_cleanup(&app);
    mx_finalize();
    app_comm_close(&app.comm);
    return code;
}
