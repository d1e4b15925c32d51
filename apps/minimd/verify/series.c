/* The histories: at which steps and times there are entries, what each entry must hold by itself,
 * and what it has in common with its neighbours, with the beginning that the deck gives, and with
 * the positions of a frame.
 *
 *   by itself        total = potential + kinetic energy; sums of m |v| and of m v lie between what
 *                    the temperature allows; the virial is not larger than energies of such a
 *                    size make it
 *   neighbours       the momentum, and the energy without that at the cutoff, do not change
 *   beginning        a lattice is at its sites, and has the velocities of its generator
 *   positions        potential energy, energy at the cutoff and virial are sums over pairs. Where
 *                    the list was made anew at this step they agree to rounding. Else pairs may be
 *                    missing in it, but no more than the app's check of the energy allows
 *
 * Bounds of the motion. With masses m_i, M = sum of m_i, and N atoms: (sum of m |v_x| + m |v_y| +
 * m |v_z|)^2 is at most 3 M sum of m v^2 (Cauchy and Schwarz), and at least the lightest mass times
 * sum of m v^2, for no term of the square is negative. No momentum is larger than the motion.
 *
 * Bound of the virial. A pair of Lennard-Jones has the energy e = 4 (a - b), with a = s^12 and b =
 * s^6, and the virial w = 48 a - 24 b = 12 e + 24 b. The sum of b over all pairs is at most 15 an
 * atom where the energy is 0, as energies are not below 14.4 an atom, however the atoms are placed.
 * (Yuhjtman, J. Stat. Phys. 160, 2015, 1684.) So the virial is within some hundred times the
 * energies that a run has. VIRIAL_FACTOR of these and of what the last positions have is not
 * physics, but excludes what no run can have.
 *
 * Momentum. Roundings change it by some 1e-16 of the motion an atom and step; the app's check
 * allows MOMENTUM_TOLERANCE of the motion at the end, and no entry may have more. Where nothing
 * moves, its scale is the momentum that atoms with these energies would have. */
#include "md_checks.h"

#include "md_lattice.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define VIRIAL_FACTOR 1e4
/* of a pair that is missing: 6 at the cutoff, 12 near to each other, more where the energy is 0 */
#define VIRIALS_PER_ENERGY 100
#define ENERGY_TOLERANCE 1e-3
#define MOMENTUM_TOLERANCE 1e-9
#define MIXED_MOMENTUM_TOLERANCE 1e-5

/* ---- steps and times ---- */

/* Entries that a run before a restart made need not be at this input's steps. */
static bool check_steps(const minimd *m)
{
    const int64_t restart = m->base.first_step, last = m->entries - 1;
    vf_schedule rest = m->lines;
    int64_t astray = 0, before = 0;
    while (restart > 0 && before < m->entries && m->step[before] <= restart) before++;
    if (restart > 0) rest.after = restart;
    for (int64_t i = 0; i < before; i++)
        astray += i == 0 ? m->step[0] != 0 : m->step[i] <= m->step[i - 1];
    for (int64_t i = before; i < m->entries; i++)
        astray += i - before >= vf_schedule_count(&rest) ||
                  m->step[i] != vf_schedule_step(&rest, i - before);
    vf_count(m->base.verdict, "entries at other steps", astray, 0);
    return vf_count(m->base.verdict, "step of the last entry", last < 0 ? -1 : m->step[last],
                    m->last_step) &&
           astray == 0;
}

/* A time is a product: one rounding. */
static void check_times(const minimd *m)
{
    int64_t astray = 0;
    for (int64_t i = 0; i < m->entries; i++) {
        const double expected = (double)m->step[i] * mv_input(m)->dt;
        astray += !(fabs(m->time[i] - expected) <= DBL_EPSILON * expected);
    }
    vf_count(m->base.verdict, "entries at other times", astray, 0);
}

/* ---- an entry ---- */

/* Of an atom, at an entry. One atom has no temperature; its images exert no force on it, so its
 * velocity is that of the end. */
double mv_kinetic_energy(const minimd *m, int64_t entry)
{
    const double atoms = (double)m->atoms;
    return m->atoms == 1
               ? 0.5 * m->units.energy * m->mvv
               : 0.5 * (3 * atoms - 3) / atoms * m->units.boltzmann * m->temperature[entry];
}

