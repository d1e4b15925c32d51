/* What apps print: lines from rank 0, a table of where the time went, one figure of merit, progress
 * on a terminal. */
#pragma once
#include "results/results.h"

typedef struct app_report *app_report;

/* Starts a report; with `quiet` nothing is printed. MX_ERR_MEMORY; then destroy *report all the
 * same. Collective, agreed. */
mx_err app_report_create(app_comm comm, bool quiet, app_report *report);

/* Accepts NULL; sets *report = NULL. Frees its regions as well. */
void app_report_destroy(app_report *report);

/* Writes out what was printed. `report` NULL: there was none. Collective, agreed; MX_ERR_IO when
 * rank 0 could not print everything (a full disk, a pipe without a reader). */
mx_err app_print_finish(app_comm comm, app_report report);

/* From now on rank 0 also writes its lines to a new file, also with `quiet`. MX_ERR_IO if it cannot
 * be created. Collective, agreed. */
mx_err app_report_copy_to(app_report report, const char *path);

/* printf to stdout, from rank 0. Not collective. */
void app_print(app_report report, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* ---- regions: parts of the program whose time and traffic are counted ---- */

/* A region. Reading its members is fine, writing them is not. */
typedef struct app_region {
    const char *name;         /* the caller's, to outlive the report */
    app_region_totals totals; /* of this rank; for app_results_region */
    double started;           /* app_now() of begin; < 0: not inside */
    double first;             /* app_now() of the first begin */
} app_region;

/* Adds a region, to be begun and ended any number of times. Regions may nest, but a region does not
 * nest in itself. All ranks add the same regions in the same order; not collective. The pointer
 * stays valid until the report is destroyed. MX_ERR_ARG for more than 64 regions. */
mx_err app_region_add(app_report report, const char *name, app_region **region);

/* Time is the host's between the two calls, so a region around asynchronous kernels has to contain
 * their fence. For what happened between the two calls on this rank: `bytes` that the algorithm
 * must move between memory and processor, `flops` (floating-point operations) that it must do, and
 * `synchronisations`, how often the host waited for kernels. Not collective. */
void app_region_begin(app_region *region);
void app_region_end(app_region *region, double bytes, double flops, int64_t synchronisations);

/* The i-th region added, or NULL beyond the last: for handing all to app_results_region. */
const app_region *app_report_region(app_report report, int i);

/* The totals of all ranks: the slowest rank's seconds, the sums of bytes and flops, the largest
 * calls and synchronisations of a rank. Collective. */
mx_err app_region_total(app_report report, const app_region *region, app_region_totals *all);

/* Prints the table: calls and synchronisations of rank 0, the slowest rank's seconds, GB/s of all
 * ranks together (their bytes over those seconds), and its share of `limit`, the GB/s that the
 * machine can achieve on all ranks together; 0: unknown, then the table has no such column. Columns
 * that do not apply are left empty. Collective. */
mx_err app_report_table(app_report report, double limit);

/* Prints the line "figure of merit: 1.234e+09 cell iterations/s". */
void app_figure_of_merit(app_report report, double value, const char *unit);

/* ---- progress ---- */

/* Shows "WHAT done/total (P %)" on one line of stderr that updates itself at most five times a
 * second: on rank 0, when stderr is a terminal or the environment has MINX_PROGRESS=1, unless
 * quiet. The next app_print or app_progress_end removes it, and so does app_report_destroy: call
 * one of them before printing an error. Cheap: it only reads the clock. */
void app_progress(app_report report, const char *what, int64_t done, int64_t total);
void app_progress_end(app_report report);
