/* The physics of a results file of miniMD, from what it stores and nothing else: positions,
 * velocities, types, box, masses, coefficients or the potential's file.
 *
 *   energy and virial   of the last positions, by a double loop over cells whose sides are at least the cutoff, and their periodic
 *                       images; no neighbour list. EAM: values between knots by Hermite's basis functions from values and slopes at
 *                       the knots, not from coefficients
 *   temperature         from the velocities
 *   histories           total = potential + kinetic; their last entries are what the above says, but for pairs that are missing in a
 *                       neighbour list of some steps ago. So the run made a new list at its end, and the energy and pressure
 *                       with it are the ones that must agree (checks last_energy and last_pressure)
 *   checks              drift of energy and momentum, from the histories
 *
 * Tolerances: the run and this file add the same numbers in other orders. N numbers of size x have
 * roundings of about sqrt(N) 1e-16 x; 1e-12 of the sum of their magnitudes is enough for all N that
 * fit a file. Positions were wrapped, and moved to the corner of the box: a change of 1e-16 of the
 * box, so of 1e-13 of an energy, as these change by 100 times themselves over a sigma.
 * precision=mixed computed the pairs in single precision: a distance has an error of some 1.5e-7 of
 * the size of a cluster, 12 times of which goes into an energy and 14 times into a virial, and ten
 * operations round: 3e-6 in the worst case. */
#include "physics.h"

#include "md_sizes.h"
#include "physics_table.h"
#include "stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SUM_TOLERANCE 1e-11
#define MIXED_TOLERANCE 3e-6
#define LIST_TOLERANCE 1e-3
#define FARTHEST 1e6
/* the cutoff is at most so many times as long as the box */
#define MAX_BOXES 15

/* ---- what is stored ---- */

typedef struct coefficients {
    double epsilon, sigma, cutoff;
} coefficients;

/* Units: energy in m v^2, Boltzmann's constant, pressure of one energy per volume; as the original
 * has them. */
typedef struct units {
    double energy, boltzmann, pressure;
} units;

typedef struct minimd {
    vf_base base;
    md_input input;
    units units;
    int64_t atoms, entries; /* of the histories */
    int64_t types;
    double *position, *velocity; /* [atoms][3]; position: from the box's corner */
    int64_t *type;               /* from 0 on */
    double *box;                 /* corner, sides */
    double *mass;                /* of each type */
    double *stored_pairs;        /* [types * types]: epsilon, sigma, cutoff */
    coefficients pair[MD_MAX_TYPES][MD_MAX_TYPES];
    md_potential potential;
    int element[MD_MAX_TYPES]; /* of each type */
    double *time, *temperature, *pressure, *potential_energy, *total, *conserved, *motion;
    double *momentum[3];

    /* cells: the atoms of cell c are cell_atom[cell_begin[c]] to before cell_begin[c + 1] */
    double cutoff;
    int cells[3], cutoff_cells[3];
    int64_t *cell_begin, *cell_atom;
    double *density, *derivative; /* EAM: rho and F'(rho) of each atom */

    /* recomputed */
    double energy, virial, at_cutoff;
    double energy_size, virial_size; /* sums of magnitudes */
    double mvv, momentum_now[3], motion_now;
} minimd;

static bool is_eam(const minimd *m) { return m->input.force == MD_FORCE_EAM; }

static bool read_array(minimd *m, const char *path, int64_t count, double **values)
{
    int64_t got = 0;
    if (app_reader_f64(m->base.reader, path, &got, values) != MX_OK)
        return vf_impossible(m->base.verdict, path, mx_err_message());
    for (int64_t i = 0; i < got; i++)
        if (!isfinite((*values)[i]))
            return vf_impossible(m->base.verdict, path, "has a value that is no number");
    return count < 0 || vf_count(m->base.verdict, path, got, count);
}

