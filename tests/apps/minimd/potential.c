/* Potentials of miniMD: the splines, and what they are of physics. (What the reader of files takes and
 * refuses: potential_files.c.) Expected values come from outside: the published formulas of
 * the potential that minx ships, Rose's equation of state, and energies and pressures that the
 * original printed with Cu_u6.eam (in MINX_REFERENCE_DATA). Nothing runs in parallel, so neither
 * ranks nor backends matter. */
#include "input/md_potential.h"
#include "potential_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_whole_file(const char *folder, const char *name, size_t *length)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const f = fopen(path, "rb");
    char *const text = malloc(1 << 20);
    if (f == NULL || text == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    *length = fread(text, 1, 1 << 20, f);
    fclose(f);
    return text;
}

static void read_potential(const char *folder, const char *name, md_potential *p)
{
    size_t length;
    char *const text = read_whole_file(folder, name, &length);
    if (md_potential_parse(name, text, length, p) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        exit(1);
    }
    free(text);
}

/* ---- splines ---- */

static double *splines_of(const double *values, int knots)
{
    double *const c = malloc((size_t)knots * MD_SPLINE * sizeof *c);
    if (c == NULL) exit(1);
    md_spline(values, knots, c);
    return c;
}

/* Value, and derivative, where the table's step is `step`. */
static double look_up(const double *c, int knots, double step, double x, double *derivative)
{
    int k = (int)(x / step);
    if (k > knots - 1) k = knots - 1;
    const double p = x / step - k;
    const double *const s = c + (size_t)k * MD_SPLINE;
    *derivative = ((3 * s[0] * p + 2 * s[1]) * p + s[2]) / step;
    return ((s[0] * p + s[1]) * p + s[2]) * p + s[3];
}

static double cubic(double x) { return ((0.3 * x - 1.1) * x + 0.7) * x + 2; }

/* Differences of fourth order and Lagrange's interpolation are exact for cubics; values and slopes
 * are continuous everywhere. */
static void test_splines(void)
{
    enum { KNOTS = 12 };
    const double step = 0.25;
    double f[KNOTS], resampled[2 * KNOTS], slope, next;
    for (int k = 0; k < KNOTS; k++) f[k] = cubic(k * step);
    double *const c = splines_of(f, KNOTS);
    for (int i = 0; i < 100; i++) { /* two knots away from the ends */
        const double x = 2 * step + (KNOTS - 5) * step * i / 100;
        check("a cubic by its spline", look_up(c, KNOTS, step, x, &slope), cubic(x), 1e-14);
        check("its slope", slope, (0.9 * x - 2.2) * x + 0.7, 1e-13);
    }
    for (int k = 1; k < KNOTS; k++) {
        const double here = look_up(c, KNOTS, step, k * step - 1e-9, &slope);
        const double there = look_up(c, KNOTS, step, k * step + 1e-9, &next);
        check("value across a knot", here, there, 1e-8);
        check("slope across a knot", slope, next, 1e-6); /* curvature of 50 times 2e-9 */
    }
    const double end = look_up(c, KNOTS, step, (KNOTS - 1) * step, &slope);
    check("a straight line behind the end", look_up(c, KNOTS, step, (KNOTS + 2) * step, &next),
          end + 3 * step * slope, 1e-13);
    md_resample(f, KNOTS, step, resampled, 2 * KNOTS - 1, step / 2);
    for (int k = 0; k < 2 * KNOTS - 1; k++)
        check("a cubic at new knots", resampled[k], cubic(k * step / 2), 1e-14);
    free(c);
}

/* ---- lattices ---- */

typedef struct tables {
    md_potential p;
    double *embedding, *density, *pair; /* splines of element 0 */
} tables;

static tables tables_of(const md_potential *p)
{
    return (tables){.p = *p,
                    .embedding = splines_of(p->embedding, p->rho_knots),
                    .density = splines_of(p->density, p->r_knots),
                    .pair = splines_of(p->pair, p->r_knots)};
}

