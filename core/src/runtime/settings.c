/* Settings: options --mx-KEY of the command line, and variables MINX_KEY of the environment. */
#include "settings.h"
#include "base/parse.h"
#include "context/context.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* clang-format off */
enum {
    HELP,
    NUM_THREADS,
    DEVICE_ID,
    MAP_DEVICE,
    REDUCTION_WAIT,
    CHECK,
    PRINT,
    QUIET,
    TOOLS_HELP,
    TOOLS_LIBS,
    TOOLS_ARGS,
    SETTINGS
};
static const struct row {
    const char *key;
    const char *form; /* of its values: "=a|b": one of these; "": on or off */
    int low, high;    /* for a number */
    const char *help;
} rows[SETTINGS] = {
    [HELP] = {"help", "", 0, 0, "print these options"},
    [NUM_THREADS] = {"num-threads", "=N", 1, 4096, "threads of openmp and simt contexts without threads= or cores="},
    [DEVICE_ID] = {"device-id", "=N", 0, 1023, "device of contexts without device="},
    [MAP_DEVICE] = {"map-device-id-by", "=random|mpi_rank", 0, 0, "the same, but chosen: at random, or local rank modulo devices"},
    [REDUCTION_WAIT] = {"reduction-wait", "=N", 0, 86400, "cuda: seconds that a reduction may wait for its blocks; 0: a second kernel joins"},
    [CHECK] = {"check", "=none|races", 0, 0, "contexts of host backends without check= have this one; races: a build with MINX_BOUNDS_CHECK"},
    [PRINT] = {"print-configuration", "", 0, 0, "print the properties of this build and this machine"},
    [QUIET] = {"disable-warnings", "", 0, 0, "do not warn about settings without effect"},
    [TOOLS_HELP] = {"tools-help", "", 0, 0, "print the help of the tool"},
    [TOOLS_LIBS] = {"tools-libs", "=FILE[;FILE]", 0, 0, "library of a tool, and of the tools that it calls"},
    [TOOLS_ARGS] = {"tools-args", "=TEXT", 0, 0, "arguments of the tool, separated by blanks"},
};
/* clang-format on */
static const char OPTION[] = "--mx-";
static struct setting {
    const char *text; /* as given; NULL: not given */
    bool is_option;   /* of the command line; else a variable */
    int64_t number;   /* its value; for MAP_DEVICE: the device is this number modulo the devices */
} set[SETTINGS];

static mx_err read_value(const char *where, const char *key, const struct row *row,
                         const char *value, struct setting *to)
{
    const char *const words = row->form[0] == '\0' ? "0|1|no|yes|false|true" : row->form + 1;
    char one[64], all[64];
    to->text = value;
    if (row->high > 0) return mx_parse_number(where, key, value, row->low, row->high, &to->number);
    if (strchr(words, '|') == NULL) return MX_OK; /* text */
    snprintf(one, sizeof one, "|%s|", value);
    snprintf(all, sizeof all, "|%s|", words);
    MX_REQUIRE(strchr(value, '|') == NULL && strstr(all, one) != NULL, MX_ERR_INPUT,
               "%s: %s: got '%s', expected one of %s", where, key, value, words);
    to->number = strstr("|1|yes|true|", one) != NULL;
    return MX_OK;
}

static mx_err read_environment(struct setting *to)
{
    char name[64];
    /* variables KOKKOS_KEY are read only for the settings that tools read too */
    for (int s = 0; s < SETTINGS; s++)
        for (int p = s >= TOOLS_LIBS ? 0 : 1; p < 2; p++) {
            snprintf(name, sizeof name, "%s_%s", p == 0 ? "KOKKOS" : "MINX", rows[s].key);
            for (char *c = name; *c != '\0'; c++) *c = *c == '-' ? '_' : (char)toupper(*c);
            const char *value = getenv(name);
            if (value != NULL && value[0] != '\0')
                MX_TRY(read_value("environment", name, &rows[s], value, &to[s]));
        }
    return MX_OK;
}

/* How similar a word is to a key: common letters at the beginning and at the end of both count
 * twice, all other letters are subtracted. 2 * length: the word is the key. */
static int similarity(const char *word, int length, const char *key)
{
    const int keys = (int)strlen(key), shorter = keys < length ? keys : length;
    int head = 0, tail = 0;
    while (head < shorter && word[head] == key[head]) head++;
    while (tail < shorter - head && word[length - 1 - tail] == key[keys - 1 - tail]) tail++;
    return 4 * (head + tail) - keys - length;
}

/* May the key be meant? At most a third of it changes, or the word is a part of it. */
static bool is_near(const char *word, int length, const char *key)
{
    const int keys = (int)strlen(key), longer = keys > length ? keys : length;
    const int common = (similarity(word, length, key) + keys + length) / 4;
    return 3 * (longer - common) <= keys || (length > 0 && common == length);
}

