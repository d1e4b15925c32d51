/* What every run checks of itself.
 *
 *   atoms      none was lost, none came twice
 *   momentum   pairs of atoms push each other with opposite forces, so the total momentum is that of the start
 *   energy     the total energy is that of the start, but for the error of the time step
 *   last_energy, last_pressure
 *              of the last step, against those of the same positions with a new list: no pair was missing that matters
 *
 * A cutoff without shift adds to the energy whatever pairs of atoms have when they come within it,
 * or go: -0.0163 epsilon for each pair with the usual cutoff of 2.5 sigma. The forces do not know
 * of these steps. So what they conserve is the energy without the energy at the cutoff of all pairs
 * within it (md_energy.at_cutoff), and that is what is checked. The total energy itself may differ
 * from its start by the energy at the cutoff times the change of the number of pairs: 2e-3 of it in
 * the original's default problem, where the lattice melts.
 *
 * Tolerances. energy: velocity Verlet keeps an energy that differs from the true one by terms of
 * second order in the step; and lists that last for a fixed number of steps miss some pairs.
 * Relative to the size of the energies, |potential| + kinetic as a rule (md_sizes.h), EAM's default
 * problem has 1.3e-6, that of Lennard-Jones 2e-5 in 100 steps and 1.7e-4 in 10,000, and with lists
 * that are checked 2e-5. Twice the default step, with as many steps to a list, has 1.7e-3.
 * momentum: rounding of sums over neighbours, some 1e-16 of the motion an atom and step, with
 * random signs; where atoms are at rest the motion is rounding too, and md_sizes.h has a bound.
 * With precision=mixed the forces of a pair are opposite to the bit if both atoms are of this rank.
 * Otherwise each side has another rounding of the image's position: 1e-6 of the force at most, with
 * random signs. 864 atoms, most of them near a side of the box, have 6e-9 after 100 steps; it grows
 * with the square root of the steps over the atoms. last: the default problem has 1e-5 of the
 * energies while its lattice melts, where the original's 20 steps are too many for the fastest
 * atoms, and less than 1e-15 where the last step has a new list. */
#include "md_app.h"
#include "md_sizes.h"

#include <math.h>

static const double ENERGY_TOLERANCE = 1e-3, MOMENTUM_TOLERANCE = 1e-9,
                    MIXED_MOMENTUM_TOLERANCE = 1e-5, LIST_TOLERANCE = 1e-3;

static double last_of(const app_series *s) { return s->values[s->count - 1]; }

static md_energies energies_of(const md_app *app)
{
    const md_history *const h = &app->history;
    return (md_energies){
        .input = &app->input,
        .potential = h->potential.values,
        .total = h->total.values,
        .pressure = h->pressure.values,
        .conserved = h->conserved.values,
        .motion = h->motion.values,
        .momentum = {h->momentum[0].values, h->momentum[1].values, h->momentum[2].values},
        .entries = h->potential.count,
        .atoms = (double)app->atoms,
        .side = app->box.length,
        .pressure_unit = app->scales.pressure,
        .mvv_to_energy = app->scales.mvv_to_energy};
}

/* The state at the end, with a new list. */
static mx_err sum_anew(md_app *app, md_state *state)
{
    MX_TRY(md_migrate(app));
    MX_TRY(md_make_borders(app));
    MX_TRY(app_agree(app->base.comm, app->form->build(app)));
    MX_TRY(md_compute_force(app, true));
    return md_sum_state(app, state);
}

/* Tolerances are relative to what is expected, but 0 is expected of no size. */
static mx_err check_last(md_app *app, const char *name, double value, double expected, double size)
{
    const double absolute = LIST_TOLERANCE * size;
    const double tolerance = expected != 0 ? absolute / fabs(expected) : absolute;
    return app_check(&app->base, name, value, (app_expect){expected, tolerance, APP_NEVER});
}

static mx_err check_list(md_app *app)
{
    const double atoms = (double)app->atoms, *const length = app->box.length;
    md_state s;
    MX_TRY(sum_anew(app, &s));
    const md_energies e = energies_of(app);
    const double size = md_energy_size(&e, s.potential / atoms, s.kinetic / atoms, s.pressure);
    const double density = atoms / (length[0] * length[1] * length[2]);
    MX_TRY(check_last(app, "last_energy", last_of(&app->history.potential), s.potential / atoms,
                      size));
    return check_last(app, "last_pressure", last_of(&app->history.pressure), s.pressure,
                      size * density * app->scales.pressure);
}

static mx_err verify(md_app *app)
{
    const md_energies e = energies_of(app);
    const double tolerance = md_is_mixed(&e) ? MIXED_MOMENTUM_TOLERANCE : MOMENTUM_TOLERANCE;
    MX_TRY(check_list(app));
    int64_t atoms = app->local;
    MX_TRY(app_sum_i64(app->base.comm, &atoms, 1));
    MX_TRY(app_check(&app->base, "atoms", (double)atoms,
                     (app_expect){(double)app->atoms, 0, APP_EXACT}));
    MX_TRY(app_check(&app->base, "momentum", md_momentum_drift(&e, tolerance),
                     (app_expect){0, tolerance, APP_NEVER}));
    return app_check(&app->base, "energy", md_energy_drift(&e),
                     (app_expect){0, ENERGY_TOLERANCE, APP_NEVER});
}

mx_err md_verify(md_app *app) { return app_end_stage(&app->base, verify(app)); }