static void release(tables *t)
{
    free(t->embedding);
    free(t->density);
    free(t->pair);
    md_potential_free(&t->p);
}

/* Energy and virial (sum of r . f over pairs) per atom of a face-centred cubic lattice of element
 * 0. */
static double lattice_energy(const tables *t, double a, double *virial)
{
    const md_potential *const p = &t->p;
    const int reach = 8;
    double rho = 0, phi_sum = 0, rho_virial = 0, phi_virial = 0, slope;
    for (int i = -reach; i <= reach; i++)
        for (int j = -reach; j <= reach; j++)
            for (int k = -reach; k <= reach; k++) {
                const double r = 0.5 * a * sqrt((double)(i * i + j * j + k * k));
                if ((i + j + k) % 2 != 0 || r == 0 || r >= p->cutoff) continue;
                rho += look_up(t->density, p->r_knots, p->r_step, r, &slope);
                rho_virial += r * slope;
                const double z = look_up(t->pair, p->r_knots, p->r_step, r, &slope);
                phi_sum += z / r;
                phi_virial += slope - z / r;
            }
    const double f = look_up(t->embedding, p->rho_knots, p->rho_step, rho, &slope);
    *virial = -(slope * rho_virial + 0.5 * phi_virial);
    return f + 0.5 * phi_sum;
}

/* The original's figures for its default lattice at 600 K: energy from an independent
 * computation to all digits, pressures as printed in its logs, of 4000 and 16384 atoms and 32 x
 * 32 x 32 cells. */
static void test_reference(const char *data)
{
    static const struct {
        double cells, pressure;
    } printed[] = {{10, -1.6419826e5}, {16, -1.6419716e5}, {32, -1.6419685e5}};
    char folder[1024];
    md_potential p;
    double virial;
    snprintf(folder, sizeof folder, "%s/minimd", data);
    read_potential(folder, "Cu_u6.eam", &p);
    check("elements", p.elements, 1, 0);
    check("form", p.form, MD_FUNCFL, 0);
    check("mass", p.element[0].mass, 63.55, 0);
    check("cutoff", p.cutoff, 4.95, 1e-12);
    tables t = tables_of(&p);
    const double a = cbrt(4 / 0.07041125);
    check("energy of the lattice", lattice_energy(&t, a, &virial), -3.389860763, 5e-10);
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        const double atoms = 4 * pow(printed[i].cells, 3), volume = pow(a * printed[i].cells, 3);
        const double kinetic = 600 * 8.617343e-5 * (3 * atoms - 3);
        check("pressure of the lattice", (kinetic + atoms * virial) * 1.602176e6 / (3 * volume),
              printed[i].pressure, 0.006);
    }
    release(&t);
}

/* ---- the potential that minx ships ---- */

typedef struct johnson {
    double a, cohesion, fe, phie, alpha, beta, gamma;
} johnson;
static const johnson copper = {3.615, 3.54, 0.30, 0.59, 5.09, 5.85, 8.00};
static const johnson nickel = {3.52, 4.45, 0.41, 0.74, 4.98, 6.41, 8.86};

static double nearest(const johnson *e) { return e->a / sqrt(2); }
static double fall(double r)
{
    const double t = r < 3.05 ? 0 : r > 3.5 ? 1 : (r - 3.05) / 0.45;
    return (1 - t) * (1 - t) * (1 - t) * (1 + 3 * t + 6 * t * t);
}
static double johnson_density(const johnson *e, double r)
{
    return e->fe * exp(-e->beta * (r / nearest(e) - 1));
}
static double johnson_pair(const johnson *e, double r)
{
    return e->phie * exp(-e->gamma * (r / nearest(e) - 1));
}
static double johnson_mixed(const johnson *a, const johnson *b, double r)
{
    const double fa = johnson_density(a, r), fb = johnson_density(b, r);
    return 0.5 * (fb / fa * johnson_pair(a, r) + fa / fb * johnson_pair(b, r));
}
static double johnson_embedding(const johnson *e, double rho)
{
    const double y = rho / (12 * e->fe);
    const double z = pow(y, e->alpha / e->beta);
    return -e->cohesion * (1 - log(z)) * z - 6 * e->phie * pow(y, e->gamma / e->beta);
}

