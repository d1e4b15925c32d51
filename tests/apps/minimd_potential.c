/* Potential files of miniMD: the reader, the splines, and what they are of physics. Expected values
 * come from outside: the published formulas of the potential that minx ships, Rose's equation of
 * state, and energies and pressures that the original printed with Cu_u6.eam (in
 * MINX_REFERENCE_DATA). Nothing runs in parallel, so neither ranks nor backends matter. */
#include "input/md_potential.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *what, double got, double expected, double tolerance)
{
    if (fabs(got - expected) <= tolerance) return;
    fprintf(stderr, "%s: got %.15g, expected %.15g, tolerance %g\n", what, got, expected,
            tolerance);
    failures++;
}

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

/* ---- bad files ---- */

#define GRID "6 0.5 6 0.5 3.0\n"
#define SIX "1 2 3 4 5 6\n"
#define FUNCFL "comment\n29 63.5 3.6 fcc\n" GRID SIX SIX SIX
#define SETFL "a\nb\nc\n1 Cu\n" GRID "29 63.5 3.6 fcc\n" SIX SIX SIX

static const struct {
    const char *text, *message;
} bad[] = {
    {"", "p:1: atomic number: got the end of the file, expected a whole number from 0 to 118"},
    {"comment\n", "p:2: atomic number: got the end of the file"},
    {"c\nx 63.5 3.6 fcc\n" GRID, "p:2: atomic number: got \"x\""},
    {"c\n29 0 3.6 fcc\n" GRID, "p:2: mass: got \"0\", expected a number above 0"},
    {"c\n29\n63.5 3.6\n" GRID, "p:2: mass: got the end of the line"},
    {"c\n29 63.5 nan fcc\n" GRID, "p:2: lattice constant: got \"nan\""},
    {"c\n29 63.5 3.6 4\n" GRID, "p:2: lattice: got \"4\", expected a word such as fcc"},
    {"c\n29 63.5 3.6 fcc\n6.0 0.5 6 0.5 3.0\n", "p:3: nrho: got \"6.0\""},
    {"c\n29 63.5 3.6 fcc\n5 0.5 6 0.5 3.0\n",
     "p:3: nrho: got \"5\", expected a whole number from 6 to 1000000"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 1000001 0.5 3.0\n", "p:3: nr: got \"1000001\""},
    {"c\n29 63.5 3.6 fcc\n6 -0.5 6 0.5 3.0\n", "p:3: drho: got \"-0.5\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0 3.0\n", "p:3: dr: got \"0\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3.5\n", "p:3: cutoff: got 3.5, expected at most nr * dr = 3"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5\n", "p:3: cutoff: got the end of the line"},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3 1\n",
     "p:3: cutoff: got \"1\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n1000 0.5 1000 0.5 3\n" SIX,
     "p:4: values: got a file with room for at most 7, expected 3000"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3\n4 5 six\n" SIX SIX,
     "p:5: F(rho): got \"six\", expected value 6 of 6"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3 4 5 6 7\n" SIX SIX,
     "p:4: F(rho): got \"7\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n" GRID SIX "1 2 3 4 5 1e101\n" SIX,
     "p:5: Z(r): got \"1e101\", expected value 6 of 6, at most 1e100"},
    {"c\n29 63.5 3.6 fcc\n" GRID SIX SIX "1 2 3 4 5                                \n",
     "p:7: f(r): got the end of the file, expected value 6 of 6"},
    {FUNCFL "7\n", "p:7: end: got \"7\", expected the end of the file"},
    {"a\nb\nc\n9 Cu\n" GRID, "p:4: elements: got \"9\", expected a whole number from 1 to 8"},
    {"a\nb\nc\n2 Cu\n" GRID, "p:4: elements: got the end of the line, expected the name"},
    {"a\nb\nc\n1 Cu Ni\n" GRID, "p:4: elements: got \"Ni\", expected the end of the line"},
    {"a\nb\nc\n1 Cuprum_of_a_long_name\n" GRID, "p:4: elements: got \"Cuprum_of_a_long_name\""},
    {"a\nb\nc\n1 Cu\n6 0.5 6 0.5 4\n", "p:5: cutoff: got 4"},
    {"a\nb\nc\n1 Cu\n" GRID SIX SIX SIX, "p:6: lattice: got \"4\", expected a word"},
    {"a\nb\nc\n1 Cu\n" GRID "29 63.5 3.6 fcc\n" SIX SIX "1 2 3 4 \0016 5\n",
     "p:9: text: got the byte \"\\x01\", expected a text file"},
    {"c # \033[31m\n29 63.5 3.6 fcc\n" GRID SIX SIX SIX, "p:1: text: got the byte \"\\x1b\""},
    {FUNCFL "# \177", "p:7: text: got the byte \"\\x7f\""},
    {"c\n29 63.5 3.6 fcc\n6 0.5 6 0.5 3 # 1\n1 2 3 4 5 # 6\n" SIX SIX,
     "p:5: F(rho): got \"2\", expected the end of the line"},
    {"c\n29 63.5 3.6 fcc\n" GRID "1 2 3 4 5 6 seven\n1 2 three 4 5 6\n" SIX,
     "p:5: Z(r): got \"three\", expected value 3 of 6"},
    {"a\nb\nc\n1 Cu name\n" GRID, "p:4: elements: got \"name\", expected the end of the line"},
    {SETFL SIX, "p:10: end: got \"1\", expected the end of the file"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        md_potential p;
        const mx_err err = md_potential_parse("p", bad[i].text, strlen(bad[i].text), &p);
        const char *const message = err == MX_OK ? "" : mx_err_message();
        if (err == MX_ERR_INPUT && strncmp(message, bad[i].message, strlen(bad[i].message)) == 0 &&
            p.values == NULL)
            continue;
        fprintf(stderr, "bad file %zu: got \"%s\", expected \"%s\"\n", i, message, bad[i].message);
        failures++;
    }
}

