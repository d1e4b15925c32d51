/* Energy and virial of positions, by a double loop over cells: each pair of atoms once.
 *
 * Cells are half as long as the reach. Those that follow each other along x do so in memory, too,
 * so that their atoms are one run. Threads share the cells, some at a time (a part); the sums of
 * parts are added in their order, so results do not depend on the number of threads. */
#include "md_checks.h"

#include "md_interpolate.h"
#include "minx/math.h"
#include "results/share.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

enum { CELLS_PER_PART = 64, ATOMS_PER_PART = 1 << 16 };

static int64_t parts_of(int64_t count, int64_t per_part)
{
    return (count + per_part - 1) / per_part;
}

static int64_t cell_of(const minimd *m, int64_t atom)
{
    int64_t cell = 0;
    for (int d = 2; d >= 0; d--) {
        const int at = (int)(m->at[3 * atom + d] / m->box[3 + d] * m->cells[d]);
        cell = cell * m->cells[d] + (at < m->cells[d] ? at : m->cells[d] - 1);
    }
    return cell;
}

/* The least distance, squared, of atoms in cells that are so many apart along an axis. */
static double least_square(const minimd *m, int d, int apart)
{
    const double gap = fmax(abs(apart) - 1, 0) * m->box[3 + d] / m->cells[d];
    return gap * gap;
}

static void find_reach(minimd *m)
{
    const double square = m->reach * m->reach;
    for (int z = -m->reach_cells[2]; z <= m->reach_cells[2]; z++)
        for (int y = -m->reach_cells[1]; y <= m->reach_cells[1]; y++) {
            const double left = square - least_square(m, 2, z) - least_square(m, 1, y);
            int x = -1;
            while (x < m->reach_cells[0] && least_square(m, 0, x + 1) <= left) x++;
            m->reach_along_x[z + MV_MAX_REACH][y + MV_MAX_REACH] = x;
        }
}

/* As many cells as have sides of half the reach, but not more than there are atoms. */
static bool choose_cells(minimd *m)
{
    m->reach = (1 + EDGE) * m->cutoff;
    const double max_per_axis = cbrt((double)m->atoms) + 1;
    for (int d = 0; d < 3; d++) {
        if (!(m->cutoff <= MV_MAX_BOXES * m->box[3 + d]))
            return vf_impossible(m->base.verdict, "/fields/box",
                                 "has a side of less than a fifteenth of the cutoff");
        const double fit = floor(2 * m->box[3 + d] / m->reach);
        m->cells[d] = (int)fmax(1, fmin(fit, max_per_axis));
        m->reach_cells[d] = (int)ceil(m->reach * m->cells[d] / m->box[3 + d]);
    }
    find_reach(m);
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
    m->cell_of_atom = calloc((size_t)m->atoms, sizeof *m->cell_of_atom);
    m->cell_type = calloc((size_t)m->atoms, sizeof *m->cell_type);
    m->derivative = calloc(mv_is_eam(m) ? (size_t)m->atoms : 1, sizeof *m->derivative);
    bool there = m->cell_begin && m->cell_of_atom && m->cell_type && m->derivative;
    for (int d = 0; d < 3; d++) {
        m->cell_at[d] = calloc((size_t)m->atoms, sizeof *m->cell_at[d]);
        there = there && m->cell_at[d];
    }
    if (!there)
        return vf_impossible(m->base.verdict, "/fields/position", "no memory to verify them");
    return true;
}

void mv_forget_cells(minimd *m)
{
    m->cell_begin = m->cell_of_atom = NULL;
    m->cell_type = NULL;
    m->derivative = NULL;
    for (int d = 0; d < 3; d++) m->cell_at[d] = NULL;
}

void mv_free_cells(minimd *m)
{
    free(m->cell_begin);
    free(m->cell_of_atom);
    free(m->cell_type);
    free(m->derivative);
    for (int d = 0; d < 3; d++) free(m->cell_at[d]);
    mv_forget_cells(m);
}

static void find_cells(void *work, int64_t part)
{
    const minimd *const m = work;
    const int64_t first = part * ATOMS_PER_PART, end = first + ATOMS_PER_PART;
    for (int64_t i = first; i < end && i < m->atoms; i++) m->cell_of_atom[i] = cell_of(m, i);
}

