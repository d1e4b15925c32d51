/* The limits of this machine, measured by hand-written code: bytes per second of a copy, a triad
 * and a dot product, out of cache and in cache; multiply-adds per second; the time of an empty
 * launch. Shares in the tables are relative to the highest of the three rates. Each array element
 * counts once. A store may first read its cache line (write-allocate), so a copy may move 24 bytes
 * when 16 are counted, and a triad 32 when 24 are counted. A dot product stores nothing, and often
 * has the highest rate on hosts. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static bench_rival copy_rival(const rival_set *set) { return set->copy; }

static bench_rival nothing_rival(const rival_set *set) { return set->nothing; }

/* Median seconds of the fastest rival at this piece of work. */
static mx_err time_rival(bench_work *w, const bench_case *which, int repeat, double *seconds,
                         const char **name)
{
    const bench_case *const before = w->which;
    w->which = which;
    const mx_err err = bench_time_rival(w, repeat, seconds, name);
    w->which = before;
    return err;
}

static bench_row row_of(const bench_target *target, const char *name, bool cached)
{
    bench_row row;
    memset(&row, 0, sizeof row);
    snprintf(row.name, sizeof row.name, "limit/%s%s", name, cached ? "-cache" : "");
    snprintf(row.backend, sizeof row.backend, "%s", target->info.backend);
    row.threads = target->info.threads;
    row.cached = cached;
    row.last_cache = target->out_of_cache / 4;
    return row;
}

static mx_err bandwidth(bench_target *target, bool cached, const bench_options *options,
                        bench_report *report)
{
    const bench_case *const triad = &bench_vector_cases[BENCH_TRIAD],
                            *const dot = &bench_vector_cases[BENCH_DOT];
    const bench_case copy = {.name = "copy", .bytes_per_item = 16, .rival = copy_rival};
    const bench_case *const pieces[] = {&copy, triad, dot};
    bench_row rows[3];
    bench_work w;
    MX_TRY(bench_work_create(target, triad, cached, options->size_factor, &w));
    mx_err err = bench_new_sums(&w, "sum", MX_F64, RIVAL_SUMS, &w.rival.sums);
    target->limit[cached] = 0;
    for (int p = 0; p < 3 && err == MX_OK; p++) {
        rows[p] = row_of(target, pieces[p]->name, cached);
        rows[p].n = w.items;
        rows[p].bytes = (double)pieces[p]->bytes_per_item * (double)w.items;
        err = time_rival(&w, pieces[p], options->repeat, &rows[p].times.core, &rows[p].rival_name);
        const double rate = rows[p].bytes / rows[p].times.core;
        if (err == MX_OK && rate > target->limit[cached]) target->limit[cached] = rate;
    }
    bench_work_destroy(&w);
    if (err != MX_OK) return MX_PASS(err);
    for (int p = 0; p < 3; p++) {
        rows[p].limit = target->limit[cached];
        MX_TRY(bench_report_add(report, &rows[p]));
    }
    return MX_OK;
}

/* The same work for every launch; what it returns is flops. */
static mx_err multiply_adds(bench_target *target, const bench_options *options,
                            bench_report *report)
{
    const rival_set *const set = target->rivals[0];
    const rival_args args = {
        .threads = target->info.threads, .queue = target->queue, .partials = target->partials};
    bench_row row = row_of(target, "fma", false);
    double times[64], flops = 0;
    const int repeat = options->repeat < 64 ? options->repeat : 64;
    for (int r = 0; r < repeat; r++) MX_TRY(bench_time_fma(target, set, &args, &flops, &times[r]));
    row.times.core = bench_median(times, repeat);
    row.flops = flops / row.times.core;
    row.rival_name = set->name;
    return bench_report_add(report, &row);
}

static mx_err nothing_setup(bench_work *w)
{
    w->line = mx_range_1d(w->target->ctx, 0, w->items);
    return MX_OK;
}

static mx_err nothing_core(bench_work *w)
{
    static const bench_nothing_args nothing;
    return bench_nothing(w->line, &nothing);
}

/* An empty launch, by the core and by hand: with enough items that every thread gets some. */
static mx_err launches(bench_target *target, const bench_options *options, bench_report *report)
{
    const bench_case nothing = {.name = "launch",
                                .doubles = 1,
                                .setup = nothing_setup,
                                .core = nothing_core,
                                .rival = nothing_rival};
    bench_row row = row_of(target, "launch", false);
    bench_work w;
    MX_TRY(bench_work_create(target, &nothing, true, 1, &w));
    MX_TRY(bench_measure(&w, options->repeat, &row.times));
    row.rival_name = row.times.rival_name;
    row.n = w.items;
    bench_work_destroy(&w);
    return bench_report_add(report, &row);
}

mx_err bench_limits(bench_target *target, const bench_options *options, bench_report *report)
{
    MX_TRY(bandwidth(target, false, options, report));
    MX_TRY(bandwidth(target, true, options, report));
    MX_TRY(multiply_adds(target, options, report));
    return launches(target, options, report);
}
