/* miniMD: molecular dynamics with short-range forces, as the original's decks ask for it. See
 * README.md and `minimd --help`. */
#include "md_app.h"

static const app_definition definition = {
    .name = "minimd",
    .summary = "molecular dynamics with short-range forces, as the original miniMD does it",
    .size = sizeof(md_app),
    .deck = "DECK",
    .default_deck = "in.lj.miniMD",
    .input = &md_keys,
    .input_at = offsetof(md_app, input),
    .set_up = md_set_up,
    .keep = md_keep,
    .free_at_restart = "steps thermo frames yaml_output yaml_screen check_exchange safe_exchange",
    .check_kept = md_check_kept,
    .run = md_run,
    .verify = md_verify,
    .output = md_output,
    .clean_up = md_clean_up,
    .notes =
        "Exit codes: 0 ran and verified; 1 verification failed; 2 bad usage or input; 3 failure at run time (also lost atoms);\n"
        "5 stopped by a signal after a checkpoint.\n",
};

int main(int argc, char **argv) { return app_run(&definition, argc, argv); }