static bool read_types(minimd *m)
{
    int64_t count = 0;
    if (app_reader_i64(m->base.reader, "/fields/type", &count, &m->type) != MX_OK)
        return vf_impossible(m->base.verdict, "/fields/type", mx_err_message());
    m->atoms = count;
    const app_node *const masses = app_reader_find(m->base.reader, "/fields/type_mass");
    m->types = masses ? masses->count : 0;
    if (m->types < 1 || m->types > MD_MAX_TYPES)
        return vf_impossible(m->base.verdict, "/fields/type_mass", "is to have 1 to 8 entries");
    for (int64_t i = 0; i < count; i++) {
        m->type[i]--;
        if (m->type[i] < 0 || m->type[i] >= m->types)
            return vf_impossible(m->base.verdict, "/fields/type", "has a type without a mass");
    }
    return vf_words(m->base.verdict, "/fields/type", count > 0, "is to have an entry an atom");
}

static bool read_box(minimd *m)
{
    if (!read_array(m, "/fields/box", 6, &m->box)) return false;
    for (int d = 0; d < 3; d++)
        if (!(m->box[3 + d] > 0))
            return vf_impossible(m->base.verdict, "/fields/box", "has a side that is not above 0");
    if (m->input.data_file) return true;
    const int64_t cells[] = {m->input.nx, m->input.ny, m->input.nz};
    const double side = cbrt(4 / m->input.density);
    for (int d = 0; d < 3; d++)
        vf_number(m->base.verdict, "side of the box", m->box[3 + d], side * (double)cells[d],
                  1e-14 * m->box[3 + d]);
    return vf_count(m->base.verdict, "atoms of the lattice", m->atoms,
                    4 * cells[0] * cells[1] * cells[2]);
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
    int64_t *steps = NULL;
    if (app_reader_i64(m->base.reader, "/series/step", &m->entries, &steps) != MX_OK)
        return vf_impossible(m->base.verdict, "/series/step", mx_err_message());
    const bool ends = m->entries > 0 && steps[m->entries - 1] == m->input.steps && steps[0] == 0;
    bool rising = true;
    for (int64_t i = 1; i < m->entries; i++) rising = rising && steps[i] > steps[i - 1];
    free(steps);
    if (!vf_words(m->base.verdict, "/series/step", ends && rising,
                  "is to rise from 0 to the last step"))
        return false;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!read_array(m, paths[i], m->entries, all[i])) return false;
    return true;
}

/* Positions are stored from the box's corner from here on. Farther away, they have lost digits that
 * matter. */
static bool wrap_positions(minimd *m)
{
    for (int64_t i = 0; i < 3 * m->atoms; i++) {
        const double side = m->box[3 + i % 3], x = m->position[i] - m->box[i % 3];
        if (!(fabs(x) <= FARTHEST * side))
            return vf_impossible(m->base.verdict, "/fields/position",
                                 "has one that is a million boxes away");
        m->position[i] = x - side * floor(x / side);
    }
    return true;
}

static bool read_state(void *state)
{
    static const units lj = {1, 1, 1}, metal = {1.036427e-4, 8.617343e-5, 1.602176e6};
    minimd *const m = state;
    m->units = m->input.units == MD_UNITS_METAL ? metal : lj;
    if (!read_types(m) || !md_stored_ids(&m->base, &m->input, m->atoms) || !read_box(m))
        return false;
    if (!read_array(m, "/fields/position", 3 * m->atoms, &m->position)) return false;
    if (!read_array(m, "/fields/velocity", 3 * m->atoms, &m->velocity)) return false;
    if (!read_array(m, "/fields/type_mass", m->types, &m->mass)) return false;
    for (int64_t t = 0; t < m->types; t++)
        if (!(m->mass[t] > 0))
            return vf_impossible(m->base.verdict, "/fields/type_mass",
                                 "has one that is not above 0");
    return wrap_positions(m) && read_series(m);
}

/* ---- coefficients ---- */

/* The input's, where it has them: a list of one entry counts for all types. */
static double of_type(const double *list, int entries, int64_t type)
{
    return entries == 0 ? 1 : list[entries == 1 ? 0 : type];
}

