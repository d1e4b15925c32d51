/* TeaLeaf: heat conduction in two or three dimensions, implicit in time. See README.md and
 * `tealeaf --help`. */
#include "tl_app.h"

static const app_program program = {
    .name = "tealeaf",
    .summary = "solves heat conduction on a 2-D or 3-D mesh, as the deck says",
    .deck = "DECK",
    .default_deck = "tea.in",
    .input = &tl_input,
    .checkpoints = true,
    .free_at_restart =
        "steps end_step end_time visit_frequency check_result profiler_on verbose_on",
    .notes =
        "Exit codes: 0 ran and verified; 1 verification failed; 2 bad usage or input; 3 failure at run time;\n"
        "5 stopped by a signal after a checkpoint. A step that ends at the deck's maximum number of iterations is accepted,\n"
        "as by the original codes: the verdict then is \"iteration limit\", and the exit code is 0 if all checks pass.\n",
};

static mx_err run_stages(tl_app *app)
{
    MX_TRY(app_open(&app->base)); /* the results file, the backend, messages between ranks */
    MX_TRY(tl_set_up(app));       /* the mesh, the arrays, the states of the deck */
    MX_TRY(tl_restart(app));      /* from a checkpoint, if the user asks for that */
    MX_TRY(tl_run(app));          /* the time steps; each solves by the form that tl_set_up chose */
    if (app->base.stopped) return app_stop(&app->base); /* by a signal, after a checkpoint */
    MX_TRY(tl_verify(app));
    MX_TRY(tl_write(app));          /* the last lines, histories, fields */
    return app_publish(&app->base); /* provenance, digests; the results file gets its name */
}

int main(int argc, char **argv)
{
    tl_app app = {0};
    /* MPI, the command line, the input; --help is answered */
    mx_err err = app_begin(&app.base, &program, argc, argv, &app.deck);
    if (err == MX_OK && !app.base.answered) err = run_stages(&app);
    const int code = app_finish(&app.base, err); /* says why it is not 0 */
    tl_clean_up(&app);
    app_close(&app.base);
    return code;
}