static void fill_cells(minimd *m)
{
    const int64_t cells = cells_of(m);
    app_share(parts_of(m->atoms, ATOMS_PER_PART), find_cells, m);
    memset(m->cell_begin, 0, ((size_t)cells + 1) * sizeof *m->cell_begin);
    for (int64_t i = 0; i < m->atoms; i++) m->cell_begin[m->cell_of_atom[i]]++;
    for (int64_t c = 0, sum = 0; c <= cells; c++) {
        sum += m->cell_begin[c];
        m->cell_begin[c] = sum;
    }
    for (int64_t i = m->atoms - 1; i >= 0; i--) {
        const int64_t n = --m->cell_begin[m->cell_of_atom[i]]; /* ends as begins */
        for (int d = 0; d < 3; d++) m->cell_at[d][n] = m->at[3 * i + d];
        m->cell_type[n] = (int)m->type[i];
    }
}

/* Cell `at` along axis d, which may be outside of the box: the cell in it, and by how much it is
 * moved. */
static int wrap_cell(const minimd *m, int d, int at, double *move)
{
    const int n = m->cells[d];
    const bool is_in_box = at >= 0 && at < n;
    const int in_box = is_in_box ? at : (at % n + n) % n;
    *move = is_in_box ? 0 : m->box[3 + d] * ((at - in_box) / n);
    return in_box;
}

/* Atoms, in the order of cells, that may be within the cutoff of those of a cell; they are moved by
 * whole boxes. */
typedef struct run {
    int64_t begin, end;
    double move[3];
} run;
typedef void visit_run(const minimd *m, int64_t cell, const run *r, void *work);

/* half: of the runs on either side of the cell those on one, and the cell's own. */
static void visit_runs(const minimd *m, int64_t cell, bool half, visit_run *each, void *work)
{
    const int at[] = {(int)(cell % m->cells[0]), (int)(cell / m->cells[0] % m->cells[1]),
                      (int)(cell / m->cells[0] / m->cells[1])};
    run r;
    for (int z = half ? 0 : -m->reach_cells[2]; z <= m->reach_cells[2]; z++) {
        const int64_t plane = (int64_t)wrap_cell(m, 2, at[2] + z, &r.move[2]) * m->cells[1];
        for (int y = half && z == 0 ? 0 : -m->reach_cells[1]; y <= m->reach_cells[1]; y++) {
            const int along_x = m->reach_along_x[z + MV_MAX_REACH][y + MV_MAX_REACH];
            if (along_x < 0) continue;
            const int64_t row = (plane + wrap_cell(m, 1, at[1] + y, &r.move[1])) * m->cells[0];
            int count;
            for (int x = half && z == 0 && y == 0 ? 0 : -along_x; x <= along_x; x += count) {
                const int first = wrap_cell(m, 0, at[0] + x, &r.move[0]), left = along_x - x + 1;
                count = m->cells[0] - first < left ? m->cells[0] - first : left;
                r.begin = m->cell_begin[row + first];
                r.end = m->cell_begin[row + first + count];
                each(m, cell, &r, work);
            }
        }
    }
}

/* ---- pairs ---- */

/* Sums over pairs, and those of magnitudes. EMBEDDED: of F(rho) of all atoms. */
enum { ENERGY, VIRIAL, AT_CUTOFF, ENERGY_SIZE, VIRIAL_SIZE, EMBEDDED, EMBEDDED_SIZE, SUMS };
enum { PAIR_SUMS = EMBEDDED };

/* Of the cells of a part. */
typedef struct part_sums {
    mv_sum total[SUMS];
    double recent[PAIR_SUMS]; /* not yet in the total */
    int recent_pairs;
    double edge_energy, edge_virial;
    double distances;
} part_sums;

/* Atoms number i and n in the order of cells, and the square of their distance. */
typedef void visit_pair(const minimd *m, int64_t i, int64_t n, double square, part_sums *sums);

enum { BLOCK = 32 };

