/* miniFE's physics, from the stored input, solution and residuals.
 *
 * The equations are formed anew, element by element, with code of its own: no matrix is stored, and
 * nothing is shared with the kernels but the definition of the problem (fe_exact.h). With given
 * values at some nodes, the equation of node i is
 *
 *     u_i = given                                  where a value is given
 *     f_i - sum over j of K_ij v_j = 0             elsewhere; v_j is u_j, or the value by which j was eliminated
 *
 * In the original's problem the edges of the face x = 1 have u = 1, but were eliminated with 0: the
 * faces at 0 come first.
 *
 * Tolerances (u: the unit roundoff). A row has up to 27 entries, each a sum over 8 elements and 8
 * points: f - K v has at most some 60 roundings of | f | + | K | | v |. The residual that the
 * solver tracks drifts from the true one by one such rounding an iteration (Greenbaum, SIAM J.
 * Matrix Anal. Appl. 18, 1997, 535). Sums of squares over rows: APP_SUM_TOLERANCE.
 * With precision=mixed the solver's residuals are those of the system in float, which differ by
 * fe_float_bound. All other numbers are of the system in double. */
#include "fe_checks.h"

#include "comm/comm.h"
#include "mesh/fe_exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDINGS 60.0
#define GAUSS_POINT 0.577350269 /* as the original: nine digits */
#define ANALYTIC_WINDOW 0.05
#define ANALYTIC_TOLERANCE 0.06
#define COARSE_TOLERANCE 0.11 /* with 2 or 3 elements along a side: analytic.c says why */

/* The larger one of two numbers that are not negative; NaN counts as infinity. */
static double larger(double a, double b)
{
    if (isnan(a) || isnan(b)) return INFINITY;
    return a > b ? a : b;
}

static int64_t least(const fe_input *in)
{
    const int64_t xy = in->nx < in->ny ? in->nx : in->ny;
    return xy < in->nz ? xy : in->nz;
}

void fv_position(const minife *m, int64_t node, double *at)
{
    for (int d = 0; d < 3; d++) {
        at[d] = (double)(node % m->nodes[d]) / (double)(m->nodes[d] - 1);
        node /= m->nodes[d];
    }
    if (fv_input(m)->mesh == FE_MESH_DISTORTED) fe_distort(&at[0], &at[1], &at[2]);
}

/* Is u given at the node? Then *value is it, and *eliminated what its neighbours' equations have
 * instead. */
static bool is_given(const minife *m, int64_t node, double *value, double *eliminated)
{
    bool zero = false, one = false;
    int64_t rest = node;
    for (int d = 0; d < 3; d++) {
        const int64_t i = rest % m->nodes[d];
        const bool last = i == m->nodes[d] - 1;
        rest /= m->nodes[d];
        zero = zero || i == 0 || (d > 0 && last);
        one = one || (d == 0 && last);
    }
    *value = one ? 1 : 0;
    *eliminated = zero ? 0 : *value;
    if (fv_input(m)->problem == FE_PROBLEM_MANUFACTURED && (zero || one)) {
        double at[3];
        fv_position(m, node, at);
        *value = *eliminated = fe_exact(at[0], at[1], at[2]);
    }
    return zero || one;
}

/* ---- elements ---- */

typedef struct element {
    int64_t node[8];
    double at[8][3];
    double stiffness[8][8], load[8];
    double error; /* the integral of (u - exact)^2 */
} element;

static double det3(double a[3][3])
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/* Gradients by Cramer's rule: J g = dN, where row r of J is the derivative of x, y, z by reference
 * coordinate r. */
static void gradient_of(double jacobian[3][3], double det, const double *by_reference, double *g)
{
    for (int c = 0; c < 3; c++) {
        double replaced[3][3];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) replaced[r][k] = k == c ? by_reference[r] : jacobian[r][k];
        g[c] = det3(replaced) / det;
    }
}

/* Shape functions and their derivatives at a point of the reference cube. */
static void shapes_at(const double *point, double *shape, double by_reference[8][3])
{
    for (int n = 0; n < 8; n++) {
        double factor[3], sign[3];
        for (int d = 0; d < 3; d++) {
            sign[d] = n & 1 << d ? 0.5 : -0.5;
            factor[d] = 0.5 + sign[d] * point[d];
        }
        shape[n] = factor[0] * factor[1] * factor[2];
        for (int d = 0; d < 3; d++)
            by_reference[n][d] = sign[d] * factor[(d + 1) % 3] * factor[(d + 2) % 3];
    }
}

