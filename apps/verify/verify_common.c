/* What all apps store: where and how the program ran, the times of its parts, its checks.
 *
 * Times, traffic and names of machines cannot be computed again. They are bounded by what is
 * possible: the parts of a run take no longer than the run; a mean lies between what its minimum
 * and maximum allow; no rank moves more than MAX_RATE bytes a second or does as many operations (a
 * GPU of 2024 does 1e14, and a host with all caches 1e14); and nothing is called more often than
 * once a nanosecond. */
#include "contents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RATE 1e16
#define MAX_CALLS_PER_SECOND 1e9
/* calls of parts that a clock cannot tell from no time */
#define MAX_CALLS_IN_NO_TIME 1e6
/* 300 years */
#define MAX_SECONDS 1e10
#define MAX_RANKS 1e9

bool vf_read_real(const vf_base *base, const char *path, double *value)
{
    int64_t count = 0;
    double *values = NULL;
    if (app_reader_f64(base->reader, path, &count, &values) != MX_OK) return false;
    if (count == 1) *value = values[0];
    free(values);
    return count == 1;
}

int64_t vf_read_whole(const vf_base *base, const char *path, int64_t otherwise)
{
    int64_t count = 0, *values = NULL;
    if (app_reader_i64(base->reader, path, &count, &values) != MX_OK) return otherwise;
    const int64_t value = count == 1 ? values[0] : otherwise;
    free(values);
    return value;
}

void vf_read_run(vf_base *base)
{
    base->ranks = vf_read_whole(base, "/provenance/ranks", 1);
    base->first_step = vf_read_whole(base, "/provenance/first_step", 0);
    if (base->first_step < 0) base->first_step = 0;
    base->precision = "f64";
}

/* ---- performance ---- */

typedef struct region_path {
    char text[160];
} region_path;

static const char *path_of(const char *region, const char *name, region_path *path)
{
    snprintf(path->text, sizeof path->text, "/performance/%s/%s", region, name);
    return path->text;
}

/* min <= mean <= max, and the mean is as far from both as the ranks allow: one of N has the
 * minimum, one the maximum. Two roundings a rank. */
static void check_seconds(const vf_base *base, const char *region)
{
    region_path path;
    double min = 0, mean = 0, max = 0, whole = 0;
    if (!vf_read_real(base, path_of(region, "seconds_min", &path), &min) ||
        !vf_read_real(base, path_of(region, "seconds_mean", &path), &mean) ||
        !vf_read_real(base, path_of(region, "seconds_max", &path), &max) ||
        !vf_read_real(base, path_of("whole_run", "seconds_max", &path), &whole))
        return; /* said where they were expected */
    const double n = (double)base->ranks, rounding = 1e-12 * max;
    const double low = (min * (n - 1) + max) / n, high = (max * (n - 1) + min) / n;
    const bool one = base->ranks == 1 ? min == max : true;
    path_of(region, "seconds_mean", &path);
    if (!(min <= max && one && mean >= fmin(low, high) - rounding &&
          mean <= fmax(low, high) + rounding))
        vf_words(base->verdict, path.text, false,
                 "got %.9g, expected between what seconds_min %.9g and seconds_max %.9g of %.0f "
                 "ranks allow",
                 mean, min, max, n);
    if (!(max <= whole))
        vf_words(base->verdict, path_of(region, "seconds_max", &path), false,
                 "got %.9g, expected at most the %.9g of the whole run", max, whole);
}

/* What was never called took no time and did nothing. */
static void check_idle(const vf_base *base, const char *region)
{
    static const char *const names[] = {"seconds_max", "bytes", "flops"};
    region_path path;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        double value = 0;
        if (vf_read_real(base, path_of(region, names[i], &path), &value) && value != 0)
            vf_words(base->verdict, path.text, false, "got %.9g in 0 calls, expected 0", value);
    }
}

void vf_expect_region(vf_base *base, const char *name, int64_t calls)
{
    region_path calls_path, whole_path, path[6];
    double whole = 0;
    (void)vf_read_real(base, path_of("whole_run", "seconds_max", &whole_path), &whole);
    const double most =
        calls >= 0 ? (double)calls : MAX_CALLS_IN_NO_TIME + MAX_CALLS_PER_SECOND * whole;
    const double traffic = MAX_RATE * (double)base->ranks * whole;
    const struct {
        const char *name, *units;
        app_node_kind kind;
        double high;
    } all[] = {{"seconds_min", "s", APP_NODE_F64, MAX_SECONDS},
               {"seconds_mean", "s", APP_NODE_F64, MAX_SECONDS},
               {"seconds_max", "s", APP_NODE_F64, MAX_SECONDS},
               {"bytes", "byte", APP_NODE_F64, traffic},
               {"flops", "flop", APP_NODE_F64, traffic},
               {"synchronisations", "1", APP_NODE_I64,
                MAX_CALLS_IN_NO_TIME + MAX_CALLS_PER_SECOND * whole}};
    bool good = vf_expect(base,
                          &(vf_dataset){.path = path_of(name, "calls", &calls_path),
                                        .kind = APP_NODE_I64,
                                        .units = "1",
                                        .compare = APP_NEVER,
                                        .low = calls >= 0 ? (double)calls : 0,
                                        .high = most},
                          1);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        good = vf_expect(base,
                         &(vf_dataset){.path = path_of(name, all[i].name, &path[i]),
                                       .kind = all[i].kind,
                                       .units = all[i].units,
                                       .compare = APP_NEVER,
                                       .high = all[i].high},
                         1) &&
               good;
    vf_expect_summary_region(base, name);
    if (!good) return;
    check_seconds(base, name);
    const int64_t counted = vf_read_whole(base, calls_path.text, 0);
    if (calls >= 0) vf_count(base->verdict, calls_path.text, counted, calls);
    if (counted == 0) check_idle(base, name);
}

