/* Energy and virial of positions, by a double loop over cells. */
#include "physics_private.h"

#include "physics_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the cutoff is at most so many times as long as the box */
#define MAX_BOXES 15
/* the reach beyond the cutoff, relative */
#define EDGE 1e-6

/* ---- cells ---- */

static int64_t cell_of(const minimd *m, int64_t atom)
{
    int64_t cell = 0;
    for (int d = 2; d >= 0; d--) {
        const int at = (int)(m->at[3 * atom + d] / m->box[3 + d] * m->cells[d]);
        cell = cell * m->cells[d] + (at < m->cells[d] ? at : m->cells[d] - 1);
    }
    return cell;
}

/* As many cells as have sides of the cutoff, but not more than there are atoms. */
static bool choose_cells(minimd *m)
{
    m->reach = (1 + EDGE) * m->cutoff;
    const double max_per_axis = cbrt((double)m->atoms) + 1;
    for (int d = 0; d < 3; d++) {
        if (!(m->cutoff <= MAX_BOXES * m->box[3 + d]))
            return vf_impossible(m->base.verdict, "/fields/box",
                                 "has a side of less than a fifteenth of the cutoff");
        const double fit = floor(m->box[3 + d] / m->reach);
        m->cells[d] = (int)fmax(1, fmin(fit, max_per_axis));
        m->cutoff_cells[d] = (int)ceil(m->reach * m->cells[d] / m->box[3 + d]);
    }
    return true;
}

static int64_t cells_of(const minimd *m)
{
    return (int64_t)m->cells[0] * m->cells[1] * m->cells[2];
}

static bool make_cells(minimd *m)
{
    if (m->cell_begin) return true;
    if (!choose_cells(m)) return false;
    const int64_t cells = cells_of(m);
    m->cell_begin = calloc((size_t)cells + 1, sizeof *m->cell_begin);
    m->cell_atom = calloc((size_t)m->atoms, sizeof *m->cell_atom);
    m->density = calloc((size_t)m->atoms, sizeof *m->density);
    m->derivative = calloc((size_t)m->atoms, sizeof *m->derivative);
    if (!m->cell_begin || !m->cell_atom || !m->density || !m->derivative)
        return vf_impossible(m->base.verdict, "/fields/position", "no memory to verify them");
    return true;
}

static void fill_cells(minimd *m)
{
    const int64_t cells = cells_of(m);
    memset(m->cell_begin, 0, ((size_t)cells + 1) * sizeof *m->cell_begin);
    for (int64_t i = 0; i < m->atoms; i++) m->cell_begin[cell_of(m, i)]++;
    for (int64_t c = 0, sum = 0; c <= cells; c++) {
        sum += m->cell_begin[c];
        m->cell_begin[c] = sum;
    }
    for (int64_t i = m->atoms - 1; i >= 0; i--)
        m->cell_atom[--m->cell_begin[cell_of(m, i)]] = i; /* ends as begins */
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
    const double *const x = m->at + 3 * i;
    const bool home = move[0] == 0 && move[1] == 0 && move[2] == 0;
    for (int64_t n = m->cell_begin[cell]; n < m->cell_begin[cell + 1]; n++) {
        const int64_t j = m->cell_atom[n];
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double along = x[d] - (m->at[3 * j + d] + move[d]);
            square += along * along;
        }
        if (square < m->reach * m->reach && !(home && j == i))
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

/* So near to the cutoff that rounding decides whether the run counted the pair: positions have
 * roundings of 1e-16 of the box; with precision=mixed distances have 1.5e-7 of a cluster's size. */
static bool is_at_edge(const minimd *m, double square, double cutoff)
{
    const double width = m->input.precision == MD_PRECISION_MIXED ? EDGE : 1e-10;
    return fabs(square - cutoff * cutoff) <= 2 * width * cutoff * cutoff;
}

static void add_edge(minimd *m, double energy, double r_dot_f)
{
    m->edge_energy += fabs(energy);
    m->edge_virial += fabs(r_dot_f);
}

/* (sigma / r)^12 - (sigma / r)^6, and its derivative times -r. */
static double sixth(double x) { return x * x * x * x * x * x; }

static void visit_lj(minimd *m, int64_t i, neighbour n, double *unused)
{
    const coefficients *const c = &m->pair[m->type[i]][m->type[n.atom]];
    const double r = sqrt(n.square);
    (void)unused;
    const double s6 = sixth(c->sigma / r), cut6 = sixth(c->sigma / c->cutoff);
    const double energy = 4 * c->epsilon * (s6 * s6 - s6);
    const double at_cutoff = 4 * c->epsilon * (cut6 * cut6 - cut6);
    const double force = 24 * c->epsilon * (2 * s6 * s6 - s6) / r;
    const double force_at = 24 * c->epsilon * (2 * cut6 * cut6 - cut6) / c->cutoff;
    if (is_at_edge(m, n.square, c->cutoff)) add_edge(m, at_cutoff, r * force_at);
    if (!(n.square < c->cutoff * c->cutoff)) return;
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
    if (!(n.square < m->cutoff * m->cutoff)) return;
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
    const double rho = at_distance(m, md_density(p, ei, ej), r, &slope_j);
    const double embedded = m->derivative[i] * slope_j + m->derivative[n.atom] * slope_i;
    if (is_at_edge(m, n.square, m->cutoff))
        add_edge(m, fabs(phi) + fabs(m->derivative[i] * rho), embedded * r + slope - phi);
    if (!(n.square < m->cutoff * m->cutoff)) return;
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

bool mv_sum_pairs(minimd *m, const double *position)
{
    if (!make_cells(m)) return false;
    m->at = position;
    m->energy = m->virial = m->at_cutoff = m->energy_size = m->virial_size = 0;
    m->edge_energy = m->edge_virial = 0;
    fill_cells(m);
    if (mv_is_eam(m)) embed(m);
    for (int64_t i = 0; i < m->atoms; i++)
        visit_neighbours(m, i, mv_is_eam(m) ? visit_eam : visit_lj, NULL);
    return true;
}

double mv_distances(minimd *m)
{
    double visited = mv_is_eam(m) ? 2 : 1;
    if (!make_cells(m)) return 0;
    for (int d = 0; d < 3; d++) visited *= 2 * m->cutoff_cells[d] + 1;
    return visited * (double)m->atoms * (1 + (double)m->atoms / (double)cells_of(m));
}

double mv_pairs_tolerance(const minimd *m)
{
    return m->input.precision == MD_PRECISION_MIXED ? MIXED_TOLERANCE : SUM_TOLERANCE;
}
