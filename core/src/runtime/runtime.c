/* Start and end of the run time, and the description of the build. */
#include "base/state.h"
#include "minx/minx.h"
#include "settings.h"
#include "tool_library.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

/* cpu_tuned.c: may the kernels use the feature? */
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
            "this program's kernels are compiled for a CPU with %s, which this CPU does not have; "
            "build the program on this machine, or with -DMINX_TUNE=NAME, where NAME is the oldest "
            "CPU that it is to run on, or generic",
            features[f].name);
    return MX_OK;
}

static void print_entry(void *out, const char *key, const char *value)
{
    if (out == NULL)
        mx_metadata(key, value);
    else
        fprintf(out, "minx %s: %s\n", key, value);
}

void mx_print_configuration(FILE *out)
{
    char text[64];
    const char *why, *name;
    print_entry(out, "version", mx_version());
    print_entry(out, "build", mx_build_description());
    print_entry(out, "instances", MINX_INSTANCES_BUILT);
    snprintf(text, sizeof text, "%d", mx_host_cores());
    print_entry(out, "cores", text);
    for (int b = 0; (name = mx_backend_name(b)) != NULL; b++) {
        const bool available = mx_backend_available(name, &why);
        snprintf(text, sizeof text, "available, devices: %d", mx_backend_devices(name));
        print_entry(out, name, available ? text : why);
    }
    mx_settings_each(print_entry, out);
}

mx_err mx_init_args(int *argc, char ***argv)
{
    MX_TRY(mx_not_in_body("mx_init"));
    MX_TRY(check_cpu());
    MX_TRY(mx_settings_read(argc, argv));
    mx_started_ = true;
    mx_settings_help();
    const mx_tool_settings tool = mx_settings_tool();
    if (mx_tool_load(program_invocation_name, &tool)) mx_print_configuration(NULL);
    if (mx_settings_wants_configuration()) mx_print_configuration(stdout);
    return MX_OK;
}

mx_err mx_init(void) { return mx_init_args(NULL, NULL); }

/* Behind a failure most views are those that it left behind: their number, so that its message
 * stays in sight. */
static void report_views(void)
{
    const int views = mx_views_alive();
    if (views > 1 && mx_err_message()[0] != '\0')
        fprintf(stderr,
                "minx: %d views still exist, after a call that failed: mx_views_report() prints "
                "them all, and so does mx_finalize after mx_err_clear()\n",
                views);
    else
        mx_views_report();
}

/* For the Python package: mx_finalize, without the report of views if `reports` is false. There,
 * views whose memory is shared may still exist. */
void mx_end_(bool reports);

void mx_end_(bool reports)
{
    if (mx_not_in_body("mx_finalize") != MX_OK) return; /* the launch reports it */
    mx_tool_unload();
    mx_settings_clear();
    mx_ctx_restart_numbers();
    mx_started_ = false;
    if (reports) report_views();
}

void mx_finalize(void) { mx_end_(true); }

double mx_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now); /* fails only with a clock that does not exist */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