static void add_point(const minife *m, element *e, const double *point)
{
    double shape[8], by_reference[8][3], jacobian[3][3] = {{0}}, g[8][3], at[3] = {0}, value = 0;
    shapes_at(point, shape, by_reference);
    for (int n = 0; n < 8; n++) {
        value += shape[n] * m->u[e->node[n]];
        for (int c = 0; c < 3; c++) {
            at[c] += shape[n] * e->at[n][c];
            for (int r = 0; r < 3; r++) jacobian[r][c] += by_reference[n][r] * e->at[n][c];
        }
    }
    const bool manufactured = fv_input(m)->problem == FE_PROBLEM_MANUFACTURED;
    const double det = det3(jacobian);
    const double source = manufactured ? fe_exact_source(at[0], at[1], at[2]) : 1;
    const double error = manufactured ? value - fe_exact(at[0], at[1], at[2]) : 0;
    e->error += det * error * error;
    for (int n = 0; n < 8; n++) gradient_of(jacobian, det, by_reference[n], g[n]);
    for (int i = 0; i < 8; i++) {
        e->load[i] += det * source * shape[i];
        for (int j = 0; j < 8; j++)
            e->stiffness[i][j] += det * (g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2]);
    }
}

static void make_element(const minife *m, int64_t x, int64_t y, int64_t z, element *e)
{
    *e = (element){.error = 0};
    for (int n = 0; n < 8; n++) {
        e->node[n] =
            (x + (n & 1)) + m->nodes[0] * ((y + (n >> 1 & 1)) + m->nodes[1] * (z + (n >> 2)));
        fv_position(m, e->node[n], e->at[n]);
    }
    for (int q = 0; q < 8; q++) {
        const double point[] = {q & 1 ? GAUSS_POINT : -GAUSS_POINT,
                                q & 2 ? GAUSS_POINT : -GAUSS_POINT,
                                q & 4 ? GAUSS_POINT : -GAUSS_POINT};
        add_point(m, e, point);
    }
}

/* ---- the system ---- */

/* Norms of the residual for u as stored and for u = 0, and of the magnitudes; the L2 error; the
 * energy. */
typedef struct norms {
    double residual, first, magnitude;
    double float_bound; /* precision=mixed: fe_float_bound; double: 0 */
    double error;
    double energy; /* u . A u / 2 - b . u, where A u = b are the equations */
} norms;

static void add_element(minife *m, const element *e, double *first)
{
    double v[8], given[8], unused;
    for (int j = 0; j < 8; j++) {
        v[j] = m->u[e->node[j]];
        given[j] = 0;
        if (is_given(m, e->node[j], &unused, &given[j])) v[j] = given[j];
    }
    for (int i = 0; i < 8; i++) {
        const int64_t row = e->node[i];
        m->difference[row] += e->load[i];
        first[row] += e->load[i];
        m->magnitude[row] += fabs(e->load[i]);
        for (int j = 0; j < 8; j++) {
            m->difference[row] -= e->stiffness[i][j] * v[j];
            first[row] -= e->stiffness[i][j] * given[j];
            m->magnitude[row] += fabs(e->stiffness[i][j]) * fabs(v[j]);
        }
    }
}

/* || |K_e| |v_e| ||^2 of fe_float_bound */
static double float_square(const minife *m, const element *e)
{
    double sum = 0, v[8];
    for (int j = 0; j < 8; j++) {
        double value, eliminated;
        v[j] = fabs(m->u[e->node[j]]);
        if (is_given(m, e->node[j], &value, &eliminated)) v[j] = larger(v[j], fabs(value));
    }
    for (int i = 0; i < 8; i++) {
        double of_row = 0;
        for (int j = 0; j < 8; j++) of_row += fabs(e->stiffness[i][j]) * v[j];
        sum += of_row * of_row;
    }
    return sum;
}

static norms sum_rows(const minife *m, const double *first)
{
    long double residual = 0, start = 0, magnitude = 0, energy = 0;
    for (int64_t row = 0; row < m->rows; row++) {
        double value, eliminated, r = m->difference[row], r0 = first[row], size = m->magnitude[row];
        if (is_given(m, row, &value, &eliminated)) {
            r = value - m->u[row];
            r0 = value;
            size = fabs(value) + fabs(m->u[row]);
        }
        residual += (long double)r * r;
        start += (long double)r0 * r0;
        magnitude += (long double)size * size;
        energy -= (long double)m->u[row] * (r0 + r) / 2; /* b is r0, A u is r0 - r */
    }
    return (norms){.residual = (double)sqrtl(residual),
                   .first = (double)sqrtl(start),
                   .magnitude = (double)sqrtl(magnitude),
                   .energy = (double)energy};
}

