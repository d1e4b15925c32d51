/* The scheme: implicit Euler for du/dt = div(K grad u) on a uniform mesh, five points, in 3-D
 * seven, no flux through the boundary.
 *
 *   (A u)[j,k] = u[j,k] + rx (Kl (u - u_left) + Kr (u - u_right))
 *                       + ry (Kd (u - u_down) + Ku (u - u_up))
 *                       + rz (Kf (u - u_front) + Kb (u - u_back))      in 3-D
 *
 * rx = dt/dx^2, ry = dt/dy^2, rz = dt/dz^2. The conductivity of the face between cells a and b is
 * (w_a + w_b) / (2 w_a w_b), where w is the density or its inverse (the deck's coefficient), and 0
 * on the boundary. In 2-D there is one plane of cells.
 *
 * Threads share the cells or lines of cells in PARTS parts, whose sums are added in their order. So
 * results do not depend on the number of threads. Numbers of a CHUNK are summed in double, these
 * sums in long double: their error is some 30 roundings. */
#include "tl_fields.h"

#include "input/tl_states.h"
#include "results/share.h"

#include <math.h>
#include <string.h>

enum { PARTS = 256, CHUNK = 128, LANES = 4 };

/* Cells, or lines of cells. */
typedef struct range {
    int64_t first, end;
} range;

static range range_of(int64_t count, int64_t part)
{
    return (range){count * part / PARTS, count * (part + 1) / PARTS};
}

static int at_most_chunk(int64_t left) { return left < CHUNK ? (int)left : CHUNK; }

/* Stays NaN after a NaN, which fmax would ignore. */
static double larger(double so_far, double value)
{
    return value > so_far || isnan(value) ? value : so_far;
}

/* The largest of at most CHUNK values; NaN where any value is. */
static double largest_of(const double *values, int count)
{
    double lane[LANES], sum[LANES] = {0};
    int i = 0;
    for (int l = 0; l < LANES; ++l) lane[l] = values[0];
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; ++l) {
            lane[l] = values[i + l] > lane[l] ? values[i + l] : lane[l];
            sum[l] += values[i + l] * 0.0; /* NaN where a value is, or is infinite */
        }
    for (; i < count; ++i) lane[0] = larger(lane[0], values[i]);
    for (int l = 1; l < LANES; ++l) lane[0] = larger(lane[0], lane[l]);
    if (isnan(sum[0] + sum[1] + sum[2] + sum[3]))
        for (i = 0; i < count; ++i) lane[0] = larger(lane[0], values[i]);
    return lane[0];
}

/* A direction of the mesh: its cells, from one cell to the next in an array, and dt/dx^2. */
typedef struct direction {
    int64_t cells, stride;
    double ratio;
} direction;

typedef struct mesh {
    direction x, y, z;
} mesh;

static direction direction_of(const tl_deck *deck, double low, double high, int64_t cells,
                              int64_t stride)
{
    const double width = (high - low) / (double)cells;
    return (direction){cells, stride, deck->initial_timestep / (width * width)};
}

static mesh mesh_of(const tl_deck *d)
{
    return (mesh){.x = direction_of(d, d->xmin, d->xmax, d->x_cells, 1),
                  .y = direction_of(d, d->ymin, d->ymax, d->y_cells, d->x_cells),
                  .z = direction_of(d, d->zmin, d->zmax, d->z_cells, d->x_cells * d->y_cells)};
}

int64_t tv_count(const tl_deck *deck) { return deck->x_cells * deck->y_cells * deck->z_cells; }

/* Partial sums. */
typedef struct long_sums {
    long double mass, energy, u, square;
} long_sums;

static double total_of(const double *lane) { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }

static void add_chunk(long_sums *sums, const double *density, const double *temperature, int count)
{
    double mass[LANES] = {0}, energy[LANES] = {0}, u[LANES] = {0}, square[LANES] = {0};
    for (int i = 0; i < count; i += LANES)
        for (int l = 0; l < LANES && i + l < count; ++l) {
            const double d = density[i + l], t = temperature[i + l];
            mass[l] += d;
            energy[l] += t;
            u[l] += d * t;
            square[l] += t * t;
        }
    sums->mass += total_of(mass);
    sums->energy += total_of(energy);
    sums->u += total_of(u);
    sums->square += total_of(square);
}

