/* The fields over time, which visit_frequency asks for: the frames of energy and temperature at the
 * beginning, after every so many steps and at the end. The density does not change. They are in the
 * results file, and its side file opens them in ParaView and VisIt. */
#include "tl_app.h"

mx_err tl_begin_frames(tl_app *app)
{
    const bool solid = tl_is_3d(&app->deck);
    const double origin[] = {app->deck.zmin, app->deck.ymin, app->deck.xmin};
    const double spacing[] = {app->dz, app->dy, app->dx};
    const int first = solid ? 0 : 1;
    for (int d = 0; d < 3 - first; d++) {
        app->frame_origin[d] = origin[d + first];
        app->frame_spacing[d] = spacing[d + first];
    }
    const app_place place = {.origin = app->frame_origin, .spacing = app->frame_spacing};
    const app_array energy = {.path = "/frames/energy",
                              .unit = "energy/mass",
                              .compare = TL_SUMS,
                              .type = MX_F64,
                              .slab = app_slab_cells(&app->decomp),
                              .place = &place};
    app_array temperature = energy;
    temperature.path = "/frames/temperature";
    temperature.unit = solid ? "energy/length^3" : "energy/length^2";
    if (app->deck.visit_frequency == 0) return MX_OK;
    if (app->base.results == NULL)
        app_print_note(&app->base,
                       "visit_frequency: frames of the fields are not written without --output");
    MX_TRY(app_frames_create(app->base.results, &energy, "time", &app->energy_frames));
    return app_frames_create(app->base.results, &temperature, "time", &app->temperature_frames);
}

mx_err tl_add_frames(tl_app *app)
{
    const int64_t every = app->deck.visit_frequency;
    if (every == 0 || (app->step % every != 0 && app->step < app->deck.steps)) return MX_OK;
    MX_TRY(app_field_frame(&app->base, app->energy_frames, app->step, app->time,
                           (app_cells){app->views.energy, app->ghosts}));
    return app_field_frame(&app->base, app->temperature_frames, app->step, app->time,
                           (app_cells){app->views.u, app->ghosts});
}