/* Of all atoms, in energies: sum of m v^2. */
static double twice_kinetic(const minimd *m, int64_t entry)
{
    return 2 * mv_kinetic_energy(m, entry) * (double)m->atoms;
}

md_energies mv_energies(const minimd *m)
{
    return (md_energies){.input = mv_input(m),
                         .potential = m->potential_energy,
                         .total = m->total,
                         .pressure = m->pressure,
                         .conserved = m->conserved,
                         .motion = m->motion,
                         .momentum = {m->momentum[0], m->momentum[1], m->momentum[2]},
                         .entries = m->entries,
                         .atoms = (double)m->atoms,
                         .side = m->box + 3,
                         .pressure_unit = m->units.pressure,
                         .mvv_to_energy = m->units.energy};
}

static double volume_of(const minimd *m) { return m->box[3] * m->box[4] * m->box[5]; }

static bool has_new_list(const minimd *m, int64_t step)
{
    return step == 0 || (!mv_input(m)->neigh_check && step % mv_input(m)->every == 0);
}

/* What pairs that are missing in a list may change, of an atom. The conserved energy has all of
 * it. */
static double missing_pairs(const minimd *m, int64_t i)
{
    if (has_new_list(m, m->step[i])) return 0;
    const md_energies e = mv_energies(m);
    return 2 * LIST_TOLERANCE *
           md_energy_size(&e, m->energy / (double)m->atoms, mv_kinetic_energy(m, i),
                          m->pressure[i]);
}

void mv_check_entry(minimd *m, int64_t i)
{
    const double atoms = (double)m->atoms, mvv = twice_kinetic(m, i);
    const double factor = m->units.pressure / (3 * volume_of(m));
    const double missing = missing_pairs(m, i);
    const double rounding =
        (mv_pairs_tolerance(m) * (m->energy_size + fabs(m->at_cutoff) + mvv) + m->edge_energy) /
        atoms;
    const double virial_rounding = mv_pairs_tolerance(m) * (m->virial_size + mvv) + m->edge_virial;
    if (missing > 0 && !m->conserves_energy) return;
    vf_number(m->base.verdict, "potential energy of an entry's positions", m->potential_energy[i],
              m->energy / atoms, rounding + missing);
    vf_number(m->base.verdict, "conserved energy of an entry's positions", m->conserved[i],
              (m->energy - m->at_cutoff + 0.5 * mvv) / atoms, rounding + missing);
    vf_number(m->base.verdict, "pressure of an entry's positions", m->pressure[i],
              (mvv + m->virial) * factor,
              (virial_rounding + VIRIALS_PER_ENERGY * missing * atoms) * factor);
}

/* ---- bounds of all entries ---- */

typedef struct bounds {
    double mass, lightest; /* of all atoms together; of one */
    double energy;         /* the largest of an entry: potential and kinetic, of all atoms */
    double motion;         /* the largest of an entry, or what atoms with that energy would have */
} bounds;

static bounds find_bounds(const minimd *m)
{
    bounds b = {.lightest = m->mass[m->type[0]]};
    mv_sum mass = {0};
    for (int64_t i = 0; i < m->atoms; i++) {
        mv_add(&mass, m->mass[m->type[i]]);
        b.lightest = fmin(b.lightest, m->mass[m->type[i]]);
    }
    b.mass = mv_total(mass);
    for (int64_t i = 0; i < m->entries; i++) {
        const double potential = fabs(m->potential_energy[i]) * (double)m->atoms;
        b.energy = fmax(b.energy, potential + twice_kinetic(m, i));
    }
    b.motion = sqrt(3 * b.mass * (b.energy + m->last_energy_size) / m->units.energy);
    return b;
}

static void check_motion(const minimd *m, const bounds *b)
{
    const double allowed = mv_input(m)->precision == MD_PRECISION_MIXED ? MIXED_MOMENTUM_TOLERANCE
                                                                        : MOMENTUM_TOLERANCE;
    int64_t impossible = 0, too_fast = 0, changed = 0;
    for (int64_t i = 0; i < m->entries; i++) {
        const double mvv = twice_kinetic(m, i) / m->units.energy;
        const double rounding = APP_SUM_TOLERANCE * m->motion[i];
        double change = 0;
        if (m->atoms > 1)
            impossible += !(m->motion[i] <= sqrt(3 * b->mass * mvv) + rounding &&
                            m->motion[i] + rounding >= sqrt(b->lightest * mvv));
        for (int d = 0; d < 3; d++) {
            too_fast += !(fabs(m->momentum[d][i]) <= m->motion[i] + rounding);
            change += fabs(m->momentum[d][i] - m->momentum[d][0]);
        }
        changed += !(change <= allowed * b->motion);
    }
    vf_count(m->base.verdict, "sums of m |v| that the temperature excludes", impossible, 0);
    vf_count(m->base.verdict, "momenta above the sum of m |v|", too_fast, 0);
    if (m->conserves_momentum) vf_count(m->base.verdict, "momenta that change", changed, 0);
}

