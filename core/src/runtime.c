/* Start and end of the run time, its settings, and what is known of the build. */
#include "runtime.h"
#include "minx/tools.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct mx_runtime mx_rt;

/* cpu_tuned.c, compiled like the kernels: may they use the feature? */
extern const bool mx_cpu_tuned[];

const char *mx_version(void) { return MINX_VERSION; }

const char *mx_build_description(void) { return MINX_BUILD_DESCRIPTION; }

static mx_err check_cpu(void)
{
#define MX_CPU(macro, name) {name, __builtin_cpu_supports(name) != 0},
    const struct {
        const char *name;
        bool available;
    } features[] = {
#include "cpu_features.def"
        {NULL, true}};
#undef MX_CPU
    for (int f = 0; features[f].name != NULL; f++)
        MX_REQUIRE(
            features[f].available || !mx_cpu_tuned[f], MX_ERR_BACKEND,
            "this program's kernels are compiled for a CPU with %s, which this one lacks; build it on this machine, or "
            "with -DMINX_TUNE=generic or the name of the oldest CPU that it is to run on",
            features[f].name);
    return MX_OK;
}

/* ---- settings: options --mx-KEY of the command line and variables MINX_KEY of the environment ---- */

/* clang-format off */
enum { HELP, NUM_THREADS, DEVICE_ID, MAP_DEVICE, PRINT, QUIET, TOOLS_HELP, TOOLS_LIBS, TOOLS_ARGS, SETTINGS };
static const struct row {
    const char *key, *form; /* what its values look like: "a|b" one of these; "": on or off */
    int low, high; /* of a number */
    const char *help;
} rows[SETTINGS] = {
    [HELP] = {"help", "", 0, 0, "print these options"},
    [NUM_THREADS] = {"num-threads", "=N", 1, 4096, "threads of openmp and simt contexts that name none, nor cores"},
    [DEVICE_ID] = {"device-id", "=N", 0, 1023, "device of contexts that name none"},
    [MAP_DEVICE] = {"map-device-id-by", "=random|mpi_rank", 0, 0, "or any one, or local rank modulo devices"},
    [PRINT] = {"print-configuration", "", 0, 0, "print what this build and this machine have"},
    [QUIET] = {"disable-warnings", "", 0, 0, "do not warn of settings without effect"},
    [TOOLS_HELP] = {"tools-help", "", 0, 0, "print the help of the tool"},
    [TOOLS_LIBS] = {"tools-libs", "=FILE[;FILE]", 0, 0, "library of a tool, and those that it calls"},
    [TOOLS_ARGS] = {"tools-args", "=TEXT", 0, 0, "arguments of the tool, divided by blanks"},
};
/* clang-format on */
static const char OPTION[] = "--mx-";
static struct setting {
    const char *text; /* as given; NULL: not given */
    int64_t number;   /* what it means; of MAP_DEVICE, to be taken modulo the devices */
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
    for (int s = 0; s < SETTINGS; s++) /* Kokkos's names only where a tool reads them too */
        for (int p = s >= TOOLS_LIBS ? 0 : 1; p < 2; p++) {
            snprintf(name, sizeof name, "%s_%s", p == 0 ? "KOKKOS" : "MINX", rows[s].key);
            for (char *c = name; *c != '\0'; c++) *c = *c == '-' ? '_' : (char)toupper(*c);
            const char *value = getenv(name);
            if (value != NULL && value[0] != '\0')
                MX_TRY(read_value("environment", name, &rows[s], value, &to[s]));
        }
    return MX_OK;
}

/* Letters that two words share at their ends count twice, others are subtracted; 2 * length: it is the key. */
static int likeness(const char *word, int length, const char *key)
{
    const int keys = (int)strlen(key), shorter = keys < length ? keys : length;
    int head = 0, tail = 0;
    while (head < shorter && word[head] == key[head]) head++;
    while (tail < shorter - head && word[length - 1 - tail] == key[keys - 1 - tail]) tail++;
    return 4 * (head + tail) - keys - length;
}

static mx_err read_argument(const char *argument, struct setting *to)
{
    const char *const key = argument + strlen(OPTION), *const equals = strchr(key, '=');
    const int length = equals != NULL ? (int)(equals - key) : (int)strlen(key);
    int s = 0;
    for (int other = 1; other < SETTINGS; other++)
        if (likeness(key, length, rows[other].key) > likeness(key, length, rows[s].key)) s = other;
    char name[64];
    snprintf(name, sizeof name, "%s%s", OPTION, rows[s].key);
    MX_REQUIRE(likeness(key, length, rows[s].key) == 2 * length, MX_ERR_INPUT,
               "command line: unknown option '%s', the nearest one is %s%s", argument, name,
               rows[s].form);
    MX_REQUIRE(equals != NULL || rows[s].form[0] == '\0', MX_ERR_INPUT,
               "command line: got '%s', expected %s%s", argument, name, rows[s].form);
    return read_value("command line", name, &rows[s], equals != NULL ? equals + 1 : "yes", &to[s]);
}

