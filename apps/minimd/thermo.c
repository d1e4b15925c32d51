/* Temperature, pressure and energy as the original computes and prints them. N atoms without motion
 * of their centre of mass have 3 N - 3 degrees of freedom:
 *
 *     T = sum of m v^2 / ((3 N - 3) k_B),     P = (sum of m v^2 + sum of r . f over pairs) / (3 V)
 */
#include "md_app.h"

/* As the original has them: these constants are a part of its results. In metal units it prints
 * 1048575.971 for an energy of 1 eV an atom. */
void md_choose_scales(md_app *app)
{
    static const md_scales lj = {.mvv_to_energy = 1,
                                 .boltzmann = 1,
                                 .printed_energy = 1,
                                 .pressure = 1,
                                 .energy_unit = "epsilon",
                                 .temperature_unit = "epsilon/k",
                                 .pressure_unit = "epsilon/sigma^3",
                                 .length_unit = "sigma",
                                 .time_unit = "tau",
                                 .mass_unit = "mass",
                                 .velocity_unit = "sigma/tau",
                                 .momentum_unit = "mass*sigma/tau"};
    static const md_scales metal = {.mvv_to_energy = 1.036427e-4,
                                    .boltzmann = 8.617343e-5,
                                    .printed_energy = 2 * 524287.985533,
                                    .pressure = 1.602176e6,
                                    .energy_unit = "eV",
                                    .temperature_unit = "K",
                                    .pressure_unit = "bar",
                                    .length_unit = "Angstrom",
                                    .time_unit = "ps",
                                    .mass_unit = "u",
                                    .velocity_unit = "Angstrom ps-1",
                                    .momentum_unit = "u*Angstrom/ps"};
    app->scales = app->input.units == MD_UNITS_METAL ? metal : lj;
}

double md_temperature(const md_app *app, double mvv)
{
    const double freedom = md_degrees_of_freedom(app->atoms);
    return freedom > 0 ? mvv * app->scales.mvv_to_energy / (freedom * app->scales.boltzmann) : 0;
}

mx_err md_sum_all_motion(md_app *app, md_motion *sum)
{
    MX_TRY(md_sum_motion(md_local_range(app), &app->motion, sum));
    double all[] = {sum->mvv,  sum->mass,   sum->up_x,   sum->up_y,
                    sum->up_z, sum->down_x, sum->down_y, sum->down_z};
    MX_TRY(app_sum_f64(app->base.comm, all, 8));
    *sum = (md_motion){all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]};
    return MX_OK;
}

mx_err md_sum_state(md_app *app, md_state *state)
{
    const double *const length = app->box.length;
    const double volume = length[0] * length[1] * length[2];
    double energy[] = {app->energy.potential, app->energy.virial, app->energy.at_cutoff};
    md_motion m;
    MX_TRY(md_sum_all_motion(app, &m));
    MX_TRY(app_sum_f64(app->base.comm, energy, 3));
    const double mvv = m.mvv * app->scales.mvv_to_energy;
    *state = (md_state){
        .temperature = md_temperature(app, m.mvv),
        .pressure = (mvv + energy[1]) * app->scales.pressure / (3 * volume),
        .potential = energy[0],
        .kinetic = 0.5 * mvv,
        .conserved = energy[0] - energy[2] + 0.5 * mvv,
        .momentum = {m.up_x - m.down_x, m.up_y - m.down_y, m.up_z - m.down_z},
        .motion = m.up_x + m.down_x + m.up_y + m.down_y + m.up_z + m.down_z,
    };
    return MX_OK;
}

static mx_err add_to_history(md_app *app)
{
    md_history *const h = &app->history;
    const md_state *const s = &app->last;
    const double atoms = (double)app->atoms;
    /* after a restart at the end */
    if (h->step.count > 0 && h->step.values[h->step.count - 1] == (double)app->step) return MX_OK;
    MX_TRY(app_series_add(&h->step, (double)app->step));
    MX_TRY(app_series_add(&h->temperature, s->temperature));
    MX_TRY(app_series_add(&h->potential, s->potential / atoms));
    MX_TRY(app_series_add(&h->pressure, s->pressure));
    MX_TRY(app_series_add(&h->total, (s->potential + s->kinetic) / atoms));
    MX_TRY(app_series_add(&h->conserved, s->conserved / atoms));
    MX_TRY(app_series_add(&h->time, (double)app->step * app->input.dt));
    for (int d = 0; d < 3; d++) MX_TRY(app_series_add(&h->momentum[d], s->momentum[d]));
    return app_series_add(&h->motion, s->motion);
}

mx_err md_print_state(md_app *app)
{
    MX_TRY(md_sum_state(app, &app->last));
    const md_state *const s = &app->last;
    const double started = app->times.solve->first; /* 0: not yet */
    app_print(app->base.report, "%lld %e %e %e %6.3f\n", (long long)app->step, s->temperature,
              s->potential / (double)app->atoms * app->scales.printed_energy, s->pressure,
              started > 0 ? app_now() - started : 0.0);
    return add_to_history(app);
}
