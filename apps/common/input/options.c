#define _POSIX_C_SOURCE 200809L /* access */
#include "options.h"

#include "strbuf.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 4096, MAX_DEVICE = 1023 };

static const char *const layouts[] = {"auto", "left", "right", NULL};
static const char *const gpu_mpi_words[] = {"auto", "on", "off", "nccl", "direct", NULL};

/* clang-format off */
#define AT(MEMBER) .offset = offsetof(app_options, MEMBER), .sources = APP_KEY_COMMAND
#define TEXT(NAME, MEMBER, DEFAULT, WORD, HELP) \
    {.name = NAME, .type = APP_KEY_TEXT, AT(MEMBER), .text = DEFAULT, .argument = WORD, .help = HELP}
#define COUNT(NAME, MEMBER, MIN, MAX, DEFAULT, HELP) \
    {.name = NAME, .type = APP_KEY_INT, AT(MEMBER), .low = MIN, .high = MAX, .standard = DEFAULT, \
     .automatic = "auto", .help = HELP}
#define CHOICE(NAME, MEMBER, WORDS, HELP) \
    {.name = NAME, .type = APP_KEY_CHOICE, AT(MEMBER), .words = WORDS, .help = HELP}
#define SWITCH(NAME, MEMBER, HELP) {.name = NAME, .type = APP_KEY_SWITCH, AT(MEMBER), .help = HELP}

static const app_key rows[] = {
    TEXT("backend", backend, "auto", "NAME", "run the kernels on this backend; --backends lists them"),
    COUNT("threads", threads, 1, MAX_THREADS, 0,
          "threads of each rank; auto: --mx-num-threads, MINX_NUM_THREADS or OMP_NUM_THREADS, else "
          "the cores and the CPU quota that it may use, divided by the ranks that share them"),
    COUNT("device", device, 0, MAX_DEVICE, -1,
          "number of the device; auto: the rank's number on its host, modulo the number of devices"),
    CHOICE("layout", layout_number, layouts, "layout of arrays; auto: the backend's own"),
    TEXT("check-against", check_against, NULL, "NAME",
         "repeat every launch on this backend and stop at the first difference; races: find items that "
         "write the same element (builds with MINX_BOUNDS_CHECK)"),
    TEXT("output", output, NULL, "FILE.h5", "write the results file"),
    TEXT("summary", summary, NULL, "FILE.json",
         "write the summary of the run: program, machine, outcome, times"),
    TEXT("checkpoint", checkpoint, NULL, "FILE",
         "write checkpoints to this file; SIGTERM or SIGUSR1 ends the run after a checkpoint, with exit code 5"),
    TEXT("checkpoint-every", checkpoint_every, NULL, "N|Ns",
         "write a checkpoint after every N steps, or every N seconds (Ns)"),
    TEXT("restart", restart, NULL, "FILE|auto",
         "continue the run of this checkpoint; auto: of the newest that --checkpoint names, or begin "
         "where there is none"),
    CHOICE("gpu-mpi", gpu_mpi, gpu_mpi_words,
           "how data go between devices: direct: they write into each other's memory, on one host; "
           "nccl: by NCCL; on: MPI reads and writes device memory; off: through pinned host memory; "
           "auto: the first of these four that works"),
    SWITCH("quiet", quiet, "print errors and failed checks only"),
    SWITCH("help", help, "print this text, and stop"),
    SWITCH("help-deck", help_deck, "list the keys of the input, and stop"),
    SWITCH("backends", backends, "list the backends available here, and stop"),
    SWITCH("version", version, "print the version, and stop"),
};
/* clang-format on */

static const app_input common = {
    .keys = rows, .count = (int)(sizeof rows / sizeof rows[0]), .size = sizeof(app_options)};

/* The input of a program without keys. */
static const app_input none = {.keys = NULL};

static const app_input *input_of(const app_program *program)
{
    return program->input ? program->input : &none;
}

typedef struct parser {
    const app_program *program;
    app_options *options;
    app_strbuf overrides;
    int argc;
    char **argv;
    int at; /* the argument that is read now */
} parser;

/* ---- names ---- */

static app_word without_dashes(app_word word)
{
    for (; word.length > 0 && *word.text == '-'; word.text++) word.length--;
    return word;
}