static void check_virials(const minimd *m, const bounds *b)
{
    const double limit = VIRIAL_FACTOR * (b->energy + m->last_energy_size + m->last_virial_size);
    int64_t impossible = 0;
    for (int64_t i = 0; i < m->entries; i++) {
        const double sum = m->pressure[i] * 3 * volume_of(m) / m->units.pressure;
        impossible += !(fabs(sum - twice_kinetic(m, i)) <= limit);
    }
    vf_count(m->base.verdict, "pressures that no such energies make", impossible, 0);
}

/* The conserved energy has that of pairs at the cutoff, too; its change is a check of the app. */
static void check_energies(minimd *m)
{
    const md_energies e = mv_energies(m);
    double wrong = 0;
    for (int64_t i = 0; i < m->entries; i++) {
        const double kinetic = mv_kinetic_energy(m, i);
        wrong = fmax(wrong, fabs(m->potential_energy[i] + kinetic - m->total[i]) /
                                (fabs(m->potential_energy[i]) + kinetic + 1e-300));
    }
    vf_max(m->base.verdict, "total energy without the potential and kinetic one", wrong, 1e-12);
    const double drift = md_energy_drift(&e);
    m->conserves_energy = drift <= ENERGY_TOLERANCE;
    vf_recompute(&m->base, (vf_recomputed){.name = "energy",
                                           .value = drift,
                                           .value_tolerance = 1e-14,
                                           .tolerance = ENERGY_TOLERANCE,
                                           .compare = APP_NEVER});
}

static void check_momentum(minimd *m)
{
    const md_energies e = mv_energies(m);
    const double tolerance = md_is_mixed(&e) ? MIXED_MOMENTUM_TOLERANCE : MOMENTUM_TOLERANCE;
    const double drift = md_momentum_drift(&e, tolerance);
    m->conserves_momentum = drift <= tolerance;
    vf_recompute(&m->base, (vf_recomputed){.name = "momentum",
                                           .value = drift,
                                           .value_tolerance = 1e-15,
                                           .tolerance = tolerance,
                                           .compare = APP_NEVER});
}

/* ---- the beginning of a lattice ---- */

/* Atoms are numbered through, x fastest; row (j, k) has its first one at i = 0 or 1
 * (md_lattice.h). */
static void find_site(const minimd *m, int64_t index, int64_t *site)
{
    const int64_t row = index / mv_input(m)->nx, rows = 2 * mv_input(m)->ny;
    site[1] = row % rows;
    site[2] = row / rows;
    site[0] = 2 * (index % mv_input(m)->nx) + ((site[1] + site[2]) & 1);
}

void mv_lattice_site(const minimd *m, int64_t index, double *at)
{
    int64_t site[3];
    find_site(m, index, site);
    for (int d = 0; d < 3; d++) at[d] = 0.5 * cbrt(4 / mv_input(m)->density) * (double)site[d];
}

/* The velocity that the generator makes. */
static void find_velocity(const minimd *m, int64_t index, double *velocity)
{
    int64_t site[3];
    find_site(m, index, site);
    const int64_t seed =
        (site[2] * 2 * mv_input(m)->ny + site[1]) * 2 * mv_input(m)->nx + site[0] + 1;
    for (int d = 0; d < 3; d++) velocity[d] = md_lattice_velocity(seed, d);
}

/* The sum of m |v| of these velocities, without that of the centre of mass, and scaled to the
 * temperature. */
