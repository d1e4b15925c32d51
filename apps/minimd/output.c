#include "md_app.h"

static mx_err output(md_app *app)
{
    MX_TRY(md_print_performance(app));
    MX_TRY(md_write_yaml(app));
    MX_TRY(app_report_table(app->base.report, 0));
    return md_store_results(app);
}

mx_err md_write(md_app *app) { return app_end_stage(&app->base, output(app)); }