/* A file that ends early is an error wherever it ends. */
static void test_cut(const char *text)
{
    md_potential p;
    const size_t length = strlen(text);
    for (size_t n = 0; n < length; n++) {
        const mx_err err = md_potential_parse("p", text, n, &p);
        md_potential_free(&p);
        if (err == MX_ERR_INPUT || n + 1 == length) continue; /* the last line end may be absent */
        fprintf(stderr, "cut behind %zu characters: got no error\n", n);
        failures++;
    }
    if (md_potential_parse("p", text, length, &p) != MX_OK) failures++;
    check("Z(r) or r phi(r)", p.pair[1], p.form == MD_SETFL ? 2 : 27.2 * 0.529 * 4, 1e-12);
    check("knots", p.r_knots, p.form == MD_SETFL ? 6 : 5, 0);
    md_potential_free(&p);
}

/* ---- what LAMMPS reads, too ---- */

static void read_text(const char *name, const char *text, md_potential *p)
{
    if (md_potential_parse(name, text, strlen(text), p) == MX_OK) return;
    fprintf(stderr, "%s\n", mx_err_message());
    exit(1);
}

static void expect_error(const char *what, mx_err err, const char *message)
{
    if (err == MX_ERR_INPUT && strstr(mx_err_message(), message)) return;
    fprintf(stderr, "%s: got \"%s\", expected \"%s\"\n", what,
            err == MX_OK ? "no error" : mx_err_message(), message);
    failures++;
}

