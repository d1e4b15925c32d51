/* The embedded-atom method as the original has it, by hand: half lists, each pair of local atoms
 * once and pairs with ghosts on both bricks. A first loop adds the densities of a pair to both
 * atoms; then each atom's F(rho) and F'(rho) are looked up, ghosts get F'(rho), and a second loop
 * adds the forces. Splines have seven coefficients: three of the slope, four of the value. */
#include "input/md_potential.h"
#include "minimd_rival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 8 }; /* 0 to 2: slope, 3 to 6: value */

/* ---- the potential ---- */

static double *make_rows(const double *values, int knots, double step)
{
    const size_t count = (size_t)knots;
    double *const coefficients = rival_allocate(MD_SPLINE * count, sizeof(double));
    double *const rows = rival_allocate(ROW * count, sizeof(double));
    md_spline(values, knots, coefficients);
    for (size_t k = 0; k < count; k++) {
        const double *const c = coefficients + MD_SPLINE * k;
        const double row[ROW] = {
            3 * c[0] / step, 2 * c[1] / step, c[2] / step, c[0], c[1], c[2], c[3], 0};
        memcpy(rows + ROW * k, row, sizeof row);
    }
    free(coefficients);
    return rows;
}

static bool read_text(const char *path, char **text, size_t *length)
{
    FILE *const file = fopen(path, "rb");
    long end = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) end = ftell(file);
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        *length = (size_t)end;
        *text = rival_allocate(*length + 1, 1);
        (*text)[*length] = 0;
        if (fread(*text, 1, *length, file) != *length) end = -1;
    }
    if (file != NULL) fclose(file);
    if (end < 0) fprintf(stderr, "minimd-rival: cannot read %s\n", path);
    return end >= 0;
}

bool rival_eam_read(const char *path, rival_problem *problem)
{
    char *text = NULL;
    size_t length = 0;
    md_potential p;
    if (!read_text(path, &text, &length)) return false;
    const mx_err err = md_potential_parse(path, text, length, &p);
    free(text);
    if (err != MX_OK || p.elements != 1) {
        fprintf(stderr, "minimd-rival: %s: not a potential of one element\n", path);
        return false;
    }
    *problem = (rival_problem){.density = 0.07041125,
                               .temperature = 600,
                               .step = 0.001,
                               .list_cutoff = p.cutoff + 1,
                               .width = 128,
                               .ghosts_twice = true,
                               .mvv_to_energy = 1.036427e-4,
                               .boltzmann = 8.617343e-5,
                               .printed_energy = 2 * 524287.985533,
                               .printed_pressure = 1.602176e6,
                               .mass = p.element[0].mass,
                               .cutoff = p.cutoff,
                               .r_inverse = 1 / p.r_step,
                               .rho_inverse = 1 / p.rho_step,
                               .r_knots = p.r_knots,
                               .rho_knots = p.rho_knots,
                               .density_rows = make_rows(p.density, p.r_knots, p.r_step),
                               .pair_rows = make_rows(p.pair, p.r_knots, p.r_step),
                               .embedding_rows = make_rows(p.embedding, p.rho_knots, p.rho_step)};
    md_potential_free(&p);
    return true;
}

void rival_eam_create(brick *b)
{
    b->rho = rival_allocate((size_t)b->capacity, sizeof(double));
    b->derivative = rival_allocate((size_t)b->capacity, sizeof(double));
}

/* ---- forces ---- */

static inline const double *row_at(const double *rows, int knots, double scaled, double *p)
{
    const int knot = scaled < knots - 1 ? (int)scaled : knots - 1;
    *p = scaled - knot;
    return rows + (size_t)ROW * (size_t)knot;
}

static inline double slope(const double *row, double p)
{
    return (row[0] * p + row[1]) * p + row[2];
}
static inline double value(const double *row, double p)
{
    return ((row[3] * p + row[4]) * p + row[5]) * p + row[6];
}

void rival_eam_densities(brick *b, const rival_problem *problem)
{
    const double cutoff_square = problem->cutoff * problem->cutoff, inverse = problem->r_inverse;
    const double *const rows = problem->density_rows;
    const size_t width = (size_t)problem->width;
    point *restrict const x = b->x;
    double *restrict const rho = b->rho;
    const int local = b->local, knots = problem->r_knots;
    memset(rho, 0, sizeof(double) * (size_t)local);
    for (int i = 0; i < local; i++) {
        const double xi = x[i][0], yi = x[i][1], zi = x[i][2];
        const int *const list = &b->list[(size_t)i * width], count = b->count[i];
        double sum = 0;
        for (int k = 0; k < count; k++) {
            const int j = list[k];
            const double dx = xi - x[j][0], dy = yi - x[j][1], dz = zi - x[j][2];
            const double square = dx * dx + dy * dy + dz * dz;
            if (square >= cutoff_square) continue;
            double p;
            const double *const row = row_at(rows, knots, sqrt(square) * inverse, &p);
            const double density = value(row, p);
            sum += density;
            if (j < local) rho[j] += density;
        }
        rho[i] += sum;
    }
    b->energy = 0;
    for (int i = 0; i < local; i++) {
        double p;
        const double *const row =
            row_at(problem->embedding_rows, problem->rho_knots, rho[i] * problem->rho_inverse, &p);
        b->derivative[i] = slope(row, p);
        b->energy += value(row, p);
    }
}

static inline __attribute__((always_inline)) void forces_of(brick *b, const rival_problem *problem,
                                                            bool energies)
{
    const double cutoff_square = problem->cutoff * problem->cutoff, scale = problem->r_inverse;
    const double *const densities = problem->density_rows, *const pairs = problem->pair_rows;
    const size_t width = (size_t)problem->width;
    const double *restrict const derivative = b->derivative;
    point *restrict const x = b->x, *restrict const f = b->f;
    const int local = b->local, knots = problem->r_knots;
    double energy = 0, virial = 0;
    memset(f, 0, sizeof(point) * (size_t)local);
    for (int i = 0; i < local; i++) {
        const double xi = x[i][0], yi = x[i][1], zi = x[i][2], di = derivative[i];
        const int *const list = &b->list[(size_t)i * width], count = b->count[i];
        double fx = 0, fy = 0, fz = 0;
        for (int k = 0; k < count; k++) {
            const int j = list[k];
            const double dx = xi - x[j][0], dy = yi - x[j][1], dz = zi - x[j][2];
            const double square = dx * dx + dy * dy + dz * dz;
            if (square >= cutoff_square) continue;
            double p;
            const double r = sqrt(square), inverse = 1 / r;
            const double *const row = row_at(densities, knots, r * scale, &p);
            const double *const pair = pairs + (row - densities);
            const double phi = value(pair, p) * inverse;
            const double phi_slope = (slope(pair, p) - phi) * inverse;
            const double force = -((di + derivative[j]) * slope(row, p) + phi_slope) * inverse;
            fx += dx * force;
            fy += dy * force;
            fz += dz * force;
            if (j < local) {
                f[j][0] -= dx * force;
                f[j][1] -= dy * force;
                f[j][2] -= dz * force;
            }
            if (energies) {
                const double share = j < local ? 1 : 0.5;
                energy += share * phi;
                virial += share * square * force;
            }
        }
        f[i][0] += fx;
        f[i][1] += fy;
        f[i][2] += fz;
    }
    b->energy += energy;
    b->virial = virial;
}

void rival_eam_forces(brick *b, const rival_problem *problem, bool energies)
{
    if (energies)
        forces_of(b, problem, true);
    else
        forces_of(b, problem, false);
}
