#include "options.h"

#include "text.h"

#include <limits.h>
#include <string.h>

enum { COMMON_OPTIONS = 10, MAX_OPTIONS = 64, MAX_THREADS = 4096, MAX_DEVICE = 1023 };

static const char *const layouts[] = {"auto", "left", "right", NULL};
static const char *const gpu_mpi_words[] = {"auto", "on", "off", "nccl", NULL};

/* Values of choices, as int; later they are converted to their enum types. */
typedef struct choices {
    int layout, gpu_mpi;
} choices;

static void set_defaults(app_options *o)
{
    *o = (app_options){.backend = "auto", .threads = 0, .device = -1, .layout = layouts[0]};
}

/* clang-format off */
#define TEXT(NAME, VALUE, WORD, HELP) \
    {.name = NAME, .kind = APP_OPTION_TEXT, .value = VALUE, .argument = WORD, .help = HELP}
#define COUNT(NAME, VALUE, LEAST, MOST, STANDARD, HELP) \
    {.name = NAME, .kind = APP_OPTION_INT, .value = VALUE, .low = LEAST, .high = MOST, \
     .automatic = "auto", .automatic_value = STANDARD, .argument = "N", .help = HELP}
#define CHOICE(NAME, VALUE, WORDS, HELP) \
    {.name = NAME, .kind = APP_OPTION_CHOICE, .value = VALUE, .words = WORDS, .argument = "WORD", \
     .help = HELP}
#define SWITCH(NAME, VALUE, ALONE, HELP) \
    {.name = NAME, .kind = APP_OPTION_SWITCH, .value = VALUE, .help = HELP, .instead_of_run = ALONE}

/* The rows of every app, bound to the struct that they fill. */
static void common_rows(app_options *o, choices *c, app_option *row)
{
    const app_option rows[COMMON_OPTIONS] = {
        TEXT("backend", &o->backend, "NAME", "run the kernels on this backend"),
        COUNT("threads", &o->threads, 1, MAX_THREADS, 0,
              "threads of each rank; auto: its cores, shared among the ranks that have them"),
        COUNT("device", &o->device, 0, MAX_DEVICE, -1,
              "accelerator to use; auto: rank within the host, modulo devices"),
        CHOICE("layout", &c->layout, layouts, "layout of arrays; auto: the backend's own"),
        TEXT("check-against", &o->check_against, "NAME",
             "repeat every launch on this backend and stop at the first difference"),
        TEXT("output", &o->output, "FILE.h5", "write the results file"),
        CHOICE("gpu-mpi", &c->gpu_mpi, gpu_mpi_words,
               "how data of GPUs go to other ranks: by MPI from device memory (on) or host memory (off), or by NCCL"),
        SWITCH("quiet", &o->quiet, false, "print errors and failed checks only"),
        SWITCH("help", &o->help, true, "print this text, and stop"),
        SWITCH("version", &o->version, true, "print the version, and stop"),
    };
    memcpy(row, rows, sizeof rows);
}
/* clang-format on */

typedef struct parser {
    const app_program *program;
    app_options *options;
    choices choices;
    app_option row[MAX_OPTIONS];    /* the common ones, then the program's */
    const char *given[MAX_OPTIONS]; /* the value an option was given with; NULL: not given */
    int rows;
} parser;

static mx_err open_parser(const app_program *program, app_options *options, parser *p)
{
    MX_REQUIRE(program->option_count >= 0 && program->option_count <= MAX_OPTIONS - COMMON_OPTIONS,
               MX_ERR_ARG, "%d options, room for %d", program->option_count,
               MAX_OPTIONS - COMMON_OPTIONS);
    *p = (parser){.program = program, .options = options};
    common_rows(options, &p->choices, p->row);
    for (int i = 0; i < program->option_count; i++)
        p->row[COMMON_OPTIONS + i] = program->options[i];
    p->rows = COMMON_OPTIONS + program->option_count;
    return MX_OK;
}

/* ---- values ---- */

typedef struct expected {
    char text[256];
} expected;

