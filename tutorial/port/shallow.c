/* Waves in a shallow basin. shallow [CELLS [STEPS]]
 *
 * The linear shallow-water equations on a periodic square of length 1:
 *
 *     du/dt = -g d(eta)/dx,   dv/dt = -g d(eta)/dy,   d(eta)/dt = -H (du/dx + dv/dy)
 *
 * eta: height of the surface above rest in m; u, v: velocities in m/s; H: depth of water in m. The
 * grid is Arakawa's C grid. eta is in the middle of a cell, u on its left side, v on its lower side:
 *
 *        +-------+           cell (j, i): row j is along y, column i along x;
 *      u | eta   |           u(j, i) is between eta(j, i - 1) and eta(j, i),
 *        +-------+           v(j, i) is between eta(j - 1, i) and eta(j, i)
 *            v
 *
 * Forward-backward steps (Sielecki 1968): the velocities first, then eta from the new velocities.
 *
 * A standing wave a cos(2 pi x) cos(2 pi y) has an exact solution on this grid: after n steps it is
 * multiplied by cos((n + 1/2) w) / cos(w / 2), where sin(w / 2) = c (dt / dx) sqrt(2) sin(pi / N)
 * for N cells along each side, and c = sqrt(g H). The program checks itself against it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81
#define DEPTH 2.0
#define AMPLITUDE 0.01
#define COURANT 0.5 /* c dt / dx */

enum { GAUGES = 5, MAX_CELLS = 4096 };

typedef struct basin {
    int n;                                /* cells along each side */
    double dx;                            /* length of a cell, m */
    double dt;                            /* s */
    double *eta, *u, *v;                  /* n * n each, in C order */
    int gauge_j[GAUGES], gauge_i[GAUGES]; /* cells where the height is recorded */
    double gauge[GAUGES];
} basin;

/* What is printed of a state. */
typedef struct summary {
    double mass;    /* mean of eta, m; stays 0 */
    double energy;  /* mean of g eta^2 / 2 + H (u^2 + v^2) / 2 */
    double highest; /* the highest eta, m */
} summary;

static int cell(const basin *b, int j, int i) { return j * b->n + i; }

/* The cell after i, and the one before, on a circle of n cells. */
static int after(int i, int n) { return i + 1 == n ? 0 : i + 1; }

static int before(int i, int n) { return i == 0 ? n - 1 : i - 1; }

/* ---- set-up ---- */

static double *field(int n)
{
    double *const values = calloc((size_t)n * (size_t)n, sizeof *values);
    if (values == NULL) {
        fprintf(stderr, "no memory for %d x %d cells\n", n, n);
        exit(1);
    }
    return values;
}

static void create(basin *b, int n)
{
    b->n = n;
    b->dx = 1.0 / n;
    b->dt = COURANT * b->dx / sqrt(GRAVITY * DEPTH);
    b->eta = field(n);
    b->u = field(n);
    b->v = field(n);
    for (int g = 0; g < GAUGES; g++) { /* on a line */
        b->gauge_j[g] = g * n / (2 * GAUGES);
        b->gauge_i[g] = g * n / (3 * GAUGES);
    }
}

static void destroy(basin *b)
{
    free(b->eta);
    free(b->u);
    free(b->v);
}

/* A standing wave at rest. */
static void begin(basin *b)
{
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            const double y = (j + 0.5) * b->dx, x = (i + 0.5) * b->dx;
            b->eta[cell(b, j, i)] = AMPLITUDE * cos(2 * PI * x) * cos(2 * PI * y);
            b->u[cell(b, j, i)] = 0;
            b->v[cell(b, j, i)] = 0;
        }
    }
}

/* ---- a step ---- */

