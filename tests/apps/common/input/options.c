/* Command lines: what they set, what they refuse and how they say so; app_read_file on any number
 * of ranks. No kernels run, so backends do not matter. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, mkdir */
#include "input/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int failures;

static void fail(const char *what, const char *got)
{
    fprintf(stderr, "%s: got %s\n", what, got);
    failures++;
}

static void check(bool holds, const char *what)
{
    if (!holds) fail(what, "otherwise");
}

/* ---- a program with options of its own ---- */

typedef struct own_input {
    int level;
    double scale;
    int mode;
    const char *label;
    bool loud;
    int list[3], length;
} own_input;
static own_input own;
static app_keys keys;
static const char *const modes[] = {"slow", "fast", NULL};
#define AT(member) .offset = offsetof(own_input, member)
static const app_key rows[] = {
    {.name = "level",
     .type = APP_KEY_INT,
     AT(level),
     .low = -2,
     .high = 9,
     .standard = 3,
     .aliases = "-l"},
    {.name = "scale", .type = APP_KEY_REAL, AT(scale), .standard = 1.5},
    {.name = "mode", .type = APP_KEY_CHOICE, AT(mode), .words = modes},
    {.name = "label", .type = APP_KEY_TEXT, AT(label)},
    {.name = "loud", .type = APP_KEY_SWITCH, AT(loud)},
    {.name = "list",
     .type = APP_KEY_INT,
     AT(list),
     .stride = sizeof(int),
     .length = offsetof(own_input, length),
     .capacity = 3,
     .high = 99},
    {.name = "input_file",
     .aliases = "-i",
     .type = APP_KEY_TEXT,
     .sources = APP_KEY_DECK_NAME,
     .offset = APP_KEY_NOWHERE,
     .argument = "FILE",
     .help = "the deck"},
};
static const char *const synonyms[] = {"-t",   "threads", "--num_threads", "threads", "-h",
                                       "help", NULL};
static const app_input input = {.keys = rows, .count = 7, .size = sizeof own};
static const app_input input_with_synonyms = {
    .keys = rows, .count = 7, .size = sizeof own, .synonyms = synonyms};
static const char *const free_synonyms[] = {"numthreads", "threads", NULL};
static const app_input free_input = {.keys = rows,
                                     .count = 7,
                                     .size = sizeof own,
                                     .deck_optional = true,
                                     .synonyms = free_synonyms,
                                     .free_form = true};
static const app_program with_deck = {.name = "prog",
                                      .summary = "tests options",
                                      .deck = "DECK",
                                      .input = &input,
                                      .notes = "Some notes."};
static const app_program with_default = {.name = "prog",
                                         .summary = "tests options",
                                         .deck = "DECK",
                                         .default_deck = "tea.in",
                                         .input = &input};
static const app_program without_deck = {.name = "prog", .summary = "tests options"};
static const app_program free_program = {
    .name = "prog", .summary = "tests options", .deck = "FILE", .input = &free_input};

static const app_program with_synonyms = {
    .name = "prog", .summary = "tests options", .deck = "DECK", .input = &input_with_synonyms};

enum { MAX_ARGS = 8 };
typedef struct command {
    const char *arg[MAX_ARGS]; /* ends with NULL */
} command;

static app_options opened; /* texts in *options are valid until the next parse */

static mx_err parse(const app_program *program, const command *c, app_options *options)
{
    char *argv[MAX_ARGS + 2] = {(char *)"prog"};
    int argc = 1;
    for (int i = 0; i < MAX_ARGS && c->arg[i]; i++) argv[argc++] = (char *)c->arg[i];
    app_keys_close(&keys);
    app_options_close(&opened);
    const mx_err err = app_options_parse(program, argc, argv, &opened);
    *options = opened;
    if (err != MX_OK || !program->input) return err;
    return app_keys_read(&keys, program->input, opened.deck, NULL, 0, opened.overrides, &own);
}

