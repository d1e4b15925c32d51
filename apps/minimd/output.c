#include "md_app.h"

/* The original's last lines; its times are rank 0's. */
static void print_performance(md_app *app)
{
    mx_ctx_info info;
    (void)mx_ctx_get_info(app->base.ctx, &info);
    const double total = app->times.seconds, force = md_part_seconds(app, MD_PART_FORCE),
                 list = md_part_seconds(app, MD_PART_LIST),
                 borders = md_part_seconds(app, MD_PART_BORDERS),
                 comm = md_part_seconds(app, MD_PART_GHOSTS) + borders;
    const int ranks = app_size(app->base.comm), threads = info.threads > 0 ? info.threads : 1;
    const double steps = (double)(app->step - app->times.first_step);
    const double rate = total > 0 ? (double)app->atoms * steps / total : 0;
    app_print(
        app->base.report,
        "\n\n# Performance Summary:\n"
        "# MPI_proc OMP_threads nsteps natoms t_total t_force t_neigh t_comm t_other performance perf/thread "
        "grep_string t_extra\n"
        "%i %i %lld %lld %f %f %f %f %f %f %f PERF_SUMMARY %f\n\n\n",
        ranks, threads, (long long)steps, (long long)app->atoms, total, force, list, comm,
        total - force - list - comm, rate, rate / ranks / threads, borders);
    app_merit(&app->base, rate, "atom-steps/s");
}

mx_err md_output(void *data)
{
    md_app *const app = data;
    const md_history *const h = &app->history;
    /* sums of up to 1e9 terms in orders that differ, and steps that amplify the difference */
    const app_compare compare = APP_RELATIVE(1e-9);
    print_performance(app);
    MX_TRY(app_report_table(app->base.report, 0));
    MX_TRY(app_history_i64(&app->base, "step", "1", APP_EXACT, &h->step));
    MX_TRY(app_history(&app->base, "temperature", app->scales.temperature_unit, compare,
                       &h->temperature));
    MX_TRY(app_history(&app->base, "potential_energy", app->scales.energy_unit, compare,
                       &h->potential));
    MX_TRY(app_history(&app->base, "pressure", app->scales.pressure_unit, compare, &h->pressure));
    return app_history(&app->base, "total_energy", app->scales.energy_unit, compare, &h->total);
}
