/* The end of a run that came to its end: what every results file has, the last lines, and the
 * results file's final name. */
#include "app.h"

#include <stdio.h>

/* ---- what every results file has ---- */

static mx_err store_provenance(app_base *base)
{
    mx_ctx_info info;
    char threads[16];
    MX_TRY(mx_ctx_get_info(base->ctx, &info));
    snprintf(threads, sizeof threads, "%d", info.threads);
    MX_TRY(app_results_provenance(base->results, "backend", info.backend));
    MX_TRY(app_results_provenance(base->results, "threads", threads));
    MX_TRY(app_results_provenance(base->results, "layout", mx_layout_name(info.layout)));
    MX_TRY(app_results_provenance(base->results, "device", info.device_name));
    MX_TRY(app_results_provenance(base->results, "precision", base->precision));
    MX_TRY(app_results_provenance(base->results, "core_build", mx_build_description()));
    MX_TRY(app_results_provenance_i64(base->results, "first_step", base->first_step));
    return app_results_provenance(base->results, "halo_path", app_transport_path(base->transport));
}

static mx_err store_job(app_base *base)
{
    const app_job *const job = &base->job;
    MX_TRY(app_results_provenance(base->results, "cpu", job->cpu));
    MX_TRY(app_results_provenance(base->results, "binding", job->binding));
    MX_TRY(
        app_results_provenance(base->results, "scheduler", job->scheduler ? job->scheduler : ""));
    MX_TRY(app_results_provenance(base->results, "job_id", job->id));
    MX_TRY(app_results_provenance(base->results, "launcher", job->launcher ? job->launcher : ""));
    return app_results_provenance_i64(base->results, "nodes", base->summary.nodes);
}

static mx_err store_parameter(app_results results, const app_parameter *p)
{
    switch (p->kind) {
    case APP_PARAMETER_REAL: return app_results_parameter_f64(results, p->name, p->real, p->unit);
    case APP_PARAMETER_WHOLE: return app_results_parameter_i64(results, p->name, p->whole, p->unit);
    case APP_PARAMETER_TEXT: return app_results_parameter_text(results, p->name, p->text);
    case APP_PARAMETER_LIST:
        return app_results_parameter_list(results, p->name, p->list, p->count, p->unit);
    }
    return MX_OK;
}

/* The input as it was given, and every parameter as it was understood. */
static mx_err store_input(app_base *base)
{
    const app_input *const input = base->program->input;
    if (base->deck_text)
        MX_TRY(app_results_deck(base->results, base->deck_text, base->deck_length));
    if (base->options.overrides)
        MX_TRY(app_results_parameter_text(base->results, "overrides", base->options.overrides));
    for (int i = 0; input; i++) {
        app_parameter p;
        MX_TRY(app_agree(base->comm,
                         app_keys_parameter(input, base->keys.dialect, base->input, i, &p)));
        if (!p.name) break;
        const mx_err err = store_parameter(base->results, &p);
        app_parameter_free(&p);
        MX_TRY(err);
    }
    return MX_OK;
}

static mx_err store_common(app_base *base)
{
    if (!base->results) return MX_OK;
    MX_TRY(store_provenance(base));
    MX_TRY(store_job(base));
    MX_TRY(store_input(base));
    const app_region *region;
    for (int i = 0; (region = app_report_region(base->report, i)) != NULL; i++)
        MX_TRY(app_results_region(base->results, region->name, &region->totals));
    return MX_OK;
}

/* ---- the end ---- */

/* A check that failed on one rank has failed. */
static mx_err agree_on_checks(app_base *base)
{
    int64_t failed = base->failed;
    MX_TRY(app_max_i64(base->comm, &failed, 1));
    const bool elsewhere = failed != 0 && !base->failed;
    base->failed = failed != 0;
    return elsewhere ? app_print_last(base, "a check FAILED on another rank") : MX_OK;
}

/* The threads of the run compute the digests of the results file; beside a device, threads of the
 * host. */
static mx_err seal(app_base *base)
{
    mx_ctx host = NULL;
    mx_ctx_info info;
    if (!base->results) return MX_OK;
    MX_TRY(mx_ctx_get_info(base->ctx, &info));
    const bool on_host = info.device < 0;
    if (!on_host) MX_TRY(app_host_context_create(base->comm, &base->options, &host));
    app_results_set_threads(base->results, on_host ? base->ctx : host);
    const mx_err err = app_results_seal(base->results, app_verdict(base), app_verdict_code(base));
    mx_ctx_destroy(&host);
    return err;
}

static mx_err print_end(app_base *base)
{
    double seconds = app_now() - base->started;
    MX_TRY(app_max_f64(base->comm, &seconds, 1));
    app_print(base->report, " Time of the whole program %.3f s\n", seconds);
    if (base->problem.unit)
        app_figure_of_merit(base->report, base->summary.merit, base->problem.unit);
    app_print(base->report, "verdict: %s\n", app_verdict(base));
    return MX_OK;
}

/* Results are not thrown away because a line could not be printed. */
static mx_err rename_results(app_base *base)
{
    MX_TRY(app_results_publish(&base->results));
    MX_TRY(app_summary_publish(base));
    const app_options *const o = &base->options;
    const mx_err err = app_print_finish(base->comm, base->report);
    if (err == MX_OK || (!o->output && !o->summary)) return err;
    return app_agree(base->comm, MX_FAIL(err, "%s; the %s %s is complete", mx_err_message(),
                                         o->output ? "results file" : "summary",
                                         o->output ? o->output : o->summary));
}

mx_err app_publish(app_base *base)
{
    MX_TRY(app_agree(base->comm, agree_on_checks(base)));
    MX_TRY(app_summary_make(base));
    MX_TRY(store_common(base));
    MX_TRY(seal(base));
    MX_TRY(print_end(base));
    return rename_results(base);
}