/* Knots have 13 digits in the file; between them, the splines' errors are of fourth order in the
 * step, 5e-3 Angstrom and 0.02, with the derivatives of the fall to 0 (2000 times the function) and
 * of F (20 at the densities of solids). */
static void test_johnson_tables(const md_potential *p)
{
    static const johnson *const element[] = {&copper, &nickel};
    double slope;
    for (int i = 0; i < 2; i++) {
        double *const f = splines_of(p->density + (size_t)i * (size_t)p->r_knots, p->r_knots);
        double *const g = splines_of(p->embedding + (size_t)i * (size_t)p->rho_knots, p->rho_knots);
        for (double r = 1.503; r < 3.5; r += 0.0137) {
            const double exact = johnson_density(element[i], r) * fall(r);
            check("density", look_up(f, p->r_knots, p->r_step, r, &slope), exact, 2e-8);
        }
        for (double rho = 1.013; rho < 9.9; rho += 0.0271) {
            const double exact = johnson_embedding(element[i], rho);
            check("embedding", look_up(g, p->rho_knots, p->rho_step, rho, &slope), exact, 1e-8);
        }
        free(f);
        free(g);
        for (int j = 0; j <= i; j++) {
            double *const z =
                splines_of(p->pair + (size_t)md_table_pair(j, i) * (size_t)p->r_knots, p->r_knots);
            for (double r = 1.503; r < 3.5; r += 0.0137) {
                const double exact = r * johnson_mixed(element[i], element[j], r) * fall(r);
                check("pair", look_up(z, p->r_knots, p->r_step, r, &slope), exact, 1e-7);
            }
            free(z);
        }
    }
}

/* A lattice whose nearest neighbours are within 3.05, and the second ones beyond 3.5, has the
 * energy of Rose's equation of state, and the virial -r dE/dr. */
static void test_rose(const tables *t)
{
    for (double x = 0.97; x < 1.19; x += 0.01) {
        const double s = copper.alpha * (x - 1);
        double virial;
        const double energy = lattice_energy(t, copper.a * x, &virial);
        check("Rose's energy", energy, -copper.cohesion * (1 + s) * exp(-s), 1e-7);
        check("Rose's virial", virial, -x * copper.alpha * copper.cohesion * s * exp(-s), 1e-5);
    }
}

static void test_shipped(const char *sources)
{
    char folder[1024];
    md_potential p;
    snprintf(folder, sizeof folder, "%s/inputs/minimd", sources);
    read_potential(folder, "CuNi_johnson.eam.alloy", &p);
    check("elements", p.elements, 2, 0);
    check("form", p.form, MD_SETFL, 0);
    check("number", p.element[1].number, 28, 0);
    if (strcmp(p.element[0].name, "Cu") != 0 || strcmp(p.element[1].name, "Ni") != 0) failures++;
    test_johnson_tables(&p);
    tables t = tables_of(&p);
    test_rose(&t);
    release(&t);
}

/* The argument is the folder of minx's sources. */
int main(int argc, char **argv)
{
    const char *const data = getenv("MINX_REFERENCE_DATA");
    const char *const required = getenv("MINX_REQUIRE_DATA");
    test_splines();
    if (argc > 1) test_shipped(argv[1]);
    const bool has_data = data != NULL && data[0] != '\0';
    if (has_data) test_reference(data);
    if (failures > 0) return 1;
    if (has_data) return 0;
    fprintf(stderr, "MINX_REFERENCE_DATA is not set: the original's potential was not read\n");
    return required != NULL && strcmp(required, "1") == 0 ? 1 : 77;
}
