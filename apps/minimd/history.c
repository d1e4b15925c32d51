/* The histories of a run: one table for results files and checkpoints. And what else a checkpoint
 * keeps. */
#include "md_app.h"

#include <stdio.h>

int md_list_history(md_app *app, md_named_series *list)
{
    md_history *const h = &app->history;
    const md_scales *const s = &app->scales;
    const md_named_series all[] = {
        {"step", "1", &h->step},
        {"time", s->time_unit, &h->time},
        {"temperature", s->temperature_unit, &h->temperature},
        {"pressure", s->pressure_unit, &h->pressure},
        {"potential_energy", s->energy_unit, &h->potential},
        {"total_energy", s->energy_unit, &h->total},
        {"conserved_energy", s->energy_unit, &h->conserved},
        {"momentum_x", s->momentum_unit, &h->momentum[0]},
        {"momentum_y", s->momentum_unit, &h->momentum[1]},
        {"momentum_z", s->momentum_unit, &h->momentum[2]},
        {"motion", s->momentum_unit, &h->motion},
    };
    const int count = (int)(sizeof all / sizeof all[0]);
    MX_STATIC_ASSERT(sizeof all / sizeof all[0] <= MD_HISTORIES, "md_app.h: MD_HISTORIES");
    for (int i = 0; i < count; i++) list[i] = all[i];
    return count;
}

void md_free_history(md_app *app)
{
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    for (int i = 0; i < count; i++) app_series_free(list[i].series);
}

/* A run goes on with the same bits if its neighbour lists are the same, also in their order. They
 * were made from built_position, by atoms in the order that they have until the next list. So these
 * positions are kept too. */
mx_err md_keep(void *data)
{
    md_app *const app = data;
    const app_checkpoint c = app->base.checkpoint;
    const mx_ctx ctx = app->base.ctx;
    md_named_series list[MD_HISTORIES];
    const int count = md_list_history(app, list);
    MX_TRY(app_keep_i64(c, "step", &app->step, 1));
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "history_%s", list[i].name);
        MX_TRY(app_keep_series(c, name, list[i].series));
    }
    MX_TRY(app_keep_rows(c, "position", ctx, &app->views.position, &app->local));
    MX_TRY(app_keep_rows(c, "built_position", ctx, &app->views.built_position, &app->local));
    MX_TRY(app_keep_rows(c, "velocity", ctx, &app->views.velocity, &app->local));
    MX_TRY(app_keep_rows(c, "type", ctx, &app->views.type, &app->local));
    return app_keep_rows(c, "id", ctx, &app->views.id, &app->local);
}

static void swap_positions(md_app *app)
{
    const mx_view kept = app->views.position;
    app->views.position = app->views.built_position;
    app->views.built_position = kept;
}

/* The list as it was when the checkpoint was written: from the positions that it was made from.
 * Meanwhile built_position has those of now, and goes with the atoms to their ranks, where there
 * are more or fewer than before. */
mx_err md_resume(md_app *app)
{
    MX_TRY(app_agree(app->base.comm, md_reserve(app, app->local)));
    swap_positions(app);
    MX_TRY(md_bind(app));
    MX_TRY(md_migrate(app));
    MX_TRY(md_make_borders(app));
    MX_TRY(app_agree(app->base.comm, md_make_list(app)));
    swap_positions(app);
    MX_TRY(md_bind(app));
    return md_update_ghosts(app);
}