static double mixed(const minimd *m, double a, double b)
{
    return m->input.mixing == MD_MIXING_ARITHMETIC ? 0.5 * (a + b) : sqrt(a * b);
}

static void compare_with_input(minimd *m, int64_t i, int64_t j)
{
    const md_input *const in = &m->input;
    const coefficients *const c = &m->pair[i][j];
    const double epsilon =
        sqrt(of_type(in->epsilon, in->epsilons, i) * of_type(in->epsilon, in->epsilons, j));
    const double sigma =
        mixed(m, of_type(in->sigma, in->sigmas, i), of_type(in->sigma, in->sigmas, j));
    vf_number(m->base.verdict, "epsilon of two types", c->epsilon, epsilon, 1e-14 * epsilon);
    vf_number(m->base.verdict, "sigma of two types", c->sigma, sigma, 1e-14 * sigma);
    vf_number(m->base.verdict, "cutoff of two types", c->cutoff, in->cutoff, 0);
}

static bool read_pairs(minimd *m)
{
    const int64_t n = m->types;
    if (!read_array(m, "/fields/pair_coefficients", 3 * n * n, &m->stored_pairs)) return false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            const double *const row = m->stored_pairs + 3 * (i * n + j);
            m->pair[i][j] = (coefficients){row[0], row[1], row[2]};
            if (!(row[0] >= 0 && row[1] > 0 && row[2] > 0))
                return vf_impossible(m->base.verdict, "/fields/pair_coefficients",
                                     "are not above 0");
            m->cutoff = fmax(m->cutoff, row[2]);
            if (!m->input.data_file) compare_with_input(m, i, j);
        }
    }
    return true;
}

static bool read_potential(minimd *m)
{
    if (!md_stored_potential(&m->base, &m->input, (int)m->types, &m->potential, m->element))
        return false;
    m->cutoff = m->potential.cutoff;
    return true;
}

static bool read_coefficients(void *state)
{
    minimd *const m = state;
    return is_eam(m) ? read_potential(m) : read_pairs(m);
}

/* ---- cells ---- */

static int64_t cell_of(const minimd *m, int64_t atom)
{
    int64_t cell = 0;
    for (int d = 2; d >= 0; d--) {
        const int at = (int)(m->position[3 * atom + d] / m->box[3 + d] * m->cells[d]);
        cell = cell * m->cells[d] + (at < m->cells[d] ? at : m->cells[d] - 1);
    }
    return cell;
}

/* As many cells as have sides of the cutoff, but not more than there are atoms. */
static bool choose_cells(minimd *m)
{
    const double max_per_axis = cbrt((double)m->atoms) + 1;
    for (int d = 0; d < 3; d++) {
        if (!(m->cutoff <= MAX_BOXES * m->box[3 + d]))
            return vf_impossible(m->base.verdict, "/fields/box",
                                 "has a side of less than a fifteenth of the cutoff");
        const double fit = floor(m->box[3 + d] / m->cutoff);
        m->cells[d] = (int)fmax(1, fmin(fit, max_per_axis));
        m->cutoff_cells[d] = (int)ceil(m->cutoff * m->cells[d] / m->box[3 + d]);
    }
    return true;
}

static bool make_cells(minimd *m)
{
    if (!choose_cells(m)) return false;
    const int64_t cells = (int64_t)m->cells[0] * m->cells[1] * m->cells[2];
    m->cell_begin = calloc((size_t)cells + 1, sizeof *m->cell_begin);
    m->cell_atom = calloc((size_t)m->atoms, sizeof *m->cell_atom);
    m->density = calloc((size_t)m->atoms, sizeof *m->density);
    m->derivative = calloc((size_t)m->atoms, sizeof *m->derivative);
    if (!m->cell_begin || !m->cell_atom || !m->density || !m->derivative)
        return vf_impossible(m->base.verdict, "/fields/position", "no memory to verify them");
    for (int64_t i = 0; i < m->atoms; i++) m->cell_begin[cell_of(m, i)]++;
    for (int64_t c = 0, sum = 0; c <= cells; c++) {
        sum += m->cell_begin[c];
        m->cell_begin[c] = sum;
    }
    for (int64_t i = m->atoms - 1; i >= 0; i--)
        m->cell_atom[--m->cell_begin[cell_of(m, i)]] = i; /* ends as begins */
    return true;
}

