/* Where the time of the loop goes. On hosts every call of a part is timed. On a device kernels run
 * while the host goes on, and the time of a part can be had by fences only. So only one step of
 * MD_SAMPLE is timed there, and stands for the others; new lists, in which the host waits anyway,
 * are always timed. */
#include "md_app.h"

enum { MD_SAMPLE = 50 };

mx_err md_add_parts(md_app *app)
{
    static const char *const names[MD_PARTS] = {"force", "neighbour_list", "ghosts", "borders",
                                                "integration"};
    mx_ctx_info info;
    MX_TRY(mx_ctx_get_info(app->base.ctx, &info));
    app->times.asynchronous = info.device >= 0;
    for (int p = 0; p < MD_PARTS; p++)
        MX_TRY(app_region_add(app->base.report, names[p], &app->times.part[p]));
    return app_region_add(app->base.report, "solve", &app->times.solve);
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
    app_region_begin(t->solve);
    return MX_OK;
}

mx_err md_loop_end(md_app *app)
{
    double bytes = 0, flops = 0;
    MX_TRY(mx_fence(app->base.ctx));
    for (int p = 0; p < MD_PARTS; p++) {
        const app_region_totals part = md_part_totals(app, p);
        bytes += part.bytes;
        flops += part.flops;
    }
    app_region_end(app->times.solve, bytes, flops, 1);
    app->base.iterations = app->step - app->times.first_step;
    return MX_OK;
}

app_region_totals md_part_totals(const md_app *app, md_part part)
{
    const md_times *const t = &app->times;
    const app_region_totals *const now = &t->part[part]->totals, *const before = &t->before[part];
    const int64_t timed = now->calls - before->calls;
    const double scale = timed > 0 ? (double)t->calls[part] / (double)timed : 0;
    return (app_region_totals){.calls = t->calls[part],
                               .seconds = scale * (now->seconds - before->seconds),
                               .bytes = scale * (now->bytes - before->bytes),
                               .flops = scale * (now->flops - before->flops)};
}