static double first_motion(const minimd *m)
{
    mv_sum mass = {0}, momentum[3] = {{0}}, mvv = {0}, motion = {0};
    double velocity[3];
    for (int64_t i = 0; i < m->atoms; i++) {
        find_velocity(m, i, velocity);
        mv_add(&mass, m->mass[m->type[i]]);
        for (int d = 0; d < 3; d++) mv_add(&momentum[d], m->mass[m->type[i]] * velocity[d]);
    }
    for (int64_t i = 0; i < m->atoms; i++) {
        find_velocity(m, i, velocity);
        for (int d = 0; d < 3; d++) {
            const double v = velocity[d] - mv_total(momentum[d]) / mv_total(mass);
            mv_add(&mvv, m->mass[m->type[i]] * v * v);
            mv_add(&motion, m->mass[m->type[i]] * fabs(v));
        }
    }
    const double scale = sqrt(twice_kinetic(m, 0) / m->units.energy / mv_total(mvv));
    return mv_total(mvv) > 0 ? mv_total(motion) * scale : 0;
}

/* Do the forces know one kind of atoms only? */
static bool has_one_kind(const minimd *m)
{
    const coefficients first = m->pair[0][0];
    bool one = true;
    for (int64_t i = 0; i < m->types; i++)
        for (int64_t j = 0; j < m->types; j++) {
            const coefficients c = m->pair[i][j];
            one = one && (mv_is_eam(m) ? m->element[i] == m->element[0]
                                       : c.epsilon == first.epsilon && c.sigma == first.sigma &&
                                             c.cutoff == first.cutoff);
        }
    return one;
}

/* The sums over pairs of the lattice by those of its unit cell and the cell's images: with atoms of
 * one kind both are the same crystal without an end. */
static bool sum_unit_cell(minimd *m, double side)
{
    enum { ATOMS = 4 };
    double box[] = {0, 0, 0, side, side, side}, half = side / 2;
    double sites[3 * ATOMS] = {0, 0, 0, half, half, 0, half, 0, half, 0, half, half};
    int64_t type[ATOMS] = {0};
    const double cells = (double)m->atoms / ATOMS;
    minimd one = *m;
    mv_forget_cells(&one);
    one.atoms = ATOMS;
    one.box = box;
    one.type = type;
    const bool good = mv_sum_pairs(&one, sites);
    mv_free_cells(&one);
    m->energy = one.energy * cells;
    m->virial = one.virial * cells;
    m->at_cutoff = one.at_cutoff * cells;
    m->energy_size = one.energy_size * cells;
    m->virial_size = one.virial_size * cells;
    m->edge_energy = one.edge_energy * cells;
    m->edge_virial = one.edge_virial * cells;
    return good;
}

static bool sum_sites(minimd *m)
{
    double *const sites = malloc((size_t)m->atoms * 3 * sizeof *sites);
    if (!sites) return vf_impossible(m->base.verdict, "lattice", "no memory to verify it");
    for (int64_t i = 0; i < m->atoms; i++) mv_lattice_site(m, i, sites + 3 * i);
    const bool good = mv_sum_pairs(m, sites);
    free(sites);
    return good;
}

static bool check_beginning(minimd *m)
{
    const double side = cbrt(4 / mv_input(m)->density);
    const bool few_images = m->cutoff <= 4 * side;
    const bool good = has_one_kind(m) && few_images ? sum_unit_cell(m, side) : sum_sites(m);
    if (good) mv_check_entry(m, 0);
    const double motion = first_motion(m);
    vf_number(m->base.verdict, "temperature of the lattice", m->temperature[0],
              mv_input(m)->temperature, APP_SUM_TOLERANCE * mv_input(m)->temperature);
    vf_number(m->base.verdict, "sum of m |v| of the lattice", m->motion[0], motion,
              APP_SUM_TOLERANCE * motion);
    for (int d = 0; d < 3; d++)
        vf_number(m->base.verdict, "momentum of the lattice", m->momentum[d][0], 0,
                  APP_SUM_TOLERANCE * motion);
    return good;
}

/* ---- all together ---- */

bool mv_row_histories(void *state)
{
    minimd *const m = state;
    const double atoms = (double)m->atoms;
    const bool at_steps = check_steps(m);
    check_times(m);
    check_energies(m);
    check_momentum(m);
    vf_recompute(&m->base, (vf_recomputed){.name = "atoms", .value = atoms, .expected = atoms});
    const bounds b = find_bounds(m);
    check_motion(m, &b);
    check_virials(m, &b);
    m->base.outcome = "passed";
    return at_steps && (mv_input(m)->data_file || check_beginning(m));
}