/* Those of `count` atoms from number `first` on that are within the reach of atom i. */
static int find_near(const minimd *m, int64_t i, const double *move, int64_t first, int count,
                     int *near, double *square)
{
    const double limit = m->reach * m->reach;
    const double x = m->cell_at[0][i], y = m->cell_at[1][i], z = m->cell_at[2][i];
    const double *const at[] = {m->cell_at[0] + first, m->cell_at[1] + first,
                                m->cell_at[2] + first};
    int found = 0;
    for (int n = 0; n < count; n++) {
        const double dx = x - (at[0][n] + move[0]), dy = y - (at[1][n] + move[1]);
        const double dz = z - (at[2][n] + move[2]);
        square[n] = dx * dx + dy * dy + dz * dz;
    }
    for (int n = 0; n < count; n++) {
        near[found] = n;
        found += square[n] < limit;
    }
    return found;
}

/* The pairs of a cell's atoms with those of a run. half: each pair once; else from either side.
 * Inline: `each` is then known where it is called. */
MX_INLINE void visit_near(const minimd *m, int64_t cell, const run *r, bool half, visit_pair *each,
                          part_sums *sums)
{
    const bool not_moved = r->move[0] == 0 && r->move[1] == 0 && r->move[2] == 0;
    int near[BLOCK];
    double square[BLOCK];
    for (int64_t i = m->cell_begin[cell]; i < m->cell_begin[cell + 1]; i++) {
        const bool home = not_moved && r->begin <= i && i < r->end;
        int64_t first = home && half ? i + 1 : r->begin;
        for (; first < r->end; first += BLOCK) {
            const int count = r->end - first < BLOCK ? (int)(r->end - first) : BLOCK;
            const int found = find_near(m, i, r->move, first, count, near, square);
            for (int k = 0; k < found; k++)
                if (half || !(home && first + near[k] == i))
                    each(m, i, first + near[k], square[near[k]], sums);
        }
    }
}

static int64_t atoms_in(const minimd *m, int64_t cell)
{
    return m->cell_begin[cell + 1] - m->cell_begin[cell];
}

static void add_atoms(const minimd *m, int64_t cell, const run *r, void *work)
{
    (void)m;
    (void)cell;
    *(double *)work += (double)(r->end - r->begin);
}

/* What is done with the cells of a part. */
typedef void visit_part(const minimd *m, int64_t first, int64_t end, part_sums *sums);
typedef struct cell_work {
    const minimd *m;
    visit_part *visit;
    part_sums *of_part;
} cell_work;

static void do_part(void *work, int64_t part)
{
    const cell_work *const w = work;
    const int64_t first = part * CELLS_PER_PART, cells = cells_of(w->m);
    const int64_t end = first + CELLS_PER_PART < cells ? first + CELLS_PER_PART : cells;
    w->visit(w->m, first, end, &w->of_part[part]);
}

static void count_part(const minimd *m, int64_t first, int64_t end, part_sums *sums)
{
    for (int64_t cell = first; cell < end; cell++) {
        const double atoms = (double)atoms_in(m, cell);
        double near = 0;
        if (atoms > 0) visit_runs(m, cell, true, add_atoms, &near);
        sums->distances += atoms * (2 * near - atoms); /* the cell's own are on no side */
    }
}

static void flush(part_sums *s)
{
    for (int k = 0; k < PAIR_SUMS; k++) {
        mv_add(&s->total[k], s->recent[k]);
        s->recent[k] = 0;
    }
    s->recent_pairs = 0;
}

static void add_pair(part_sums *s, double energy, double r_dot_f, double at_cutoff)
{
    enum { FEW = 256 }; /* whose roundings are at most 3e-14 of the sum of magnitudes */
    double *const sum = s->recent;
    sum[ENERGY] += energy;
    sum[VIRIAL] += r_dot_f;
    sum[AT_CUTOFF] += at_cutoff;
    sum[ENERGY_SIZE] += fabs(energy);
    sum[VIRIAL_SIZE] += fabs(r_dot_f);
    if (++s->recent_pairs == FEW) flush(s);
}

/* A pair is at the edge where rounding decides whether the run counted it, from either side:
 * positions have roundings of 1e-16 of the box; with precision=mixed distances have 1.5e-7 of a
 * cluster's size. The width in squares of distances. */
static double edge_of(const minimd *m, double cutoff)
{
    const double width = mv_input(m)->precision == MD_PRECISION_MIXED ? EDGE : 1e-10;
    return 2 * width * cutoff * cutoff;
}

