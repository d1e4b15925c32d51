/* miniFE: steady heat conduction in a box of hexahedra, by finite elements and conjugate gradients.
 * See README.md and `minife --help`. */
#include "fe_app.h"

static const app_program program = {
    .name = "minife",
    .summary = "solves steady heat conduction by finite elements, as the original miniFE does",
    .deck = "INPUT",
    .input = &fe_keys,
    .checkpoints = true,
    .free_at_restart = "max_iterations verify_solution",
    .notes =
        "Exit codes: 0 ran and verified, also at max_iterations (\"iteration limit\");\n"
        "1 verification failed; 2 bad usage or input; 3 failure at run time;\n"
        "4 the solver broke down; 5 stopped by a signal after a checkpoint. A run goes on from a checkpoint with another max_iterations, too.\n",
};

static mx_err run_stages(fe_app *app)
{
    MX_TRY(app_open(&app->base)); /* the results file, the backend, messages between ranks */
    MX_TRY(fe_set_up(app));       /* the mesh, the system, the preconditioner */
    MX_TRY(fe_restart(app));      /* from a checkpoint, if the user asks for that */
    MX_TRY(fe_run(app));          /* conjugate gradients */
    if (app->base.stopped) return app_stop(&app->base); /* by a signal, after a checkpoint */
    MX_TRY(fe_verify(app));
    MX_TRY(fe_write(app));          /* the last lines, histories, the solution */
    return app_publish(&app->base); /* provenance, digests; the results file gets its name */
}

int main(int argc, char **argv)
{
    fe_app app = {0};
    /* MPI, the command line, the input; --help is answered */
    mx_err err = app_begin(&app.base, &program, argc, argv, &app.input);
    if (err == MX_OK && !app.base.answered) err = run_stages(&app);
    const int code = app_finish(&app.base, err); /* says why it is not 0 */
    fe_clean_up(&app);
    app_close(&app.base);
    return code;
}
