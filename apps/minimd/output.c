#include "md_app.h"

mx_err md_output(void *data)
{
    md_app *const app = data;
    const md_history *const h = &app->history;
    /* sums of up to 1e9 terms in orders that differ, and steps that amplify the difference */
    const app_compare compare = APP_RELATIVE(1e-9);
    md_print_performance(app);
    MX_TRY(md_write_yaml(app));
    MX_TRY(app_report_table(app->base.report, 0));
    MX_TRY(app_history_i64(&app->base, "step", "1", APP_EXACT, &h->step));
    MX_TRY(app_history(&app->base, "temperature", app->scales.temperature_unit, compare,
                       &h->temperature));
    MX_TRY(app_history(&app->base, "potential_energy", app->scales.energy_unit, compare,
                       &h->potential));
    MX_TRY(app_history(&app->base, "pressure", app->scales.pressure_unit, compare, &h->pressure));
    return app_history(&app->base, "total_energy", app->scales.energy_unit, compare, &h->total);
}
