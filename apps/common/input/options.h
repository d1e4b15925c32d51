/* The command line of an app: the options that every app has, the keys of its input, and at most
 * one positional argument, the deck. All are rows of tables (keys.h), from which come parsing,
 * checks, defaults and --help. Strict: what is not understood whole is an error that names the
 * nearest valid option.
 *
 *     prog [OPTIONS] deck.in --threads=4 x_cells=20 --eps=1e-9
 *
 * Keys of the input, as --key=value or key=value, override the deck. They are collected here, and
 * set when the deck has been read, which may decide what they mean. */
#pragma once
#include "comm/comm.h"
#include "comm/read_file.h"
#include "keys.h"

/* The options that every app has. Texts are valid until app_options_close, `deck` as long as argv
 * is. */
typedef struct app_options {
    const char *backend;       /* what the core's context takes; default "auto" */
    int threads;               /* 0: auto */
    int device;                /* -1: auto */
    const char *layout;        /* "auto" (the backend's own), "left" or "right" */
    const char *check_against; /* backend to compare every launch with, or NULL */
    const char *output;        /* results file, or NULL */
    const char *summary;       /* its JSON file (run/summary.h), or NULL */
    const char *checkpoint;    /* file, or NULL; what these three mean: checkpoint.h */
    const char *checkpoint_every;
    const char *restart; /* file, "auto" or NULL */
    app_gpu_mpi gpu_mpi; /* how messages and sums go from one device to another */
    bool quiet;
    bool help, version, backends, help_deck; /* print this instead of a run */
    const char *deck; /* the positional argument, the app's default deck, or NULL */
    char *overrides;  /* lines key=value for app_keys_read, or NULL */

    /* private */
    int layout_number;
    app_keys keys;
} app_options;

/* What a program is: what --help says of it, its input, its checkpoints. */
typedef struct app_program {
    const char *name;    /* "tealeaf" */
    const char *summary; /* completes "NAME: ..." */
    const char *deck;    /* the name of the positional argument ("DECK"); NULL: there is none */
    const char *default_deck; /* used when none is given */
    const app_input *input;   /* keys, and how a deck is read; NULL: no keys */
    const char *notes;        /* printed at the end of --help, or NULL */
    bool checkpoints;         /* the app supports them: --help shows their options */
    /* names of keys, with blanks between them, whose values a restart may change: the end time,
     * what is printed; NULL: none */
    const char *free_at_restart;
} app_program;

/* Fills *options, which is to be closed in any case. Both "--key=value" and "--key value" are read;
 * "--" ends the options. MX_ERR_INPUT for an unknown option, a value that is missing, not wanted,
 * or out of range, an option given twice with different values, a second positional argument or a
 * missing one (unless an option is given that needs none, as --help). Messages say what was got and
 * what was expected. Not collective: every rank computes the same. */
mx_err app_options_parse(const app_program *program, int argc, char **argv, app_options *options);
void app_options_close(app_options *options);

/* Completes the message of `err`, the error with which the deck could not be read, and returns the
 * error. If there is no such file, and its name has the form KEY=VALUE, the user meant a key: the
 * message then names the nearest one. If the missing file is the default deck, the message says
 * that no deck was given. Not collective. */
mx_err app_options_fail_deck(const app_program *program, app_options *options, mx_err err);

/* Prints usage and all options with their defaults. */
void app_options_help(const app_program *program, FILE *out);
