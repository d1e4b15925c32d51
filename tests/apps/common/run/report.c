/* Reports: regions count what is added to them, the table adds up ranks, progress is silent where
 * stderr is no terminal. Run on several ranks; the output of the test itself is caught in a
 * file. */
#define _POSIX_C_SOURCE 200809L /* dup, dup2, fileno */
#include "run/report.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int failures;

static void check(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: does not hold\n", what);
    failures++;
}

/* What `write` prints to the stream with this descriptor. */
static void catch_output(FILE *stream, void (*write)(app_report), app_report report, char *text,
                         size_t size)
{
    FILE *const file = tmpfile();
    if (!file) abort();
    fflush(stream);
    const int kept = dup(fileno(stream));
    if (kept < 0 || dup2(fileno(file), fileno(stream)) < 0) abort();
    write(report);
    fflush(stream);
    if (dup2(kept, fileno(stream)) < 0) abort();
    close(kept);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void wait_seconds(double seconds)
{
    const double until = app_now() + seconds;
    while (app_now() < until) continue;
}

static void write_table(app_report report)
{
    app_print(report, "a line %d\n", 7);
    check(app_report_table(report, 1000.0) == MX_OK, "the table is printed");
    app_figure_of_merit(report, 1.25e9, "cell iterations/s");
}

static void write_progress(app_report report)
{
    for (int i = 0; i < 3; i++) {
        app_progress(report, "step", i, 3);
        wait_seconds(0.21); /* longer than the interval between two updates */
    }
    app_progress_end(report);
}

static void test_regions(app_comm comm)
{
    app_report report;
    app_region *solve, *halo;
    char text[4096];
    check(app_report_create(comm, false, &report) == MX_OK, "create");
    check(app_region_add(report, "solve", &solve) == MX_OK &&
              app_region_add(report, "halo", &halo) == MX_OK,
          "add");
    for (int i = 0; i < 3; i++) {
        app_region_begin(solve);
        app_region_begin(halo);
        wait_seconds(0.011);
        app_region_end(halo, 0.0, 0.0, 0);
        app_region_end(solve, 1e9, 2.0, 4);
    }
    check(app_report_region(report, 0) == solve && app_report_region(report, 1) == halo,
          "regions in order");
    check(!app_report_region(report, 2) && !app_report_region(report, -1), "no region beyond");
    check(solve->totals.calls == 3 && solve->totals.bytes == 3e9 && solve->totals.flops == 6.0,
          "counters");
    check(solve->totals.synchronisations == 12 && halo->totals.bytes == 0.0, "more counters");
    /* three waits of 11 ms are inside, a millisecond longer than the clock's roundings need; a
     * loaded machine may take longer, never less */
    check(halo->totals.seconds >= 0.03 && solve->totals.seconds >= halo->totals.seconds,
          "nested times");

    catch_output(stdout, write_table, report, text, sizeof text);
    if (app_rank(comm) == 0) {
        char name[32];
        long long calls, syncs;
        double seconds = NAN, rate = NAN, share = NAN;
        const char *const row = strstr(text, "  solve");
        check(strstr(text, "a line 7\n") && strstr(text, "of limit"), "the table's heading");
        check(strstr(text, "figure of merit: 1.25e+09 cell iterations/s\n") != NULL,
              "the figure of merit");
        check(row && sscanf(row, " %31s %lld %lf %lld %lf %lf", name, &calls, &seconds, &syncs,
                            &rate, &share) == 6,
              "the table's row");
        const double want = 3.0 * app_size(comm) / seconds;
        /* printed with two decimals, and the seconds with six of some 0.03 */
        check(row && calls == 3 && syncs == 12 && fabs(rate - want) < 0.01 + 1e-4 * want,
              "bytes of all ranks count");
        check(row && fabs(share - rate / 10.0) < 0.06,
              "the share of the limit, printed with one decimal");
    } else {
        check(text[0] == '\0', "only rank 0 prints");
    }
    app_report_destroy(&report);
    check(!report, "destroy");
    app_report_destroy(&report);
}

static void test_silence(app_comm comm)
{
    app_report report;
    app_region *region;
    char text[4096];
    check(app_report_create(comm, true, &report) == MX_OK, "create");
    catch_output(stdout, write_table, report, text, sizeof text);
    check(text[0] == '\0', "quiet prints nothing");
    catch_output(stderr, write_progress, report, text, sizeof text);
    check(text[0] == '\0', "quiet shows no progress");
    for (int i = 0; i < 64; i++)
        check(app_region_add(report, "r", &region) == MX_OK, "64 regions fit");
    check(app_region_add(report, "r", &region) == MX_ERR_ARG && !region, "a 65th is refused");
    app_report_destroy(&report);
    check(app_report_create(comm, false, &report) == MX_OK, "create");
    fflush(stderr);
    if (!isatty(fileno(stderr))) {
        catch_output(stderr, write_progress, report, text, sizeof text);
        check(text[0] == '\0', "no progress in a pipe");
    }
    app_report_destroy(&report);
}

/* A program that reads stderr through a pipe can ask for progress. */
static void test_progress_in_a_pipe(app_comm comm)
{
    app_report report;
    char text[4096];
    check(setenv("MINX_PROGRESS", "1", 1) == 0, "setenv");
    check(app_report_create(comm, false, &report) == MX_OK, "create");
    catch_output(stderr, write_progress, report, text, sizeof text);
    check((app_rank(comm) == 0) == (strstr(text, "\rstep 2/3 (67 %)") != NULL),
          "rank 0 shows progress, no other one does");
    app_report_destroy(&report);
    check(unsetenv("MINX_PROGRESS") == 0, "unsetenv");
}

/* Lines that do not fit the buffer fail long before the end; the message has their reason. */
static void test_full_disk(app_comm comm)
{
    app_report report;
    const int full = open("/dev/full", O_WRONLY), kept = dup(fileno(stdout));
    if (full < 0) return;
    check(app_report_create(comm, false, &report) == MX_OK && kept >= 0, "create");
    fflush(stdout);
    if (dup2(full, fileno(stdout)) < 0) abort();
    for (int line = 0; line < 10000; line++) app_print(report, "line %d\n", line);
    errno = 0;
    const mx_err err = app_print_finish(comm, report);
    if (dup2(kept, fileno(stdout)) < 0) abort();
    clearerr(stdout);
    check(err == MX_ERR_IO &&
              strstr(mx_err_message(), "the output cannot be written: No space left on device"),
          "a full disk");
    close(full);
    close(kept);
    app_report_destroy(&report);
}

int main(int argc, char **argv)
{
    app_comm comm;
    if (app_comm_open(&argc, &argv, &comm) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        return 1;
    }
    test_regions(comm);
    test_silence(comm);
    test_progress_in_a_pipe(comm);
    test_full_disk(comm);
    int64_t all = failures;
    if (app_sum_i64(comm, &all, 1) != MX_OK) all = 1;
    app_comm_close(&comm);
    return all > 0 ? 1 : 0;
}
