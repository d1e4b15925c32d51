/* Keys: all that a user may set, as one table of rows. From the rows come the reading of decks, of
 * key=value files and of the command line, with all checks; the list of keys that --help-deck
 * prints; the parameters of /input in the results file; and minx-verify's check of these. Knows no
 * MPI, so that an app's input can be read, tested and fuzzed alone.
 *
 *     typedef struct heat_input { int64_t cells; double dt; int boundary; } heat_input;
 *
 *     static const char *const boundaries[] = {"closed", "periodic", NULL};
 *     static const app_key keys[] = {
 *         {.name = "cells", .type = APP_KEY_INT64, .offset = offsetof(heat_input, cells),
 *          .low = 1, .high = 1e9, .standard = 64, .unit = "1", .help = "cells along each side"},
 *         {.name = "dt", .type = APP_KEY_REAL, .offset = offsetof(heat_input, dt),
 *          .low = APP_KEY_ABOVE_0, .high = DBL_MAX, .standard = 0.1, .unit = "s",
 *          .help = "time step"},
 *         {.name = "boundary", .type = APP_KEY_CHOICE, .offset = offsetof(heat_input, boundary),
 *          .words = boundaries, .help = "what the sides of the domain are"},
 *     };
 *     const app_input heat = {.keys = keys, .count = 3, .size = sizeof(heat_input)};
 *
 * An app whose deck has a form of its own gives `read`, which finds rows by name and sets them.
 * Original codes differ in the names of keys: a row belongs to one or more dialects, and several
 * rows may fill one member. */
#pragma once
#include "minx/error.h"

#include <float.h>
#include <stdio.h>

/* Types, with what the member that they fill must be. */
typedef enum app_key_type {
    /* bool: no value follows; the key alone sets true */
    APP_KEY_SWITCH,
    /* int: no value follows; the key alone picks word number `standard` of `words` */
    APP_KEY_PICK,
    APP_KEY_INT,   /* int */
    APP_KEY_INT64, /* int64_t */
    APP_KEY_REAL,  /* double */
    APP_KEY_TEXT,  /* const char *: a copy that belongs to the app_keys, or `text` */
    APP_KEY_CHOICE /* int: the index of one of `words` */
} app_key_type;

/* Where a key may be set; 0: in decks and on the command line. */
enum {
    APP_KEY_COMMAND = 1, /* on the command line */
    APP_KEY_FILE = 2,    /* in decks and key=value files */
    /* in decks, but read by the app's own `read`: it belongs to a record (the density of a state) */
    APP_KEY_RECORD = 4,
    /* by no one: computed by the app's `read` or `check`, for /input */
    APP_KEY_DERIVED = 8,
    /* on the command line: names the deck, as the positional argument does (miniMD's -i) */
    APP_KEY_DECK_NAME = APP_KEY_COMMAND | 16
};

/* As an offset: read and checked, without effect. */
#define APP_KEY_NOWHERE ((size_t)-1)
/* As a lower bound. */
#define APP_KEY_ABOVE_0 DBL_TRUE_MIN

/* A row. What is not given is 0. */
typedef struct app_key {
    const char *name; /* at most 63 characters */
    /* further names, divided by blanks; one with dashes ("-n") is an argument as a whole */
    const char *aliases;
    app_key_type type;
    unsigned sources;
    unsigned dialects; /* bit i: dialect i of the input knows this key; 0: all do */
    size_t offset;     /* of the member in the struct that the keys fill */

    /* Numbers: the range that makes sense, both included; both 0: no bounds. CHOICE: `low` is the
     * first word that may be written. */
    double low, high;
    /* The default. If it is below `low` there is none: the input has to set the key, and `check` has
     * to require it. PICK and SWITCH have no default: their members start as 0. For PICK this is
     * the number of the word that it picks. */
    double standard;
    const char *text;         /* TEXT: the default, or NULL */
    const char *automatic;    /* INT: a word for `standard`, which may be out of range; or NULL */
    const char *const *words; /* CHOICE and PICK; ends with NULL */

    const char *argument; /* how help calls the value ("FILE.h5"); NULL: by its type */
    const char *unit;     /* NULL: "1", none */
    const char *help;
    const char *parameter; /* the name in /input; NULL: `name`; "": not there */

    /* Not NULL: a key of an original code that is not supported; the text says what to write
     * instead. A value of at most `standard` (the default) asks for nothing special and is accepted,
     * a larger one is refused with this text. A SWITCH is never accepted. */
    const char *instead;

    /* A list of REAL, CHOICE, INT or INT64: the bytes from one element to the next (0: no list),
     * the offset of the number of elements (int), and how many there may be. Written as "1,2,3",
     * unless it is a RECORD. */
    size_t stride, length;
    int capacity;

    unsigned flags; /* for the app's own use */
} app_key;