static void add_sums(long_sums *sums, const long_sums *part)
{
    sums->mass += part->mass;
    sums->energy += part->energy;
    sums->u += part->u;
    sums->square += part->square;
}

static tv_sums finish(const long_sums *sums, const tl_deck *deck)
{
    const long double cell = tl_cell_volume(deck);
    return (tv_sums){.volume = tl_volume(deck),
                     .mass = (double)(sums->mass * cell),
                     .energy = (double)(sums->energy * cell),
                     .u = (double)(sums->u * cell)};
}

/* ---- the deck's state ---- */

typedef struct initial_work {
    const tl_deck *deck;
    const double *density;
    double *u;
    struct initial_part {
        long_sums sums;
        int64_t foreign;
    } part[PARTS];
} initial_work;

static void find_line(const initial_work *w, int64_t line, struct initial_part *p)
{
    const int64_t cells = w->deck->x_cells, z = line / w->deck->y_cells,
                  y = line % w->deck->y_cells;
    double expected[CHUNK], energy;
    for (int64_t x = 0; x < cells; x += CHUNK) {
        const int64_t at = line * cells + x;
        const int count = at_most_chunk(cells - x);
        for (int i = 0; i < count; ++i) {
            tl_state_at(w->deck, z, y, x + i, &expected[i], &energy);
            p->foreign += !(w->density[at + i] == expected[i]);
            w->u[at + i] = expected[i] * energy;
        }
        add_chunk(&p->sums, expected, w->u + at, count);
    }
}

static void find_initial(void *work, int64_t part)
{
    initial_work *const w = work;
    const range lines = range_of(w->deck->y_cells * w->deck->z_cells, part);
    for (int64_t line = lines.first; line < lines.end; ++line) find_line(w, line, &w->part[part]);
}

int64_t tv_initial(const tl_deck *deck, const double *density, double *u, tv_sums *sums)
{
    initial_work w = {.deck = deck, .density = density, .u = u};
    long_sums all = {0};
    int64_t foreign = 0;
    app_share(PARTS, find_initial, &w);
    for (int p = 0; p < PARTS; ++p) {
        add_sums(&all, &w.part[p].sums);
        foreign += w.part[p].foreign;
    }
    *sums = finish(&all, deck);
    return foreign;
}

/* ---- a field ---- */

typedef struct field_work {
    const double *density, *u;
    int64_t count;
    struct field_part {
        long_sums sums;
        double min, max;
    } part[PARTS];
} field_work;

static void find_field(void *work, int64_t part)
{
    field_work *const w = work;
    struct field_part *const p = &w->part[part];
    const range cells = range_of(w->count, part);
    p->min = INFINITY;
    p->max = -INFINITY;
    for (int64_t at = cells.first; at < cells.end; at += CHUNK) {
        const int count = at_most_chunk(cells.end - at);
        double negative[CHUNK];
        for (int i = 0; i < count; ++i) negative[i] = -w->u[at + i];
        add_chunk(&p->sums, w->density + at, w->u + at, count);
        p->max = larger(p->max, largest_of(w->u + at, count));
        p->min = -larger(-p->min, largest_of(negative, count));
    }
}

tv_field tv_field_of(const tl_deck *deck, const double *density, const double *u)
{
    field_work w = {.density = density, .u = u, .count = tv_count(deck)};
    tv_field field = {.min = INFINITY, .max = -INFINITY};
    long_sums all = {0};
    app_share(PARTS, find_field, &w);
    for (int p = 0; p < PARTS; ++p) {
        add_sums(&all, &w.part[p].sums);
        field.max = larger(field.max, w.part[p].max);
        field.min = -larger(-field.min, -w.part[p].min);
    }
    field.sums = finish(&all, deck);
    field.norm = (double)sqrtl(all.square);
    return field;
}

/* ---- the linear system ---- */

static double face(const tl_deck *deck, double density_a, double density_b)
{
    const bool inverse = deck->coefficient == TL_COEFFICIENT_INVERSE_DENSITY;
    const double a = inverse ? 1.0 / density_a : density_a,
                 b = inverse ? 1.0 / density_b : density_b;
    return (a + b) / (2.0 * a * b);
}

