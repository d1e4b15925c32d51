/* Energy and virial of positions, by a double loop over cells. */
#include "md_checks.h"

#include "md_interpolate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the cutoff is at most so many times as long as the box */
#define MAX_BOXES 15
/* the reach beyond the cutoff, relative */
#define EDGE 1e-6

/* ---- positions ---- */

/* Subtracts the corner of the box from each position. The program added it, so a position may be
 * outside of the box by the rounding of that sum. */
bool mv_to_corner(minimd *m, const char *path, double *position)
{
    for (int64_t i = 0; i < 3 * m->atoms; i++) {
        const double side = m->box[3 + i % 3], x = position[i] - m->box[i % 3];
        const double rounding = 4 * DBL_EPSILON * (fabs(m->box[i % 3]) + side);
        if (!(x >= -rounding && x <= side + rounding))
            return vf_words(m->base.verdict, path, false,
                            "row %lld: got %.17g, expected a place in the box, from %.17g on",
                            (long long)(i / 3), position[i], m->box[i % 3]);
        position[i] = x - side * floor(x / side);
    }
    return true;
}

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
    bool there = m->cell_begin && m->cell_atom && m->density && m->derivative;
    for (int d = 0; d < 3; d++) {
        m->cell_at[d] = calloc((size_t)m->atoms, sizeof *m->cell_at[d]);
        there = there && m->cell_at[d];
    }
    if (!there)
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
    for (int64_t n = 0; n < m->atoms; n++)
        for (int d = 0; d < 3; d++) m->cell_at[d][n] = m->at[3 * m->cell_atom[n] + d];
}

/* Cell `at` along axis d, which may be outside of the box: the cell in it, and by how much it is
 * moved. */
static int64_t wrap_cell(const minimd *m, int d, int at, double *move)
{
    const int n = m->cells[d], in_box = (at % n + n) % n;
    *move = m->box[3 + d] * ((at - in_box) / n);
    return in_box;
}

/* What is done with a cell that may have atoms within the cutoff of atom i; it is moved by whole
 * boxes. */
typedef void visit_cell(minimd *m, int64_t i, int64_t cell, const double *move, void *sum);

static void visit_cells(minimd *m, int64_t i, visit_cell *each, void *sum)
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
                each(m, i, number, move, sum);
            }
        }
    }
}

/* Two atoms within the cutoff: the second one, and the distance. */
typedef struct neighbour {
    int64_t atom;
    double square;
} neighbour;
typedef void visit(minimd *m, int64_t i, neighbour n, double *sum);

typedef struct pair_visit {
    visit *each;
    double *sum;
} pair_visit;

/* The atoms of one cell that are within the cutoff of atom i. */
static void visit_pairs(minimd *m, int64_t i, int64_t cell, const double *move, void *pairs)
{
    enum { BLOCK = 32 };
    const pair_visit *const v = pairs;
    const bool home = move[0] == 0 && move[1] == 0 && move[2] == 0;
    const int64_t end = m->cell_begin[cell + 1];
    const double limit = m->reach * m->reach;
    const double x = m->at[3 * i], y = m->at[3 * i + 1], z = m->at[3 * i + 2];
    for (int64_t first = m->cell_begin[cell]; first < end; first += BLOCK) {
        const int count = end - first < BLOCK ? (int)(end - first) : BLOCK;
        const double *const at[] = {m->cell_at[0] + first, m->cell_at[1] + first,
                                    m->cell_at[2] + first};
        double square[BLOCK];
        for (int n = 0; n < count; n++) {
            const double dx = x - (at[0][n] + move[0]), dy = y - (at[1][n] + move[1]);
            const double dz = z - (at[2][n] + move[2]);
            square[n] = dx * dx + dy * dy + dz * dz;
        }
        for (int n = 0; n < count; n++) {
            if (!(square[n] < limit)) continue;
            const int64_t j = m->cell_atom[first + n];
            if (!(home && j == i)) v->each(m, i, (neighbour){j, square[n]}, v->sum);
        }
    }
}