/* The option that every app has and that the original code calls so; NULL: there is none. */
static const app_key *find_synonym(const parser *p, const app_word *argument)
{
    const char *const *const pairs = input_of(p->program)->synonyms;
    const app_word name = input_of(p->program)->free_form ? without_dashes(*argument) : *argument;
    for (int i = 0; pairs && pairs[i]; i += 2) {
        if (strlen(pairs[i]) != name.length || memcmp(pairs[i], name.text, name.length) != 0)
            continue;
        return app_input_find(&common, ~0u, APP_KEY_COMMAND, pairs[i + 1], strlen(pairs[i + 1]));
    }
    return NULL;
}

/* The row of an argument without its value. A name with dashes is an alias as a whole; else two
 * dashes stand in front of it. */
static const app_key *find(const parser *p, const app_input *input, const app_word *argument)
{
    app_word name = *argument;
    const app_key *const whole =
        app_input_find(input, ~0u, APP_KEY_COMMAND, name.text, name.length);
    if (whole && name.text[0] == '-') return whole;
    if (input_of(p->program)->free_form)
        name = without_dashes(name);
    else if (name.length > 2 && strncmp(name.text, "--", 2) == 0)
        name = (app_word){.text = name.text + 2, .length = name.length - 2};
    else
        return NULL;
    return app_input_find(input, ~0u, APP_KEY_COMMAND, name.text, name.length);
}

/* The option or key that is nearest to a wrong one; NULL: none is near. */
static const char *find_nearest(const parser *p, const app_word *argument)
{
    const app_keys program_keys = {.input = input_of(p->program), .source = APP_KEY_COMMAND};
    app_nearest nearest = APP_NEAREST_NONE;
    const app_word word = without_dashes(*argument);
    const char *const one = app_keys_nearest(&p->options->keys, ~0u, word.text, word.length);
    const char *const other = app_keys_nearest(&program_keys, ~0u, word.text, word.length);
    if (one) app_nearest_offer(&nearest, word.text, word.length, one);
    if (other) app_nearest_offer(&nearest, word.text, word.length, other);
    return nearest.name;
}

static mx_err fail_unknown(const parser *p, const app_word *argument)
{
    app_shown shown;
    const char *const nearest = find_nearest(p, argument);
    return MX_FAIL(MX_ERR_INPUT, "got an unknown option %s, expected %s%s",
                   app_text_show(argument->text, argument->length, &shown),
                   nearest ? "--" : "one of those that --help lists", nearest ? nearest : "");
}

/* The part in front of '=' (free form: or ':'), and the part behind it. */
static void split(const parser *p, const char *argument, app_word *key, app_word *value)
{
    const size_t length = strcspn(argument, input_of(p->program)->free_form ? "=:" : "=");
    *key = (app_word){.text = argument, .length = length};
    *value = (app_word){.text = NULL};
    if (argument[length] != '\0')
        *value = (app_word){.text = argument + length + 1, .length = strlen(argument + length + 1)};
}

/* ---- values ---- */

/* A key without its value, or a switch without its dashes, where a deck may stand: an error. MX_OK:
 * it is neither. */
static mx_err refuse_name(const parser *p, const char *argument)
{
    const size_t length = strlen(argument);
    app_expected expected;
    app_shown shown;
    const app_input *const tables[] = {input_of(p->program), &common};
    for (int i = 0; i < 2; i++) {
        const app_key *const row =
            app_input_find(tables[i], ~0u, APP_KEY_COMMAND, argument, length);
        if (row && app_key_has_value(row))
            return MX_FAIL(MX_ERR_INPUT, "%s: got no value, expected --%s=VALUE, with %s as VALUE",
                           row->name, row->name, app_key_expected(row, &expected));
        if (row)
            return MX_FAIL(MX_ERR_INPUT, "got the argument %s, expected --%s",
                           app_text_show(argument, length, &shown), row->name);
    }
    return MX_OK;
}

/* A second positional argument: often the first one, or this one, was meant as a key. */
static mx_err fail_second_argument(const parser *p, const char *argument)
{
    const char *const deck = p->options->deck;
    app_word key, value;
    app_shown shown, first;
    split(p, deck, &key, &value);
    if (value.text) return fail_unknown(p, &key);
    if (access(deck, F_OK) != 0) MX_TRY(refuse_name(p, deck));
    MX_TRY(refuse_name(p, argument));
    return MX_FAIL(MX_ERR_INPUT, "got a second argument %s, expected one %s, which is %s already",
                   app_text_show(argument, strlen(argument), &shown), p->program->deck,
                   app_text_show(deck, strlen(deck), &first));
}

