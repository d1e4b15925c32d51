/* miniFE: steady heat conduction in a box of hexahedra, by finite elements and conjugate gradients.
 * See README.md and `minife --help`. */
#include "fe_app.h"

static const app_definition definition = {
    .name = "minife",
    .summary = "solves steady heat conduction by finite elements, as the original miniFE does",
    .size = sizeof(fe_app),
    .deck = "INPUT",
    .input = &fe_keys,
    .input_at = offsetof(fe_app, input),
    .set_up = fe_set_up,
    .keep = fe_keep,
    .free_at_restart = "max_iterations verify_solution",
    .check_kept = fe_check_kept,
    .run = fe_run,
    .verify = fe_verify,
    .output = fe_output,
    .clean_up = fe_clean_up,
    .notes =
        "Exit codes: 0 ran and verified, also at max_iterations (\"iteration limit\");\n"
        "1 verification failed; 2 bad usage or input; 3 failure at run time;\n"
        "4 the solver broke down; 5 stopped by a signal after a checkpoint. A run goes on from a checkpoint with another max_iterations, too.\n",
};

int main(int argc, char **argv) { return app_run(&definition, argc, argv); }