/* A word of a deck, or of the command line. */
typedef struct app_word {
    const char *text; /* not NUL-terminated */
    size_t length;
    long line; /* 0: not in a file */
} app_word;

typedef struct app_keys app_keys;

/* The input of an app: its keys, and how they are read. */
typedef struct app_input {
    const app_key *keys;
    int count;
    size_t size;                 /* of the struct that the keys fill */
    const char *const *dialects; /* their names, ends with NULL; NULL: there is one */
    const char *about;           /* the first lines of --help-deck, or NULL */
    void (*more)(FILE *out);     /* more lines of --help-deck: its RECORD keys; or NULL */

    /* Reads a deck into keys->target by app_keys_find and app_keys_set, after app_keys_begin. NULL:
     * key=value lines. */
    mx_err (*read)(app_keys *keys, const char *text, size_t length);

    /* Called after deck and command line were read. Checks what involves several keys, and computes
     * derived members. NULL: nothing. */
    mx_err (*check)(app_keys *keys);

    bool deck_optional; /* the defaults alone are an input; else there must be a deck */

    /* What an original code calls options that every app has: pairs of an argument, as a whole, and
     * the option's name without dashes ("-t", "threads"); ends with NULL. NULL: nothing. */
    const char *const *synonyms;

    /* On the command line key:value, "key value" and any number of dashes are accepted like
     * key=value. Options that every app has need no dashes if they have a value. */
    bool free_form;
} app_input;

enum { APP_MAX_KEYS = 128 };

/* A value as it was read. */
typedef struct app_value {
    double real;   /* REAL; of the others the same as `whole` */
    int64_t whole; /* INT, INT64; CHOICE and PICK: the word's index; SWITCH: 1 */
    const char *text;
    size_t length;
} app_value;

/* Where a row was set last. */
typedef struct app_given {
    unsigned source; /* 0: nowhere */
    app_word key;
    app_value value;
} app_given;

/* A table in use. `read` and `check` may read it, and write `target` and `data`. */
struct app_keys {
    const app_input *input;
    void *target;
    const char *file; /* the deck's name, for messages */
    unsigned source;  /* of what is set now: APP_KEY_FILE or APP_KEY_COMMAND */
    int dialect;
    long last_line; /* of the deck, for messages about what is missing; set by `read` */
    app_given given[APP_MAX_KEYS];
    char **texts; /* copies that TEXT members point to */
    int text_count;
};

/* Reads a whole input into *target (input->size bytes): defaults, the deck (text NULL: none), the
 * lines key=value that override it (NULL: none), the checks. `file` is used in messages only.
 * MX_ERR_INPUT with one message; then *target is unspecified. Messages are "FILE:LINE: KEY: got X,
 * expected Y", or "command line: KEY: got X, expected Y". *keys is to be closed in any case, and
 * texts in *target are valid until then. Not collective. */
mx_err app_keys_read(app_keys *keys, const app_input *input, const char *file, const char *text,
                     size_t length, const char *overrides, void *target);
void app_keys_close(app_keys *keys);

/* The first half of app_keys_read: the defaults in *target. `file` NULL: messages begin with the
 * key. MX_ERR_ARG for too many rows. */
mx_err app_keys_open(app_keys *keys, const app_input *input, const char *file, void *target);