static mx_err read_positional(parser *p, const char *argument)
{
    app_shown shown;
    app_text_show(argument, strlen(argument), &shown);
    MX_REQUIRE(p->program->deck, MX_ERR_INPUT, "got the argument %s, expected options only",
               shown.text);
    MX_REQUIRE(argument[0] != '\0', MX_ERR_INPUT, "got an empty argument, expected %s",
               p->program->deck);
    if (p->options->deck) return fail_second_argument(p, argument);
    p->options->deck = argument;
    return MX_OK;
}

/* What will be read like a line of a deck must be one line. */
static mx_err add_override(parser *p, const app_key *row, const app_word *key,
                           const app_word *value)
{
    app_expected expected;
    app_shown shown;
    MX_REQUIRE(value->text || !app_key_has_value(row), MX_ERR_INPUT,
               "%.*s: got no value, expected %s", (int)key->length, key->text,
               app_key_expected(row, &expected));
    for (size_t i = 0; i < value->length; i++)
        MX_REQUIRE((unsigned char)value->text[i] >= 0x20, MX_ERR_INPUT,
                   "%.*s: got %s, expected text without control characters", (int)key->length,
                   key->text, app_text_show(value->text, value->length, &shown));
    return app_strbuf_add(&p->overrides, "%s%s%.*s\n", row->name, value->text ? "=" : "",
                          (int)value->length, value->text ? value->text : "");
}

static mx_err set(parser *p, const app_key *row, bool of_program, const app_word *key,
                  app_word *value)
{
    const bool switches = !app_key_has_value(row);
    if (!switches && !value->text) {
        const char *const next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;
        if (next && strncmp(next, "--", 2) != 0) {
            *value = (app_word){.text = next, .length = strlen(next)};
            p->at++;
        }
    }
    if (!of_program) return app_keys_set(&p->options->keys, row, key, value->text ? value : NULL);
    if (row->sources == APP_KEY_DECK_NAME && value->text) return read_positional(p, value->text);
    return add_override(p, row, key, value);
}

/* ---- arguments ---- */

static mx_err read_option(parser *p, const char *argument)
{
    app_word key, value;
    split(p, argument, &key, &value);
    const app_key *row = find_synonym(p, &key);
    if (!row) row = find(p, &common, &key);
    if (row) return set(p, row, false, &key, &value);
    row = find(p, input_of(p->program), &key);
    return row ? set(p, row, true, &key, &value) : fail_unknown(p, &key);
}

/* key=value of the input; else it is the deck. Free form: "key value" too, and options that have a
 * value. */
static mx_err read_argument(parser *p, const char *argument)
{
    const app_input *const input = input_of(p->program);
    app_word key, value;
    split(p, argument, &key, &value);
    const app_key *row = app_input_find(input, ~0u, APP_KEY_COMMAND, key.text, key.length);
    if (row && (value.text || input->free_form)) return set(p, row, true, &key, &value);
    row = find_synonym(p, &key);
    if (!row) row = app_input_find(&common, ~0u, APP_KEY_COMMAND, key.text, key.length);
    if (row && input->free_form && app_key_has_value(row)) return set(p, row, false, &key, &value);
    const bool may_be_deck = p->program->deck && !p->options->deck;
    if (value.text && input->count > 0 && !may_be_deck) return fail_unknown(p, &key);
    return read_positional(p, argument);
}

static mx_err read_arguments(parser *p)
{
    bool only_positional = false;
    for (p->at = 1; p->at < p->argc; p->at++) {
        const char *const argument = p->argv[p->at];
        if (only_positional)
            MX_TRY(read_positional(p, argument));
        else if (strcmp(argument, "--") == 0)
            only_positional = true;
        else if (argument[0] == '-' && argument[1] != '\0')
            MX_TRY(read_option(p, argument));
        else
            MX_TRY(read_argument(p, argument));
    }
    return MX_OK;
}

/* Does the program run, rather than only print --help or the like? */
static bool runs(const app_options *o)
{
    return !o->help && !o->version && !o->backends && !o->help_deck;
}

