/* The sizes by which the checks of a run divide, where the numbers themselves may cancel: for the
 * run and for minx-verify.
 *
 * A crystal at rest has a motion that is rounding, and pairs at a distance of sigma have the energy
 * 0. What is not 0 are the terms that cancel. Of Lennard-Jones, let A and B be the sums over pairs
 * of 4 epsilon (sigma/r)^12 and of 4 epsilon (sigma/r)^6. Then the energy is U = A - B, and the sum
 * of r . f is W = 12 A - 6 B. So A = W/6 - U, B = W/6 - 2 U, and the terms of r . f are
 *
 *     12 A + 6 B = 3 W - 24 U,    at most 24 |U| + 3 |W|.
 *
 * These are md_terms. U and W cannot both be 0 where there are pairs. Shifted forces and the
 * embedded-atom method have terms of the same order.
 *
 * Roundings (u = 2^-53; precision=mixed computes pairs in float, u = 2^-24). A force on an atom
 * adds terms, which leaves 4 u of them, the same in each atom of a crystal. And the image of an
 * atom has another rounding of its position, by u L, where L is the side of the box: 14 u L / r of
 * a force, because that changes with r^-13, with random signs. Each step adds as much to the
 * momentum. Atoms are at least a third of the cutoff apart, as a rule: that is r. */
#pragma once
#include "input/md_input.h"

#include <math.h>

/* Histories: energies of an atom, pressures, momenta; and what they belong to. */
typedef struct md_energies {
    const md_input *input;
    const double *potential, *total, *pressure, *conserved, *motion, *momentum[3];
    int64_t entries;
    double atoms;
    const double *side;   /* of the box */
    double pressure_unit; /* pressure units in an energy unit per volume */
    double mvv_to_energy; /* energy units in mass * velocity^2 */
} md_energies;

static inline bool md_is_mixed(const md_energies *e)
{
    return e->input->precision == MD_PRECISION_MIXED;
}

/* Of an atom, from energies of an atom. */
static inline double md_terms(const md_energies *e, double potential, double kinetic,
                              double pressure)
{
    const double volume = e->side[0] * e->side[1] * e->side[2];
    const double virial = 3 * volume * pressure / (e->pressure_unit * e->atoms) - 2 * kinetic;
    return 24 * fabs(potential) + 3 * fabs(virial);
}

/* The size of an energy of an atom. A quarter of A + B, at most, takes the place of energies that
 * cancel. */
static inline double md_energy_size(const md_energies *e, double potential, double kinetic,
                                    double pressure)
{
    return fmax(fabs(potential) + kinetic, md_terms(e, potential, kinetic, pressure) / 48);
}

/* Entry i of the histories: its terms, and its size. */
static inline double md_terms_at(const md_energies *e, int64_t i)
{
    return md_terms(e, e->potential[i], e->total[i] - e->potential[i], e->pressure[i]);
}
static inline double md_energy_size_at(const md_energies *e, int64_t i)
{
    return md_energy_size(e, e->potential[i], e->total[i] - e->potential[i], e->pressure[i]);
}

/* The largest change of the conserved energy since the start, relative to the energies then and at
 * the end. */
static inline double md_energy_drift(const md_energies *e)
{
    double change = 0;
    for (int64_t i = 1; i < e->entries; i++) {
        const double since = fabs(e->conserved[i] - e->conserved[0]);
        if (isnan(since)) return since;
        change = fmax(change, since);
    }
    const double size = fmax(md_energy_size_at(e, 0), md_energy_size_at(e, e->entries - 1));
    return size > 0 ? change / size : change;
}

/* What roundings of forces may have added to the momentum of all atoms. */
static inline double md_momentum_roundings(const md_energies *e)
{
    const double u = md_is_mixed(e) ? 0x1p-24 : 0x1p-53;
    const double r = e->input->cutoff / 3, time = e->input->dt * (double)e->input->steps;
    const double terms = fmax(md_terms_at(e, 0), md_terms_at(e, e->entries - 1));
    const double forces = e->atoms * terms / (r * e->mvv_to_energy);
    const double longest = fmax(e->side[0], fmax(e->side[1], e->side[2]));
    const double images = md_is_mixed(e) ? 14 : 14 * longest / r;
    return time * forces * u * (4 + images / sqrt(e->atoms));
}

/* The change of the momentum since the start, relative to the sum of m |v| then and now. Where that
 * is small, relative to what has the tolerance times its size as roundings. */
static inline double md_momentum_drift(const md_energies *e, double tolerance)
{
    const int64_t last = e->entries - 1;
    double change = 0;
    for (int d = 0; d < 3; d++) change += fabs(e->momentum[d][last] - e->momentum[d][0]);
    const double motion = fmax(e->motion[0], e->motion[last]);
    const double size = fmax(motion, md_momentum_roundings(e) / tolerance);
    return size > 0 ? change / size : change;
}
