/* Where the time of the loop goes. On hosts every call of a part is timed. On a device kernels run
 * while the host goes on, and the time of a part can be had by fences only. So only one step of
 * MD_SAMPLE is timed there, and stands for the others; new lists, in which the host waits anyway,
 * are always timed. */
#include "md_app.h"

enum { MD_SAMPLE = 50 };

mx_err md_add_parts(md_app *app)
{
    static const char *const names[MD_PARTS] = {"force", "neighbour list", "ghosts", "borders",
                                                "integration"};
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    app->times.asynchronous = info.device >= 0;
    for (int p = 0; p < MD_PARTS; p++)
        MX_TRY(app_region_add(app->base.report, names[p], &app->times.part[p]));
    return app_region_add(app->base.report, "time loop", &app->times.whole);
}

static bool is_timed(const md_app *app, md_part part)
{
    return !app->times.asynchronous || part == MD_PART_LIST || part == MD_PART_BORDERS ||
           app->step % MD_SAMPLE == 1;
}

mx_err md_part_begin(md_app *app, md_part part)
{
    app->times.calls[part]++;
    if (!is_timed(app, part)) return MX_OK;
    if (app->times.asynchronous) MX_TRY(mx_fence(app->base.ctx));
    app_region_begin(app->times.part[part]);
    return MX_OK;
}

mx_err md_part_end(md_app *app, md_part part, md_work work)
{
    if (!is_timed(app, part)) return MX_OK;
    if (app->times.asynchronous) MX_TRY(mx_fence(app->base.ctx));
    app_region_end(app->times.part[part], work.bytes, work.flops, 1);
    return MX_OK;
}

mx_err md_loop_begin(md_app *app)
{
    md_times *const t = &app->times;
    MX_TRY(mx_fence(app->base.ctx));
    for (int p = 0; p < MD_PARTS; p++) {
        t->before[p] = t->part[p]->totals;
        t->calls[p] = 0;
    }
    app->base.first_step = t->first_step = app->step;
    t->started = app_now();
    app_region_begin(t->whole);
    return MX_OK;
}

mx_err md_loop_end(md_app *app)
{
    md_times *const t = &app->times;
    MX_TRY(mx_fence(app->base.ctx));
    app_region_end(t->whole, 0, 0, 1);
    t->seconds = app_now() - t->started;
    return MX_OK;
}

double md_part_seconds(const md_app *app, md_part part)
{
    const md_times *const t = &app->times;
    const double seconds = t->part[part]->totals.seconds - t->before[part].seconds;
    const int64_t timed = t->part[part]->totals.calls - t->before[part].calls;
    return timed > 0 ? seconds * (double)t->calls[part] / (double)timed : 0;
}
