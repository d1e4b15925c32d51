/* What a checkpoint keeps of a run, and how a run goes on from it. */
#include "md_app.h"

#include <math.h>
#include <stdio.h>

static app_keep_range range_of(const md_app *app, const app_series *series)
{
    const md_history *const h = &app->history;
    if (series == &h->step) return app_keep_whole(0, APP_KEEP_MAX_WHOLE);
    const bool positive = series == &h->time || series == &h->temperature || series == &h->motion;
    return positive ? app_keep_from_0() : app_keep_finite();
}

static mx_err keep_histories(md_app *app)
{
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "history_%s", list[i].name);
        MX_TRY(app_keep_series(app->base.checkpoint, name, list[i].series,
                               range_of(app, list[i].series)));
    }
    return MX_OK;
}

/* A run goes on with the same bits if its neighbour lists are the same, also in their order. They
 * were made from built_position, by atoms in the order that they have until the next list. So these
 * positions are kept too. */
static mx_err keep(md_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const double *const side = app->box.length;
    const double farthest = MD_FARTHEST * fmax(side[0], fmax(side[1], side[2]));
    const app_keep_range place = {.low = -farthest, .high = farthest};
    /* ids of a data file may have gaps */
    const mx_gid max_id = app->input.data_file ? APP_KEEP_MAX_WHOLE : app->atoms;
    const app_keep_number atoms = {app->base.ctx, &app->local, app->atoms};
    const struct {
        const char *name;
        mx_view *view;
        app_keep_range range;
    } all[] = {
        {"position", &app->views.position, place},
        {"built_position", &app->views.built_position, place},
        {"velocity", &app->views.velocity, app_keep_finite()},
        {"type", &app->views.type, app_keep_whole(0, app->types - 1)},
        {"id", &app->views.id, app_keep_whole(1, max_id)},
    };
    MX_TRY(app_keep_i64(c, "step", &app->step, 1, app_keep_whole(0, APP_KEEP_MAX_WHOLE)));
    MX_TRY(keep_histories(app));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MX_TRY(app_keep_rows(c, all[i].name, all[i].view, &atoms, all[i].range));
    return MX_OK;
}

/* ---- after a restart ---- */

static mx_err check_histories(md_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    const md_history *const h = &app->history;
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "history_%s", list[i].name);
        MX_TRY(app_checkpoint_check_count(c, name, list[i].series, h->step.count));
    }
    return app_checkpoint_check_steps(c, "history_step", &h->step, app->step);
}

static mx_err check_kept(md_app *app)
{
    const app_checkpoint c = app->base.checkpoint;
    MX_TRY(app_checkpoint_check_end(c, "step", app->step, app->input.steps, "steps"));
    MX_TRY(check_histories(app));
    const mx_err err = md_check_ids(app);
    return err == MX_ERR_ARG ? app_checkpoint_refuse(c, "id", "%s", mx_err_message()) : err;
}

mx_err md_restart(md_app *app)
{
    app_base *const base = &app->base;
    if (base->checkpoint == NULL) return MX_OK;
    MX_TRY(app_end_stage(base, keep(app)));
    MX_TRY(app_restore(base));
    return app_end_restart(base, base->restarted ? check_kept(app) : MX_OK);
}

static mx_err swap_positions(md_app *app)
{
    return mx_view_swap(&app->views.position, &app->views.built_position);
}

/* The list as it was when the checkpoint was written: from the positions that it was made from.
 * Meanwhile built_position has those of now, and goes with the atoms to their ranks, where there
 * are more or fewer than before. */
mx_err md_resume(md_app *app)
{
    MX_TRY(app_agree(app->base.comm, md_reserve(app, app->local)));
    MX_TRY(swap_positions(app));
    MX_TRY(md_bind(app));
    MX_TRY(md_migrate(app));
    MX_TRY(md_make_borders(app));
    MX_TRY(app_agree(app->base.comm, app->form->build(app)));
    MX_TRY(swap_positions(app));
    MX_TRY(md_bind(app));
    return md_update_ghosts(app);
}
