/* The scheme: implicit Euler for du/dt = div(K grad u) on a uniform mesh, five points, no flux
 * through the boundary.
 *
 *   (A u)[j,k] = u[j,k] + rx (Kl (u - u_left) + Kr (u - u_right))
 *                       + ry (Kd (u - u_down) + Ku (u - u_up))
 *
 * rx = dt/dx^2, ry = dt/dy^2. The conductivity of the face between cells a and b is
 * (w_a + w_b) / (2 w_a w_b), where w is the density or its inverse (the deck's coefficient), and 0
 * on the boundary. */
#include "physics_fields.h"

#include "tl_states.h"

#include <math.h>

tv_mesh tv_mesh_of(const tl_deck *deck)
{
    return (tv_mesh){.x = deck->x_cells,
                     .y = deck->y_cells,
                     .dx = (deck->xmax - deck->xmin) / (double)deck->x_cells,
                     .dy = (deck->ymax - deck->ymin) / (double)deck->y_cells};
}

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
    const tv_mesh m = tv_mesh_of(deck);
    const long double cell = (long double)m.dx * m.dy;
    return (tv_sums){.volume = (deck->xmax - deck->xmin) * (deck->ymax - deck->ymin),
                     .mass = (double)(sums->mass * cell),
                     .energy = (double)(sums->energy * cell),
                     .u = (double)(sums->u * cell)};
}

tv_sums tv_initial_sums(const tl_deck *deck)
{
    long_sums sums = {0};
    for (int64_t j = 0; j < deck->y_cells; ++j) {
        for (int64_t k = 0; k < deck->x_cells; ++k) {
            double density, energy;
            tl_state_at(deck, j, k, &density, &energy);
            add(&sums, density, density * energy);
        }
    }
    return finish(&sums, deck);
}

tv_sums tv_field_sums(const tl_deck *deck, const double *density, const double *temperature)
{
    long_sums sums = {0};
    const int64_t count = deck->x_cells * deck->y_cells;
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

static void add_neighbour(row_sum *row, double weight, double here, double there)
{
    row->value += weight * (here - there);
    row->magnitude += weight * (fabs(here) + fabs(there));
}

tv_residual tv_residual_of(const tl_deck *deck, const double *density, const double *u,
                           const double *b)
{
    const tv_mesh m = tv_mesh_of(deck);
    const double rx = deck->initial_timestep / (m.dx * m.dx),
                 ry = deck->initial_timestep / (m.dy * m.dy);
    const double *const w = density;
    long double norm = 0.0L, magnitude = 0.0L;
    for (int64_t j = 0; j < m.y; ++j) {
        for (int64_t k = 0; k < m.x; ++k) {
            const int64_t i = j * m.x + k;
            row_sum row = {u[i], fabs(u[i]) + fabs(b[i])};
            if (k > 0) add_neighbour(&row, rx * face(deck, w[i - 1], w[i]), u[i], u[i - 1]);
            if (k < m.x - 1) add_neighbour(&row, rx * face(deck, w[i], w[i + 1]), u[i], u[i + 1]);
            if (j > 0) add_neighbour(&row, ry * face(deck, w[i - m.x], w[i]), u[i], u[i - m.x]);
            if (j < m.y - 1)
                add_neighbour(&row, ry * face(deck, w[i], w[i + m.x]), u[i], u[i + m.x]);
            norm += ((long double)b[i] - row.value) * ((long double)b[i] - row.value);
            magnitude += (long double)row.magnitude * row.magnitude;
        }
    }
    return (tv_residual){.norm = (double)sqrtl(norm), .magnitude = (double)sqrtl(magnitude)};
}

int64_t tv_initial(const tl_deck *deck, const double *density, double *u)
{
    int64_t foreign = 0;
    for (int64_t j = 0; j < deck->y_cells; ++j) {
        for (int64_t k = 0; k < deck->x_cells; ++k) {
            const int64_t i = j * deck->x_cells + k;
            double expected, energy;
            tl_state_at(deck, j, k, &expected, &energy);
            foreign += !(density[i] == expected);
            u[i] = expected * energy;
        }
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
    const int64_t count = deck->x_cells * deck->y_cells;
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

/* The largest conductivity of the faces between rows (along_y) or columns. */
static double largest_face(const tl_deck *deck, const double *density, bool along_y)
{
    const int64_t rows = deck->y_cells - along_y, columns = deck->x_cells - !along_y;
    const int64_t next = along_y ? deck->x_cells : 1;
    double worst = 0.0;
    for (int64_t j = 0; j < rows; ++j) {
        for (int64_t k = 0; k < columns; ++k) {
            const int64_t i = j * deck->x_cells + k;
            worst = larger(worst, face(deck, density[i], density[i + next]));
        }
    }
    return worst;
}

/* A row has two faces in each direction, and each counts on the diagonal and beside it. */
double tv_row_bound(const tl_deck *deck, const double *density)
{
    const tv_mesh m = tv_mesh_of(deck);
    const double dt = deck->initial_timestep;
    return 1.0 + 4.0 * dt / (m.dx * m.dx) * largest_face(deck, density, false) +
           4.0 * dt / (m.dy * m.dy) * largest_face(deck, density, true);
}

void tv_extremes(const double *values, int64_t count, double *min, double *max)
{
    *min = *max = values[0];
    for (int64_t i = 1; i < count && !isnan(*max); ++i) {
        *max = larger(*max, values[i]);
        *min = -larger(-*min, -values[i]);
    }
}
