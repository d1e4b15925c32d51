/* tealeaf against known solutions of du/dt = div(K grad u) with insulated sides, in 2-D and in 3-D.
 *
 * Waves: K is the same everywhere. u = 3 + the product of cos(pi x/L) along all directions keeps
 * its shape and decays. In a domain without time steps and cells the wave decays by exp(-lambda t),
 * lambda = K sum (pi/L)^2; with cells of width h lambda is lambda_h = K sum (2/h sin(pi h/2L))^2,
 * and with steps of backward Euler the factor of each is 1/(1 + lambda dt). So there are three
 * comparisons: with cells and steps, to rounding; without cells, where the error falls by 4 if h is
 * halved; without steps, where it falls by 2 if dt is halved.
 *
 * Layers: K varies along one direction, K = 1/density = 1 + cos(pi x/L)/2. The solution is that of
 * a one-dimensional mesh which is 27 times finer, made here, with K taken at the faces. The error
 * falls by 4 if h is halved. Each direction has another solver.
 *
 * Every run keeps its energy to 1e-12. By a launcher, on several ranks, the coarse waves and three
 * of the layers are enough: other tests compare solvers on ranks.
 *
 * usage: test_app_tealeaf_analytic TEALEAF [WORDS OF A LAUNCHER...] */
#include "must.h"
#include "results/results_reader.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { FINER = 27, MAX_FINE = 60 * FINER };

static const double PI = 3.14159265358979323846;
static const double side[] = {1, 1.5, 0.75}; /* along x, y, z */
static const struct {
    int dims, along;
    const char *solver;
    bool on_ranks; /* by a launcher too */
} layers[] = {
    {2, 0, "tl_use_cg\ntl_preconditioner_type jac_block", true},
    {2, 1, "tl_use_ppcg\ntl_ch_cg_presteps 8", false},
    {3, 0, "tl_use_cg\ntl_preconditioner_type jac_block", false},
    {3, 1, "tl_use_ppcg\ntl_ch_cg_presteps 8", true},
    {3, 2, "tl_use_chebyshev\ntl_ch_cg_presteps 28", true},
};
static const char *command;
static int failures;

typedef struct problem {
    int dims;
    int cells[3]; /* along x, y, z */
    int along;    /* layers: the direction */
    double time_step;
    int steps;
    const char *solver;
} problem;

static void expect(bool good, const char *format, ...)
{
    va_list words;
    if (good) return;
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    failures++;
}

/* The middle of cell `at` of direction d. */
static double middle(const problem *p, int d, int at) { return side[d] * (at + 0.5) / p->cells[d]; }

/* ---- decks ---- */

static FILE *begin_deck(const problem *p, double density, double energy)
{
    FILE *const deck = fopen("analytic.in", "w");
    MUST(deck != NULL);
    fprintf(deck, "*tea\n%s\ntl_eps 1e-15\ntl_max_iters 5000\nsummary_frequency 1\n", p->solver);
    fprintf(deck, "initial_timestep %.17g\nend_step %d\nend_time 1e9\n", p->time_step, p->steps);
    for (int d = 0; d < p->dims; d++)
        fprintf(deck, "%cmin 0 %cmax %.17g %c_cells %d\n", "xyz"[d], "xyz"[d], side[d], "xyz"[d],
                p -> cells[d]);
    fprintf(deck, "state 1 density=%.17g energy=%.17g\n", density, energy);
    return deck;
}

/* ---- runs ---- */

static void check_energy(app_reader reader)
{
    int64_t count;
    double *energy;
    MUST(app_reader_f64(reader, "/series/internal_energy", &count, &energy) == MX_OK && count > 1);
    for (int64_t i = 1; i < count; i++) /* rounding of at most some thousand iterations */
        expect(fabs(energy[i] / energy[0] - 1) <= 1e-12,
               "energy: got %.17g, expected %.17g, tolerance 1e-12\n", energy[i], energy[0]);
    free(energy);
}

/* Runs the deck; the final temperature, which the caller frees. */
static double *run(FILE *deck, const problem *p)
{
    const int64_t cells = (int64_t)p->cells[0] * p->cells[1] * p->cells[2];
    app_reader reader;
    int64_t count;
    double *u;
    MUST(fprintf(deck, "*endtea\n") > 0 && fclose(deck) == 0);
    MUST(system(command) == 0);
    MUST(app_reader_open("analytic.h5", &reader) == MX_OK);
    check_energy(reader);
    MUST(app_reader_f64(reader, "/fields/temperature", &count, &u) == MX_OK && count == cells);
    app_reader_close(&reader);
    return u;
}