static void visit_neighbours(minimd *m, int64_t i, visit *each, double *sum)
{
    pair_visit v = {each, sum};
    visit_cells(m, i, visit_pairs, &v);
}

static int64_t atoms_in(const minimd *m, int64_t cell)
{
    return m->cell_begin[cell + 1] - m->cell_begin[cell];
}

static void add_distances(minimd *m, int64_t i, int64_t cell, const double *move, void *sum)
{
    (void)i;
    (void)move;
    *(double *)sum += (double)atoms_in(m, cell);
}

/* All atoms in one cell would take the square of their number. */
static bool count_distances(minimd *m)
{
    const double limit = FREE_DISTANCES + DISTANCES_PER_BYTE * 24.0 * (double)m->atoms;
    m->distances = 0;
    for (int64_t cell = 0; cell < cells_of(m); cell++) {
        double of_atom = 0;
        if (atoms_in(m, cell) == 0) continue;
        visit_cells(m, m->cell_atom[m->cell_begin[cell]], add_distances, &of_atom);
        m->distances += of_atom * (double)atoms_in(m, cell) * (mv_is_eam(m) ? 2 : 1);
    }
    return m->distances <= limit ||
           vf_words(m->base.verdict, "density", false,
                    "got atoms so dense that energies need %.3g distances, expected at most %.3g",
                    m->distances, limit);
}

/* ---- energies: half of each pair, from either side ---- */

/* What an atom has of all its pairs. */
enum { ENERGY, VIRIAL, AT_CUTOFF, ENERGY_SIZE, VIRIAL_SIZE, SUMS };

static void add_pair(double *sum, double energy, double r_dot_f, double at_cutoff)
{
    sum[ENERGY] += 0.5 * energy;
    sum[VIRIAL] += 0.5 * r_dot_f;
    sum[AT_CUTOFF] += 0.5 * at_cutoff;
    /* terms of one of the two sums may cancel, but not those of both (md_sizes.h) */
    sum[ENERGY_SIZE] += 0.5 * (fabs(energy) + fabs(r_dot_f) / 12);
    sum[VIRIAL_SIZE] += 0.5 * (fabs(r_dot_f) + 6 * fabs(energy));
}

/* So near to the cutoff that rounding decides whether the run counted the pair: positions have
 * roundings of 1e-16 of the box; with precision=mixed distances have 1.5e-7 of a cluster's size. */
static bool is_at_edge(const minimd *m, double square, double cutoff)
{
    const double width = mv_input(m)->precision == MD_PRECISION_MIXED ? EDGE : 1e-10;
    return fabs(square - cutoff * cutoff) <= 2 * width * cutoff * cutoff;
}

static void add_edge(minimd *m, double energy, double r_dot_f)
{
    m->edge_energy += fabs(energy);
    m->edge_virial += fabs(r_dot_f);
}

static double sixth(double x) { return x * x * x * x * x * x; }

/* (sigma / r)^12 - (sigma / r)^6, and its derivative times -r. */
static void visit_lj(minimd *m, int64_t i, neighbour n, double *sum)
{
    const coefficients *const c = &m->pair[m->type[i]][m->type[n.atom]];
    const lj_terms *const t = &m->lj[m->type[i]][m->type[n.atom]];
    const double s2 = t->sigma_squared / n.square, s6 = s2 * s2 * s2;
    const double energy = 4 * c->epsilon * (s6 * s6 - s6);
    const double r_dot_f = 24 * c->epsilon * (2 * s6 * s6 - s6);
    if (is_at_edge(m, n.square, c->cutoff))
        add_edge(m, t->at_cutoff, sqrt(n.square) * t->force_at_cutoff);
    if (!(n.square < t->cutoff_squared)) return;
    if (mv_input(m)->shift != MD_SHIFT_FORCE) {
        add_pair(sum, energy, r_dot_f, t->at_cutoff);
        return;
    }
    const double r = sqrt(n.square);
    add_pair(sum, energy - t->at_cutoff + (r - c->cutoff) * t->force_at_cutoff,
             r_dot_f - r * t->force_at_cutoff, 0);
}