static bool form_system(minife *m, norms *n)
{
    const bool mixed = fv_input(m)->precision == FE_PRECISION_MIXED;
    long double error = 0, squares = 0;
    double *const first = calloc((size_t)m->rows, sizeof *first);
    m->difference = calloc((size_t)m->rows, sizeof *m->difference);
    m->magnitude = calloc((size_t)m->rows, sizeof *m->magnitude);
    if (first == NULL || m->difference == NULL || m->magnitude == NULL) {
        free(first);
        return vf_impossible(m->base.verdict, "/fields/solution", "no memory to verify it");
    }
    for (int64_t z = 0; z < fv_input(m)->nz; z++)
        for (int64_t y = 0; y < fv_input(m)->ny; y++)
            for (int64_t x = 0; x < fv_input(m)->nx; x++) {
                element e;
                make_element(m, x, y, z, &e);
                add_element(m, &e, first);
                error += e.error;
                if (mixed) squares += float_square(m, &e);
            }
    *n = sum_rows(m, first);
    n->error = (double)sqrtl(error);
    n->float_bound = fe_float_bound((double)squares);
    free(first);
    return true;
}

/* ---- rows ---- */

/* The stored nodes of a distorted mesh. Programs differ by the roundings of a sine: 8 units are
 * allowed. */
static bool check_coordinates(const minife *m)
{
    static const char path[] = "/meshes/nodes/coordinates";
    int64_t count = 0;
    double *stored = NULL, largest = 0;
    if (app_reader_f64(m->base.reader, path, &count, &stored) != MX_OK)
        return vf_impossible(m->base.verdict, path, mx_err_message());
    for (int64_t node = 0; node < m->rows; node++) {
        double at[3];
        fv_position(m, node, at);
        for (int d = 0; d < 3; d++) {
            const double difference = fabs(stored[3 * node + d] - at[d]);
            if (!(difference <= largest)) largest = isnan(difference) ? INFINITY : difference;
        }
    }
    free(stored);
    return vf_number(m->base.verdict, "largest difference of coordinates", largest, 0,
                     8 * DBL_EPSILON);
}

static bool read_data(void *state)
{
    minife *const m = state;
    int64_t count = 0;
    if (app_reader_f64(m->base.reader, "/fields/solution", &count, &m->u) != MX_OK)
        return vf_impossible(m->base.verdict, "/fields/solution", mx_err_message());
    if (app_reader_f64(m->base.reader, "/series/residual", &count, &m->residual) != MX_OK)
        return vf_impossible(m->base.verdict, "/series/residual", mx_err_message());
    m->iterations = count - 1;
    fv_check_shares(m);
    if (fv_input(m)->mesh == FE_MESH_DISTORTED && !check_coordinates(m)) return false;
    return vf_words(m->base.verdict, "/series/residual",
                    count >= 1 && m->iterations <= fv_input(m)->max_iterations &&
                        m->base.first_step <= m->iterations,
                    "is to have 1 to max_iterations + 1 entries");
}

static void expect(minife *m, const char *name, double value, double value_tolerance,
                   double expected, double tolerance, app_compare compare)
{
    vf_recompute(&m->base, (vf_recomputed){.name = name,
                                           .value = value,
                                           .value_tolerance = value_tolerance,
                                           .expected = expected,
                                           .tolerance = tolerance,
                                           .tolerance_tolerance = APP_SUM_TOLERANCE * tolerance,
                                           .compare = compare});
}

/* When the solver was to stop: fe_lag. */
static bool check_rule(void *state)
{
    minife *const m = state;
    const int64_t n = m->iterations, lag = fe_lag(fv_input(m));
    const double tolerance = fe_tolerance(fv_input(m), m->residual[0]);
    int64_t late = 0;
    for (int64_t k = 0; k <= n; k++) {
        const bool number = m->residual[k] >= 0 && isfinite(m->residual[k]);
        late += !number || (k <= n - lag && m->residual[k] <= tolerance);
    }
    vf_count(m->base.verdict, "iterations after the norm was small enough", late, 0);
    const bool stopped = n == fv_input(m)->max_iterations || m->residual[n] == 0 ||
                         m->residual[n >= lag ? n + 1 - lag : 0] <= tolerance;
    const bool limit = fe_reached_limit(fv_input(m), n, m->residual);
    m->base.outcome = !stopped ? "breakdown" : limit ? "iteration limit" : "passed";
    m->base.exit_code = stopped ? APP_EXIT_OK : APP_EXIT_NOT_CONVERGED;
    return true;
}

