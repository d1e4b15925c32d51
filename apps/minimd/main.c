/* miniMD: molecular dynamics with short-range forces, as the original's decks ask for it. See
 * README.md and `minimd --help`. */
#include "md_app.h"

static const app_program program = {
    .name = "minimd",
    .summary = "molecular dynamics with short-range forces, as the original miniMD does it",
    .deck = "DECK",
    .default_deck = "in.lj.miniMD",
    .input = &md_keys,
    .checkpoints = true,
    .free_at_restart = "steps thermo frames yaml_output yaml_screen check_exchange safe_exchange",
    .notes =
        "Exit codes: 0 ran and verified; 1 verification failed; 2 bad usage or input; 3 failure at run time (also lost atoms);\n"
        "5 stopped by a signal after a checkpoint.\n",
};

static mx_err run_stages(md_app *app)
{
    MX_TRY(app_open(&app->base)); /* the results file, the backend, messages between ranks */
    MX_TRY(md_set_up(app));       /* the box, the atoms, their velocities */
    MX_TRY(md_restart(app));      /* from a checkpoint, if the user asks for that */
    MX_TRY(md_run(app));          /* the time steps */
    if (app->base.stopped) return app_stop(&app->base); /* by a signal, after a checkpoint */
    MX_TRY(md_verify(app));
    MX_TRY(md_write(app));          /* the last lines, histories, the atoms */
    return app_publish(&app->base); /* provenance, digests; the results file gets its name */
}

int main(int argc, char **argv)
{
    md_app app = {0};
    /* MPI, the command line, the input; --help is answered */
    mx_err err = app_begin(&app.base, &program, argc, argv, &app.input);
    if (err == MX_OK && !app.base.answered) err = run_stages(&app);
    const int code = app_finish(&app.base, err); /* says why it is not 0 */
    md_clean_up(&app);
    app_close(&app.base);
    return code;
}