/* Comments, and words behind the last number of a line, wherever they may stand. */
static void test_comments(void)
{
    static const char *const same[] = {
        FUNCFL,
        "# c\n# more\n\n29 63.5 3.6 fcc  Cu by hand 4\n# grid\n6 0.5 6 0.5 3.0 nrho drho\n# F\n" SIX
        "  # Z\n1 2 3# 4\n4 5 6 Z(r) 7\n1 2 3 4 5 6 f\nend of the file\n# 7\n",
    };
    static const char *const alloys[] = {
        SETFL,
        "a\nb\nc\n# names\n\n1 Cu # Ni\n6 0.5 6 0.5 3.0 # nrho\n29 63.5 3.6 fcc # Cu\n1 2 3 # 4\n#\n4 5 6 "
        "F\n1 2 3 4 5 6 # 7\n\n" SIX "# end",
    };
    const char *const *const sets[] = {same, alloys};
    for (int n = 0; n < 2; n++) {
        md_potential plain, other;
        read_text("plain", sets[n][0], &plain);
        read_text("with comments", sets[n][1], &other);
        check("mass", other.element[0].mass, 63.5, 0);
        check("form", other.form, n == 0 ? MD_FUNCFL : MD_SETFL, 0);
        if (strcmp(other.element[0].name, "Cu") != 0) failures++; /* of funcfl: 29 */
        check("knots", other.rho_knots + other.r_knots, plain.rho_knots + plain.r_knots, 0);
        for (int k = 0; k < plain.rho_knots + 2 * plain.r_knots; k++)
            check("value", other.values[k], plain.values[k], 0);
        md_potential_free(&plain);
        md_potential_free(&other);
    }
}

/* Two elements: F of 1 and of 2, and what they add at an atom of each element. */
#define TWO "a\nb\nc\n2 Cu Al\n" GRID
#define CU "29 63.5 3.6 fcc\n"
#define AL "13 26.98 4.05 fcc words 1 2\n"
#define ROW(X) X " 0 0 0 0 0\n"
#define PAIRS ROW("11") ROW("21") ROW("22")

