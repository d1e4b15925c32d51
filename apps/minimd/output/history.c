/* The histories of a run: one table for results files and checkpoints. */
#include "md_app.h"

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
