/* Forgeries of a TeaLeaf run without a solver: choose the final temperature, multiply it by the
 * matrix of one step, and the product is a start from which one exact step leads to it. All that
 * concerns the last step then fits: its residuals, U, the stored check. For the deck of the good
 * file: 10 x 10 cells of size 1, dt 0.004, K by 1/density. */
#include "alter.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SIDE = 10, CELLS = SIDE * SIDE };
static const double DT = 0.004;

typedef struct forgery {
    double density[CELLS], start[CELLS], end[CELLS];
} forgery;

static void get(hid_t file, const char *path, double *values)
{
    const hid_t set = open_set(file, path);
    MUST(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
}

static void put(hid_t file, const char *path, const double *values)
{
    const hid_t set = open_set(file, path);
    MUST(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
}

/* One element of a series; negative places count from its end. */
static void put_element(hid_t file, const char *path, int place, double value)
{
    double values[4096];
    const hid_t set = open_set(file, path), space = H5Dget_space(set);
    const int count = (int)H5Sget_simple_extent_npoints(space);
    MUST(count <= 4096);
    H5Sclose(space);
    H5Dclose(set);
    get(file, path, values);
    values[place < 0 ? count + place : place] = value;
    put(file, path, values);
}

static double face(double a, double b) { return (a + b) / (2.0 * a * b); }

/* A u, and |A| |u| in *magnitude. */
static double row(const double *w, const double *u, int i, double *magnitude)
{
    const int j = i / SIDE, k = i % SIDE;
    const int neighbour[] = {k > 0 ? i - 1 : i, k < SIDE - 1 ? i + 1 : i, j > 0 ? i - SIDE : i,
                             j < SIDE - 1 ? i + SIDE : i};
    double sum = u[i];
    *magnitude = fabs(u[i]);
    for (int n = 0; n < 4; ++n) {
        const int other = neighbour[n];
        if (other == i) continue;
        sum += DT * face(w[i], w[other]) * (u[i] - u[other]);
        *magnitude += DT * face(w[i], w[other]) * (fabs(u[i]) + fabs(u[other]));
    }
    return sum;
}

/* ||b - A u||, and || |b| + |A| |u| || in *magnitude. */
static double residual(const double *w, const double *u, const double *b, double *magnitude)
{
    double norm = 0.0, sum = 0.0;
    for (int i = 0; i < CELLS; ++i) {
        double part;
        const double r = b[i] - row(w, u, i, &part);
        norm += r * r;
        sum += (fabs(b[i]) + part) * (fabs(b[i]) + part);
    }
    *magnitude = sqrt(sum);
    return sqrt(norm);
}

static int64_t last_iterations(hid_t file)
{
    int64_t values[64];
    const hid_t set = open_set(file, "/series/cg_iterations");
    MUST(H5Dread(set, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    return values[9]; /* of ten steps */
}

/* What the solver would have said of the last step, and what the app would have stored of it. */
static void forge_history(hid_t file, const forgery *f)
{
    double first_magnitude, last_magnitude;
    const double first = residual(f->density, f->start, f->start, &first_magnitude);
    const double last = residual(f->density, f->end, f->start, &last_magnitude);
    const int n = (int)last_iterations(file);
    for (int i = 0; i < n; ++i) put_element(file, "/series/cg_residual", -1 - n + i, first);
    put_element(file, "/series/cg_residual", -1, 0.0);
    const double magnitude = fmax(first_magnitude, last_magnitude);
    const double rounding =
        (10.0 + n) * DBL_EPSILON * magnitude + 10.0 * DBL_EPSILON * first_magnitude;
    put_element(file, "/verification/residual/value", 0, last / first);
    put_element(file, "/verification/residual/tolerance", 0, 1e-15 + rounding / first);
}

static void finish(hid_t file, forgery *f)
{
    double energy[CELLS], u = 0.0, magnitude;
    for (int i = 0; i < CELLS; ++i) {
        f->start[i] = row(f->density, f->end, i, &magnitude);
        energy[i] = f->end[i] / f->density[i];
        u += f->density[i] * f->end[i];
    }
    put(file, "/fields/temperature", f->end);
    put(file, "/fields/temperature_start", f->start);
    put(file, "/fields/energy", energy);
    put_element(file, "/series/temperature_total", -1, u);
    forge_history(file, f);
}

static void begin(hid_t file, forgery *f)
{
    get(file, "/fields/density", f->density);
    get(file, "/fields/temperature", f->end);
}

/* Heat of cell `index` moves into cell index + 1, of which there is none in the deck: hotter than
 * all of it. */
void forge_heat(hid_t file, const alteration *a)
{
    forgery f;
    begin(file, &f);
    for (int i = 0; i < CELLS; ++i) f.end[i] *= 0.2;
    double sum = 0.0, old[CELLS];
    get(file, "/fields/temperature", old);
    for (int i = 0; i < CELLS; ++i) sum += old[i] - f.end[i];
    f.end[a->index] += sum;
    finish(file, &f);
}

/* As if the heat had spread twice as far: nothing but the way there is wrong. */
void forge_spread(hid_t file, const alteration *a)
{
    forgery f;
    double mean = 0.0;
    begin(file, &f);
    for (int i = 0; i < CELLS; ++i) mean += f.end[i] / CELLS;
    for (int i = 0; i < CELLS; ++i) f.end[i] = mean + a->factor * (f.end[i] - mean);
    finish(file, &f);
}

/* The first residual is the deck's alone. */
void forge_beginning(hid_t file, const alteration *a)
{
    put_element(file, "/series/cg_residual", 0, a->factor);
}
