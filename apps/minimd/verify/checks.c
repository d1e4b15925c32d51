/* The physics of a results file of miniMD, from what it stores and nothing else: positions,
 * velocities, types, box, masses, coefficients or the potential's file.
 *
 *   energy and virial   of the last positions, by a double loop over cells and their periodic images; no neighbour list. EAM: values
 *                       between knots by Hermite's basis functions from values and slopes at the knots, not from coefficients
 *   temperature         from the velocities
 *   histories           total = potential + kinetic; their last entries are what the above says, but for pairs that are missing in a
 *                       neighbour list of some steps ago. So the run made a new list at its end, and the energy and pressure
 *                       with it are the ones that must agree (checks last_energy and last_pressure)
 *   checks              drift of energy and momentum, from the histories
 *
 * Tolerances: the run adds the same numbers in another order. N numbers of size x have roundings of
 * about sqrt(N) 1e-16 x; 1e-12 of the sum of their magnitudes is enough for all N that fit a file.
 * The sums of this file are compensated: a lattice has N equal numbers. Positions were wrapped, and
 * moved to the corner of the box: a change of 1e-16 of the box, so of 1e-13 of an energy, as these
 * change by 100 times themselves over a sigma.
 * precision=mixed computed the pairs in single precision: a distance has an error of some 1.5e-7 of
 * the size of a cluster, 12 times of which goes into an energy and 14 times into a virial, and ten
 * operations round: 3e-6 in the worst case. The sizes by which checks divide: md_sizes.h. */
#include "md_checks.h"

#include "md_lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is stored ---- */

/* What is described in contents.c is there, finite, and in its bounds. */
static bool read_reals(minimd *m, const char *path, double **values)
{
    int64_t count = 0;
    return app_reader_f64(m->base.reader, path, &count, values) == MX_OK ||
           vf_impossible(m->base.verdict, path, mx_err_message());
}

static bool read_wholes(minimd *m, const char *path, int64_t **values)
{
    int64_t count = 0;
    return app_reader_i64(m->base.reader, path, &count, values) == MX_OK ||
           vf_impossible(m->base.verdict, path, mx_err_message());
}

/* From 0 on here. Those of a lattice follow from the ids. */
static bool read_types(minimd *m)
{
    int64_t wrong = 0;
    if (!read_wholes(m, "/fields/type", &m->type)) return false;
    for (int64_t i = 0; i < m->atoms; i++) {
        m->type[i]--;
        wrong += !mv_input(m)->data_file && m->type[i] != md_lattice_type(i + 1, (int)m->types);
    }
    return vf_count(m->base.verdict, "types that the lattice does not have", wrong, 0);
}

static bool read_box(minimd *m)
{
    if (!read_reals(m, "/fields/box", &m->box)) return false;
    for (int d = 0; d < 3; d++)
        if (!(m->box[3 + d] > 0))
            return vf_impossible(m->base.verdict, "/fields/box", "has a side that is not above 0");
    if (mv_input(m)->data_file) return true;
    const int64_t cells[] = {mv_input(m)->nx, mv_input(m)->ny, mv_input(m)->nz};
    const double side = cbrt(4 / mv_input(m)->density);
    for (int d = 0; d < 3; d++) {
        vf_number(m->base.verdict, "side of the box", m->box[3 + d], side * (double)cells[d],
                  1e-14 * m->box[3 + d]);
        vf_number(m->base.verdict, "corner of the box", m->box[d], 0, 0);
    }
    return true;
}

static bool read_series(minimd *m)
{
    double **const all[] = {&m->time,        &m->temperature, &m->pressure, &m->potential_energy,
                            &m->total,       &m->conserved,   &m->motion,   &m->momentum[0],
                            &m->momentum[1], &m->momentum[2]};
    static const char *const paths[] = {"/series/time",         "/series/temperature",
                                        "/series/pressure",     "/series/potential_energy",
                                        "/series/total_energy", "/series/conserved_energy",
                                        "/series/motion",       "/series/momentum_x",
                                        "/series/momentum_y",   "/series/momentum_z"};
    if (!read_wholes(m, "/series/step", &m->step)) return false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!read_reals(m, paths[i], all[i])) return false;
    return true;
}