/* Two atoms within the cutoff: the second one, and the distance. */
typedef struct neighbour {
    int64_t atom;
    double square;
} neighbour;
typedef void visit(minimd *m, int64_t i, neighbour n, double *sum);

/* The atoms of one cell, moved by whole boxes, that are within the cutoff of atom i. */
static void visit_cell(minimd *m, int64_t i, int64_t cell, const double *move, visit *each,
                       double *sum)
{
    const double *const x = m->position + 3 * i;
    const bool home = move[0] == 0 && move[1] == 0 && move[2] == 0;
    for (int64_t n = m->cell_begin[cell]; n < m->cell_begin[cell + 1]; n++) {
        const int64_t j = m->cell_atom[n];
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double along = x[d] - (m->position[3 * j + d] + move[d]);
            square += along * along;
        }
        if (square < m->cutoff * m->cutoff && !(home && j == i))
            each(m, i, (neighbour){j, square}, sum);
    }
}

/* Cell `at` along axis d, which may be outside of the box: the cell in it, and by how much it is
 * moved. */
static int64_t wrap_cell(const minimd *m, int d, int at, double *move)
{
    const int n = m->cells[d], in_box = (at % n + n) % n;
    *move = m->box[3 + d] * ((at - in_box) / n);
    return in_box;
}

static void visit_neighbours(minimd *m, int64_t i, visit *each, double *sum)
{
    int at[3];
    double move[3];
    int64_t cell = cell_of(m, i), in_box[3];
    for (int d = 0; d < 3; d++) {
        at[d] = (int)(cell % m->cells[d]);
        cell /= m->cells[d];
    }
    for (int z = -m->cutoff_cells[2]; z <= m->cutoff_cells[2]; z++) {
        in_box[2] = wrap_cell(m, 2, at[2] + z, &move[2]);
        for (int y = -m->cutoff_cells[1]; y <= m->cutoff_cells[1]; y++) {
            in_box[1] = wrap_cell(m, 1, at[1] + y, &move[1]);
            for (int x = -m->cutoff_cells[0]; x <= m->cutoff_cells[0]; x++) {
                in_box[0] = wrap_cell(m, 0, at[0] + x, &move[0]);
                const int64_t number =
                    (in_box[2] * m->cells[1] + in_box[1]) * m->cells[0] + in_box[0];
                visit_cell(m, i, number, move, each, sum);
            }
        }
    }
}

/* ---- energies: half of each pair, from either side ---- */

static void add_pair(minimd *m, double energy, double r_dot_f, double at_cutoff)
{
    m->energy += 0.5 * energy;
    m->virial += 0.5 * r_dot_f;
    m->at_cutoff += 0.5 * at_cutoff;
    /* either one may cancel, but not both (md_sizes.h) */
    m->energy_size += 0.5 * (fabs(energy) + fabs(r_dot_f) / 12);
    m->virial_size += 0.5 * (fabs(r_dot_f) + 6 * fabs(energy));
}

/* (sigma / r)^12 - (sigma / r)^6, and its derivative times -r. */
static void visit_lj(minimd *m, int64_t i, neighbour n, double *unused)
{
    const coefficients *const c = &m->pair[m->type[i]][m->type[n.atom]];
    const double r = sqrt(n.square);
    (void)unused;
    if (!(n.square < c->cutoff * c->cutoff)) return;
    const double s6 = pow(c->sigma / r, 6), cut6 = pow(c->sigma / c->cutoff, 6);
    const double energy = 4 * c->epsilon * (s6 * s6 - s6);
    const double at_cutoff = 4 * c->epsilon * (cut6 * cut6 - cut6);
    const double force = 24 * c->epsilon * (2 * s6 * s6 - s6) / r;
    const double force_at = 24 * c->epsilon * (2 * cut6 * cut6 - cut6) / c->cutoff;
    if (m->input.shift == MD_SHIFT_FORCE)
        add_pair(m, energy - at_cutoff + (r - c->cutoff) * force_at, r * (force - force_at), 0);
    else
        add_pair(m, energy, r * force, at_cutoff);
}