/* Describes the allowed values of this option, for messages and --help. */
static const char *describe(const app_option *row, expected *e)
{
    size_t used = 0;
    e->text[0] = '\0';
    switch (row->kind) {
    case APP_OPTION_SWITCH: return "no value";
    case APP_OPTION_REAL: return "a number";
    case APP_OPTION_TEXT: return row->argument;
    case APP_OPTION_INT:
        snprintf(e->text, sizeof e->text, "%s%sa whole number from %d to %d",
                 row->automatic ? row->automatic : "", row->automatic ? " or " : "", row->low,
                 row->high);
        break;
    case APP_OPTION_CHOICE:
        for (int i = 0; row->words[i] && used < sizeof e->text; i++) {
            const char *const between = i == 0 ? "" : row->words[i + 1] ? ", " : " or ";
            used += (size_t)snprintf(e->text + used, sizeof e->text - used, "%s%s", between,
                                     row->words[i]);
        }
        break;
    }
    return e->text;
}

static mx_err fail_value(const app_option *row, const char *value)
{
    expected e;
    app_shown shown;
    return MX_FAIL(MX_ERR_INPUT, "--%s: got %s, expected %s", row->name,
                   app_text_show(value, strlen(value), &shown), describe(row, &e));
}

static mx_err store_int(const app_option *row, const char *value)
{
    int64_t number;
    if (row->automatic && strcmp(value, row->automatic) == 0) {
        *(int *)row->value = row->automatic_value;
        return MX_OK;
    }
    if (app_text_whole(value, strlen(value), &number) != APP_NUMBER_OK || number < row->low ||
        number > row->high) {
        return fail_value(row, value);
    }
    *(int *)row->value = (int)number;
    return MX_OK;
}

static mx_err store_choice(const app_option *row, const char *value)
{
    for (int i = 0; row->words[i]; i++) {
        if (strcmp(value, row->words[i]) == 0) {
            *(int *)row->value = i;
            return MX_OK;
        }
    }
    return fail_value(row, value);
}

static mx_err store(const app_option *row, const char *value)
{
    switch (row->kind) {
    case APP_OPTION_SWITCH: *(bool *)row->value = true; return MX_OK;
    case APP_OPTION_INT: return store_int(row, value);
    case APP_OPTION_CHOICE: return store_choice(row, value);
    case APP_OPTION_REAL:
        if (app_text_real(value, strlen(value), row->value) != APP_NUMBER_OK)
            return fail_value(row, value);
        return MX_OK;
    case APP_OPTION_TEXT:
        if (value[0] == '\0') return fail_value(row, value);
        *(const char **)row->value = value;
        return MX_OK;
    }
    return MX_OK;
}

/* ---- arguments ---- */

static int find_row(const parser *p, const char *name, size_t length)
{
    for (int i = 0; i < p->rows; i++) {
        if (strlen(p->row[i].name) == length && memcmp(p->row[i].name, name, length) == 0) return i;
    }
    return -1;
}

static mx_err fail_unknown(const parser *p, const char *argument, size_t length)
{
    app_nearest nearest = APP_NEAREST_NONE;
    app_shown shown;
    size_t dashes = 0;
    while (dashes < length && argument[dashes] == '-') dashes++;
    for (int i = 0; i < p->rows; i++) {
        app_nearest_offer(&nearest, argument + dashes, length - dashes, p->row[i].name);
    }
    return MX_FAIL(MX_ERR_INPUT, "got an unknown option %s, expected %s%s",
                   app_text_show(argument, length, &shown),
                   nearest.name ? "--" : "one of those that --help lists",
                   nearest.name ? nearest.name : "");
}

/* One option. Its value follows '=' or is the next argument; *at is advanced past what was read. */
static mx_err read_option(parser *p, int argc, char **argv, int *at)
{
    const char *const argument = argv[*at];
    const size_t length = strcspn(argument, "=");
    const int i = strncmp(argument, "--", 2) == 0 ? find_row(p, argument + 2, length - 2) : -1;
    if (i < 0) return fail_unknown(p, argument, length);
    const app_option *const row = &p->row[i];
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    expected e;
    if (row->kind == APP_OPTION_SWITCH) {
        if (value) return fail_value(row, value);
        value = "";
    } else if (!value) {
        const char *const next = *at + 1 < argc ? argv[*at + 1] : NULL;
        MX_REQUIRE(next && strncmp(next, "--", 2) != 0, MX_ERR_INPUT,
                   "--%s: got no value, expected %s", row->name, describe(row, &e));
        value = next;
        ++*at;
    }
    MX_REQUIRE(!p->given[i] || strcmp(p->given[i], value) == 0, MX_ERR_INPUT,
               "--%s: got both \"%.100s\" and \"%.100s\", expected it once", row->name, p->given[i],
               value);
    p->given[i] = value;
    return store(row, value);
}

