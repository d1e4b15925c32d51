/* TeaLeaf: heat conduction in two or three dimensions, implicit in time. See README.md and
 * `tealeaf --help`. */
#include "tl_app.h"

static const app_definition definition = {
    .name = "tealeaf",
    .summary = "solves heat conduction on a 2-D or 3-D mesh, as the deck says",
    .size = sizeof(tl_app),
    .deck = "DECK",
    .default_deck = "tea.in",
    .input = &tl_input,
    .input_at = offsetof(tl_app, deck),
    .set_up = tl_set_up,
    .keep = tl_keep,
    .free_at_restart =
        "steps end_step end_time visit_frequency check_result profiler_on verbose_on",
    .check_kept = tl_check_kept,
    .run = tl_run,
    .verify = tl_verify,
    .output = tl_output,
    .clean_up = tl_clean_up,
    .notes =
        "Exit codes: 0 ran and verified; 1 verification failed; 2 bad usage or input; 3 failure at run time;\n"
        "5 stopped by a signal after a checkpoint. A step that ends at the deck's maximum number of iterations is accepted,\n"
        "as by the original codes: the verdict then is \"iteration limit\", and the exit code is 0 if all checks pass.\n",
};

int main(int argc, char **argv) { return app_run(&definition, argc, argv); }