static mx_err read_argument(const char *argument, struct setting *to)
{
    const char *const key = argument + strlen(OPTION), *const equals = strchr(key, '=');
    const int length = equals != NULL ? (int)(equals - key) : (int)strlen(key);
    int s = 0;
    for (int other = 1; other < SETTINGS; other++)
        if (similarity(key, length, rows[other].key) > similarity(key, length, rows[s].key))
            s = other;
    char name[64];
    snprintf(name, sizeof name, "%s%s", OPTION, rows[s].key);
    MX_REQUIRE(is_near(key, length, rows[s].key), MX_ERR_INPUT,
               "command line: unknown option '%s', expected one of those that --mx-help prints",
               argument);
    MX_REQUIRE(similarity(key, length, rows[s].key) == 2 * length, MX_ERR_INPUT,
               "command line: unknown option '%s', the nearest one is %s%s", argument, name,
               rows[s].form);
    MX_REQUIRE(equals != NULL || rows[s].form[0] == '\0', MX_ERR_INPUT,
               "command line: got '%s', expected %s%s", argument, name, rows[s].form);
    to[s].is_option = true;
    return read_value("command line", name, &rows[s], equals != NULL ? equals + 1 : "yes", &to[s]);
}

/* Sets the number by which a device is chosen: a random number, or the rank among those of this
 * host. */
static mx_err choose_device(struct setting *map, bool quiet)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                                        "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"};
    const bool random = map->text != NULL && map->text[0] == 'r';
    uint16_t value = 0;
    if (random && getrandom(&value, sizeof value, 0) > 0) map->number = value;
    if (random || map->text == NULL) return MX_OK;
    for (int r = 0; r < 5; r++)
        if (getenv(ranks[r]) != NULL)
            return mx_parse_number("environment", ranks[r], getenv(ranks[r]), 0, INT32_MAX,
                                   &map->number);
    if (!quiet)
        fprintf(stderr, "minx: warning: map-device-id-by=mpi_rank: no variable of the environment "
                        "has the local rank (OMPI_COMM_WORLD_LOCAL_RANK, SLURM_LOCALID and "
                        "others): device 0 is used\n");
    return MX_OK;
}

/* Sets the defaults for contexts that are created later. */
static void set_context_defaults(void)
{
    const mx_ctx_defaults defaults = {
        .threads = (int)set[NUM_THREADS].number,
        .threads_origin = set[NUM_THREADS].is_option ? "--mx-num-threads" : "MINX_NUM_THREADS",
        .device = set[DEVICE_ID].text != NULL ? (int)set[DEVICE_ID].number : -1,
        .device_by_number = set[MAP_DEVICE].text != NULL ? set[MAP_DEVICE].number : -1,
        .reduction_wait =
            set[REDUCTION_WAIT].text != NULL ? (int)set[REDUCTION_WAIT].number : MX_REDUCTION_WAIT,
        .races = set[CHECK].text != NULL && strcmp(set[CHECK].text, MX_CHECK_RACES) == 0,
    };
    mx_ctx_set_defaults(&defaults);
}

mx_err mx_settings_read(int *argc, char ***argv)
{
    struct setting parsed[SETTINGS] = {{.text = NULL}};
    const int count = argc != NULL && argv != NULL ? *argc : 0;
    char **const arg = count > 0 ? *argv : NULL;
    int end = 1, kept = 1; /* options end at "--" */
    MX_TRY(read_environment(parsed));
    for (; end < count && strcmp(arg[end], "--") != 0; end++)
        if (strncmp(arg[end], OPTION, strlen(OPTION)) == 0) MX_TRY(read_argument(arg[end], parsed));
    MX_TRY(choose_device(&parsed[MAP_DEVICE], parsed[QUIET].number != 0));
    for (int a = 1; a < count; a++)
        if (a >= end || strncmp(arg[a], OPTION, strlen(OPTION)) != 0) arg[kept++] = arg[a];
    if (count > 0) {
        arg[kept] = NULL;
        *argc = kept;
    }
    memcpy(set, parsed, sizeof set);
    set_context_defaults();
    return MX_OK;
}

void mx_settings_clear(void)
{
    memset(set, 0, sizeof set);
    set_context_defaults();
}

void mx_settings_help(void)
{
    if (!set[HELP].number) return;
    printf("Options of minx. --mx-KEY overrides the variable MINX_KEY of the environment:\n");
    for (const struct row *r = rows; r < rows + SETTINGS; r++)
        printf("  --mx-%s%-*s %s\n", r->key, 33 - (int)strlen(r->key), r->form, r->help);
}

bool mx_settings_wants_configuration(void) { return set[PRINT].number != 0; }

mx_tool_settings mx_settings_tool(void)
{
    return (mx_tool_settings){
        .libs = set[TOOLS_LIBS].text,
        .args = set[TOOLS_ARGS].text,
        .help = set[TOOLS_HELP].number != 0,
    };
}

void mx_settings_each(void (*call)(void *state, const char *key, const char *value), void *state)
{
    for (int s = 0; s < SETTINGS; s++)
        if (set[s].text != NULL) call(state, rows[s].key, set[s].text);
}