/* The order of a method whose error falls from `coarse` to `fine` if the step is halved. */
static void check_order(const char *what, int dims, double coarse, double fine, double order)
{
    const double got = log2(coarse / fine);
    /* terms of higher order, on meshes as coarse as these */
    expect(fabs(got - order) <= 0.1,
           "%s, %d-D: errors %g and %g: got the order %g, expected %g, tolerance 0.1\n", what, dims,
           coarse, fine, got, order);
}

/* ---- waves ---- */

static const double DENSITY = 4; /* so K = 1/4 */

static double wave(const problem *p, int x, int y, int z)
{
    const double flat = cos(PI * middle(p, 0, x) / side[0]) * cos(PI * middle(p, 1, y) / side[1]);
    return p->dims == 3 ? flat * cos(PI * middle(p, 2, z) / side[2]) : flat;
}

/* The rate at which it decays, with cells or without. */
static double rate(const problem *p, bool cells)
{
    double sum = 0;
    for (int d = 0; d < p->dims; d++) {
        const double h = side[d] / p->cells[d];
        sum += pow(cells ? 2 / h * sin(PI * h / (2 * side[d])) : PI / side[d], 2);
    }
    return sum / DENSITY;
}

/* The factor of one run, with time steps or without. */
static double decay(const problem *p, double lambda, bool steps)
{
    return steps ? pow(1 + lambda * p->time_step, -p->steps)
                 : exp(-lambda * p->time_step * p->steps);
}

/* Relative to the largest value of the wave, whose maximum lies between cells. */
static double largest_error(const problem *p, const double *u, double factor)
{
    double worst = 0;
    const double largest = wave(p, 0, 0, 0);
    for (int z = 0; z < p->cells[2]; z++)
        for (int y = 0; y < p->cells[1]; y++)
            for (int x = 0; x < p->cells[0]; x++, u++)
                worst = fmax(worst, fabs(*u - 3 - factor * wave(p, x, y, z)) / largest);
    return worst;
}

/* A run, with each cell as a state of one point. */
static double *run_wave(const problem *p)
{
    FILE *const deck = begin_deck(p, DENSITY, (3 + wave(p, 0, 0, 0)) / DENSITY);
    int state = 1;
    for (int z = 0; z < p->cells[2]; z++)
        for (int y = 0; y < p->cells[1]; y++)
            for (int x = 0; x < p->cells[0]; x++) {
                if (x + y + z == 0) continue;
                fprintf(deck, "state %d density=%.17g energy=%.17g geometry=point", ++state,
                        DENSITY, (3 + wave(p, x, y, z)) / DENSITY);
                fprintf(deck, " xmin=%.17g ymin=%.17g", middle(p, 0, x), middle(p, 1, y));
                if (p->dims == 3) fprintf(deck, " zmin=%.17g", middle(p, 2, z));
                fprintf(deck, "\n");
            }
    return run(deck, p);
}

/* Compares with the solution that has the same cells and steps. */
static void check_exact(const problem *p, const double *u)
{
    const double error = largest_error(p, u, decay(p, rate(p, true), true));
    /* u is at most 4: some roundings a step, and what eps leaves */
    expect(error <= 1e-13, "wave, %d-D: got an error of %g, tolerance 1e-13\n", p->dims, error);
}

static void test_wave(int dims, bool orders)
{
    const int n = dims == 2 ? 7 : 3;
    const problem coarse = {.dims = dims,
                            .cells = {n, n, dims == 2 ? 1 : n},
                            .time_step = 0.01,
                            .steps = 10,
                            .solver = "tl_use_cg"};
    problem fine = coarse, slow = coarse;
    for (int d = 0; d < dims; d++) fine.cells[d] *= 2;
    slow.time_step /= 2;
    slow.steps *= 2;
    double *const u = run_wave(&coarse);
    check_exact(&coarse, u);
    if (!orders) {
        free(u);
        return;
    }
    double *const fine_u = run_wave(&fine), *const slow_u = run_wave(&slow);
    check_exact(&fine, fine_u);
    check_exact(&slow, slow_u);
    check_order("wave in space", dims,
                largest_error(&coarse, u, decay(&coarse, rate(&coarse, false), true)),
                largest_error(&fine, fine_u, decay(&fine, rate(&fine, false), true)), 2);
    check_order("wave in time", dims,
                largest_error(&coarse, u, decay(&coarse, rate(&coarse, true), false)),
                largest_error(&slow, slow_u, decay(&slow, rate(&slow, true), false)), 1);
    free(u);
    free(fine_u);
    free(slow_u);
}

