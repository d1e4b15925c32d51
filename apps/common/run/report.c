#define _POSIX_C_SOURCE 200809L /* isatty, fileno */
#include "report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_REGIONS = 64 };
static const double progress_interval = 0.2; /* seconds between two updates */

struct app_report {
    app_comm comm;
    bool prints;         /* rank 0, not quiet */
    bool shows_progress; /* and stderr is a terminal, or MINX_PROGRESS=1 */
    bool line_is_up;     /* a progress line is on the terminal */
    FILE *copy;          /* that gets the lines too; NULL: none */
    int failure;         /* errno of the first line that could not be printed; 0: none */
    double last_shown;   /* app_now() of the last update */
    int regions;
    app_region region[MAX_REGIONS]; /* in place, so that pointers to them stay valid */
};

/* A program that started this one, and reads its stderr through a pipe, can ask for progress. */
static bool progress_is_wanted(void)
{
    const char *const asked = getenv("MINX_PROGRESS");
    return isatty(fileno(stderr)) || (asked && strcmp(asked, "1") == 0);
}

mx_err app_report_create(app_comm comm, bool quiet, app_report *report)
{
    *report = calloc(1, sizeof **report);
    const mx_err err = *report ? MX_OK : MX_FAIL(MX_ERR_MEMORY, "no memory for the report");
    MX_TRY(app_agree(comm, err)); /* the caller destroys the incomplete report */
    (*report)->comm = comm;
    (*report)->prints = app_rank(comm) == 0 && !quiet;
    (*report)->shows_progress = (*report)->prints && progress_is_wanted();
    (*report)->last_shown = app_now(); /* short runs show no progress at all */
    return MX_OK;
}

void app_report_destroy(app_report *report)
{
    if (!*report) return;
    app_progress_end(*report);
    if ((*report)->copy) (void)fclose((*report)->copy);
    free(*report);
    *report = NULL;
}

mx_err app_print_finish(app_comm comm, app_report report)
{
    mx_err err = MX_OK;
    FILE *const files[] = {stdout, report ? report->copy : NULL};
    for (int i = 0; i < 2 && app_rank(comm) == 0 && err == MX_OK; i++)
        if (files[i] && (fflush(files[i]) != 0 || ferror(files[i])))
            err = MX_FAIL(MX_ERR_IO, "the output cannot be written: %s",
                          strerror(report && report->failure ? report->failure : errno));
    return app_agree(comm, err);
}

mx_err app_report_copy_to(app_report report, const char *path)
{
    mx_err err = MX_OK;
    if (app_rank(report->comm) == 0) {
        report->copy = fopen(path, "w");
        if (!report->copy)
            err = MX_FAIL(MX_ERR_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    return app_agree(report->comm, err);
}

void app_print(app_report report, const char *format, ...)
{
    FILE *const files[] = {report->prints ? stdout : NULL, report->copy};
    for (int i = 0; i < 2; i++) {
        va_list args;
        if (!files[i]) continue;
        if (files[i] == stdout) app_progress_end(report);
        va_start(args, format);
        if (vfprintf(files[i], format, args) < 0 && report->failure == 0) report->failure = errno;
        va_end(args);
    }
}

mx_err app_region_add(app_report report, const char *name, app_region **region)
{
    *region = NULL;
    MX_REQUIRE(report->regions < MAX_REGIONS, MX_ERR_ARG,
               "region %s is one more than the %d that a report holds", name, MAX_REGIONS);
    *region = &report->region[report->regions++];
    **region = (app_region){.name = name, .started = -1.0};
    return MX_OK;
}

void app_region_begin(app_region *region)
{
    MX_ASSERT(region->started < 0.0);
    region->started = app_now();
    if (region->totals.calls == 0) region->first = region->started;
}

void app_region_end(app_region *region, double bytes, double flops, int64_t synchronisations)
{
    MX_ASSERT(region->started >= 0.0);
    app_region_totals *const t = &region->totals;
    t->seconds += app_now() - region->started;
    t->calls++;
    t->bytes += bytes;
    t->flops += flops;
    t->synchronisations += synchronisations;
    region->started = -1.0;
}

const app_region *app_report_region(app_report report, int i)
{
    return i >= 0 && i < report->regions ? &report->region[i] : NULL;
}

mx_err app_region_total(app_report report, const app_region *region, app_region_totals *all)
{
    const app_region_totals *const mine = &region->totals;
    double seconds = mine->seconds, sums[] = {mine->bytes, mine->flops};
    int64_t counts[] = {mine->calls, mine->synchronisations};
    MX_TRY(app_max_f64(report->comm, &seconds, 1));
    MX_TRY(app_sum_f64(report->comm, sums, 2));
    MX_TRY(app_max_i64(report->comm, counts, 2));
    *all = (app_region_totals){.calls = counts[0],
                               .seconds = seconds,
                               .bytes = sums[0],
                               .flops = sums[1],
                               .synchronisations = counts[1]};
    return MX_OK;
}

static void print_region(app_report report, const app_region *region, const app_region_totals *all,
                         double limit)
{
    const double seconds = all->seconds;
    const double rate = seconds > 0.0 ? all->bytes / seconds * 1e-9 : 0.0;
    app_print(report, "  %-24s %10lld %12.6f %10lld", region->name, (long long)region->totals.calls,
              seconds, (long long)region->totals.synchronisations);
    if (rate > 0.0) app_print(report, " %9.2f", rate);
    if (rate > 0.0 && limit > 0.0) app_print(report, " %7.1f %%", 100.0 * rate / limit);
    app_print(report, "\n");
}

mx_err app_report_table(app_report report, double limit)
{
    app_print(report, "  %-24s %10s %12s %10s %9s%s\n", "region", "calls", "seconds", "syncs",
              "GB/s", limit > 0.0 ? "  of limit" : "");
    for (int i = 0; i < report->regions; i++) {
        app_region_totals all;
        MX_TRY(app_region_total(report, &report->region[i], &all));
        print_region(report, &report->region[i], &all, limit);
    }
    return MX_OK;
}

void app_figure_of_merit(app_report report, double value, const char *unit)
{
    app_print(report, "figure of merit: %.4g %s\n", value, unit);
}

void app_progress(app_report report, const char *what, int64_t done, int64_t total)
{
    if (!report->shows_progress) return;
    const double now = app_now();
    if (now - report->last_shown < progress_interval) return;
    report->last_shown = now;
    report->line_is_up = true;
    /* return to the start of the line, print, erase the rest of the line */
    fprintf(stderr, "\r%s %lld/%lld (%.0f %%)\033[K", what, (long long)done, (long long)total,
            total > 0 ? 100.0 * (double)done / (double)total : 0.0);
    fflush(stderr);
}

void app_progress_end(app_report report)
{
    if (!report->line_is_up) return;
    fprintf(stderr, "\r\033[K");
    fflush(stderr);
    report->line_is_up = false;
}