static mx_err read_positional(parser *p, const char *argument)
{
    app_shown shown;
    app_text_show(argument, strlen(argument), &shown);
    MX_REQUIRE(p->program->deck, MX_ERR_INPUT, "got the argument %s, expected options only",
               shown.text);
    MX_REQUIRE(argument[0] != '\0', MX_ERR_INPUT, "got an empty argument, expected %s",
               p->program->deck);
    MX_REQUIRE(!p->options->deck, MX_ERR_INPUT, "got a second argument %s, expected one %s",
               shown.text, p->program->deck);
    p->options->deck = argument;
    return MX_OK;
}

static mx_err read_arguments(parser *p, int argc, char **argv)
{
    bool only_positional = false;
    for (int at = 1; at < argc; at++) {
        const char *const argument = argv[at];
        if (!only_positional && strcmp(argument, "--") == 0) {
            only_positional = true;
        } else if (!only_positional && argument[0] == '-' && argument[1] != '\0') {
            MX_TRY(read_option(p, argc, argv, &at));
        } else {
            MX_TRY(read_positional(p, argument));
        }
    }
    return MX_OK;
}

/* Does the program run, rather than only print --help or the like? */
static bool runs(const parser *p)
{
    for (int i = 0; i < p->rows; i++) {
        if (p->row[i].instead_of_run && p->given[i]) return false;
    }
    return true;
}

mx_err app_options_parse(const app_program *program, int argc, char **argv, app_options *options)
{
    parser p;
    set_defaults(options);
    MX_TRY(open_parser(program, options, &p));
    MX_TRY(read_arguments(&p, argc, argv));
    options->layout = layouts[p.choices.layout];
    options->gpu_mpi = (app_gpu_mpi)p.choices.gpu_mpi;
    if (!program->deck || options->deck || !runs(&p)) return MX_OK;
    MX_REQUIRE(program->default_deck, MX_ERR_INPUT, "got no %s, expected: %s [OPTIONS] %s",
               program->deck, program->name, program->deck);
    options->deck = program->default_deck;
    return MX_OK;
}

/* ---- help ---- */

static void print_default(const app_option *row, FILE *out)
{
    switch (row->kind) {
    case APP_OPTION_SWITCH: return;
    case APP_OPTION_INT:
        if (row->automatic && *(const int *)row->value == row->automatic_value) {
            fprintf(out, " [%s]", row->automatic);
        } else {
            fprintf(out, " [%d]", *(const int *)row->value);
        }
        return;
    case APP_OPTION_REAL: fprintf(out, " [%g]", *(const double *)row->value); return;
    case APP_OPTION_CHOICE: fprintf(out, " [%s]", row->words[*(const int *)row->value]); return;
    case APP_OPTION_TEXT:
        fprintf(out, " [%s]",
                *(const char *const *)row->value ? *(const char *const *)row->value : "none");
        return;
    }
}

static void print_row(const app_option *row, FILE *out)
{
    char left[96];
    expected e;
    if (row->kind == APP_OPTION_SWITCH) {
        snprintf(left, sizeof left, "--%s", row->name);
    } else {
        snprintf(left, sizeof left, "--%s=%s", row->name, row->argument ? row->argument : "VALUE");
    }
    fprintf(out, "  %-24s %s", left, row->help);
    if (row->kind == APP_OPTION_CHOICE) fprintf(out, " (%s)", describe(row, &e));
    print_default(row, out);
    fprintf(out, "\n");
}

void app_options_help(const app_program *program, FILE *out)
{
    app_options defaults;
    parser p;
    set_defaults(&defaults);
    if (open_parser(program, &defaults, &p) != MX_OK) return;
    fprintf(out, "%s: %s\n\nUsage: %s [OPTIONS] %s\n", program->name, program->summary,
            program->name, program->deck ? program->deck : "");
    if (program->default_deck)
        fprintf(out, "Without %s, it is %s.\n", program->deck, program->default_deck);
    fprintf(out,
            "\nOptions, with defaults in brackets (--key value works as well as --key=value):\n");
    for (int i = 0; i < p.rows; i++) print_row(&p.row[i], out);
    if (program->notes) fprintf(out, "\n%s\n", program->notes);
}