#define PARSE(...) parse(&with_deck, &(const command){{__VA_ARGS__}}, &o)

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void test_defaults(void)
{
    app_options o;
    check(PARSE("deck.in") == MX_OK, "a deck alone is accepted");
    check(same_text(o.backend, "auto") && o.threads == 0 && o.device == -1 &&
              same_text(o.layout, "auto"),
          "defaults");
    check(!o.check_against && !o.output && o.gpu_mpi == APP_GPU_MPI_AUTO, "defaults of paths");
    check(!o.quiet && !o.help && !o.version && same_text(o.deck, "deck.in"),
          "defaults of switches");
    check(own.level == 3 && own.scale == 1.5 && own.mode == 0 && !own.label && !o.help_deck,
          "own options keep their defaults");
    check(parse(&with_default, &(const command){{NULL}}, &o) == MX_OK &&
              same_text(o.deck, "tea.in"),
          "default deck");
    check(parse(&without_deck, &(const command){{NULL}}, &o) == MX_OK && !o.deck,
          "a program without deck");
}

static void test_values(void)
{
    app_options o;
    check(PARSE("--backend=serial:order=shuffled", "--threads=4", "--device=2", "--layout=left",
                "--check-against=serial", "--output=a.h5", "--gpu-mpi=off", "d") == MX_OK,
          "--key=value");
    check(same_text(o.backend, "serial:order=shuffled") && o.threads == 4 && o.device == 2,
          "values of --key=value");
    check(same_text(o.layout, "left") && same_text(o.check_against, "serial"),
          "texts of --key=value");
    check(same_text(o.output, "a.h5") && o.gpu_mpi == APP_GPU_MPI_OFF, "choices of --key=value");
    check(PARSE("--threads", "8", "d", "--layout", "right", "--level", "-2", "--quiet") == MX_OK,
          "--key value");
    check(o.threads == 8 && same_text(o.layout, "right") && own.level == -2 && o.quiet,
          "values of --key value");
    check(PARSE("--threads=auto", "--device=auto", "d") == MX_OK && o.threads == 0 &&
              o.device == -1,
          "auto");
    check(PARSE("--scale=2.5e-1", "--mode=fast", "--label=x=y", "d") == MX_OK, "own options");
    check(own.scale == 0.25 && own.mode == 1 && same_text(own.label, "x=y"),
          "values of own options");
    check(PARSE("--", "--quiet") == MX_OK && same_text(o.deck, "--quiet") && !o.quiet,
          "-- ends the options");
    check(PARSE("-") == MX_OK && same_text(o.deck, "-"), "- is an argument");
    check(PARSE("--threads=2", "--threads", "2", "d") == MX_OK && o.threads == 2, "twice the same");
    check(PARSE("--help") == MX_OK && o.help, "--help needs no deck");
    check(PARSE("--version") == MX_OK && o.version, "--version needs no deck");
    check(PARSE("--help-deck") == MX_OK && o.help_deck, "--help-deck needs no deck");
}

static void test_keys(void)
{
    app_options o;
    check(PARSE("d", "level=7", "mode=fast", "--loud", "list=1,22,3") == MX_OK,
          "keys behind the deck");
    check(own.level == 7 && own.mode == 1 && own.loud && own.length == 3 && own.list[1] == 22,
          "values of keys behind the deck");
    check(PARSE("level=7", "d") == MX_OK && own.level == 7 && same_text(o.deck, "d"),
          "a key in front of the deck");
    check(PARSE("-l", "7", "-i", "d") == MX_OK && own.level == 7 && same_text(o.deck, "d"),
          "names with one dash");
    check(PARSE("-l=7", "-i=d") == MX_OK && own.level == 7 && same_text(o.deck, "d"),
          "names with one dash, and =");
    check(PARSE("x=y") == MX_OK && same_text(o.deck, "x=y"), "a deck with = in its name");
    check(PARSE("d", "label=# no comment") == MX_OK && same_text(own.label, "# no comment"),
          "a text with #");
#define FREE(...) parse(&free_program, &(const command){{__VA_ARGS__}}, &o)
    check(FREE(NULL) == MX_OK && !o.deck && own.level == 3, "an optional deck");
    check(FREE("level=7", "mode:fast", "scale", "2", "---loud") == MX_OK && own.level == 7 &&
              own.mode == 1 && own.scale == 2.0 && own.loud,
          "keys in free form");
    check(FREE("-level", "-2", "--threads:3", "-list=5") == MX_OK && own.level == -2 &&
              o.threads == 3 && own.list[0] == 5 && own.length == 1,
          "keys in free form, with dashes");
    check(FREE("backend=openmp", "device:1", "threads", "3") == MX_OK &&
              same_text(o.backend, "openmp") && o.device == 1 && o.threads == 3,
          "options in free form");
    check(FREE("-numthreads", "3") == MX_OK && o.threads == 3, "a synonym in free form");
    check(FREE("numthreads:4") == MX_OK && o.threads == 4, "a synonym in free form");
    check(FREE("quiet") == MX_OK && !o.quiet && same_text(o.deck, "quiet"), "a deck, no switch");
    check(FREE("input_file=d") == MX_OK && same_text(o.deck, "d"), "a deck in free form");
}

