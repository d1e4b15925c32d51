#define _POSIX_C_SOURCE 200809L
#include "summary.h"

#include "app.h"
#include "results/results_put.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one content for two files ---- */

/* Each entry goes to the JSON document, and to the group of the results file. */
typedef struct writer {
    app_json *json;
    app_results results; /* NULL: there is none */
    char group[128];     /* "/summary", "/summary/fom" */
    mx_err err;
} writer;

static void store(writer *w, const char *name, const char *unit, app_h5_item item)
{
    const app_small small = {.unit = unit, .compare = APP_NEVER, .item = item};
    if (!w->results || w->err != MX_OK) return;
    w->err = app_results_put_in(w->results, w->group, name, &small);
}

/* NULL: null; in the results file an empty text. */
static void add_text(writer *w, const char *name, const char *text)
{
    app_json_text(w->json, name, text);
    store(w, name, NULL, app_h5_text(text ? text : ""));
}

static void add_whole(writer *w, const char *name, int64_t value, const char *unit)
{
    app_json_whole(w->json, name, value);
    store(w, name, unit, app_h5_i64(&value));
}

static void add_real(writer *w, const char *name, double value, const char *unit)
{
    app_json_real(w->json, name, value);
    store(w, name, unit, app_h5_f64(&value));
}

/* In the results file 0 or 1. */
static void add_flag(writer *w, const char *name, bool value)
{
    const int64_t number = value ? 1 : 0;
    app_json_flag(w->json, name, value);
    store(w, name, "1", app_h5_i64(&number));
}

static void begin_group(writer *w, const char *name)
{
    const size_t length = strlen(w->group);
    snprintf(w->group + length, sizeof w->group - length, "/%s", name);
    app_json_begin(w->json, name);
    if (w->results && w->err == MX_OK) w->err = app_results_put_group(w->results, w->group);
}

static void end_group(writer *w)
{
    *strrchr(w->group, '/') = '\0';
    app_json_end(w->json);
}

/* ---- numbers of all ranks ---- */

typedef struct totals {
    app_region_totals solve;
    double set_up_seconds, wall_seconds, cpu_seconds;
    int64_t max_rss_bytes, nodes;
} totals;

static const app_region *solve_of(const app_base *base)
{
    return base->problem.solve ? base->problem.solve : base->whole;
}

/* Without an iteration all of the run is set-up. */
static mx_err find_totals(app_base *base, totals *all)
{
    const app_region *const solve = solve_of(base);
    const app_used used = app_job_used();
    const double end = app_now(), begin = solve->totals.calls > 0 ? solve->first : end;
    double seconds[] = {begin - base->started, end - base->started};
    *all = (totals){.cpu_seconds = used.cpu_seconds,
                    .max_rss_bytes = used.max_rss_bytes,
                    .nodes = app_local_rank(base->comm) == 0 ? 1 : 0};
    MX_TRY(app_region_total(base->report, solve, &all->solve));
    MX_TRY(app_max_f64(base->comm, seconds, 2));
    MX_TRY(app_sum_f64(base->comm, &all->cpu_seconds, 1));
    MX_TRY(app_max_i64(base->comm, &all->max_rss_bytes, 1));
    MX_TRY(app_sum_i64(base->comm, &all->nodes, 1));
    all->set_up_seconds = seconds[0];
    all->wall_seconds = seconds[1];
    return MX_OK;
}

/* ---- the content ---- */

static void add_program(writer *w, const app_base *base)
{
    add_text(w, "schema", APP_SUMMARY_SCHEMA);
    add_text(w, "app", base->program->name);
    add_text(w, "version", app_build_version());
    add_text(w, "git_commit", app_build_commit());
    add_text(w, "date", base->job.date.text);
    add_text(w, "deck", base->options.deck);
    add_text(w, "problem", base->problem.name);
    add_whole(w, "problem_size", base->problem.size, "1");
}

static const char *or_null(const char *text) { return text[0] != '\0' ? text : NULL; }

static mx_err add_place(writer *w, const app_base *base, const totals *all)
{
    const app_job *const job = &base->job;
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(base->ctx, &info));
    add_text(w, "backend", info.backend);
    add_text(w, "layout", mx_layout_name(info.layout));
    add_text(w, "precision", base->precision);
    add_whole(w, "ranks", app_size(base->comm), "1");
    add_whole(w, "threads", info.threads, "1");
    add_whole(w, "nodes", all->nodes, "1");
    add_text(w, "host", job->host);
    add_text(w, "cpu", job->cpu);
    add_text(w, "device", or_null(info.device_name));
    add_text(w, "scheduler", job->scheduler);
    add_text(w, "job_id", or_null(job->id));
    add_text(w, "launcher", job->launcher);
    add_text(w, "messages", app_transport_path(base->transport));
    return MX_OK;
}