static void add_edge(part_sums *s, double energy, double r_dot_f)
{
    s->edge_energy += 2 * fabs(energy);
    s->edge_virial += 2 * fabs(r_dot_f);
}

static double sixth(double x) { return x * x * x * x * x * x; }

/* (sigma / r)^12 - (sigma / r)^6, and its derivative times -r. */
static void add_lj(const minimd *m, int64_t i, int64_t n, double square, part_sums *s)
{
    const lj_terms *const t = &m->lj[m->cell_type[i]][m->cell_type[n]];
    const double s2 = t->sigma_squared / square, s6 = s2 * s2 * s2;
    const double energy = 4 * t->epsilon * (s6 * s6 - s6);
    const double r_dot_f = 24 * t->epsilon * (2 * s6 * s6 - s6);
    if (fabs(square - t->cutoff_squared) <= t->edge)
        add_edge(s, t->at_cutoff, sqrt(square) * t->force_at_cutoff);
    if (!(square < t->cutoff_squared)) return;
    if (mv_input(m)->shift != MD_SHIFT_FORCE) {
        add_pair(s, energy, r_dot_f, t->at_cutoff);
        return;
    }
    const double r = sqrt(square);
    add_pair(s, energy - t->at_cutoff + (r - t->cutoff) * t->force_at_cutoff,
             r_dot_f - r * t->force_at_cutoff, 0);
}

