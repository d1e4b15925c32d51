#include "command_line.h"

#include "input/text.h"
#include "minx/context.h"

#include <stdlib.h>
#include <string.h>

/* ---- comparing ---- */

/* Program and arguments, each ended by a NUL. */
static mx_err join(const char *program, int argc, char **argv, char **text, uint64_t *length)
{
    *length = strlen(program) + 1;
    for (int a = 1; a < argc; a++) *length += strlen(argv[a]) + 1;
    *text = malloc(*length);
    MX_REQUIRE(*text, MX_ERR_MEMORY, "no memory for the command line");
    char *at = *text;
    for (int a = 0; a < argc || a == 0; a++) {
        const char *const word = a == 0 ? program : argv[a];
        const size_t bytes = strlen(word) + 1;
        memcpy(at, word, bytes);
        at += bytes;
    }
    return MX_OK;
}

/* The word at `at`, for a message; beyond the end there is none. */
static const char *show_word(const char *text, uint64_t length, uint64_t at, app_shown *shown)
{
    if (at >= length) return "nothing";
    return app_text_show(text + at, strlen(text + at), shown);
}

static mx_err compare(int rank, const char *mine, uint64_t my_length, const char *first,
                      uint64_t first_length)
{
    if (my_length == first_length && memcmp(mine, first, my_length) == 0) return MX_OK;
    const uint64_t shorter = my_length < first_length ? my_length : first_length;
    uint64_t word = 0; /* start of the first word that differs */
    uint64_t at = 0;
    for (; at < shorter && mine[at] == first[at]; at++)
        if (mine[at] == '\0') word = at + 1;
    app_shown got, expected;
    return MX_FAIL(MX_ERR_INPUT,
                   "the command lines of the ranks differ: rank %d got %s, rank 0 %s, expected the "
                   "same program with the same arguments on every rank",
                   rank, show_word(mine, my_length, word, &got),
                   show_word(first, first_length, word, &expected));
}

/* Rank 0's text on every rank. */
static mx_err share(app_comm comm, const char *mine, uint64_t my_length, char **first,
                    uint64_t *length)
{
    *length = my_length;
    MX_TRY(app_broadcast(comm, length, sizeof *length));
    *first = malloc(*length);
    MX_TRY(
        app_agree(comm, *first ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the command line")));
    if (app_rank(comm) == 0) memcpy(*first, mine, *length);
    return app_broadcast(comm, *first, *length);
}

mx_err app_command_compare(app_comm comm, const char *program, int argc, char **argv)
{
    char *mine = NULL, *first = NULL;
    uint64_t my_length = 0, first_length = 0;
    mx_err err = app_agree(comm, join(program, argc, argv, &mine, &my_length));
    if (err == MX_OK) err = share(comm, mine, my_length, &first, &first_length);
    if (err == MX_OK)
        err = app_agree(comm, compare(app_rank(comm), mine, my_length, first, first_length));
    free(mine);
    free(first);
    return err;
}

/* ---- minx's own options ---- */

mx_err app_command_copy(int argc, char **argv, char ***copy)
{
    *copy = calloc((size_t)argc + 1, sizeof **copy);
    MX_REQUIRE(*copy, MX_ERR_MEMORY, "no memory for the command line");
    for (int a = 0; a < argc; a++) (*copy)[a] = argv[a];
    return MX_OK;
}

bool app_command_has(int argc, char **argv, const char *option)
{
    for (int a = 1; a < argc && strcmp(argv[a], "--") != 0; a++)
        if (strcmp(argv[a], option) == 0) return true;
    return false;
}

static bool prints(const char *argument)
{
    static const char *const options[] = {"--mx-help", "--mx-print-configuration",
                                          "--mx-tools-help"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (strcmp(argument, options[i]) == 0) return true;
    return false;
}

mx_err app_command_start_minx(app_comm comm, int *argc, char ***argv)
{
    char **const all = *argv;
    int kept = 0;
    bool options = true; /* not yet behind "--" */
    for (int a = 0; a < *argc; a++) {
        options = options && strcmp(all[a], "--") != 0;
        if (app_rank(comm) == 0 || !options || !prints(all[a])) all[kept++] = all[a];
    }
    all[kept] = NULL;
    *argc = kept;
    return mx_init_args(argc, argv);
}