static void check_residual(minife *m, const norms *n)
{
    const double rounding = ROUNDINGS * DBL_EPSILON * n->magnitude;
    const double drift = rounding * (1 + (double)m->iterations);
    const double first = m->residual[0], last = m->residual[m->iterations];
    const double scale = first > 0 ? first : 1;
    vf_number(m->base.verdict, "initial residual", first, n->first,
              rounding + n->float_bound + APP_SUM_TOLERANCE * n->first);
    vf_number(m->base.verdict, "final residual", last, n->residual, drift + n->float_bound);
    const double tolerance =
        (2 * last + (10.0 + (double)m->iterations) * DBL_EPSILON * first + n->float_bound) / scale;
    vf_recompute(&m->base, (vf_recomputed){.name = "residual",
                                           .value = n->residual / scale,
                                           .value_tolerance = rounding / scale,
                                           .tolerance = tolerance,
                                           .tolerance_tolerance = APP_SUM_TOLERANCE * tolerance,
                                           .compare = APP_NEVER});
}

/* CG makes the energy smaller in each iteration, whatever the preconditioner is, but not the norm of
 * the residual. It is 0 at u = 0, where the solver begins. */
static void check_energy(const minife *m, const norms *n)
{
    if (m->iterations == 0 || !fe_reached_limit(fv_input(m), m->iterations, m->residual)) return;
    vf_words(m->base.verdict, "energy of the unfinished solution", n->energy < 0,
             "u.Au/2 - b.u: got %.17g, expected a number below 0, as CG begins with 0 and makes it "
             "smaller in each iteration",
             n->energy);
}

/* ---- the original's check ---- */

/* The series of Carslaw and Jaeger 6.2 (9), (10), with terms as quotients of exponentials. */
static double analytic(const double *at)
{
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int p = 0; p <= 300; p++)
        for (int q = 0; q <= 300; q++) {
            const double a = (2 * p + 1) * pi, b = (2 * q + 1) * pi, l = hypot(a, b);
            if (l * (1 - at[0]) > 45) break;
            const double ratio = (exp(l * (at[0] - 1)) - exp(-l * (at[0] + 1))) / (1 - exp(-2 * l));
            sum += ratio * sin(a * at[1]) * sin(b * at[2]) / ((2 * p + 1) * (2 * q + 1));
        }
    return 16 / (pi * pi) * sum;
}

/* cosh(l a) / cosh(l / 2) */
static double cosh_ratio(double l, double a)
{
    return (exp(l * (a - 0.5)) + exp(-l * (a + 0.5))) / (1 + exp(-l));
}

/* What the source 1 adds: -div grad v = 1, and v = 0 on the whole boundary. A sine series along two
 * directions, and its solution along the third one: here x and y, and z, unlike in analytic.c. The
 * terms that do not decay add up to the solution of the same problem on a square. */
static double of_source(const double *at)
{
    const double pi = 3.14159265358979323846;
    double v = at[0] * (1 - at[0]) / 2;
    for (int p = 1; p < 80; p += 2)
        v -= 4 / pow(p * pi, 3) * cosh_ratio(p * pi, at[1] - 0.5) * sin(p * pi * at[0]);
    for (int p = 1; p < 80; p += 2)
        for (int q = 1; q < 80; q += 2) {
            const double a = p * pi, b = q * pi, l = hypot(a, b);
            v -=
                16 / (a * b * l * l) * cosh_ratio(l, at[2] - 0.5) * sin(a * at[0]) * sin(b * at[1]);
        }
    return v;
}

/* The largest differences between the solution and two series, one without the source and one with
 * it, in the window that the original checks. */
typedef struct analytic_errors {
    double without_source, with_source;
} analytic_errors;

