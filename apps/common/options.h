/* The command line of an app: one table of rows that every app has, a second one of the app's own,
 * and at most one positional argument, the deck. From the tables come parsing, checks, defaults and
 * --help. Strict: what is not understood whole is an error that names the nearest valid option.
 *
 *     app_options options;
 *     bool list_keys = false;
 *     const app_option own[] = {{.name = "help-deck", .kind = APP_OPTION_SWITCH,
 *                                .value = &list_keys, .instead_of_run = true,
 *                                .help = "list the keys of decks, and stop"}};
 *     const app_program program = {.name = "tealeaf", .summary = "solves heat conduction",
 *                                  .deck = "DECK", .options = own, .option_count = 1};
 *     MX_TRY(app_options_parse(&program, argc, argv, &options));
 *     if (options.help) app_options_help(&program, stdout);
 */
#pragma once
#include "comm.h"
#include "read_file.h"

#include <stdio.h>

/* The options that every app has. Texts point into argv or to constants; nothing is to be freed. */
typedef struct app_options {
    const char *backend;       /* what the core's context takes; default "auto" */
    int threads;               /* 0: auto */
    int device;                /* -1: auto */
    const char *layout;        /* "auto" (the backend's own), "left" or "right" */
    const char *check_against; /* backend to compare every launch with, or NULL */
    const char *output;        /* results file, or NULL */
    app_gpu_mpi gpu_mpi;       /* how device data go to other ranks */
    bool quiet, help, version;
    const char *deck; /* the positional argument, the app's default deck, or NULL */
} app_options;

typedef enum app_option_kind {
    APP_OPTION_SWITCH, /* --key; value: bool *, set to true */
    APP_OPTION_INT,    /* --key=N from low to high; value: int * */
    APP_OPTION_REAL,   /* --key=X; value: double * */
    APP_OPTION_TEXT,   /* --key=TEXT, not empty; value: const char **, points into argv */
    APP_OPTION_CHOICE  /* --key=WORD, one of words; value: int *, set to the index of the word */
} app_option_kind;

/* One option. The default is what *value holds when parsing begins, which --help shows. */
typedef struct app_option {
    const char *name; /* without the dashes, at most 63 characters */
    app_option_kind kind;
    void *value;
    int low, high;         /* APP_OPTION_INT */
    const char *automatic; /* APP_OPTION_INT: a word that stands for `automatic_value`, or NULL */
    int automatic_value;
    const char *const *words; /* APP_OPTION_CHOICE, ends with NULL */
    const char *argument;     /* how --help calls the value: "FILE.h5" */
    const char *help;
    bool instead_of_run; /* APP_OPTION_SWITCH: like --help, does something else, without a deck */
} app_option;

/* What --help says of a program, and its own options. */
typedef struct app_program {
    const char *name;
    const char *summary; /* completes "NAME: ..." */
    const char *deck;    /* the name of the positional argument ("DECK"); NULL: there is none */
    const char *default_deck;  /* used when none is given; NULL: one must be given */
    const app_option *options; /* the app's own rows */
    int option_count;
    const char *notes; /* printed at the end of --help, or NULL */
} app_program;

/* Fills *options, and what the program's own rows point to. Both "--key=value" and "--key value"
 * are read; "--" ends the options. MX_ERR_INPUT for an unknown option, a value that is missing, not
 * wanted, or out of range, an option given twice with different values, a second positional
 * argument or a missing one (unless an option is given that needs none, as --help). Messages say
 * what was got and what was expected. Not collective: every rank computes the same. */
mx_err app_options_parse(const app_program *program, int argc, char **argv, app_options *options);

/* Prints usage and all options with their defaults; those of the program's own options are what
 * *value holds. */
void app_options_help(const app_program *program, FILE *out);