/* ---- provenance ---- */

static void expect_texts(vf_base *base)
{
    static const char *const dirty[] = {"yes", "no", "unknown", NULL};
    static const char *const layouts[] = {"right", "left", NULL};
    static const char *const schedulers[] = {"", "slurm", "pbs", "lsf", NULL};
    static const char *const launchers[] = {"", "mpirun", "srun", NULL};
    const char *const precision[] = {base->precision, NULL};
    const struct {
        const char *path;
        bool may_be_empty;
        const char *const *words;
    } texts[] = {
        {"/provenance/backend", false, NULL},
        {"/provenance/compiler", false, NULL},
        {"/provenance/compiler_flags", true, NULL},
        {"/provenance/core_build", false, NULL},
        {"/provenance/device", true, NULL},
        {"/provenance/git_commit", false, NULL},
        {"/provenance/git_dirty", false, dirty},
        {"/provenance/halo_path", false, NULL},
        {"/provenance/hdf5_version", false, NULL},
        {"/provenance/host", false, NULL},
        {"/provenance/layout", false, layouts},
        {"/provenance/minx_version", false, NULL},
        {"/provenance/mpi_version", false, NULL},
        {"/provenance/openssl_version", false, NULL},
        {"/provenance/precision", false, precision},
        {"/provenance/threads", false, NULL},
        {"/provenance/cpu", false, NULL},
        {"/provenance/binding", false, NULL},
        {"/provenance/scheduler", true, schedulers},
        {"/provenance/job_id", true, NULL},
        {"/provenance/launcher", true, launchers},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        vf_expect(base,
                  &(vf_dataset){.path = texts[i].path,
                                .kind = APP_NODE_TEXT,
                                .compare = APP_NEVER,
                                .not_empty = !texts[i].may_be_empty,
                                .words = texts[i].words},
                  1);
}

static void check_threads(const vf_base *base)
{
    static const char path[] = "/provenance/threads";
    char *text = NULL;
    size_t length = 0;
    if (app_reader_text(base->reader, path, &length, &text) != MX_OK) return;
    const bool whole = strspn(text, "0123456789") == length && atoi(text) >= 1;
    if (!whole)
        vf_words(base->verdict, path, false, "got %s, expected a whole number of at least 1", text);
    free(text);
}

/* "2026-01-31T23:59:59Z" */
static void check_time(const vf_base *base)
{
    char *text = NULL;
    int part[6], read = 0;
    if (app_reader_attribute_text(base->reader, "/", "utc_time", &text) != MX_OK) {
        vf_impossible(base->verdict, "utc_time", mx_err_message());
        return;
    }
    const bool time = sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &part[0], &part[1], &part[2],
                             &part[3], &part[4], &part[5], &read) == 6 &&
                      read == (int)strlen(text) && part[0] >= 2020 && part[1] >= 1 &&
                      part[1] <= 12 && part[2] >= 1 && part[2] <= 31 && part[3] >= 0 &&
                      part[3] < 24 && part[4] >= 0 && part[4] < 60 && part[5] >= 0 && part[5] <= 60;
    if (!time)
        vf_words(base->verdict, "utc_time", false, "got %s, expected 2026-01-31T23:59:59Z or so",
                 text);
    free(text);
}

static void check_command(const vf_base *base)
{
    char *text = NULL;
    if (app_reader_attribute_text(base->reader, "/", "command_line", &text) != MX_OK)
        vf_impossible(base->verdict, "command_line", mx_err_message());
    else if (text[0] == '\0')
        vf_impossible(base->verdict, "command_line", "is empty");
    free(text);
}

void vf_expect_common(vf_base *base)
{
    const vf_dataset numbers[] = {{.path = "/provenance/ranks",
                                   .kind = APP_NODE_I64,
                                   .units = "1",
                                   .compare = APP_NEVER,
                                   .low = 1,
                                   .high = MAX_RANKS},
                                  {.path = "/provenance/nodes",
                                   .kind = APP_NODE_I64,
                                   .units = "1",
                                   .compare = APP_NEVER,
                                   .low = 1,
                                   .high = (double)base->ranks},
                                  {.path = "/provenance/first_step",
                                   .kind = APP_NODE_I64,
                                   .units = "1",
                                   .compare = APP_NEVER,
                                   .high = 9e18}};
    expect_texts(base);
    vf_expect(base, numbers, sizeof numbers / sizeof numbers[0]);
    check_threads(base);
    check_time(base);
    check_command(base);
    vf_expect_root(base);
    vf_expect_region(base, "whole_run", 1);
    vf_expect_summary(base);
}

/* ---- checks ---- */

void vf_expect_checks(vf_base *base)
{
    static const char *const numbers[] = {"value", "expected", "tolerance"};
    char path[160];
    for (int i = 0; i < base->recomputed_count; ++i) {
        const vf_recomputed *const check = &base->recomputed[i];
        for (size_t n = 0; n < sizeof numbers / sizeof numbers[0]; ++n) {
            snprintf(path, sizeof path, "/verification/%s/%s", check->name, numbers[n]);
            vf_expect(
                base,
                &(vf_dataset){
                    .path = path, .kind = APP_NODE_F64, .units = "1", .compare = check->compare},
                1);
        }
        snprintf(path, sizeof path, "/verification/%s/passed", check->name);
        vf_expect(base, &(vf_dataset){.path = path, .kind = APP_NODE_I64, .units = "1", .high = 1},
                  1);
    }
}