static void add_outcome(writer *w, const app_base *base)
{
    add_text(w, "verdict", app_verdict(base));
    add_whole(w, "exit_code", app_verdict_code(base), "1");
    add_flag(w, "restarted", base->restarted);
    begin_group(w, "fom");
    add_text(w, "name", base->problem.merit);
    add_real(w, "value", base->summary.merit, base->problem.unit);
    add_text(w, "unit", base->problem.unit);
    add_flag(w, "higher_is_better", true);
    end_group(w);
}

static void add_amounts(writer *w, const app_base *base, const totals *all)
{
    add_real(w, "set_up_seconds", all->set_up_seconds, "s");
    add_real(w, "solve_seconds", all->solve.seconds, "s");
    add_real(w, "wall_seconds", all->wall_seconds, "s");
    add_whole(w, "iterations", base->iterations, "1");
    add_real(w, "bytes", all->solve.bytes, "byte");
    add_real(w, "flops", all->solve.flops, "flop");
    add_whole(w, "max_rss_bytes", all->max_rss_bytes, "byte");
    add_real(w, "cpu_seconds", all->cpu_seconds, "s");
}

static mx_err add_regions(writer *w, app_base *base)
{
    const app_region *region;
    begin_group(w, "regions");
    for (int i = 0; (region = app_report_region(base->report, i)) != NULL; i++) {
        app_region_totals all;
        MX_TRY(app_region_total(base->report, region, &all));
        begin_group(w, region->name);
        add_real(w, "seconds", all.seconds, "s");
        add_whole(w, "calls", all.calls, "1");
        add_real(w, "bytes", all.bytes, "byte");
        add_real(w, "flops", all.flops, "flop");
        end_group(w);
    }
    end_group(w);
    return MX_OK;
}

static mx_err make(app_base *base)
{
    app_summary *const s = &base->summary;
    writer w = {.json = &s->json, .results = base->results, .group = "/summary"};
    totals all;
    MX_TRY(find_totals(base, &all));
    const double updates = (double)base->problem.size * (double)base->iterations;
    s->nodes = all.nodes;
    s->wall_seconds = all.wall_seconds;
    s->merit = all.solve.seconds > 0 ? updates / all.solve.seconds : 0;
    app_json_begin(&s->json, NULL);
    add_program(&w, base);
    MX_TRY(add_place(&w, base, &all));
    add_outcome(&w, base);
    add_amounts(&w, base, &all);
    MX_TRY(add_regions(&w, base));
    app_json_end(&s->json);
    return s->json.err != MX_OK ? s->json.err : w.err;
}

mx_err app_summary_make(app_base *base) { return app_agree(base->comm, make(base)); }

/* ---- the file ---- */

static mx_err reserve(app_base *base)
{
    return app_output_reserve("summary", base->options.summary, APP_OUTPUT_ALONE,
                              &base->summary.file);
}

mx_err app_summary_open(app_base *base)
{
    if (!base->options.summary) return MX_OK;
    return app_agree(base->comm, app_rank(base->comm) == 0 ? reserve(base) : MX_OK);
}

static mx_err write_text(const app_summary *s)
{
    FILE *const file = fopen(s->file.temporary, "w");
    bool good = file && fputs(s->json.text.text, file) >= 0;
    if (file) good = fclose(file) == 0 && good;
    MX_REQUIRE(good, MX_ERR_IO, "summary %s: cannot be written: %s", s->file.path, strerror(errno));
    return MX_OK;
}

static mx_err publish(app_summary *s)
{
    MX_TRY(write_text(s));
    MX_TRY(app_output_publish(&s->file, false));
    app_output_free(&s->file);
    return MX_OK;
}

mx_err app_summary_publish(app_base *base)
{
    const bool mine = base->summary.file.temporary != NULL;
    return app_agree(base->comm, mine ? publish(&base->summary) : MX_OK);
}

void app_summary_close(app_base *base)
{
    app_output_remove(&base->summary.file);
    app_output_free(&base->summary.file);
    app_json_free(&base->summary.json);
}