/* Options that every app has, by the names of an original code. */
static void test_synonyms(void)
{
    app_options o;
#define SYNONYMS(...) parse(&with_synonyms, &(const command){{__VA_ARGS__}}, &o)
    check(SYNONYMS("-t", "3", "d") == MX_OK && o.threads == 3, "a synonym");
    check(SYNONYMS("--num_threads=3", "-l", "5", "d") == MX_OK && o.threads == 3 && own.level == 5,
          "a synonym with two dashes, beside an own option");
    check(SYNONYMS("-h") == MX_OK && o.help, "a synonym of a switch");
    check(SYNONYMS("-t", "0", "d") == MX_ERR_INPUT &&
              strstr(mx_err_message(), "-t: got \"0\", expected auto or a whole number from 1"),
          "a bad value of a synonym");
    check(SYNONYMS("-t", "3", "--threads=4", "d") == MX_ERR_INPUT, "a synonym and its option");
    check(SYNONYMS("--t", "3", "d") == MX_ERR_INPUT, "a synonym with another dash");
}

/* Command lines that are refused, and a part of the message. */
static const struct {
    command line;
    const char *message;
} bad[] = {
    {{{"--thread=4", "d"}}, "got an unknown option \"--thread\", expected --threads"},
    {{{"--backened", "cuda", "d"}}, "got an unknown option \"--backened\", expected --backend"},
    {{{"--thread_nr=4", "d"}}, /* more than a third of "threads" differs */
     "got an unknown option \"--thread_nr\", expected one of those that --help lists"},
    {{{"-threads=4", "d"}}, "got an unknown option \"-threads\", expected --threads"},
    {{{"-h"}}, "got an unknown option \"-h\", expected one of those that --help lists"},
    {{{"--THREADS=4", "d"}}, "expected --threads"},
    {{{"--threads=4097", "d"}}, "a whole number from 1 to 4096"},
    {{{"--=4", "d"}}, "got an unknown option \"--\""},
    {{{"--lable=a", "d"}}, "expected --label"},
    {{{"--threads=-3", "d"}}, "--threads: got \"-3\", expected auto or a whole number from 1 to"},
    {{{"--threads", "-3", "d"}}, "--threads: got \"-3\""},
    {{{"--threads=abc", "d"}}, "--threads: got \"abc\""},
    {{{"--threads=", "d"}}, "--threads: got \"\""},
    {{{"--threads=0", "d"}}, "--threads: got \"0\""},
    {{{"--threads=4x", "d"}}, "--threads: got \"4x\""},
    {{{"--threads=4.0", "d"}}, "--threads: got \"4.0\""},
    {{{"--threads= 4", "d"}}, "--threads: got \" 4\""},
    {{{"--device=99999999999", "d"}},
     "--device: got \"99999999999\", expected auto or a whole number from 0 to 1023"},
    {{{"--device=99999999999999999999999", "d"}}, "--device: got \"99999999999999999999999\""},
    {{{"--device=-1", "d"}}, "--device: got \"-1\""},
    {{{"--layout=middle", "d"}}, "--layout: got \"middle\", expected auto, left or right"},
    {{{"--gpu-mpi=yes", "d"}}, "--gpu-mpi: got \"yes\", expected auto, on, off, nccl or direct"},
    {{{"--gpu-mpi", "d"}}, "--gpu-mpi: got \"d\""},
    {{{"--quiet=yes", "d"}}, "--quiet: got \"yes\", expected no value"},
    {{{"--output", "--quiet", "d"}}, "--output: got no value, expected FILE.h5"},
    {{{"d", "--output"}}, "--output: got no value, expected FILE.h5"},
    {{{"--output=", "d"}}, "--output: got \"\", expected FILE.h5"},
    {{{"--threads=2", "--threads=3", "d"}},
     "--threads: got both \"2\" and \"3\", expected it once"},
    {{{"--scale=fast", "d"}}, "command line: scale: got \"fast\", expected a number"},
    {{{"--scale=1e999", "d"}}, "command line: scale: got \"1e999\""},
    {{{"--level=10", "d"}},
     "command line: level: got \"10\", expected a whole number from -2 to 9"},
    {{{"a", "b"}}, "got a second argument \"b\", expected one DECK, which is \"a\" already"},
    {{{""}}, "got an empty argument, expected DECK"},
    {{{NULL}}, "got no DECK, expected: prog [OPTIONS] DECK"},
    {{{"--quiet"}}, "got no DECK"},
    {{{"--label=a", "--label=b", "d"}}, "label: got both \"a\" and \"b\", expected it once"},
    {{{"--label=\033[31m\n", "d"}},
     "--label: got \"\\x1b[31m\\x0a\", expected text without control characters"},
    {{{"d", "lable=a"}}, "got an unknown option \"lable\", expected --label"},
    {{{"lable=a", "d"}}, "got an unknown option \"lable\", expected --label"},
    {{{"d", "level"}},
     "level: got no value, expected --level=VALUE, with a whole number from -2 to 9"},
    {{{"d", "loud"}}, "got the argument \"loud\", expected --loud"},
    {{{"d", "quiet"}}, "got the argument \"quiet\", expected --quiet"},
    {{{"d", "threads"}}, "threads: got no value, expected --threads=VALUE"},
    {{{"quiet", "d"}}, "got the argument \"quiet\", expected --quiet"},
    {{{"loud", "d"}}, "got the argument \"loud\", expected --loud"},
    {{{"threads", "d"}}, "threads: got no value, expected --threads=VALUE"},
    {{{"d", "list=1,2,3,4"}},
     "list: got \"1,2,3,4\", expected up to 3 values, divided by commas, each a whole number from 0 to 99"},
    {{{"d", "list=1,,2"}}, "list: got \"\", expected up to 3 values"},
    {{{"d", "--loud=yes"}}, "loud: got \"yes\", expected no value"},
    {{{"d", "--level"}}, "--level: got no value, expected a whole number from -2 to 9"},
    {{{"-i", "d", "e"}}, "got a second argument \"e\", expected one DECK"},
    {{{"--\033[31m\n", "d"}}, "\"--\\x1b[31m\\x0a\""},
};