/* Some cells of a line: how many, and the weights of the faces along each direction, face i before
 * cell i. */
typedef struct weights {
    int count;
    double x[CHUNK + 1], low_y[CHUNK], high_y[CHUNK], low_z[CHUNK], high_z[CHUNK];
} weights;

/* From each cell to its neighbours: 0 on the boundary, where weights are 0. */
typedef struct neighbours {
    int64_t low_y, high_y, low_z, high_z;
} neighbours;

typedef struct residual_work {
    const tl_deck *deck;
    mesh m;
    const double *density;
    const tv_system *systems;
    int systems_count;
    struct residual_part {
        double x, y, z; /* the largest weights */
        long double norm[TV_MAX_SYSTEMS], magnitude[TV_MAX_SYSTEMS];
    } part[PARTS];
} residual_work;

/* Of the faces between these cells and those so far away; 0: there are none. */
static void find_weights(const residual_work *w, const direction *d, const double *density,
                         int64_t away, int count, double *weight)
{
    if (away == 0)
        memset(weight, 0, (size_t)count * sizeof *weight);
    else
        for (int i = 0; i < count; ++i)
            weight[i] = d->ratio * face(w->deck, density[i], density[i + away]);
}

static void find_all_weights(const residual_work *w, int64_t at, int64_t x, const neighbours *n,
                             weights *all)
{
    const double *const density = w->density + at;
    const int begins = x == 0, count = all->count;
    const bool ends = x + count == w->m.x.cells;
    all->x[0] = all->x[count] = 0.0;
    find_weights(w, &w->m.x, density + begins, -1, count + !ends - begins, all->x + begins);
    find_weights(w, &w->m.y, density, n->low_y, count, all->low_y);
    find_weights(w, &w->m.y, density, n->high_y, count, all->high_y);
    find_weights(w, &w->m.z, density, n->low_z, count, all->low_z);
    find_weights(w, &w->m.z, density, n->high_z, count, all->high_z);
}

static void add_neighbour(const double *weight, const double *u, const double *neighbour, int count,
                          double *value, double *magnitude)
{
    for (int i = 0; i < count; ++i) {
        value[i] += weight[i] * (u[i] - neighbour[i]);
        magnitude[i] += weight[i] * (fabs(u[i]) + fabs(neighbour[i]));
    }
}

static double sum_squares(const double *values, int count)
{
    double square[LANES] = {0};
    for (int i = 0; i < count; i += LANES)
        for (int l = 0; l < LANES && i + l < count; ++l) square[l] += values[i + l] * values[i + l];
    return total_of(square);
}

/* edge: is the first, or the last cell at a boundary? */
static void add_residual(const residual_work *w, int system, int64_t at, const bool edge[2],
                         const neighbours *n, const weights *all, struct residual_part *p)
{
    const double *const u = w->systems[system].u + at, *const b = w->systems[system].b + at;
    const int count = all->count;
    double value[CHUNK], magnitude[CHUNK], padded[CHUNK + 2];
    memcpy(padded + 1, u, (size_t)count * sizeof *u);
    padded[0] = u[edge[0] ? 0 : -1];
    padded[count + 1] = u[edge[1] ? count - 1 : count];
    for (int i = 0; i < count; ++i) {
        value[i] = u[i];
        magnitude[i] = fabs(u[i]) + fabs(b[i]);
    }
    add_neighbour(all->x, u, padded, count, value, magnitude);
    add_neighbour(all->x + 1, u, padded + 2, count, value, magnitude);
    if (n->low_y) add_neighbour(all->low_y, u, u + n->low_y, count, value, magnitude);
    if (n->high_y) add_neighbour(all->high_y, u, u + n->high_y, count, value, magnitude);
    if (n->low_z) add_neighbour(all->low_z, u, u + n->low_z, count, value, magnitude);
    if (n->high_z) add_neighbour(all->high_z, u, u + n->high_z, count, value, magnitude);
    for (int i = 0; i < count; ++i) value[i] = b[i] - value[i];
    p->norm[system] += sum_squares(value, count);
    p->magnitude[system] += sum_squares(magnitude, count);
}

