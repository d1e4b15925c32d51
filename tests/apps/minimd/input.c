/* The input of miniMD: good decks and command lines become the struct they should, bad ones the
 * message they should, and the original's decks (MINX_REFERENCE_DATA) are read as what they are.
 * Expected values are written out here. Nothing runs in parallel, so neither ranks nor backends
 * matter. */
#include "input/md_input.h"

#include "deck_bad.h"
#include "input/options.h"

#include <stdlib.h>
#include <string.h>

static int failures;
static app_options options;
static app_keys keys;
static md_input input;

static void fail(const char *which, const char *what)
{
    fprintf(stderr, "%s: got %s\n", which, what);
    failures++;
}

static void check(bool holds, const char *what)
{
    if (!holds) fail(what, "otherwise");
}

/* ---- decks ---- */

#define LJ_DECK                                                                                    \
    "A deck\nof the original\nlj  units (lj or metal)\nnone\tdata file\nlj force\n1.0 1.0 LJ\n32 " \
    "16 8 cells\n100 steps\n0.005 timestep\n1.44 temperature\n0.8442 density\n20 reneigh\n2.5 "    \
    "0.30 cutoff, skin\n10 thermo\n"

/* Parses a copy that ends where the text ends, so that a sanitizer sees a read beyond it. */
static mx_err parse_deck(const char *text, size_t length)
{
    char *const copy = malloc(length > 0 ? length : 1);
    if (!copy) abort();
    memcpy(copy, text, length);
    app_keys_close(&keys);
    const mx_err err = md_deck_parse("deck", copy, length, &keys, &input);
    free(copy);
    return err;
}

static bool is_lj_deck(const md_input *in)
{
    return in->units == MD_UNITS_LJ && in->force == MD_FORCE_LJ && !in->data_file &&
           in->epsilons == 1 && in->epsilon[0] == 1.0 && in->sigmas == 1 && in->sigma[0] == 1.0 &&
           in->nx == 32 && in->ny == 16 && in->nz == 8 && in->steps == 100 && in->dt == 0.005 &&
           in->temperature == 1.44 && in->density == 0.8442 && in->every == 20 &&
           in->cutoff == 2.5 && in->skin == 0.3 && in->thermo == 10;
}

static void good_deck(const char *what, const char *text)
{
    if (parse_deck(text, strlen(text)) != MX_OK)
        fail(what, mx_err_message());
    else
        check(is_lj_deck(&input), what);
}

static void test_good_decks(void)
{
    good_deck("the deck", LJ_DECK);
    check(input.types == 1 && input.bins == 0 && input.neighbours == MD_NEIGHBOURS_AUTO &&
              input.ghost_newton == -1 && input.sort == -1 && input.yaml == 0 && input.masses == 0,
          "defaults of what a deck does not say");
    good_deck(
        "CR LF, no comments, no end of the last line",
        "\r\n\r\nlj\r\nnone\r\nlj\r\n1 1\r\n32 16 8\r\n100\r\n5e-3\r\n1.44\r\n.8442\r\n20\r\n2.5 "
        "0.3\r\n10");
    good_deck("letters of either case, blanks", "a\nb\n LJ\n\tnone\n  Lj \n 1 \t 1\n32 16 8\n100\n"
                                                "0.005\n1.44\n0.8442\n20\n2.5 0.30\n10\n\n\n");
    good_deck("keys behind the deck",
              LJ_DECK "# minx's own\nmixing=arithmetic\n\nneighbours: half ! "
                      "so\nntypes 2\nmass=1,2\n");
    check(input.mixing == MD_MIXING_ARITHMETIC && input.neighbours == MD_NEIGHBOURS_HALF &&
              input.types == 2 && input.masses == 2 && input.mass[1] == 2.0,
          "values of keys behind the deck");
    const char metal[] =
        "\n\nmetal\natoms.data\neam\n1,2 1,0.5\n1 1 1\n0\n1e-3\n0\n1\n1\n4.95 0\n0\n";
    check(parse_deck(metal, sizeof metal - 1) == MX_OK && input.units == MD_UNITS_METAL &&
              input.force == MD_FORCE_EAM && strcmp(input.data_file, "atoms.data") == 0 &&
              input.epsilons == 2 && input.sigma[1] == 0.5 && input.steps == 0 &&
              input.thermo == 0 && input.skin == 0 && input.temperature == 0,
          "metal units, values of two types, zeros");
}

static void test_bad_decks(void)
{
    for (size_t i = 0; i < sizeof bad_decks / sizeof bad_decks[0]; i++) {
        const bad_text *const b = &bad_decks[i];
        const mx_err err = parse_deck(b->text, b->length);
        if (err == MX_ERR_INPUT && strncmp(mx_err_message(), "deck:", 5) == 0 &&
            strstr(mx_err_message(), b->message) && strstr(mx_err_message(), "expected"))
            continue;
        fail(b->message, err == MX_OK ? "accepted" : mx_err_message());
    }
}

/* ---- command lines ---- */