static void test_refused(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        app_options o;
        const mx_err err = parse(&with_deck, &bad[i].line, &o);
        if (err == MX_ERR_INPUT && strstr(mx_err_message(), bad[i].message)) continue;
        fail(bad[i].message, err == MX_OK ? "accepted" : mx_err_message());
    }
    app_options o;
    check(parse(&without_deck, &(const command){{"d"}}, &o) == MX_ERR_INPUT,
          "no argument where there is no deck");
}

/* A deck that is not there: what reads as KEY=VALUE was meant as a key, other words as a file. */
static void test_missing_deck(void)
{
    static const struct {
        const app_program *program;
        const char *word, *message;
    } cases[] = {
        {&with_deck, "lable=a",
         "got \"lable=a\", which is neither a file nor a known key, expected label=VALUE"},
        {&free_program, "lable:a", "\"lable:a\", which is neither a file nor a known key"},
        {&free_program, "zzzzzzzz=a", "expected one of the keys that --help-deck lists"},
        {&with_deck, "lable:a", "cannot be read"},
        {&with_deck, "lable", "cannot be read"},
        {&with_deck, "quiet", "got the argument \"quiet\", expected --quiet"},
        {&with_default, NULL, "got no DECK, and there is no file tea.in, the default"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        app_options o;
        check(parse(cases[i].program, &(const command){{cases[i].word}}, &o) == MX_OK,
              "a word that may be a deck");
        const mx_err err =
            app_options_fail_deck(cases[i].program, &o, MX_FAIL(MX_ERR_INPUT, "cannot be read"));
        if (err == MX_ERR_INPUT && strstr(mx_err_message(), cases[i].message)) continue;
        fail(cases[i].message, mx_err_message());
    }
}

/* ---- help ---- */

static void read_help(const app_program *program, char *text, size_t size)
{
    FILE *const f = tmpfile();
    text[0] = '\0';
    if (!f) {
        fail("tmpfile", "nothing");
        return;
    }
    app_options_help(program, f);
    rewind(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void test_help(void)
{
    static char text[8192];
    static const char *const wanted[] = {
        "prog: tests options",
        "Usage: prog [OPTIONS] DECK",
        "--backend=NAME",
        "--threads=N",
        "[auto]",
        "--device=N",
        "--layout=WORD",
        "(auto, left or right)",
        "--check-against=NAME",
        "--output=FILE.h5",
        "[none]",
        "--gpu-mpi=WORD",
        "(auto, on, off, nccl or direct)",
        "--quiet",
        "--help",
        "--version",
        "--help-deck",
        "--input_file=FILE",
        "(also -i)",
        "[KEY=VALUE]...",
        "--mx-KEY[=VALUE]",
        "Some notes.",
    };
    app_options o;
    (void)PARSE("--help");
    read_help(&with_deck, text, sizeof text);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!strstr(text, wanted[i])) fail("--help lacks", wanted[i]);
    }
    check(!strstr(text, "--checkpoint") && !strstr(text, "--restart"),
          "no options of checkpoints where there are none");
    read_help(&with_default, text, sizeof text);
    check(strstr(text, "Usage: prog [OPTIONS] [DECK]") &&
              strstr(text, "The default DECK is tea.in."),
          "--help names the default deck");
}

/* ---- files ---- */

static void write_file(app_comm comm, const char *path, const char *text, size_t length)
{
    if (app_rank(comm) == 0) {
        FILE *const f = fopen(path, "wb");
        if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0)
            fail("writing a file for the test", path);
    }
    check(app_barrier(comm) == MX_OK, "barrier");
}