static analytic_errors find_analytic_errors(const minife *m)
{
    analytic_errors largest = {0, 0};
    for (int64_t node = 0; node < m->rows; node++) {
        double at[3], value, unused, source = 0;
        bool near = true;
        int64_t rest = node;
        for (int d = 0; d < 3; d++) {
            const int64_t n = m->nodes[d] - 1, i = rest % m->nodes[d];
            const double away = fabs((double)i / (double)n - 0.5);
            rest /= m->nodes[d];
            /* the window, and of an odd number of elements the two nodes beside the centre */
            near = near && (away < ANALYTIC_WINDOW || llabs(2 * i - n) <= 1);
        }
        if (!near) continue;
        fv_position(m, node, at);
        if (!is_given(m, node, &value, &unused)) {
            value = analytic(at);
            source = of_source(at);
        }
        largest.without_source = larger(largest.without_source, fabs(m->u[node] - value));
        largest.with_source = larger(largest.with_source, fabs(m->u[node] - value - source));
    }
    return largest;
}

static double exact_error(const minife *m)
{
    double largest = 0, at[3];
    for (int64_t node = 0; node < m->rows; node++) {
        fv_position(m, node, at);
        largest = larger(largest, fabs(m->u[node] - fe_exact(at[0], at[1], at[2])));
    }
    return largest;
}

/* A solver that is not finished adds to the error what the residual explains. */
static void check_error(minife *m, const norms *n)
{
    const double h = 1.0 / (double)least(fv_input(m)), largest = exact_error(m);
    const double more = fe_unfinished((double)m->rows, n->residual);
    const double roundings = ROUNDINGS * DBL_EPSILON * n->magnitude;
    const struct {
        const char *name;
        double value, tolerance;
    } all[] = {{"error_l2", n->error, 0.95 * h * h + more},
               {"error_max", largest, 0.3 * h * h + more}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vf_recompute(&m->base, (vf_recomputed){
                                   .name = all[i].name,
                                   .value = all[i].value,
                                   .value_tolerance = APP_SUM_TOLERANCE * all[i].value + 1e-14,
                                   .tolerance = all[i].tolerance,
                                   .tolerance_tolerance = APP_SUM_TOLERANCE * all[i].tolerance +
                                                          fe_unfinished((double)m->rows, roundings),
                                   .compare = APP_NEVER});
}

static void check_analytic(minife *m, const norms *n)
{
    const analytic_errors errors = find_analytic_errors(m);
    const double h = 1.0 / (double)least(fv_input(m)), scale = fe_unfinished((double)m->rows, 1);
    const double unfinished = scale * n->residual;
    expect(m, "sample", 1, 0, 1, 0, APP_EXACT);
    const double original = least(fv_input(m)) < 4 ? COARSE_TOLERANCE : ANALYTIC_TOLERANCE;
    const struct {
        const char *name;
        double value, tolerance;
    } all[] = {{"analytic", errors.without_source, original + unfinished},
               {"with_source", errors.with_source, h * h + unfinished}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vf_recompute(&m->base, (vf_recomputed){.name = all[i].name,
                                               .value = all[i].value,
                                               .value_tolerance = 1e-12,
                                               .tolerance = all[i].tolerance,
                                               .tolerance_tolerance =
                                                   APP_SUM_TOLERANCE * all[i].tolerance +
                                                   scale * ROUNDINGS * DBL_EPSILON * n->magnitude,
                                               .compare = APP_NEVER});
}

static bool check_system(void *state)
{
    minife *const m = state;
    norms n = {0};
    if (!form_system(m, &n)) return false;
    check_residual(m, &n);
    check_energy(m, &n);
    const double entries = (double)(3 * fv_input(m)->nx + 1) * (double)(3 * fv_input(m)->ny + 1) *
                           (double)(3 * fv_input(m)->nz + 1);
    expect(m, "rows", (double)m->rows, 0, (double)m->rows, 0, APP_EXACT);
    expect(m, "nonzeros", entries, 0, entries, 0, APP_EXACT);
    if (fv_input(m)->problem == FE_PROBLEM_MANUFACTURED)
        check_error(m, &n);
    else
        check_analytic(m, &n);
    return true;
}

static void release(void *state)
{
    minife *const m = state;
    free(m->u);
    free(m->residual);
    free(m->difference);
    free(m->magnitude);
}

static const vf_row rows[] = {
    {"data", read_data},
    {"stopping rule", check_rule},
    {"equations", check_system},
};

const vf_physics vf_physics_minife = {
    .app = "minife",
    .input = &fe_keys,
    .state_bytes = sizeof(minife),
    .contents = fv_contents,
    .release = release,
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};