static bool read_state(void *state)
{
    minimd *const m = state;
    return read_types(m) && md_stored_ids(&m->base, mv_input(m), m->atoms) && read_box(m) &&
           read_reals(m, "/fields/position", &m->position) &&
           read_reals(m, "/fields/velocity", &m->velocity) &&
           read_reals(m, "/fields/type_mass", &m->mass) &&
           mv_to_corner(m, "/fields/position", m->position) && read_series(m);
}

/* ---- coefficients ---- */

/* The input's, where it has them: a list of one entry counts for all types. */
static double of_type(const double *list, int entries, int64_t type)
{
    return entries == 0 ? 1 : list[entries == 1 ? 0 : type];
}

static double mixed(const minimd *m, double a, double b)
{
    return mv_input(m)->mixing == MD_MIXING_ARITHMETIC ? 0.5 * (a + b) : sqrt(a * b);
}

static void compare_with_input(minimd *m, int64_t i, int64_t j)
{
    const md_input *const in = mv_input(m);
    const coefficients *const c = &m->pair[i][j];
    const double epsilon =
        sqrt(of_type(in->epsilon, in->epsilons, i) * of_type(in->epsilon, in->epsilons, j));
    const double sigma =
        mixed(m, of_type(in->sigma, in->sigmas, i), of_type(in->sigma, in->sigmas, j));
    vf_number(m->base.verdict, "epsilon of two types", c->epsilon, epsilon, 1e-14 * epsilon);
    vf_number(m->base.verdict, "sigma of two types", c->sigma, sigma, 1e-14 * sigma);
    vf_number(m->base.verdict, "cutoff of two types", c->cutoff, in->cutoff, 0);
}

/* Sums over pairs use the coefficients of one order of the two types. */
static bool read_pairs(minimd *m)
{
    const int64_t n = m->types;
    int64_t differing = 0;
    if (!read_reals(m, "/fields/pair_coefficients", &m->stored_pairs)) return false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double *const row = m->stored_pairs + 3 * (i * n + j);
            const double *const other = m->stored_pairs + 3 * (j * n + i);
            differing += j < i && memcmp(row, other, 3 * sizeof *row) != 0;
            m->pair[i][j] = (coefficients){row[0], row[1], row[2]};
            if (!(row[0] >= 0 && row[1] > 0 && row[2] > 0))
                return vf_impossible(m->base.verdict, "/fields/pair_coefficients",
                                     "are not above 0");
            m->cutoff = fmax(m->cutoff, row[2]);
            if (!mv_input(m)->data_file) compare_with_input(m, i, j);
        }
    }
    vf_count(m->base.verdict, "coefficients that depend on the order of types", differing, 0);
    return true;
}

static bool read_potential(minimd *m)
{
    if (!md_stored_potential(&m->base, mv_input(m), (int)m->types, &m->potential, m->element))
        return false;
    m->cutoff = m->potential.cutoff;
    return true;
}

/* The deck's masses count, then the potential's; else all are 1. Those of a data file are not known
 * otherwise. */
static void check_masses(const minimd *m)
{
    const md_input *const in = mv_input(m);
    int64_t wrong = 0;
    if (in->data_file && in->masses == 0) return;
    for (int64_t t = 0; t < m->types; t++) {
        const double expected = in->masses == 0 && mv_is_eam(m)
                                    ? m->potential.element[m->element[t]].mass
                                    : of_type(in->mass, in->masses, t);
        wrong += m->mass[t] != expected;
    }
    vf_count(m->base.verdict, "masses that are not of the input", wrong, 0);
}

static bool read_coefficients(void *state)
{
    minimd *const m = state;
    const bool good = mv_is_eam(m) ? read_potential(m) : read_pairs(m);
    if (good) check_masses(m);
    return good;
}

/* ---- the last state ---- */

static void sum_motion(minimd *m)
{
    mv_sum mvv = {0}, momentum[3] = {{0}}, motion = {0};
    for (int64_t i = 0; i < m->atoms; i++) {
        const double mass = m->mass[m->type[i]];
        for (int d = 0; d < 3; d++) {
            const double p = mass * m->velocity[3 * i + d];
            mv_add(&mvv, p * m->velocity[3 * i + d]);
            mv_add(&momentum[d], p);
            mv_add(&motion, fabs(p));
        }
    }
    m->mvv = mv_total(mvv);
    m->motion_now = mv_total(motion);
    for (int d = 0; d < 3; d++) m->momentum_now[d] = mv_total(momentum[d]);
}