static const app_program program = {.name = "minimd",
                                    .summary = "is tested",
                                    .deck = "DECK",
                                    .default_deck = "in.lj.miniMD",
                                    .input = &md_keys};

enum { MAX_ARGS = 12 };
typedef struct command {
    const char *arg[MAX_ARGS]; /* ends with NULL */
} command;

/* The deck above with this command line. */
static mx_err parse(const command *c)
{
    char *argv[MAX_ARGS + 2] = {(char *)"minimd"};
    int argc = 1;
    for (int i = 0; i < MAX_ARGS && c->arg[i]; i++) argv[argc++] = (char *)c->arg[i];
    app_keys_close(&keys);
    app_options_close(&options);
    MX_TRY(app_options_parse(&program, argc, argv, &options));
    return app_keys_read(&keys, &md_keys, "deck", LJ_DECK, sizeof LJ_DECK - 1, options.overrides,
                         &input);
}
#define PARSE(...) (parse(&(const command){{__VA_ARGS__}}) == MX_OK)

static bool cells_are(int64_t x, int64_t y, int64_t z)
{
    return input.nx == x && input.ny == y && input.nz == z;
}

static void test_options(void)
{
    check(PARSE(NULL) && strcmp(options.deck, "in.lj.miniMD") == 0 && is_lj_deck(&input),
          "the default deck");
    check(PARSE("-i", "d") && strcmp(options.deck, "d") == 0, "-i");
    check(PARSE("--input_file", "d") && strcmp(options.deck, "d") == 0, "--input_file");
    check(PARSE("-t", "3", "-d", "1") && options.threads == 3 && options.device == 1, "-t and -d");
    check(PARSE("--num_threads", "3", "-n", "7") && options.threads == 3 && input.steps == 7,
          "--num_threads and -n");
    check(PARSE("-h") && options.help, "-h");
    check(PARSE("-n", "0", "-u", "metal", "-p", "eam", "-f", "x.data") && input.steps == 0 &&
              input.units == MD_UNITS_METAL && input.force == MD_FORCE_EAM &&
              strcmp(input.data_file, "x.data") == 0,
          "-n 0, -u, -p, -f");
    check(PARSE("--nsteps", "5", "--units=metal", "--force", "eam", "--data_file", "none") &&
              input.steps == 5 && input.units == MD_UNITS_METAL && input.force == MD_FORCE_EAM &&
              !input.data_file,
          "their long names");
    check(PARSE("-s", "10") && cells_are(10, 10, 10), "-s");
    check(PARSE("--size", "10", "-ny", "5") && cells_are(10, 5, 10), "-s and -ny");
    check(PARSE("-nx", "9") && cells_are(9, 9, 9), "-nx alone");
    check(PARSE("-nx", "9", "-ny", "4") && cells_are(9, 4, 8), "-nx and -ny");
    check(PARSE("-nz", "9") && cells_are(32, 16, 9), "-nz alone, which the original ignores");
    check(PARSE("--half_neigh", "0") && input.neighbours == MD_NEIGHBOURS_FULL, "--half_neigh 0");
    check(PARSE("--half_neigh", "1", "-gn", "0") && input.neighbours == MD_NEIGHBOURS_HALF &&
              input.ghost_newton == 0,
          "--half_neigh 1 -gn 0");
    check(PARSE("--ntypes", "4", "-b", "26", "--sort", "-1", "-o", "1", "--yaml_screen") &&
              input.types == 4 && input.bins == 26 && input.sort == -1 && input.yaml == 1 &&
              input.yaml_screen,
          "--ntypes, -b, --sort, -o, --yaml_screen");
    check(PARSE("--check_exchange", "--safe_exchange", "--teams", "1", "-sse", "0", "--team_neigh",
                "0") &&
              input.check_exchange && input.safe_exchange,
          "options that ask for what is always so");
    check(PARSE("dt=0.001", "--epsilon=2", "shift=force", "--neigh_check") && input.dt == 0.001 &&
              input.epsilon[0] == 2.0 && input.shift == MD_SHIFT_FORCE && input.neigh_check,
          "keys by name");
}

