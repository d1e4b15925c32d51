/* /summary repeats for scripts what other parts of the file say. So each of its entries is compared
 * with them; times and memory, which stand nowhere else, are bounded. */
#include "contents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 300 years; a petabyte */
#define MAX_SECONDS 1e10
#define MAX_BYTES 1e15
/* of sums of the same numbers, in orders that may differ */
#define ROUNDING 1e-12

typedef struct summary_path {
    char text[256];
} summary_path;

static const char *path_of(const char *name, summary_path *path)
{
    snprintf(path->text, sizeof path->text, "/summary/%s", name);
    return path->text;
}

/* ---- what there must be ---- */

static void expect_text(vf_base *base, const char *name, bool may_be_empty)
{
    summary_path path;
    vf_expect(base,
              &(vf_dataset){.path = path_of(name, &path),
                            .kind = APP_NODE_TEXT,
                            .compare = APP_NEVER,
                            .not_empty = !may_be_empty},
              1);
}

static bool expect_number(vf_base *base, const char *name, const vf_dataset *number)
{
    summary_path path;
    vf_dataset row = *number;
    row.path = path_of(name, &path);
    row.compare = APP_NEVER;
    return vf_expect(base, &row, 1);
}

static void expect_texts(vf_base *base)
{
    static const struct {
        const char *name;
        bool may_be_empty;
    } all[] = {{"schema", false},    {"app", false},    {"version", false}, {"git_commit", false},
               {"date", false},      {"deck", true},    {"backend", false}, {"layout", false},
               {"precision", false}, {"host", false},   {"cpu", false},     {"device", true},
               {"scheduler", true},  {"job_id", true},  {"launcher", true}, {"messages", false},
               {"verdict", false},   {"problem", true}, {"fom/name", true}, {"fom/unit", true}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        expect_text(base, all[i].name, all[i].may_be_empty);
}

static void expect_numbers(vf_base *base)
{
    size_t length = 0;
    char *unit = NULL;
    (void)app_reader_text(base->reader, "/summary/fom/unit", &length, &unit);
    const struct {
        const char *name;
        vf_dataset number;
    } all[] = {
        {"problem_size", {.kind = APP_NODE_I64, .units = "1", .high = 9e18}},
        {"ranks", {.kind = APP_NODE_I64, .units = "1", .low = 1, .high = 9e18}},
        {"threads", {.kind = APP_NODE_I64, .units = "1", .low = 1, .high = 9e18}},
        {"nodes", {.kind = APP_NODE_I64, .units = "1", .low = 1, .high = 9e18}},
        {"exit_code", {.kind = APP_NODE_I64, .units = "1", .high = 255}},
        {"restarted", {.kind = APP_NODE_I64, .units = "1", .high = 1}},
        {"iterations", {.kind = APP_NODE_I64, .units = "1", .high = 9e18}},
        {"max_rss_bytes", {.kind = APP_NODE_I64, .units = "byte", .low = 1, .high = MAX_BYTES}},
        {"set_up_seconds", {.kind = APP_NODE_F64, .units = "s", .high = MAX_SECONDS}},
        {"solve_seconds", {.kind = APP_NODE_F64, .units = "s", .high = MAX_SECONDS}},
        {"wall_seconds", {.kind = APP_NODE_F64, .units = "s", .high = MAX_SECONDS}},
        {"cpu_seconds", {.kind = APP_NODE_F64, .units = "s", .high = MAX_SECONDS}},
        {"bytes", {.kind = APP_NODE_F64, .units = "byte", .high = INFINITY}},
        {"flops", {.kind = APP_NODE_F64, .units = "flop", .high = INFINITY}},
        {"fom/value", {.kind = APP_NODE_F64, .units = unit, .high = INFINITY}},
        {"fom/higher_is_better", {.kind = APP_NODE_I64, .units = "1", .low = 1, .high = 1}},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        expect_number(base, all[i].name, &all[i].number);
    free(unit);
}

/* ---- comparing ---- */

static void compare_text(const vf_base *base, const char *name, const char *expected)
{
    summary_path path;
    size_t length = 0;
    char *got = NULL;
    if (app_reader_text(base->reader, path_of(name, &path), &length, &got) == MX_OK &&
        strcmp(got, expected) != 0)
        vf_words(base->verdict, path.text, false, "got %s, expected %s", got, expected);
    free(got);
}

static void compare_with_dataset(const vf_base *base, const char *name, const char *other)
{
    size_t length = 0;
    char *expected = NULL;
    if (app_reader_text(base->reader, other, &length, &expected) == MX_OK)
        compare_text(base, name, expected);
    free(expected);
}

static void compare_with_attribute(const vf_base *base, const char *name, const char *attribute)
{
    char *expected = NULL;
    if (app_reader_attribute_text(base->reader, "/", attribute, &expected) == MX_OK)
        compare_text(base, name, expected);
    free(expected);
}

static void compare_whole(const vf_base *base, const char *name, int64_t expected)
{
    summary_path path;
    const int64_t got = vf_read_whole(base, path_of(name, &path), expected);
    if (got != expected)
        vf_words(base->verdict, path.text, false, "got %lld, expected %lld", (long long)got,
                 (long long)expected);
}

static void compare_real(const vf_base *base, const char *name, double expected)
{
    summary_path path;
    double got = expected;
    if (vf_read_real(base, path_of(name, &path), &got) &&
        !(fabs(got - expected) <= ROUNDING * fabs(expected)))
        vf_words(base->verdict, path.text, false, "got %.17g, expected %.17g", got, expected);
}

static void compare_texts(const vf_base *base)
{
    static const char *const with_datasets[][2] = {{"version", "/provenance/minx_version"},
                                                   {"git_commit", "/provenance/git_commit"},
                                                   {"backend", "/provenance/backend"},
                                                   {"layout", "/provenance/layout"},
                                                   {"precision", "/provenance/precision"},
                                                   {"host", "/provenance/host"},
                                                   {"cpu", "/provenance/cpu"},
                                                   {"device", "/provenance/device"},
                                                   {"scheduler", "/provenance/scheduler"},
                                                   {"job_id", "/provenance/job_id"},
                                                   {"launcher", "/provenance/launcher"},
                                                   {"messages", "/provenance/halo_path"}};
    compare_text(base, "schema", "minx-summary-1");
    compare_with_attribute(base, "app", "app");
    compare_with_attribute(base, "date", "utc_time");
    compare_with_attribute(base, "verdict", "verdict");
    for (size_t i = 0; i < sizeof with_datasets / sizeof with_datasets[0]; i++)
        compare_with_dataset(base, with_datasets[i][0], with_datasets[i][1]);
}

static void compare_wholes(const vf_base *base)
{
    int64_t exit_code = 0;
    size_t length = 0;
    char *threads = NULL;
    if (app_reader_attribute_i64(base->reader, "/", "exit_code", &exit_code) == MX_OK)
        compare_whole(base, "exit_code", exit_code);
    compare_whole(base, "ranks", base->ranks);
    compare_whole(base, "nodes", vf_read_whole(base, "/provenance/nodes", 1));
    compare_whole(base, "restarted", base->first_step > 0);
    if (app_reader_text(base->reader, "/provenance/threads", &length, &threads) == MX_OK)
        compare_whole(base, "threads", strtoll(threads, NULL, 10));
    free(threads);
}

static void compare_problem(const vf_base *base)
{
    const vf_problem *const p = &base->problem;
    if (!p->name) return;
    compare_text(base, "problem", p->name);
    compare_text(base, "fom/name", p->merit);
    compare_text(base, "fom/unit", p->unit);
    compare_whole(base, "problem_size", p->size);
    compare_whole(base, "iterations", p->iterations);
}

/* Times: the solve is a region, and the figure of merit follows from it. */
static void compare_times(const vf_base *base)
{
    const bool has_solve = app_reader_find(base->reader, "/performance/solve") != NULL;
    const char *const region = has_solve ? "solve" : "whole_run";
    const double size = (double)vf_read_whole(base, "/summary/problem_size", 0);
    const double iterations = (double)vf_read_whole(base, "/summary/iterations", 0);
    summary_path path;
    double seconds = 0, shortest = 0, bytes = 0, flops = 0, set_up = 0, wall = 0, whole = 0;
    snprintf(path.text, sizeof path.text, "/performance/%s/seconds_max", region);
    (void)vf_read_real(base, path.text, &seconds);
    snprintf(path.text, sizeof path.text, "/performance/%s/seconds_min", region);
    (void)vf_read_real(base, path.text, &shortest);
    snprintf(path.text, sizeof path.text, "/performance/%s/bytes", region);
    (void)vf_read_real(base, path.text, &bytes);
    snprintf(path.text, sizeof path.text, "/performance/%s/flops", region);
    (void)vf_read_real(base, path.text, &flops);
    (void)vf_read_real(base, "/performance/whole_run/seconds_max", &whole);
    (void)vf_read_real(base, "/summary/set_up_seconds", &set_up);
    (void)vf_read_real(base, "/summary/wall_seconds", &wall);
    compare_real(base, "solve_seconds", seconds);
    compare_real(base, "bytes", bytes);
    compare_real(base, "flops", flops);
    compare_real(base, "fom/value", seconds > 0 ? size * iterations / seconds : 0);
    /* the rank with the longest set-up solves for at least `shortest` after it */
    if (!(set_up + shortest <= wall && whole <= wall))
        vf_words(
            base->verdict, "/summary/wall_seconds", false,
            "got %.9g, expected at least the %.9g of set-up and solve, and the %.9g of the whole run",
            wall, set_up + shortest, whole);
}

void vf_expect_summary(vf_base *base)
{
    expect_texts(base);
    expect_numbers(base);
    compare_texts(base);
    compare_wholes(base);
    compare_problem(base);
    compare_times(base);
}

/* ---- regions ---- */

void vf_expect_summary_region(vf_base *base, const char *name)
{
    const struct {
        const char *name, *other;
        vf_dataset number;
    } all[] = {
        {"seconds", "seconds_max", {.kind = APP_NODE_F64, .units = "s", .high = MAX_SECONDS}},
        {"calls", "calls", {.kind = APP_NODE_I64, .units = "1", .high = 9e18}},
        {"bytes", "bytes", {.kind = APP_NODE_F64, .units = "byte", .high = INFINITY}},
        {"flops", "flops", {.kind = APP_NODE_F64, .units = "flop", .high = INFINITY}},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char here[160], there[160];
        double expected = 0;
        snprintf(here, sizeof here, "regions/%s/%s", name, all[i].name);
        snprintf(there, sizeof there, "/performance/%s/%s", name, all[i].other);
        if (!expect_number(base, here, &all[i].number)) continue;
        if (all[i].number.kind == APP_NODE_I64)
            compare_whole(base, here, vf_read_whole(base, there, 0));
        else if (vf_read_real(base, there, &expected))
            compare_real(base, here, expected);
    }
}
