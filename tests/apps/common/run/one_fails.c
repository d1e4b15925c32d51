/* An app whose check fails on the last rank alone: all ranks end with the code of a failed
 * check. */
#include "run/app.h"

static mx_err verify(app_base *base)
{
    const bool last = app_rank(base->comm) == app_size(base->comm) - 1;
    return app_end_stage(base,
                         app_check(base, "rank", last ? 1 : 0, (app_expect){0, 0, APP_EXACT}));
}

static mx_err run_stages(app_base *base)
{
    MX_TRY(app_open(base));
    MX_TRY(app_end_run(base, MX_OK));
    MX_TRY(verify(base));
    return app_publish(base);
}

int main(int argc, char **argv)
{
    static const app_program program = {.name = "one_fails", .summary = "a test"};
    app_base base = {0};
    mx_err err = app_begin(&base, &program, argc, argv, NULL);
    if (err == MX_OK && !base.answered) err = run_stages(&base);
    const int code = app_finish(&base, err);
    app_close(&base);
    return code;
}
