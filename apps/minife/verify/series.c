/* The original's problem as two series: what its check near the centre compares with. */
#include "fe_checks.h"

#include "results/share.h"

#include <stdlib.h>

#define ANALYTIC_WINDOW 0.05
#define PI 3.14159265358979323846

/* Series have the first TERMS odd multiples of pi along each direction, but no terms that have
 * decayed by exp(-45). */
enum { TERMS = 301, SOURCE_TERMS = 40 };

/* The sines of one coordinate: sine[k] is sin((2 k + 1) pi x). */
static void find_sines(double x, int terms, double *sine)
{
    for (int k = 0; k < terms; k++) sine[k] = sin((2 * k + 1) * PI * x);
}

/* How many multiples can be in terms that fall by exp(-l depth). */
static int terms_of(double depth, int most)
{
    const double terms = 45 / (2 * PI * depth) + 1;
    return terms < most ? (int)terms : most;
}

/* The series of Carslaw and Jaeger 6.2 (9), (10), with terms as quotients of exponentials. */
static double analytic(const double *at)
{
    double sum = 0, sine[2][TERMS];
    const int terms = terms_of(1 - at[0], TERMS);
    for (int d = 0; d < 2; d++) find_sines(at[1 + d], terms, sine[d]);
    for (int p = 0; p < terms; p++)
        for (int q = 0; q < terms; q++) {
            const double a = (2 * p + 1) * PI, b = (2 * q + 1) * PI, l = sqrt(a * a + b * b);
            if (l * (1 - at[0]) > 45) break;
            const double ratio = (exp(l * (at[0] - 1)) - exp(-l * (at[0] + 1))) / (1 - exp(-2 * l));
            sum += ratio * sine[0][p] * sine[1][q] / ((2 * p + 1) * (2 * q + 1));
        }
    return 16 / (PI * PI) * sum;
}

/* cosh(l a) / cosh(l / 2) */
static double cosh_ratio(double l, double a)
{
    return (exp(l * (a - 0.5)) + exp(-l * (a + 0.5))) / (1 + exp(-l));
}

/* What the source 1 adds: -div grad v = 1, and v = 0 on the whole boundary. A sine series along two
 * directions, and its solution along the third one: here x and y, and z, unlike in the app. The
 * terms that do not decay add up to the solution of the same problem on a square. */
static double of_source(const double *at)
{
    double v = at[0] * (1 - at[0]) / 2, sine[2][SOURCE_TERMS];
    const double depth = 0.5 - fabs(at[2] - 0.5);
    for (int d = 0; d < 2; d++) find_sines(at[d], SOURCE_TERMS, sine[d]);
    for (int p = 0; p < SOURCE_TERMS; p++) {
        const double a = (2 * p + 1) * PI;
        v -= 4 / (a * a * a) * cosh_ratio(a, at[1] - 0.5) * sine[0][p];
    }
    for (int p = 0; p < SOURCE_TERMS; p++)
        for (int q = 0; q < SOURCE_TERMS; q++) {
            const double a = (2 * p + 1) * PI, b = (2 * q + 1) * PI, l = sqrt(a * a + b * b);
            if (l * depth > 45) break;
            v -= 16 / (a * b * l * l) * cosh_ratio(l, at[2] - 0.5) * sine[0][p] * sine[1][q];
        }
    return v;
}

/* ---- the window ---- */

/* Nodes low to before end along each axis; lines along x, and what each of them has. */
typedef struct window {
    const minife *m;
    fv_place low, end;
    fv_analytic_errors *of_line;
} window;

/* In the window, or of an odd number of elements one of the two nodes beside the centre? */
static bool is_near(int64_t i, int64_t elements)
{
    const double away = fabs((double)i / (double)elements - 0.5);
    return away < ANALYTIC_WINDOW || llabs(2 * i - elements) <= 1;
}

static void find_window(window *w)
{
    for (int d = 0; d < 3; d++) {
        const int64_t elements = w->m->nodes[d] - 1;
        int64_t i = 0;
        while (!is_near(i, elements)) i++; /* a middle is near */
        w->low.at[d] = i;
        while (i <= elements && is_near(i, elements)) i++;
        w->end.at[d] = i;
    }
}

static void check_line(void *work, int64_t line)
{
    const window *const w = work;
    const int64_t lines = w->end.at[1] - w->low.at[1];
    fv_place node = {{0, w->low.at[1] + line % lines, w->low.at[2] + line / lines}};
    fv_analytic_errors largest = {0, 0};
    for (node.at[0] = w->low.at[0]; node.at[0] < w->end.at[0]; node.at[0]++) {
        const double u = w->m->u[fv_number(w->m, node)];
        double at[3], value, unused, source = 0;
        fv_position(w->m, node, at);
        if (!fv_is_given(w->m, node, &value, &unused)) {
            value = analytic(at);
            source = of_source(at);
        }
        largest.without_source = fv_larger(largest.without_source, fabs(u - value));
        largest.with_source = fv_larger(largest.with_source, fabs(u - value - source));
    }
    w->of_line[line] = largest;
}

bool fv_find_analytic_errors(const minife *m, fv_analytic_errors *errors)
{
    window w = {.m = m};
    find_window(&w);
    const int64_t lines = (w.end.at[1] - w.low.at[1]) * (w.end.at[2] - w.low.at[2]);
    w.of_line = calloc((size_t)lines, sizeof *w.of_line);
    if (!w.of_line)
        return vf_impossible(m->base.verdict, "analytic", "no memory to verify the solution");
    app_share(lines, check_line, &w);
    *errors = (fv_analytic_errors){0, 0};
    for (int64_t i = 0; i < lines; i++) {
        errors->without_source = fv_larger(errors->without_source, w.of_line[i].without_source);
        errors->with_source = fv_larger(errors->with_source, w.of_line[i].with_source);
    }
    free(w.of_line);
    return true;
}