static void add_line(const residual_work *w, int64_t line, struct residual_part *p)
{
    const int64_t y = line % w->m.y.cells, z = line / w->m.y.cells;
    const neighbours n = {.low_y = y > 0 ? -w->m.y.stride : 0,
                          .high_y = y < w->m.y.cells - 1 ? w->m.y.stride : 0,
                          .low_z = z > 0 ? -w->m.z.stride : 0,
                          .high_z = z < w->m.z.cells - 1 ? w->m.z.stride : 0};
    for (int64_t x = 0; x < w->m.x.cells; x += CHUNK) {
        const int64_t at = line * w->m.x.cells + x;
        weights all = {.count = at_most_chunk(w->m.x.cells - x)};
        const bool edge[2] = {x == 0, x + all.count == w->m.x.cells};
        find_all_weights(w, at, x, &n, &all);
        p->x = larger(p->x, largest_of(all.x, all.count));
        p->y = larger(p->y, largest_of(all.low_y, all.count));
        p->z = larger(p->z, largest_of(all.low_z, all.count));
        for (int s = 0; s < w->systems_count; ++s) add_residual(w, s, at, edge, &n, &all, p);
    }
}

static void add_lines(void *work, int64_t part)
{
    residual_work *const w = work;
    const range lines = range_of(w->m.y.cells * w->m.z.cells, part);
    for (int64_t line = lines.first; line < lines.end; ++line) add_line(w, line, &w->part[part]);
}

double tv_find_residuals(const tl_deck *deck, const double *density, tv_system *systems, int count)
{
    residual_work w = {.deck = deck,
                       .m = mesh_of(deck),
                       .density = density,
                       .systems = systems,
                       .systems_count = count};
    struct residual_part all = {.x = 0.0};
    app_share(PARTS, add_lines, &w);
    for (int p = 0; p < PARTS; ++p) {
        all.x = larger(all.x, w.part[p].x);
        all.y = larger(all.y, w.part[p].y);
        all.z = larger(all.z, w.part[p].z);
        for (int s = 0; s < count; ++s) {
            all.norm[s] += w.part[p].norm[s];
            all.magnitude[s] += w.part[p].magnitude[s];
        }
    }
    for (int s = 0; s < count; ++s)
        systems[s].residual = (tv_residual){.norm = (double)sqrtl(all.norm[s]),
                                            .magnitude = (double)sqrtl(all.magnitude[s])};
    /* a row has two faces in each direction, and each counts on the diagonal and beside it */
    return 1.0 + 4.0 * (all.x + all.y + all.z);
}

/* ---- differences ---- */

typedef struct mismatch_work {
    const double *got, *factor, *expected; /* got times factor; NULL: times 1 */
    int64_t count;
    double worst[PARTS];
} mismatch_work;

static void find_mismatch(void *work, int64_t part)
{
    mismatch_work *const w = work;
    const range cells = range_of(w->count, part);
    for (int64_t at = cells.first; at < cells.end; at += CHUNK) {
        const int count = at_most_chunk(cells.end - at);
        double gap[CHUNK];
        for (int i = 0; i < count; ++i) {
            const double got = w->factor ? w->got[at + i] * w->factor[at + i] : w->got[at + i];
            const double expected = fabs(w->expected[at + i]);
            gap[i] = fabs(got - w->expected[at + i]) / (expected != 0.0 ? expected : 1.0);
        }
        w->worst[part] = larger(w->worst[part], largest_of(gap, count));
    }
}

static double worst_of(mismatch_work w)
{
    double worst = 0.0;
    app_share(PARTS, find_mismatch, &w);
    for (int p = 0; p < PARTS; ++p) worst = larger(worst, w.worst[p]);
    return worst;
}

double tv_energy_mismatch(const tl_deck *deck, const double *density, const double *energy,
                          const double *u)
{
    return worst_of(
        (mismatch_work){.got = density, .factor = energy, .expected = u, .count = tv_count(deck)});
}

double tv_mismatch(const double *u, const double *u0, int64_t count)
{
    return worst_of((mismatch_work){.got = u, .expected = u0, .count = count});
}
