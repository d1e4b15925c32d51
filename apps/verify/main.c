/* minx-verify: is this results file what was written, and does its physics hold? Or: are these two
 * runs the same? */
#include "guard.h"
#include "input/text.h"
#include "verify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_HOLDS = 0, EXIT_FAILS = 1, EXIT_USAGE = 2, EXIT_UNREADABLE = 3 };

typedef struct arguments {
    const char *file, *other; /* other NULL: verify one file */
    double tolerance;
    bool tolerance_given, quiet, help, version;
} arguments;

static const char help[] =
    "usage: minx-verify [options] FILE.h5            two verdicts on one run\n"
    "       minx-verify [options] FILE.h5 OTHER.h5   compare two runs\n"
    "\n"
    "One file: \"integrity\" recomputes the digest of every dataset and attribute; \"physics\"\n"
    "recomputes every check of the app that wrote it from the stored data, trusting no stored\n"
    "verdict. Two files: compares each dataset as its attribute \"compare\" says (exactly, with a\n"
    "tolerance, not at all), units and other attributes, and the outcome. One line per check, then\n"
    "a verdict.\n"
    "\n"
    "  --tolerance=X   two files only: real numbers may differ by X times the largest magnitude in\n"
    "                  their dataset, instead of by what the file says; 0: everything that can be\n"
    "                  compared must be equal to the bit\n"
    "  --quiet         print only failures and verdicts\n"
    "  --help          print this and stop\n"
    "  --version       print the version and stop\n"
    "\n"
    "Files are read in a child process, whose time and memory are limited: a damaged file can\n"
    "crash HDF5, which is reported like other damage.\n"
    "\n"
    "Exit codes: 0 every check passed; 1 a check failed; 2 bad usage; 3 a file cannot be read as a\n"
    "results file.\n";

static mx_err parse_tolerance(const char *word, arguments *args)
{
    MX_REQUIRE(word, MX_ERR_INPUT, "--tolerance: got no value, expected a number of at least 0");
    const bool number = app_text_real(word, strlen(word), &args->tolerance) == APP_NUMBER_OK;
    MX_REQUIRE(number && args->tolerance >= 0.0, MX_ERR_INPUT,
               "--tolerance: got \"%s\", expected a number of at least 0", word);
    args->tolerance_given = true;
    return MX_OK;
}

static mx_err parse_option(const char *option, arguments *args)
{
    static const char tolerance[] = "--tolerance=";
    if (strcmp(option, "--help") == 0) {
        args->help = true;
    } else if (strcmp(option, "--version") == 0) {
        args->version = true;
    } else if (strcmp(option, "--quiet") == 0) {
        args->quiet = true;
    } else if (strncmp(option, tolerance, sizeof tolerance - 1) == 0) {
        return parse_tolerance(option + sizeof tolerance - 1, args);
    } else {
        app_nearest nearest = APP_NEAREST_NONE;
        const char *const names[] = {"--tolerance", "--quiet", "--help", "--version"};
        const size_t length = strcspn(option, "=");
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
            app_nearest_offer(&nearest, option, length, names[i]);
        MX_REQUIRE(nearest.distance != 0, MX_ERR_INPUT, "%s: got the value \"%s\", expected none",
                   nearest.name, option + length + 1);
        return MX_FAIL(MX_ERR_INPUT, "unknown option %s%s%s", option,
                       nearest.name ? "; did you mean " : "", nearest.name ? nearest.name : "");
    }
    return MX_OK;
}

static mx_err parse(int argc, char **argv, arguments *args)
{
    bool options_end = false;
    for (int i = 1; i < argc; ++i) {
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && strcmp(argv[i], "--tolerance") == 0) {
            MX_TRY(parse_tolerance(argv[++i], args)); /* argv ends with NULL */
        } else if (!options_end && argv[i][0] == '-' && argv[i][1] != '\0') {
            MX_TRY(parse_option(argv[i], args));
        } else {
            MX_REQUIRE(argv[i][0] != '\0', MX_ERR_INPUT, "got an empty name, expected a file");
            MX_REQUIRE(!args->other, MX_ERR_INPUT, "got a third file, %s, expected one or two",
                       argv[i]);
            *(args->file ? &args->other : &args->file) = argv[i];
        }
    }
    if (args->help || args->version) return MX_OK;
    MX_REQUIRE(args->file, MX_ERR_INPUT, "got no file, expected one or two");
    MX_REQUIRE(args->other || !args->tolerance_given, MX_ERR_INPUT,
               "--tolerance is for comparing two files, got one");
    return MX_OK;
}

static int complain(int exit_code)
{
    vf_complain("%s", mx_err_message());
    return exit_code;
}

static int verify_one(const arguments *args)
{
    app_reader reader = NULL;
    if (app_reader_open(args->file, &reader) != MX_OK) return complain(EXIT_UNREADABLE);
    vf_verdict integrity = {.title = "integrity", .quiet = args->quiet};
    vf_verdict physics = {.title = "physics", .quiet = args->quiet};
    vf_check_integrity(reader, &integrity);
    const bool whole = vf_conclude(&integrity);
    vf_check_physics(reader, &physics);
    const bool right = vf_conclude(&physics);
    app_reader_close(&reader);
    return whole && right ? EXIT_HOLDS : EXIT_FAILS;
}

static int compare_two(const arguments *args)
{
    app_reader one = NULL, other = NULL;
    if (app_reader_open(args->file, &one) != MX_OK) return complain(EXIT_UNREADABLE);
    if (app_reader_open(args->other, &other) != MX_OK) {
        app_reader_close(&one);
        return complain(EXIT_UNREADABLE);
    }
    vf_verdict verdict = {.title = "comparison", .quiet = args->quiet};
    vf_compare(one, other, args->tolerance_given ? &args->tolerance : NULL, &verdict);
    const bool same = vf_conclude(&verdict);
    app_reader_close(&other);
    app_reader_close(&one);
    return same ? EXIT_HOLDS : EXIT_FAILS;
}

/* In the child process. */
static int verify(const void *data)
{
    const arguments *const args = data;
    const int code = args->other ? compare_two(args) : verify_one(args);
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    vf_complain("cannot write the output: %s", strerror(errno));
    return EXIT_UNREADABLE;
}

static int verify_guarded(const arguments *args)
{
    char names[1024];
    snprintf(names, sizeof names, args->other ? "%s or %s" : "%s", args->file, args->other);
    const vf_limits limits = vf_limits_of(vf_bytes_of(args->file) + vf_bytes_of(args->other));
    const int code = vf_guard(names, limits, verify, args);
    return code == VF_GUARD_FAILED ? EXIT_UNREADABLE : code;
}

int main(int argc, char **argv)
{
    arguments args = {.quiet = false};
    if (parse(argc, argv, &args) != MX_OK) {
        complain(EXIT_USAGE);
        fputs("try: minx-verify --help\n", stderr);
        return EXIT_USAGE;
    }
    if (args.help) {
        fputs(help, stdout);
        return EXIT_HOLDS;
    }
    if (args.version) {
        puts("minx-verify " MINX_VERSION);
        return EXIT_HOLDS;
    }
    return verify_guarded(&args);
}