static void find_lj_terms(minimd *m)
{
    for (int64_t i = 0; i < m->types; i++) {
        for (int64_t j = 0; j < m->types; j++) {
            const coefficients *const c = &m->pair[i][j];
            const double cut6 = sixth(c->sigma / c->cutoff);
            m->lj[i][j] = (lj_terms){.sigma_squared = c->sigma * c->sigma,
                                     .cutoff_squared = c->cutoff * c->cutoff,
                                     .at_cutoff = 4 * c->epsilon * (cut6 * cut6 - cut6),
                                     .force_at_cutoff =
                                         24 * c->epsilon * (2 * cut6 * cut6 - cut6) / c->cutoff};
        }
    }
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

static void visit_eam(minimd *m, int64_t i, neighbour n, double *sum)
{
    const md_potential *const p = &m->potential;
    const int ei = element_of(m, i), ej = element_of(m, n.atom);
    const double r = sqrt(n.square);
    double slope, slope_i, slope_j;
    const double phi = at_distance(m, md_pair_table(p, ei, ej), r, &slope) / r;
    (void)at_distance(m, md_density(p, ej, ei), r, &slope_i);
    const double rho = at_distance(m, md_density(p, ei, ej), r, &slope_j);
    const double embedded = m->derivative[i] * slope_j + m->derivative[n.atom] * slope_i;
    if (is_at_edge(m, n.square, m->cutoff))
        add_edge(m, fabs(phi) + fabs(m->derivative[i] * rho), embedded * r + slope - phi);
    if (!(n.square < m->cutoff * m->cutoff)) return;
    add_pair(sum, phi, -(embedded * r + slope - phi), 0);
}

static void embed(minimd *m, mv_sum *total)
{
    const md_potential *const p = &m->potential;
    for (int64_t i = 0; i < m->atoms; i++) {
        double rho = 0;
        visit_neighbours(m, i, visit_density, &rho);
        const double f = md_interpolate(md_embedding(p, element_of(m, i)), p->rho_knots,
                                        p->rho_step, rho, &m->derivative[i]);
        mv_add(&total[ENERGY], f);
        mv_add(&total[ENERGY_SIZE], fabs(f));
    }
}

bool mv_sum_pairs(minimd *m, const double *position)
{
    mv_sum total[SUMS] = {{0}};
    if (!make_cells(m)) return false;
    m->at = position;
    m->edge_energy = m->edge_virial = 0;
    fill_cells(m);
    if (!count_distances(m)) return false;
    if (mv_is_eam(m))
        embed(m, total);
    else
        find_lj_terms(m);
    for (int64_t n = 0; n < m->atoms; n++) {
        const int64_t i = m->cell_atom[n]; /* cell by cell, so that neighbours are in the cache */
        double sum[SUMS] = {0};
        visit_neighbours(m, i, mv_is_eam(m) ? visit_eam : visit_lj, sum);
        for (int s = 0; s < SUMS; s++) mv_add(&total[s], sum[s]);
    }
    m->energy = mv_total(total[ENERGY]);
    m->virial = mv_total(total[VIRIAL]);
    m->at_cutoff = mv_total(total[AT_CUTOFF]);
    m->energy_size = mv_total(total[ENERGY_SIZE]);
    m->virial_size = mv_total(total[VIRIAL_SIZE]);
    return true;
}

double mv_pairs_tolerance(const minimd *m)
{
    double corner = 0;
    for (int d = 0; d < 3; d++) corner = fmax(corner, fabs(m->box[d]));
    const double places = 14 * DBL_EPSILON * corner / (m->cutoff / 3); /* as in md_sizes.h */
    return (mv_input(m)->precision == MD_PRECISION_MIXED ? MIXED_TOLERANCE : APP_SUM_TOLERANCE) +
           places;
}