/* A check of the last step: the history has `value`; the positions have `expected`, which the check
 * has too. `size` of the energies, as the app knows it within size_tolerance: their rounding. */
static void expect_last(minimd *m, const char *name, double value, double expected,
                        double expected_tolerance, double size, double size_tolerance)
{
    const double tolerance = LIST_TOLERANCE * size;
    vf_recompute(&m->base, (vf_recomputed){.name = name,
                                           .value = value,
                                           .expected = expected,
                                           .expected_tolerance = expected_tolerance,
                                           .tolerance = tolerance,
                                           .tolerance_tolerance = LIST_TOLERANCE * size_tolerance,
                                           .absolute = true,
                                           .compare = APP_NEVER});
    vf_number(m->base.verdict, name, value, expected, tolerance + expected_tolerance);
}

static bool check_state(void *state)
{
    minimd *const m = state;
    vf_verdict *const v = m->base.verdict;
    const int64_t last = m->entries - 1;
    const double atoms = (double)m->atoms, volume = m->box[3] * m->box[4] * m->box[5];
    if (!mv_sum_pairs(m, m->position)) return false;
    m->last_energy_size = m->energy_size;
    m->last_virial_size = m->virial_size;
    sum_motion(m);
    const double kinetic = m->units.energy * m->mvv, freedom = 3 * atoms - 3;
    const double temperature = freedom > 0 ? kinetic / (freedom * m->units.boltzmann) : 0;
    const double pairs_tolerance = mv_pairs_tolerance(m);
    const double energy_tolerance =
        (pairs_tolerance * (m->energy_size + kinetic) + m->edge_energy) / atoms;
    /* a size has a sixteenth of the virial (md_sizes.h) */
    const double size_tolerance =
        energy_tolerance +
        (pairs_tolerance * (kinetic + m->virial_size) + m->edge_virial) / (16 * atoms);
    const double factor = m->units.pressure / (3 * volume);
    const double pressure = (kinetic + m->virial) * factor;
    const md_energies e = mv_energies(m);
    const double size = md_energy_size(&e, m->energy / atoms, 0.5 * kinetic / atoms, pressure);
    const double energy_density = atoms / volume * m->units.pressure; /* of one energy an atom */
    expect_last(m, "last_energy", m->potential_energy[last], m->energy / atoms, energy_tolerance,
                size, size_tolerance);
    expect_last(m, "last_pressure", m->pressure[last], pressure,
                (pairs_tolerance * (kinetic + m->virial_size) + m->edge_virial) * factor,
                size * energy_density, size_tolerance * energy_density);
    vf_number(v, "temperature of the velocities", m->temperature[last], temperature,
              APP_SUM_TOLERANCE * temperature);
    vf_number(v, "conserved energy of the positions", m->conserved[last],
              (m->energy - m->at_cutoff + 0.5 * kinetic) / atoms,
              LIST_TOLERANCE * size + energy_tolerance);
    vf_number(v, "sum of m |v|", m->motion[last], m->motion_now, APP_SUM_TOLERANCE * m->motion_now);
    for (int d = 0; d < 3; d++)
        vf_number(v, "momentum", m->momentum[d][last], m->momentum_now[d],
                  APP_SUM_TOLERANCE * m->motion_now);
    return true;
}

static void release(void *state)
{
    minimd *const m = state;
    void *const all[] = {m->step,
                         m->position,
                         m->velocity,
                         m->type,
                         m->box,
                         m->mass,
                         m->time,
                         m->temperature,
                         m->pressure,
                         m->total,
                         m->conserved,
                         m->motion,
                         m->momentum[0],
                         m->momentum[1],
                         m->momentum[2],
                         m->stored_pairs,
                         m->potential_energy};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    mv_free_cells(m);
    md_potential_free(&m->potential);
}

static const vf_row rows[] = {
    {"stored state", read_state}, {"coefficients", read_coefficients},
    {"last state", check_state},  {"histories", mv_row_histories},
    {"frames", mv_row_frames},
};

const vf_physics vf_physics_minimd = {
    .app = "minimd",
    .input = &md_keys,
    .state_bytes = sizeof(minimd),
    .contents = mv_contents,
    .release = release,
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};