static mx_err choose_deck(const app_program *program, app_options *options)
{
    if (!program->deck || options->deck || !runs(options)) return MX_OK;
    MX_REQUIRE(program->default_deck || input_of(program)->deck_optional, MX_ERR_INPUT,
               "got no %s, expected: %s [OPTIONS] %s", program->deck, program->name, program->deck);
    options->deck = program->default_deck;
    return MX_OK;
}

mx_err app_options_parse(const app_program *program, int argc, char **argv, app_options *options)
{
    parser p = {.program = program, .options = options, .argc = argc, .argv = argv};
    MX_TRY(app_keys_open(&options->keys, &common, NULL, options));
    options->keys.source = APP_KEY_COMMAND;
    const mx_err err = read_arguments(&p);
    options->overrides = p.overrides.text;
    options->layout = layouts[options->layout_number];
    return err == MX_OK ? choose_deck(program, options) : MX_PASS(err);
}

mx_err app_options_fail_deck(const app_program *program, app_options *options, mx_err err)
{
    const parser p = {.program = program, .options = options};
    app_word key, value;
    app_shown shown;
    split(&p, options->deck, &key, &value);
    if (access(options->deck, F_OK) == 0) return MX_PASS(err);
    if (options->deck == program->default_deck)
        return MX_FAIL(MX_ERR_INPUT,
                       "got no %s, and there is no file %s, the default; expected: %s [OPTIONS] %s",
                       program->deck, program->default_deck, program->name, program->deck);
    if (!value.text) {
        MX_TRY(refuse_name(&p, options->deck));
        return MX_PASS(err);
    }
    const char *const nearest = find_nearest(&p, &key);
    return MX_FAIL(MX_ERR_INPUT, "got %s, which is neither a file nor a known key, expected %s%s",
                   app_text_show(options->deck, strlen(options->deck), &shown),
                   nearest ? nearest : "one of the keys that --help-deck lists",
                   nearest ? "=VALUE" : "");
}

void app_options_close(app_options *options)
{
    app_keys_close(&options->keys);
    free(options->overrides);
    options->overrides = NULL;
}

/* ---- help ---- */

static void print_usage(const app_program *program, FILE *out)
{
    const bool keys = input_of(program)->count > 0;
    fprintf(out, "%s: %s\n\nUsage: %s [OPTIONS]", program->name, program->summary, program->name);
    const bool optional = input_of(program)->deck_optional || program->default_deck;
    if (program->deck) fprintf(out, optional ? " [%s]" : " %s", program->deck);
    fprintf(out, "%s\n", keys ? " [KEY=VALUE]..." : "");
    if (program->default_deck)
        fprintf(out, "The default %s is %s.\n", program->deck, program->default_deck);
    if (keys)
        fprintf(
            out,
            "KEY=VALUE, or --KEY=VALUE, sets a key of the input (--KEY, if it has no value)%s%s. "
            "--help-deck lists the keys.\n",
            program->deck ? "; it overrides " : "", program->deck ? program->deck : "");
}

static bool is_of_checkpoints(const app_key *row)
{
    return row->offset == offsetof(app_options, checkpoint) ||
           row->offset == offsetof(app_options, checkpoint_every) ||
           row->offset == offsetof(app_options, restart);
}

void app_options_help(const app_program *program, FILE *out)
{
    const app_input *const input = input_of(program);
    print_usage(program, out);
    fprintf(out,
            "\nOptions, with defaults in brackets (--key value works as well as --key=value):\n");
    for (int i = 0; i < common.count; i++)
        if (program->checkpoints || !is_of_checkpoints(&rows[i]))
            app_key_print_option(&rows[i], out);
    for (int i = 0; i < input->count; i++)
        if (input->keys[i].sources && !(input->keys[i].sources & ~(unsigned)APP_KEY_DECK_NAME))
            app_key_print_option(&input->keys[i], out);
    for (int i = 0; input->synonyms && input->synonyms[i]; i += 2)
        fprintf(out, "  %-24s the same as --%s\n", input->synonyms[i], input->synonyms[i + 1]);
    fprintf(out, "  %-24s options of minx itself; --mx-help lists them\n", "--mx-KEY[=VALUE]");
    if (program->notes) fprintf(out, "\n%s\n", program->notes);
}