/* ---- EAM ---- */

/* A function of the distance: behind its last knot value and slope are those at it. */
static double at_distance(const minimd *m, const double *f, double r, double *slope)
{
    const md_potential *const p = &m->potential;
    const double last = (p->r_knots - 1) * p->r_step;
    return md_interpolate(f, p->r_knots, p->r_step, fmin(r, last), slope);
}

static int element_of(const minimd *m, int64_t atom) { return m->element[m->type[atom]]; }

static void visit_density(minimd *m, int64_t i, neighbour n, double *rho)
{
    const double *const f = md_density(&m->potential, element_of(m, i), element_of(m, n.atom));
    double slope;
    *rho += at_distance(m, f, sqrt(n.square), &slope);
}

static void visit_eam(minimd *m, int64_t i, neighbour n, double *unused)
{
    const md_potential *const p = &m->potential;
    const int ei = element_of(m, i), ej = element_of(m, n.atom);
    const double r = sqrt(n.square);
    double slope, slope_i, slope_j;
    (void)unused;
    const double phi = at_distance(m, md_pair_table(p, ei, ej), r, &slope) / r;
    (void)at_distance(m, md_density(p, ej, ei), r, &slope_i);
    (void)at_distance(m, md_density(p, ei, ej), r, &slope_j);
    const double embedded = m->derivative[i] * slope_j + m->derivative[n.atom] * slope_i;
    add_pair(m, phi, -(embedded * r + slope - phi), 0);
}

static void embed(minimd *m)
{
    const md_potential *const p = &m->potential;
    for (int64_t i = 0; i < m->atoms; i++) {
        double rho = 0;
        visit_neighbours(m, i, visit_density, &rho);
        const double f = md_interpolate(md_embedding(p, element_of(m, i)), p->rho_knots,
                                        p->rho_step, rho, &m->derivative[i]);
        m->energy += f;
        m->energy_size += fabs(f);
    }
}

/* ---- the last state ---- */

static md_energies energies_of(const minimd *m)
{
    return (md_energies){.input = &m->input,
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

static void sum_motion(minimd *m)
{
    for (int64_t i = 0; i < m->atoms; i++) {
        const double mass = m->mass[m->type[i]];
        for (int d = 0; d < 3; d++) {
            const double p = mass * m->velocity[3 * i + d];
            m->mvv += p * m->velocity[3 * i + d];
            m->momentum_now[d] += p;
            m->motion_now += fabs(p);
        }
    }
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
                                           .absolute = true});
    vf_number(m->base.verdict, name, value, expected, tolerance + expected_tolerance);
}

