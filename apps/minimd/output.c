#include "md_app.h"

mx_err md_output(void *data)
{
    md_app *const app = data;
    md_print_performance(app);
    MX_TRY(md_write_yaml(app));
    MX_TRY(app_report_table(app->base.report, 0));
    return md_store_results(app);
}