/* Command lines that are refused, and a part of the message. */
static const struct {
    command line;
    const char *message;
} bad_lines[] = {
    {{{"--half_neigh", "2"}}, "half_neigh: got \"2\", expected 0"},
    {{{"--half_neigh", "yes"}}, "half_neigh: got \"yes\""},
    {{{"--half_neigh", "0", "-gn", "1"}}, "ghost_newton: got 1"},
    {{{"--force", "eam", "--half_neigh", "1", "-b", "10"}}, "neigh_bins: got a number of bins"},
    {{{"--force", "eam", "--half_neigh", "1", "list=2d"}}, "neighbours: got half"},
    {{{"--half_neigh", "1", "neighbours=full"}}, "got both"},
    {{{"newton=atomic"}}, "newton: got atomic with full lists, expected neighbours=half"},
    {{{"newton=atomic", "list=clusters"}}, "newton: got atomic, expected scatter with list"},
    {{{"newton=atomic", "-p", "eam"}}, "newton: got atomic, expected scatter with force=eam"},
    {{{"-gn", "2"}}, "ghost_newton: got \"2\", expected auto or a whole number from 0 to 1"},
    {{{"--teams", "2"}}, "teams: got a key or value that this version does not have"},
    {{{"-sse", "1"}}, "expected no such option: all loops are vectorised"},
    {{{"--team_neigh", "4"}}, "team_neigh"},
    {{{"-dm", "1"}}, "expected --device=auto"},
    {{{"-ng", "2"}}, "expected CUDA_VISIBLE_DEVICES"},
    {{{"--skip_gpu", "0"}}, "expected CUDA_VISIBLE_DEVICES without it"},
    {{{"-p", "eamm"}}, "force: got \"eamm\", expected lj or eam"},
    {{{"-u", "real"}}, "units: got \"real\", expected lj or metal"},
    {{{"-s", "0"}}, "size: got \"0\", expected a whole number from 1 to 1000000"},
    {{{"-s"}}, "-s: got no value"},
    {{{"-s", "-5"}}, "size: got \"-5\""},
    {{{"-n", "-1"}}, "steps: got \"-1\""},
    {{{"-n", "ten"}}, "steps: got \"ten\""},
    {{{"-n", "1", "-n", "2"}}, "got both \"1\" and \"2\""},
    {{{"-t", "0"}}, "-t: got \"0\""},
    {{{"-nt", "4"}}, "got an unknown option \"-nt\""},
    {{{"--half-neigh", "0"}}, "got an unknown option \"--half-neigh\", expected --half_neigh"},
    {{{"--ntypes", "0"}}, "ntypes: got \"0\", expected a whole number from 1 to 8"},
    {{{"-f", "x.data", "-s", "10"}},
     "size: got a value for a lattice, expected none with a data file"},
    {{{"--ntypes", "3", "epsilon=1,2"}}, "epsilon: got 2 values, expected one, or 3"},
    {{{"epsilon=1,2,3,4,5,6,7,8,9"}}, "expected up to 8 values"},
    {{{"mass=0"}}, "mass: got \"0\""},
    {{{"-b", "0"}}, "neigh_bins: got \"0\""},
    {{{"-o", "2"}}, "yaml_output: got \"2\""},
    {{{"-i", "a", "b"}}, "got a second argument \"b\""},
    {{{"density=1e-307"}}, "density: got 1e-307, expected one with which the box has a volume"},
    {{{"skin=1e200"}}, "cutoff, skin"},
};

static void test_bad_lines(void)
{
    for (size_t i = 0; i < sizeof bad_lines / sizeof bad_lines[0]; i++) {
        const mx_err err = parse(&bad_lines[i].line);
        if (err == MX_ERR_INPUT && strstr(mx_err_message(), bad_lines[i].message)) continue;
        fail(bad_lines[i].message, err == MX_OK ? "accepted" : mx_err_message());
    }
}

/* ---- the original's decks ---- */

static mx_err parse_file(const char *folder, const char *name)
{
    static char text[4096];
    char path[512];
    snprintf(path, sizeof path, "%s/minimd/%s", folder, name);
    FILE *const f = fopen(path, "rb");
    MX_REQUIRE(f, MX_ERR_IO, "%s cannot be opened", path);
    const size_t length = fread(text, 1, sizeof text, f);
    fclose(f);
    return parse_deck(text, length);
}

static int test_original(void)
{
    const char *const folder = getenv("MINX_REFERENCE_DATA");
    if (!folder || !*folder) {
        fprintf(
            stderr,
            "minimd_input: MINX_REFERENCE_DATA is not set: the original's decks were not read\n");
        return getenv("MINX_REQUIRE_DATA") ? 1 : 77;
    }
    if (parse_file(folder, "in.lj.miniMD") != MX_OK) fail("in.lj.miniMD", mx_err_message());
    check(input.units == MD_UNITS_LJ && input.force == MD_FORCE_LJ && cells_are(32, 32, 32) &&
              input.steps == 100 && input.dt == 0.005 && input.temperature == 1.44 &&
              input.density == 0.8442 && input.every == 20 && input.cutoff == 2.5 &&
              input.skin == 0.3 && input.thermo == 100 && !input.data_file,
          "in.lj.miniMD");
    if (parse_file(folder, "in.eam.miniMD") != MX_OK) fail("in.eam.miniMD", mx_err_message());
    check(input.units == MD_UNITS_METAL && input.force == MD_FORCE_EAM && cells_are(32, 32, 32) &&
              input.dt == 0.001 && input.temperature == 600 && input.density == 0.07041125 &&
              input.cutoff == 4.95 && input.skin == 1.0,
          "in.eam.miniMD");
    return 0;
}

int main(void)
{
    test_good_decks();
    test_bad_decks();
    test_options();
    test_bad_lines();
    const int skipped = test_original();
    app_keys_close(&keys);
    app_options_close(&options);
    return failures > 0 ? 1 : skipped;
}