/* ---- for an app's `read` and `check` ---- */

/* Chooses the dialect and stores the defaults. app_keys_read did so for dialect 0. */
void app_keys_begin(app_keys *keys, int dialect);

/* The row of this name that keys->source and the dialect have; NULL: none. In files letters of
 * either case are the same. */
const app_key *app_keys_find(const app_keys *keys, const char *name, size_t length);

/* The row of this name that a source and any of the dialects (one bit each) have; NULL: none. */
const app_key *app_input_find(const app_input *input, unsigned dialects, unsigned source,
                              const char *name, size_t length);

/* The dialects that have a key of this name in files, one bit each. */
unsigned app_keys_dialects(const app_keys *keys, const char *name, size_t length);

/* The valid name that is nearest to a wrong one in the given dialects; NULL: none is near. */
const char *app_keys_nearest(const app_keys *keys, unsigned dialects, const char *name,
                             size_t length);

/* Is `name` this word? exactly: upper and lower case differ. */
bool app_key_is_named(const char *name, size_t length, const char *word, size_t word_length,
                      bool exactly);

bool app_key_has_value(const app_key *row);

/* Sets a row by the word behind `key` (NULL, or of length 0: there was none). A file wins over
 * defaults, the command line over a file; from one source a member may be set to one value only.
 * MX_ERR_INPUT, and nothing is set. */
mx_err app_keys_set(app_keys *keys, const app_key *row, const app_word *key, const app_word *word);

/* The two halves of app_keys_set: what a word means for a row, and storing it, as element `index`
 * of a list. */
mx_err app_keys_value(app_keys *keys, const app_key *row, const app_word *key, const app_word *word,
                      app_value *value);
mx_err app_keys_store(app_keys *keys, const app_key *row, int index, const app_value *value);

/* Reads lines "key=value", "key: value", "key value" or "key"; '#' and '!' begin a comment. The
 * first line of a file has number keys->last_line + 1. */
mx_err app_keys_read_lines(app_keys *keys, const char *text, size_t length);

/* Where the member at `offset` was set last; NULL: nowhere. */
const app_given *app_keys_given(const app_keys *keys, size_t offset);

/* Records and returns MX_ERR_INPUT: the place, the key and the formatted text. */
mx_err app_keys_fail(const app_keys *keys, const app_word *key, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* An error where the line has a byte that no text file has (app_text_find_control). */
mx_err app_keys_check_text(const app_keys *keys, const app_word *line);

/* "got an unknown key, expected KEY". */
mx_err app_keys_fail_unknown(const app_keys *keys, const app_word *key);

/* What a row's value must be: "a whole number from 1 to 10". Returns expected->text. */
typedef struct app_expected {
    char text[256];
} app_expected;
const char *app_key_expected(const app_key *row, app_expected *expected);

/* What --help calls a row's value: "N". */
const char *app_key_argument(const app_key *row);

/* ---- what is made from the table ---- */

/* Prints all keys but RECORD and DERIVED, with value, default, unit and meaning. */
void app_keys_help(const app_input *input, FILE *out);

/* Prints one row as an option of the command line: "  --key=N   help [default]". */
void app_key_print_option(const app_key *row, FILE *out);

/* A parameter, as /input has it. */
typedef enum app_parameter_kind {
    APP_PARAMETER_REAL,
    APP_PARAMETER_WHOLE,
    APP_PARAMETER_TEXT,
    APP_PARAMETER_LIST
} app_parameter_kind;
typedef struct app_parameter {
    const char *name, *unit;
    app_parameter_kind kind;
    double real;
    int64_t whole;
    char *text;
    double *list;
    int count;
} app_parameter;

/* Parameter number `index` (from 0) of *target in this dialect, with memory that app_parameter_free
 * frees. Beyond the last one parameter->name is NULL. MX_ERR_MEMORY. */
mx_err app_keys_parameter(const app_input *input, int dialect, const void *target, int index,
                          app_parameter *parameter);
void app_parameter_free(app_parameter *parameter);