static void check_read(app_comm comm, const char *path, const char *want, size_t length)
{
    char *text = NULL;
    size_t got = 0;
    if (app_read_file(comm, path, &text, &got) != MX_OK) {
        fail(path, mx_err_message());
        return;
    }
    check(got == length && memcmp(text, want, length) == 0 && text[length] == '\0',
          "what was written is read");
    free(text);
}

static void check_refused(app_comm comm, const char *path, const char *message)
{
    char *text = NULL;
    size_t got = 0;
    const mx_err err = app_read_file(comm, path, &text, &got);
    if (err == MX_ERR_INPUT && !text && strstr(mx_err_message(), message) &&
        strstr(mx_err_message(), path))
        return;
    fail(message, err == MX_OK ? "accepted" : mx_err_message());
}

static void test_files(app_comm comm)
{
    char folder[] = "minx-options-XXXXXX"; /* in this run's own folder */
    char path[64];
    char missing[64];
    if (app_rank(comm) == 0 && !mkdtemp(folder)) fail("mkdtemp", folder);
    check(app_broadcast(comm, folder, sizeof folder) == MX_OK, "broadcast");
    snprintf(path, sizeof path, "%s/deck.in", folder);
    snprintf(missing, sizeof missing, "%s/missing.in", folder);
    char *const large = calloc(1, APP_READ_FILE_LIMIT + 1u);
    if (!large) abort();
    memset(large, 'x', APP_READ_FILE_LIMIT + 1u);

    write_file(comm, path, "*tea\0\n", 6);
    check_read(comm, path, "*tea\0\n", 6);
    write_file(comm, path, large, 4096); /* exactly the first buffer */
    check_read(comm, path, large, 4096);
    write_file(comm, path, large, APP_READ_FILE_LIMIT);
    check_read(comm, path, large, APP_READ_FILE_LIMIT);
    write_file(comm, path, large, APP_READ_FILE_LIMIT + 1u);
    check_refused(comm, path, "got more than 16777216 bytes");
    write_file(comm, path, "", 0);
    check_refused(comm, path, "got an empty file");
    check_refused(comm, folder, "got a folder");
    check_refused(comm, missing, "No such file");

    free(large);
    check(app_barrier(comm) == MX_OK, "barrier");
    if (app_rank(comm) == 0) {
        remove(path);
        rmdir(folder);
    }
}

int main(int argc, char **argv)
{
    app_comm comm;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        return 1;
    }
    test_defaults();
    test_values();
    test_keys();
    test_synonyms();
    test_refused();
    test_missing_deck();
    test_help();
    test_files(comm);
    int64_t all = failures;
    if (app_sum_i64(comm, &all, 1) != MX_OK) all = 1;
    app_comm_close(&comm);
    return all > 0 ? 1 : 0;
}