static bool check_state(void *state)
{
    minimd *const m = state;
    vf_verdict *const v = m->base.verdict;
    const int64_t last = m->entries - 1;
    const double atoms = (double)m->atoms, volume = m->box[3] * m->box[4] * m->box[5];
    if (!make_cells(m)) return false;
    if (is_eam(m)) embed(m);
    for (int64_t i = 0; i < m->atoms; i++)
        visit_neighbours(m, i, is_eam(m) ? visit_eam : visit_lj, NULL);
    sum_motion(m);
    const double kinetic = m->units.energy * m->mvv, freedom = 3 * atoms - 3;
    const double temperature = freedom > 0 ? kinetic / (freedom * m->units.boltzmann) : 0;
    const double pairs_tolerance =
        m->input.precision == MD_PRECISION_MIXED ? MIXED_TOLERANCE : SUM_TOLERANCE;
    const double energy_tolerance = pairs_tolerance * (m->energy_size + kinetic) / atoms;
    const double factor = m->units.pressure / (3 * volume);
    const double pressure = (kinetic + m->virial) * factor;
    const md_energies e = energies_of(m);
    const double size = md_energy_size(&e, m->energy / atoms, 0.5 * kinetic / atoms, pressure);
    const double energy_density = atoms / volume * m->units.pressure; /* of one energy an atom */
    expect_last(m, "last_energy", m->potential_energy[last], m->energy / atoms, energy_tolerance,
                size, energy_tolerance);
    expect_last(m, "last_pressure", m->pressure[last], pressure,
                pairs_tolerance * (kinetic + m->virial_size) * factor, size * energy_density,
                energy_tolerance * energy_density);
    vf_number(v, "temperature of the velocities", m->temperature[last], temperature,
              SUM_TOLERANCE * temperature);
    vf_number(v, "conserved energy of the positions", m->conserved[last],
              (m->energy - m->at_cutoff + 0.5 * kinetic) / atoms, LIST_TOLERANCE * size);
    vf_number(v, "sum of m |v|", m->motion[last], m->motion_now, SUM_TOLERANCE * m->motion_now);
    for (int d = 0; d < 3; d++)
        vf_number(v, "momentum", m->momentum[d][last], m->momentum_now[d],
                  SUM_TOLERANCE * m->motion_now);
    return true;
}

/* ---- histories and checks ---- */

/* Of an atom, at an entry. One atom has no temperature; its images exert no force on it, so its
 * velocity is that of the end. */
static double kinetic_energy(const minimd *m, int64_t entry)
{
    const double atoms = (double)m->atoms;
    return m->atoms == 1
               ? 0.5 * m->units.energy * m->mvv
               : 0.5 * (3 * atoms - 3) / atoms * m->units.boltzmann * m->temperature[entry];
}

static bool check_histories(void *state)
{
    minimd *const m = state;
    const double atoms = (double)m->atoms;
    double wrong = 0;
    for (int64_t i = 0; i < m->entries; i++) {
        const double kinetic = kinetic_energy(m, i);
        wrong = fmax(wrong, fabs(m->potential_energy[i] + kinetic - m->total[i]) /
                                (fabs(m->potential_energy[i]) + kinetic + 1e-300));
    }
    vf_max(m->base.verdict, "total energy without the potential and kinetic one", wrong, 1e-12);
    const md_energies e = energies_of(m);
    const double tolerance = md_is_mixed(&e) ? 1e-5 : 1e-9;
    const vf_recomputed atoms_kept = {.name = "atoms", .value = atoms, .expected = atoms};
    const vf_recomputed momentum = {.name = "momentum",
                                    .value = md_momentum_drift(&e, tolerance),
                                    .value_tolerance = 1e-15,
                                    .tolerance = tolerance};
    const vf_recomputed energy = {.name = "energy",
                                  .value = md_energy_drift(&e),
                                  .value_tolerance = 1e-14,
                                  .tolerance = 1e-3};
    vf_recompute(&m->base, atoms_kept);
    vf_recompute(&m->base, momentum);
    vf_recompute(&m->base, energy);
    m->base.outcome = "passed";
    return true;
}

static void release(void *state)
{
    minimd *const m = state;
    void *const all[] = {m->position,    m->velocity,    m->type,         m->box,
                         m->mass,        m->time,        m->temperature,  m->pressure,
                         m->total,       m->conserved,   m->motion,       m->momentum[0],
                         m->momentum[1], m->momentum[2], m->cell_begin,   m->cell_atom,
                         m->density,     m->derivative,  m->stored_pairs, m->potential_energy};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    md_potential_free(&m->potential);
}

static const vf_row rows[] = {
    {"stored state", read_state},
    {"coefficients", read_coefficients},
    {"last state", check_state},
    {"histories", check_histories},
};

const vf_physics vf_physics_minimd = {
    .app = "minimd",
    .input = &md_keys,
    .state_bytes = sizeof(minimd),
    .input_at = offsetof(minimd, input),
    .release = release,
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};