static void step_velocities(basin *b)
{
    const double r = GRAVITY * b->dt / b->dx;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            const double here = b->eta[cell(b, j, i)];
            const double left = b->eta[cell(b, j, before(i, b->n))];
            const double below = b->eta[cell(b, before(j, b->n), i)];
            b->u[cell(b, j, i)] -= r * (here - left);
            b->v[cell(b, j, i)] -= r * (here - below);
        }
    }
}

static void step_height(basin *b)
{
    const double r = DEPTH * b->dt / b->dx;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            const double outward = b->u[cell(b, j, after(i, b->n))] - b->u[cell(b, j, i)];
            const double upward = b->v[cell(b, after(j, b->n), i)] - b->v[cell(b, j, i)];
            b->eta[cell(b, j, i)] -= r * (outward + upward);
        }
    }
}

/* ---- diagnostics ---- */

static summary summarize(const basin *b)
{
    summary s = {0, 0, -INFINITY};
    const double area = b->dx * b->dx;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            const double eta = b->eta[cell(b, j, i)];
            const double u = b->u[cell(b, j, i)], v = b->v[cell(b, j, i)];
            s.mass += eta * area;
            s.energy += (GRAVITY * eta * eta + DEPTH * (u * u + v * v)) / 2 * area;
            s.highest = s.highest < eta ? eta : s.highest;
        }
    }
    return s;
}

static void read_gauges(basin *b)
{
    for (int g = 0; g < GAUGES; g++) b->gauge[g] = b->eta[cell(b, b->gauge_j[g], b->gauge_i[g])];
}

static void print_state(basin *b, int step)
{
    const summary s = summarize(b);
    read_gauges(b);
    /* rounding errors are left of the mass: printed as 0 unless they are more */
    printf("step %5d: mass %.3f energy %.9e highest %.9e\n", step, fabs(s.mass), s.energy,
           s.highest);
    printf("    gauges");
    for (int g = 0; g < GAUGES; g++) printf(" %12.9f", b->gauge[g]);
    printf("\n");
}

/* ---- the check ---- */

/* What the wave was multiplied by after this number of steps. */
static double factor(const basin *b, int steps)
{
    const double w = 2 * asin(COURANT * sqrt(2.0) * sin(PI / b->n));
    return cos((steps + 0.5) * w) / cos(w / 2);
}

/* The largest difference of eta from the exact solution. */
static double error(const basin *b, int steps)
{
    const double amplitude = AMPLITUDE * factor(b, steps);
    double worst = 0;
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->n; i++) {
            const double y = (j + 0.5) * b->dx, x = (i + 0.5) * b->dx;
            const double exact = amplitude * cos(2 * PI * x) * cos(2 * PI * y);
            const double difference = fabs(b->eta[cell(b, j, i)] - exact);
            worst = worst < difference ? difference : worst;
        }
    }
    return worst;
}

static int check(const basin *b, int steps)
{
    const double worst = error(b, steps);
    /* each step rounds numbers of at most AMPLITUDE a few times, and the errors of all may add up */
    const double tolerance = 1e-15 * AMPLITUDE * (steps + 100);
    printf("largest error: %s\n", worst <= tolerance ? "as small as rounding" : "too large");
    if (worst <= tolerance) return 0;
    fprintf(stderr, "the error is %.3e, expected at most %.3e\n", worst, tolerance);
    return 1;
}

/* ---- the program ---- */

static void run(basin *b, int steps)
{
    begin(b);
    print_state(b, 0);
    for (int n = 1; n <= steps; n++) {
        step_velocities(b);
        step_height(b);
        if (n % (steps / 4) == 0) print_state(b, n);
    }
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 100;
    basin b;
    if (n < 3 * GAUGES || n > MAX_CELLS || steps < 4) {
        fprintf(stderr, "usage: shallow [CELLS [STEPS]], %d to %d cells, 4 steps or more\n",
                3 * GAUGES, MAX_CELLS);
        return 2;
    }
    create(&b, n);
    run(&b, steps);
    const int failed = check(&b, steps);
    destroy(&b);
    return failed;
}