/* The number that a device is chosen by: any one, or this rank's among those of its host. */
static mx_err choose_device(struct setting *map, bool quiet)
{
    static const char *const ranks[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK",
                                        "MPI_LOCALRANKID", "SLURM_LOCALID", "PMI_LOCAL_RANK"};
    const bool random = map->text != NULL && map->text[0] == 'r';
    uint16_t any = 0;
    if (random && getrandom(&any, sizeof any, 0) > 0) map->number = any;
    if (random || map->text == NULL) return MX_OK;
    for (int r = 0; r < 5; r++)
        if (getenv(ranks[r]) != NULL)
            return mx_parse_number("environment", ranks[r], getenv(ranks[r]), 0, INT32_MAX,
                                   &map->number);
    if (!quiet) fprintf(stderr, "minx: warning: no launcher told the local rank: device 0\n");
    return MX_OK;
}

static mx_err read_settings(int *argc, char ***argv)
{
    struct setting fresh[SETTINGS] = {{NULL, 0}};
    const int count = argc != NULL && argv != NULL ? *argc : 0;
    char **const arg = count > 0 ? *argv : NULL;
    int end = 1, kept = 1; /* options end at "--" */
    MX_TRY(read_environment(fresh));
    for (; end < count && strcmp(arg[end], "--") != 0; end++)
        if (strncmp(arg[end], OPTION, strlen(OPTION)) == 0) MX_TRY(read_argument(arg[end], fresh));
    MX_TRY(choose_device(&fresh[MAP_DEVICE], fresh[QUIET].number != 0));
    for (int a = 1; a < count; a++)
        if (a >= end || strncmp(arg[a], OPTION, strlen(OPTION)) != 0) arg[kept++] = arg[a];
    if (count > 0) arg[kept] = NULL, *argc = kept;
    memcpy(set, fresh, sizeof set);
    return MX_OK;
}

void mx_settings_apply(const mx_backend *backend, int *threads, int *device)
{
    const struct setting *const id = &set[DEVICE_ID], *const map = &set[MAP_DEVICE];
    if (*threads == 0 && backend->devices == NULL && backend != &mx_backend_serial)
        *threads = (int)set[NUM_THREADS].number;
    if (*device < 0 && backend->devices != NULL && (id->text != NULL || map->text != NULL))
        *device = (int)(id->text != NULL ? id->number : map->number % backend->devices());
}

static void print_help(void)
{
    printf("Options of minx; --mx-KEY wins over MINX_KEY in the environment:\n");
    for (const struct row *r = rows; r < rows + SETTINGS; r++)
        printf("  --mx-%s%-*s %s\n", r->key, 33 - (int)strlen(r->key), r->form, r->help);
}

static void entry(FILE *out, const char *key, const char *value)
{
    if (out == NULL) mx_metadata(key, value);
    if (out != NULL) fprintf(out, "minx %s: %s\n", key, value);
}

void mx_print_configuration(FILE *out)
{
    char text[64];
    const char *why, *name;
    entry(out, "version", mx_version());
    entry(out, "build", mx_build_description());
    entry(out, "instances", MINX_INSTANCES_BUILT);
    snprintf(text, sizeof text, "%d", mx_host_cores());
    entry(out, "cores", text);
    for (int b = 0; (name = mx_backend_name(b)) != NULL; b++) {
        const bool available = mx_backend_available(name, &why);
        snprintf(text, sizeof text, "available, devices: %d", mx_backend_devices(name));
        entry(out, name, available ? text : why);
    }
    for (int s = 0; s < SETTINGS; s++)
        if (set[s].text != NULL) entry(out, rows[s].key, set[s].text);
}

mx_err mx_init_args(int *argc, char ***argv)
{
    MX_TRY(check_cpu());
    MX_TRY(read_settings(argc, argv));
    if (set[HELP].number) print_help();
    mx_tool_load(program_invocation_name, set[TOOLS_LIBS].text, set[TOOLS_ARGS].text,
                 set[TOOLS_HELP].number != 0);
    if (set[PRINT].number) mx_print_configuration(stdout);
    return MX_OK;
}

mx_err mx_init(void) { return mx_init_args(NULL, NULL); }

void mx_finalize(void)
{
    mx_tool_unload();
    memset(set, 0, sizeof set);
    mx_rt.made = 0;
#ifndef NDEBUG
    mx_views_report();
#endif
}