static void test_forms(void)
{
    md_potential p;
    read_text("fs", TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") PAIRS, &p);
    check("form of eam/fs", p.form, MD_SETFL_FS, 0);
    check("what Cu adds at Cu", md_density(&p, 0, 0)[0], 1, 0);
    check("what Cu adds at Al", md_density(&p, 1, 0)[0], 2, 0);
    check("what Al adds at Cu", md_density(&p, 0, 1)[0], 3, 0);
    check("what Al adds at Al", md_density(&p, 1, 1)[0], 4, 0);
    check("pair", md_pair_table(&p, 0, 1)[0], 21, 0);
    md_potential_free(&p);
    read_text("alloy", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS, &p);
    check("form of eam/alloy", p.form, MD_SETFL, 0);
    check("what Al adds at Cu", md_density(&p, 0, 1)[0], 3, 0);
    check("pair", md_pair_table(&p, 0, 1)[0], 21, 0);
    md_potential_free(&p);
}

/* Words behind the end, and numbers behind them, are not read; the name says nothing. */
#define BEHIND "made by X\n2009 12 1\n"

static void test_forms_by_content(void)
{
    static const char fs[] = TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") PAIRS BEHIND;
    static const char alloy[] = TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS BEHIND;
    static const char *const names[] = {"x.fs", "x.alloy", "x"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        md_potential p;
        read_text(names[i], fs, &p);
        check("form of eam/fs", p.form, MD_SETFL_FS, 0);
        check("pair", md_pair_table(&p, 1, 1)[0], 22, 0);
        md_potential_free(&p);
        read_text(names[i], alloy, &p);
        check("form of eam/alloy", p.form, MD_SETFL, 0);
        check("pair", md_pair_table(&p, 1, 1)[0], 22, 0);
        md_potential_free(&p);
    }
}

static void test_dialects(void)
{
    static const struct {
        const char *name, *text, *message;
    } all[] = {
        {"by values", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS PAIRS PAIRS, "got the dialect adp"},
        {"one element", SETFL SIX SIX, "got the dialect adp"},
        {"by the grid", "a\nb\nc\n1 Cu\n6 0.5 6 0.5 3 90\n",
         "by the grid:5: potential: got the dialect eam/he"},
        {"Pd.eam.he", "a\nb\n", "got the dialect eam/he"},
        {"a polynomial behind the end", TWO CU SIX ROW("1") AL SIX ROW("3") PAIRS "4 1 2 3 4\n",
         "got the dialect eam/cd"},
        {"x", TWO CU SIX ROW("1") ROW("2") AL SIX ROW("3") ROW("4") ROW("11"),
         "x:15: r phi(r): got the end of the file"},
        {"x.fs", TWO CU SIX ROW("1") AL SIX ROW("3") ROW("11"),
         "x.fs:13: r phi(r): got the end of the file"},
        {"x/FeCr.cdeam", SETFL "4 1 2 3 4 5\n", "got the dialect eam/cd"},
        {"Cu.meam", "# c\nrc = 4.0\n", "got the dialect meam"},
        {"a.meam.d/Ti.meam.spline", "a\n10\n-42 0.0\n", "got the dialect meam"},
        {"Ni.adp", "a\n", "got the dialect adp"},
        {"x.fs", TWO CU SIX ROW("1") ROW("2") "x\n" PAIRS PAIRS PAIRS,
         "x.fs:10: atomic number: got \"x\""},
        {"x.alloy", TWO CU SIX ROW("1") ROW("x2") PAIRS PAIRS,
         "x.alloy:9: atomic number: got \"x2\""},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        md_potential p;
        expect_error(all[i].name,
                     md_potential_parse(all[i].name, all[i].text, strlen(all[i].text), &p),
                     all[i].message);
        md_potential_free(&p);
    }
}

/* Files with other steps and lengths: the grid is the coarsest and the longest of both, and the
 * pair potential has the product of the charges. All functions are straight lines, which
 * Lagrange's interpolation does not change; the shorter file's stay as they are at its end. */
static void test_several(void)
{
    static const char first[] =
        "c\n29 63.5 3.6\n7 1 8 0.5 3\n0 1 2 3 4 5 6\n9 8 7 6 5 4 3 2\n1 2 3 4 5 6 7 8\n";
    static const char second[] =
        "n\n28 58.7 3.5\n8 0.5 6 0.4 2\n0 1 2 3 4 5 6 7\n6 5 4 3 2 1\n6 5 4 3 2 1\n";
    const md_potential_text files[] = {{"copper", first, sizeof first - 1},
                                       {"nickel", second, sizeof second - 1},
                                       {"alloy", SETFL, sizeof SETFL - 1}};
    md_potential p;
    if (md_potential_parse_all(files, 2, &p) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        exit(1);
    }
    check("elements", p.elements, 2, 0);
    check("cutoff", p.cutoff, 3, 0);
    check("steps", p.r_step, 0.5, 0);
    check("knots of r", p.r_knots, 7, 0);     /* 3.5 / 0.5 */
    check("knots of rho", p.rho_knots, 6, 0); /* 6 / 1 */
    check("mass", p.element[1].mass, 58.7, 0);
    if (strcmp(p.element[0].name, "Cu") != 0 || strcmp(p.element[1].name, "Ni") != 0) failures++;
    for (int k = 0; k < p.r_knots; k++) {
        const double r = 0.5 * k, z = 9 - k, other = 6 - (r < 2 ? r : 2) / 0.4;
        check("density", md_density(&p, 0, 1)[k], other, 1e-12);
        check("pair", md_pair_table(&p, 0, 1)[k], 27.2 * 0.529 * z * other, 1e-11);
        check("pair", md_pair_table(&p, 0, 0)[k], 27.2 * 0.529 * z * z, 1e-11);
    }
    for (int k = 0; k < p.rho_knots; k++)
        check("embedding", md_embedding(&p, 1)[k], k < 3.5 ? 2 * k : 7, 1e-12);
    md_potential_free(&p);
    expect_error("a setfl file among several", md_potential_parse_all(files + 1, 2, &p),
                 "alloy: got a setfl file, expected a funcfl file where there are several");
}

/* ---- elements ---- */

static void test_elements(void)
{
    static const md_potential alloy = {.elements = 3,
                                       .element = {{.name = "Cu", .mass = 63.55},
                                                   {.name = "Al", .mass = 26.98},
                                                   {.name = "Ni", .mass = 58.69}}};
    static const md_potential twice = {
        .elements = 2, .element = {{.name = "Cu", .mass = 63.55}, {.name = "Cu", .mass = 63.55}}};
    static const struct {
        const md_potential *p;
        const char *names;
        int types;
        double mass[3]; /* 0: none */
        int element[3];
        const char *message; /* NULL: it works */
    } all[] = {
        {&alloy, NULL, 3, {63.6, 27.1, 58.2}, {0, 1, 2}, NULL},
        {&alloy, NULL, 3, {0}, {0, 1, 2}, NULL},
        {&alloy, "Al,Cu,Cu", 3, {1, 2, 3}, {1, 0, 0}, NULL},
        {&alloy, "Ni", 1, {0}, {2}, NULL},
        {&alloy,
         NULL,
         3,
         {26.98, 63.55, 58.69},
         {0},
         "got the mass 26.98 for type 1 in the data file, expected 63.55 within 1 percent, that of Cu, the "
         "potential's element 1: elements=Al,Cu,Ni would fit the masses"},
        {&alloy, NULL, 3, {63.55, 26.98, 58.0}, {0}, "got the mass 58 for type 3"},
        {&alloy,
         NULL,
         3,
         {63.55, 26.98, 58.0},
         {0},
         "elements=NAME,... says the element of each type"},
        {&alloy, NULL, 1, {26.98}, {0}, "elements=Al would fit the masses"},
        {&alloy,
         NULL,
         2,
         {0},
         {0},
         "got a potential of 3 elements (Cu,Al,Ni) for 2 types of atoms, expected as many elements as types, or one: elements=NAME"},
        {&alloy, "Al,Cu", 3, {0}, {0}, "got 2 names, \"Al,Cu\", expected 3"},
        {&alloy, "Al,,Cu", 3, {0}, {0}, "got \"\", expected an element of the potential: Cu,Al,Ni"},
        {&alloy, "Al,Cu,", 3, {0}, {0}, "got \"\", expected an element"},
        {&alloy, "al", 1, {0}, {0}, "got \"al\", expected an element"},
        {&alloy, "Al,Cu,Cux", 3, {0}, {0}, "got \"Cux\""},
        {&twice, "Cu", 1, {0}, {0}, "expected a name that only one element has"},
        {&twice, NULL, 1, {63.55}, {0}, "elements=NAME"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        int element[MD_MAX_ELEMENTS];
        const double *const masses = all[i].mass[0] > 0 ? all[i].mass : NULL;
        const mx_err err =
            md_choose_elements(all[i].p, all[i].names, all[i].types, masses, element);
        if (all[i].message) {
            expect_error("elements", err, all[i].message);
            continue;
        }
        check("error", err, MX_OK, 0);
        for (int t = 0; t < all[i].types; t++) check("element", element[t], all[i].element[t], 0);
    }
}

static void test_windows(void)
{
    static const char text[] = "c\r\n29 63.5 3.6\r\n6 1 6 1 3\r\n1 2 3\r\n4 5 6\r\n" SIX SIX "\r\n";
    md_potential p;
    if (md_potential_parse("p", text, sizeof text - 1, &p) != MX_OK) {
        fprintf(stderr, "%s\n", mx_err_message());
        failures++;
    }
    md_potential_free(&p);
}

/* The argument is the folder of minx's sources. */
int main(int argc, char **argv)
{
    const char *const data = getenv("MINX_REFERENCE_DATA");
    const char *const required = getenv("MINX_REQUIRE_DATA");
    test_splines();
    test_bad();
    test_cut(FUNCFL);
    test_cut(SETFL);
    test_comments();
    test_forms();
    test_forms_by_content();
    test_dialects();
    test_several();
    test_elements();
    test_windows();
    if (argc > 1) test_shipped(argv[1]);
    const bool has_data = data != NULL && data[0] != '\0';
    if (has_data) test_reference(data);
    if (failures > 0) return 1;
    if (has_data) return 0;
    fprintf(stderr, "MINX_REFERENCE_DATA is not set: the original's potential was not read\n");
    return required != NULL && strcmp(required, "1") == 0 ? 1 : 77;
}