/* ---- layers ---- */

static double conductivity(double x) { return 1 + cos(PI * x) / 2; }
static double initial(double x) { return 2 + cos(PI * x) + cos(2 * PI * x) / 3; }

/* The solution in `cells` cells along a side of length 1: (I - ratio d/dx K d/dx) u = u_start, by
 * elimination. */
static void solve_layers(double *u, int cells, double ratio, int steps)
{
    static double upper[MAX_FINE];
    for (int i = 0; i < cells; i++) u[i] = initial((i + 0.5) / cells);
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < cells; i++) {
            const double low = i > 0 ? ratio * conductivity((double)i / cells) : 0;
            const double high = i < cells - 1 ? ratio * conductivity((i + 1.0) / cells) : 0;
            const double pivot = 1 + low + high - (i > 0 ? low * upper[i - 1] : 0);
            upper[i] = high / pivot;
            u[i] = (u[i] + (i > 0 ? low * u[i - 1] : 0)) / pivot;
        }
        for (int i = cells - 2; i >= 0; i--) u[i] += upper[i] * u[i + 1];
    }
}

static double *run_layers(const problem *p)
{
    const int d = p->along, n = p->cells[d];
    const double first = 0.5 / n;
    FILE *const deck = begin_deck(p, 1 / conductivity(first), initial(first) * conductivity(first));
    for (int i = 1; i < n; i++) {
        const double x = (i + 0.5) / n;
        fprintf(deck, "state %d density=%.17g energy=%.17g geometry=%s", i + 1, 1 / conductivity(x),
                initial(x) * conductivity(x), p->dims == 3 ? "cuboid" : "rectangle");
        for (int e = 0; e < p->dims; e++)
            fprintf(deck, " %cmin=%.17g %cmax=%.17g", "xyz"[e], e == d ? side[e] * i / n : 0,
                    "xyz"[e], e == d ? side[e] * (i + 1) / n : side[e]);
        fprintf(deck, "\n");
    }
    return run(deck, p);
}

static double error_of_layers(const problem *p)
{
    static double exact[MAX_FINE];
    const int d = p->along, n = p->cells[d], fine = n * FINER;
    const double width = side[d] / fine;
    double *const all = run_layers(p), *u = all;
    double worst = 0;
    solve_layers(exact, fine, p->time_step / (width * width), p->steps);
    for (int z = 0; z < p->cells[2]; z++)
        for (int y = 0; y < p->cells[1]; y++)
            for (int x = 0; x < p->cells[0]; x++, u++) {
                const int at = d == 0 ? x : d == 1 ? y : z;
                worst = fmax(worst, fabs(*u - exact[at * FINER + FINER / 2]));
            }
    free(all);
    return worst;
}

static void test_layers(int dims, int along, const char *solver)
{
    problem p = {.dims = dims,
                 .cells = {2, 3, dims == 3 ? 2 : 1},
                 .along = along,
                 .time_step = 0.01,
                 .steps = 5,
                 .solver = solver};
    p.cells[along] = 30;
    const double coarse = error_of_layers(&p);
    p.cells[along] = 60;
    check_order(solver, dims, coarse, error_of_layers(&p), 2);
}

/* Appends a word to a command of the shell: a path may have blanks. */
static void add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    MUST((size_t)snprintf(text + used, size - used, "'%s' ", word) < size - used);
}

int main(int argc, char **argv)
{
    static const char *const arguments[] = {"analytic.in", "--backend=serial", "--quiet",
                                            "--output=analytic.h5"};
    static char text[4096];
    MUST(argc > 1);
    for (int i = 2; i < argc; i++) add_word(text, sizeof text, argv[i]);
    add_word(text, sizeof text, argv[1]);
    for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++)
        add_word(text, sizeof text, arguments[i]);
    command = text;
    const bool launched = argc > 2;
    for (int dims = 2; dims <= 3; dims++) test_wave(dims, !launched);
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++)
        if (!launched || layers[i].on_ranks)
            test_layers(layers[i].dims, layers[i].along, layers[i].solver);
    return failures > 0;
}
