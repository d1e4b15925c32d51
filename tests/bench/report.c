/* The table on standard output, and the JSON file. */
#define _POSIX_C_SOURCE 200809L /* gethostname, gmtime_r */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void bench_print_seconds(double seconds)
{
    if (seconds <= 0)
        printf("%11s", "-");
    else if (seconds < 1e-3)
        printf("%8.2f us", seconds * 1e6);
    else
        printf("%8.3f ms", seconds * 1e3);
}

static void print_rate(const bench_row *row, double seconds)
{
    if (row->bytes > 0 && seconds > 0)
        printf(" %7.1f", row->bytes / seconds * 1e-9);
    else
        printf(" %7s", "-");
    if (row->limit > 0 && row->bytes > 0 && seconds > 0)
        printf(" %3.0f%%", 100 * row->bytes / seconds / row->limit);
    else
        printf(" %4s", "-");
}

void bench_report_head(void)
{
    printf("%-22s %-7s %3s %11s %11s %11s %6s %13s %12s %12s %11s %7s %s\n", "name", "backend",
           "thr", "n", "core", "rival", "ratio", "(quartiles)", "core GB/s", "rival GB/s", "scalar",
           "/scalar", "bytes, rival");
}

mx_err bench_report_keep(bench_report *report, const bench_row *row)
{
    bench_row *rows = realloc(report->rows, (size_t)(report->count + 1) * sizeof *rows);
    MX_REQUIRE(rows != NULL, MX_ERR_MEMORY, "no memory for %d results", report->count + 1);
    report->rows = rows;
    rows[report->count++] = *row;
    return MX_OK;
}

mx_err bench_report_add(bench_report *report, const bench_row *row)
{
    const bench_times *t = &row->times;
    MX_TRY(bench_report_keep(report, row));
    printf("%-22s %-7s %3d %11lld ", row->name, row->backend, row->threads, (long long)row->n);
    bench_print_seconds(t->core);
    printf(" ");
    bench_print_seconds(t->rival);
    if (t->to_rival.median > 0)
        printf(" %6.3f (%.3f %.3f)", t->to_rival.median, t->to_rival.low, t->to_rival.high);
    else
        printf(" %6s %13s", "-", "");
    print_rate(row, t->core);
    print_rate(row, t->rival);
    printf(" ");
    bench_print_seconds(t->scalar);
    if (t->to_scalar.median > 0)
        printf(" %7.3f", t->to_scalar.median);
    else
        printf(" %7s", "-");
    if (row->flops > 0) printf(" %.1f Gflop/s", row->flops * 1e-9);
    if (row->bytes > 0) printf(" %.0f", row->bytes);
    printf(" %s\n", row->rival_name != NULL ? row->rival_name : "");
    fflush(stdout);
    return MX_OK;
}

static void write_number(FILE *f, const char *key, double value, bool known)
{
    if (known)
        fprintf(f, ", \"%s\": %.9g", key, value);
    else
        fprintf(f, ", \"%s\": null", key);
}

/* Where and when: a figure without them cannot be compared with another one. */
static void write_origin(FILE *f)
{
    char host[256] = "", date[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    if (gmtime_r(&now, &utc) != NULL) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(f, ", \"host\": \"%s\", \"date\": \"%s\"", host, date);
}

/* share_of_limit is of the memory's limit, so null for what stays in cache, which has
 * share_of_cache_limit. */
static void write_row(FILE *f, const bench_row *row)
{
    const bench_times *t = &row->times;
    const bool rated = row->limit > 0 && row->bytes > 0;
    const double core = t->core > 0 ? row->bytes / t->core / row->limit : 0;
    const double rival = t->rival > 0 ? row->bytes / t->rival / row->limit : 0;
    fprintf(
        f,
        "{\"name\": \"%s\", \"backend\": \"%s\", \"threads\": %d, \"n\": %lld, \"rival\": \"%s\"",
        row->name, row->backend, row->threads, (long long)row->n,
        row->rival_name != NULL ? row->rival_name : "");
    write_number(f, "core_seconds", t->core, t->core > 0);
    write_number(f, "rival_seconds", t->rival, t->rival > 0);
    write_number(f, "scalar_seconds", t->scalar, t->scalar > 0);
    write_number(f, "ratio", t->to_rival.median, t->to_rival.median > 0);
    write_number(f, "ratio_low", t->to_rival.low, t->to_rival.median > 0);
    write_number(f, "ratio_high", t->to_rival.high, t->to_rival.median > 0);
    write_number(f, "scalar_ratio", t->to_scalar.median, t->to_scalar.median > 0);
    write_number(f, "scalar_ratio_low", t->to_scalar.low, t->to_scalar.median > 0);
    write_number(f, "scalar_ratio_high", t->to_scalar.high, t->to_scalar.median > 0);
    write_number(f, "rounds", t->rounds, t->rounds > 0);
    write_number(f, "bytes", row->bytes, row->bytes > 0);
    write_number(f, "share_of_limit", core, rated && !row->cached && t->core > 0);
    write_number(f, "rival_share_of_limit", rival, rated && !row->cached && t->rival > 0);
    write_number(f, "share_of_cache_limit", core, rated && row->cached && t->core > 0);
    write_number(f, "rival_share_of_cache_limit", rival, rated && row->cached && t->rival > 0);
    write_number(f, "flops_per_second", row->flops, row->flops > 0);
    write_number(f, "last_cache_bytes", (double)row->last_cache, row->last_cache > 0);
    write_origin(f);
    fprintf(f, "}");
}

mx_err bench_report_write(const bench_report *report, const char *path)
{
    FILE *f = fopen(path, "w");
    MX_REQUIRE(f != NULL, MX_ERR_IO, "cannot write %s", path);
    fprintf(f, "[\n");
    for (int r = 0; r < report->count; r++) {
        write_row(f, &report->rows[r]);
        fprintf(f, r + 1 < report->count ? ",\n" : "\n");
    }
    fprintf(f, "]\n");
    const bool failed = ferror(f) != 0;
    MX_REQUIRE(fclose(f) == 0 && !failed, MX_ERR_IO, "cannot write %s", path);
    return MX_OK;
}