static void find_lj_terms(minimd *m)
{
    for (int64_t i = 0; i < m->types; i++) {
        for (int64_t j = 0; j < m->types; j++) {
            const coefficients *const c = &m->pair[i][j];
            const double cut6 = sixth(c->sigma / c->cutoff);
            m->lj[i][j] = (lj_terms){.epsilon = c->epsilon,
                                     .sigma_squared = c->sigma * c->sigma,
                                     .cutoff = c->cutoff,
                                     .cutoff_squared = c->cutoff * c->cutoff,
                                     .edge = edge_of(m, c->cutoff),
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

static int element_of(const minimd *m, int64_t n) { return m->element[m->cell_type[n]]; }

/* rho is gathered where F'(rho) will be. */
static void add_density(const minimd *m, int64_t i, int64_t n, double square, part_sums *unused)
{
    const double *const f = md_density(&m->potential, element_of(m, i), element_of(m, n));
    double slope;
    (void)unused;
    if (!(square < m->cutoff * m->cutoff)) return;
    m->derivative[i] += at_distance(m, f, sqrt(square), &slope);
}

static void add_densities(const minimd *m, int64_t cell, const run *r, void *unused)
{
    visit_near(m, cell, r, false, add_density, unused);
}

static void embed_part(const minimd *m, int64_t first, int64_t end, part_sums *sums)
{
    const md_potential *const p = &m->potential;
    const int64_t last = m->cell_begin[end];
    for (int64_t i = m->cell_begin[first]; i < last; i++) m->derivative[i] = 0;
    for (int64_t cell = first; cell < end; cell++)
        if (atoms_in(m, cell) > 0) visit_runs(m, cell, false, add_densities, NULL);
    for (int64_t i = m->cell_begin[first]; i < last; i++) {
        const double rho = m->derivative[i];
        const double f = md_interpolate(md_embedding(p, element_of(m, i)), p->rho_knots,
                                        p->rho_step, rho, &m->derivative[i]);
        mv_add(&sums->total[EMBEDDED], f);
        mv_add(&sums->total[EMBEDDED_SIZE], fabs(f));
    }
}

static void add_eam(const minimd *m, int64_t i, int64_t n, double square, part_sums *s)
{
    const md_potential *const p = &m->potential;
    const int ei = element_of(m, i), en = element_of(m, n);
    const double r = sqrt(square);
    double slope, slope_i, slope_n;
    const double phi = at_distance(m, md_pair_table(p, ei, en), r, &slope) / r;
    const double *const f_i = md_density(p, ei, en), *const f_n = md_density(p, en, ei);
    const double rho_i = at_distance(m, f_i, r, &slope_n);
    double rho_n = rho_i;
    slope_i = slope_n;
    if (f_n != f_i) rho_n = at_distance(m, f_n, r, &slope_i);
    const double embedded = m->derivative[i] * slope_n + m->derivative[n] * slope_i;
    if (fabs(square - m->cutoff * m->cutoff) <= m->edge)
        add_edge(s,
                 fabs(phi) + (fabs(m->derivative[i] * rho_i) + fabs(m->derivative[n] * rho_n)) / 2,
                 embedded * r + slope - phi);
    if (!(square < m->cutoff * m->cutoff)) return;
    add_pair(s, phi, -(embedded * r + slope - phi), 0);
}

/* ---- sums ---- */

static void add_all_lj(const minimd *m, int64_t cell, const run *r, void *sums)
{
    visit_near(m, cell, r, true, add_lj, sums);
}

static void add_all_eam(const minimd *m, int64_t cell, const run *r, void *sums)
{
    visit_near(m, cell, r, true, add_eam, sums);
}

static void sum_part(const minimd *m, int64_t first, int64_t end, part_sums *sums)
{
    visit_run *const each = mv_is_eam(m) ? add_all_eam : add_all_lj;
    for (int64_t cell = first; cell < end; cell++)
        if (atoms_in(m, cell) > 0) visit_runs(m, cell, true, each, sums);
    flush(sums);
}

/* All atoms in one cell would take the square of their number. */
static bool check_distances(minimd *m, const part_sums *of_part, int64_t parts)
{
    const double limit = FREE_DISTANCES + DISTANCES_PER_BYTE * 24.0 * (double)m->atoms;
    m->distances = 0;
    for (int64_t p = 0; p < parts; p++)
        m->distances += of_part[p].distances * (mv_is_eam(m) ? 2 : 1);
    return m->distances <= limit ||
           vf_words(m->base.verdict, "density", false,
                    "got atoms so dense that energies need %.3g distances, expected at most %.3g",
                    m->distances, limit);
}

static void add_parts(minimd *m, const part_sums *of_part, int64_t parts)
{
    mv_sum total[SUMS] = {{0}};
    m->edge_energy = m->edge_virial = 0;
    for (int64_t p = 0; p < parts; p++) {
        for (int s = 0; s < SUMS; s++) mv_add(&total[s], mv_total(of_part[p].total[s]));
        m->edge_energy += of_part[p].edge_energy;
        m->edge_virial += of_part[p].edge_virial;
    }
    const double energies = mv_total(total[ENERGY_SIZE]), virials = mv_total(total[VIRIAL_SIZE]);
    m->energy = mv_total(total[ENERGY]) + mv_total(total[EMBEDDED]);
    m->virial = mv_total(total[VIRIAL]);
    m->at_cutoff = mv_total(total[AT_CUTOFF]);
    /* terms of one of the two sums may cancel, but not those of both (md_sizes.h) */
    m->energy_size = energies + virials / 12 + mv_total(total[EMBEDDED_SIZE]);
    m->virial_size = virials + 6 * energies;
}

bool mv_sum_pairs(minimd *m, const double *position)
{
    if (!make_cells(m)) return false;
    m->at = position;
    m->edge = edge_of(m, m->cutoff);
    find_lj_terms(m);
    fill_cells(m);
    const int64_t parts = parts_of(cells_of(m), CELLS_PER_PART);
    cell_work w = {
        .m = m, .visit = count_part, .of_part = calloc((size_t)parts, sizeof *w.of_part)};
    if (!w.of_part)
        return vf_impossible(m->base.verdict, "/fields/position", "no memory to verify them");
    app_share(parts, do_part, &w);
    const bool few = check_distances(m, w.of_part, parts);
    w.visit = embed_part;
    if (few && mv_is_eam(m)) app_share(parts, do_part, &w);
    w.visit = sum_part;
    if (few) app_share(parts, do_part, &w);
    if (few) add_parts(m, w.of_part, parts);
    free(w.of_part);
    return few;
}

double mv_pairs_tolerance(const minimd *m)
{
    double corner = 0;
    for (int d = 0; d < 3; d++) corner = fmax(corner, fabs(m->box[d]));
    const double places = 14 * DBL_EPSILON * corner / (m->cutoff / 3); /* as in md_sizes.h */
    return (mv_input(m)->precision == MD_PRECISION_MIXED ? MIXED_TOLERANCE : APP_SUM_TOLERANCE) +
           places;
}
