/* The scheme: implicit Euler for du/dt = div(K grad u) on a uniform mesh, five points, in 3-D
 * seven, no flux through the boundary.
 *
 *   (A u)[j,k] = u[j,k] + rx (Kl (u - u_left) + Kr (u - u_right))
 *                       + ry (Kd (u - u_down) + Ku (u - u_up))
 *                       + rz (Kf (u - u_front) + Kb (u - u_back))      in 3-D
 *
 * rx = dt/dx^2, ry = dt/dy^2, rz = dt/dz^2. The conductivity of the face between cells a and b is
 * (w_a + w_b) / (2 w_a w_b), where w is the density or its inverse (the deck's coefficient), and 0
 * on the boundary. In 2-D there is one plane of cells. */
#include "tl_fields.h"

#include "input/tl_states.h"

#include <math.h>

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

/* The head of a loop over all cells: (z, y, x) is number i. */
#define FOR_CELLS(deck, i, z, y, x)                      \
    for (int64_t z = 0, i = 0; z < (deck)->z_cells; ++z) \
        for (int64_t y = 0; y < (deck)->y_cells; ++y)    \
            for (int64_t x = 0; x < (deck)->x_cells; ++x, ++i)

/* Partial sums. */
typedef struct long_sums {
    long double mass, energy, u;
} long_sums;

static void add(long_sums *sums, double density, double temperature)
{
    sums->mass += density;
    sums->energy += temperature;
    sums->u += (long double)density * temperature;
}

static tv_sums finish(const long_sums *sums, const tl_deck *deck)
{
    const long double cell = tl_cell_volume(deck);
    return (tv_sums){.volume = tl_volume(deck),
                     .mass = (double)(sums->mass * cell),
                     .energy = (double)(sums->energy * cell),
                     .u = (double)(sums->u * cell)};
}

tv_sums tv_initial_sums(const tl_deck *deck)
{
    long_sums sums = {0};
    FOR_CELLS(deck, i, z, y, x)
    {
        double density, energy;
        tl_state_at(deck, z, y, x, &density, &energy);
        add(&sums, density, density * energy);
    }
    return finish(&sums, deck);
}

tv_sums tv_field_sums(const tl_deck *deck, const double *density, const double *temperature)
{
    long_sums sums = {0};
    const int64_t count = tv_count(deck);
    for (int64_t i = 0; i < count; ++i) add(&sums, density[i], temperature[i]);
    return finish(&sums, deck);
}

static double face(const tl_deck *deck, double density_a, double density_b)
{
    const bool inverse = deck->coefficient == TL_COEFFICIENT_INVERSE_DENSITY;
    const double a = inverse ? 1.0 / density_a : density_a,
                 b = inverse ? 1.0 / density_b : density_b;
    return (a + b) / (2.0 * a * b);
}

/* One neighbour's part in a row of A. */
typedef struct row_sum {
    double value, magnitude;
} row_sum;

static void add_neighbour(row_sum *row, double weight, double value, double neighbour)
{
    row->value += weight * (value - neighbour);
    row->magnitude += weight * (fabs(value) + fabs(neighbour));
}

/* The neighbours of cell i, which is number `at` of its direction. */
static void add_neighbours(row_sum *row, const tl_deck *deck, const direction *d, int64_t at,
                           const double *density, const double *u)
{
    const int64_t s = d->stride;
    if (at > 0) add_neighbour(row, d->ratio * face(deck, density[-s], density[0]), u[0], u[-s]);
    if (at < d->cells - 1)
        add_neighbour(row, d->ratio * face(deck, density[0], density[s]), u[0], u[s]);
}

tv_residual tv_residual_of(const tl_deck *deck, const double *density, const double *u,
                           const double *b)
{
    const mesh m = mesh_of(deck);
    long double norm = 0.0L, magnitude = 0.0L;
    FOR_CELLS(deck, i, z, y, x)
    {
        row_sum row = {u[i], fabs(u[i]) + fabs(b[i])};
        add_neighbours(&row, deck, &m.x, x, density + i, u + i);
        add_neighbours(&row, deck, &m.y, y, density + i, u + i);
        add_neighbours(&row, deck, &m.z, z, density + i, u + i);
        norm += ((long double)b[i] - row.value) * ((long double)b[i] - row.value);
        magnitude += (long double)row.magnitude * row.magnitude;
    }
    return (tv_residual){.norm = (double)sqrtl(norm), .magnitude = (double)sqrtl(magnitude)};
}

int64_t tv_initial(const tl_deck *deck, const double *density, double *u)
{
    int64_t foreign = 0;
    FOR_CELLS(deck, i, z, y, x)
    {
        double expected, energy;
        tl_state_at(deck, z, y, x, &expected, &energy);
        foreign += !(density[i] == expected);
        u[i] = expected * energy;
    }
    return foreign;
}

double tv_norm(const double *values, int64_t count)
{
    long double sum = 0.0L;
    for (int64_t i = 0; i < count; ++i) sum += (long double)values[i] * values[i];
    return (double)sqrtl(sum);
}

/* Stays NaN after a NaN, which fmax would ignore. */
static double larger(double so_far, double value)
{
    return value > so_far || isnan(value) ? value : so_far;
}

static double gap(double value, double expected)
{
    const double difference = fabs(value - expected);
    return expected != 0.0 ? difference / fabs(expected) : difference;
}

double tv_energy_mismatch(const tl_deck *deck, const double *density, const double *energy,
                          const double *u)
{
    const int64_t count = tv_count(deck);
    double worst = 0.0;
    for (int64_t i = 0; i < count && !isnan(worst); ++i)
        worst = larger(worst, gap(density[i] * energy[i], u[i]));
    return worst;
}

double tv_mismatch(const double *u, const double *u0, int64_t count)
{
    double worst = 0.0;
    for (int64_t i = 0; i < count && !isnan(worst); ++i) worst = larger(worst, gap(u[i], u0[i]));
    return worst;
}

/* The largest conductivity of the faces along a direction, times its ratio. */
static double largest_face(const tl_deck *deck, const double *density, const direction *d)
{
    const int64_t count = tv_count(deck);
    double worst = 0.0;
    for (int64_t i = 0; i + d->stride < count; ++i)
        if (i / d->stride % d->cells < d->cells - 1)
            worst = larger(worst, face(deck, density[i], density[i + d->stride]));
    return d->ratio * worst;
}

/* A row has two faces in each direction, and each counts on the diagonal and beside it. */
double tv_row_bound(const tl_deck *deck, const double *density)
{
    const mesh m = mesh_of(deck);
    return 1.0 + 4.0 * (largest_face(deck, density, &m.x) + largest_face(deck, density, &m.y) +
                        largest_face(deck, density, &m.z));
}

void tv_extremes(const double *values, int64_t count, double *min, double *max)
{
    *min = *max = values[0];
    for (int64_t i = 1; i < count && !isnan(*max); ++i) {
        *max = larger(*max, values[i]);
        *min = -larger(-*min, -values[i]);
    }
}
