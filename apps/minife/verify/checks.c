/* miniFE's physics, from the stored input, solution and residuals.
 *
 * The equations are formed anew, element by element, with code of its own (system.c): no matrix is
 * stored, and nothing is shared with the kernels but the definition of the problem (fe_exact.h).
 * With given values at some nodes, the equation of node i is
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
#include "results/share.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define ROUNDINGS 60.0
#define ANALYTIC_TOLERANCE 0.06
#define COARSE_TOLERANCE 0.11 /* with 2 or 3 elements along a side: the app's analytic.c says why */

static int64_t least(const fe_input *in)
{
    const int64_t xy = in->nx < in->ny ? in->nx : in->ny;
    return xy < in->nz ? xy : in->nz;
}

/* The largest number that one of the nodes has. A part is a layer of nodes along z. */
typedef struct largest {
    minife *m;
    const double *stored; /* coordinates of the file */
    double *of_layer;
    double (*of_node)(const struct largest *l, fv_place node);
} largest;

static void find_layer(void *work, int64_t z)
{
    const largest *const l = work;
    fv_place node = {{0, 0, z}};
    l->of_layer[z] = 0;
    for (node.at[1] = 0; node.at[1] < l->m->nodes[1]; node.at[1]++)
        for (node.at[0] = 0; node.at[0] < l->m->nodes[0]; node.at[0]++)
            l->of_layer[z] = fv_larger(l->of_layer[z], l->of_node(l, node));
}

/* False: it has said why it cannot. */
static bool find_largest(largest l, double *value)
{
    l.of_layer = calloc((size_t)l.m->nodes[2], sizeof *l.of_layer);
    if (!l.of_layer)
        return vf_impossible(l.m->base.verdict, "/fields/solution", "no memory to verify it");
    app_share(l.m->nodes[2], find_layer, &l);
    *value = 0;
    for (int64_t z = 0; z < l.m->nodes[2]; z++) *value = fv_larger(*value, l.of_layer[z]);
    free(l.of_layer);
    return true;
}

/* ---- rows ---- */

/* Keeps the place of a node, and returns how far away the stored one is. */
static double keep_place(const largest *l, fv_place node)
{
    const int64_t number = fv_number(l->m, node);
    double *const at = l->m->places + 3 * number, away = 0;
    fv_find_place(l->m, node, at);
    for (int d = 0; d < 3; d++) away = fv_larger(away, fabs(l->stored[3 * number + d] - at[d]));
    return away;
}

/* The stored nodes of a distorted mesh. Programs differ by the roundings of a sine: 8 units are
 * allowed. */
static bool check_coordinates(minife *m)
{
    static const char path[] = "/meshes/nodes/coordinates";
    int64_t count = 0;
    double *stored = NULL, away = 0;
    if (app_reader_f64(m->base.reader, path, &count, &stored) != MX_OK)
        return vf_impossible(m->base.verdict, path, mx_err_message());
    m->places = malloc((size_t)m->rows * 3 * sizeof *m->places);
    const bool there =
        m->places ? find_largest((largest){.m = m, .stored = stored, .of_node = keep_place}, &away)
                  : vf_impossible(m->base.verdict, path, "no memory to verify them");
    free(stored);
    return there && vf_number(m->base.verdict, "largest difference of coordinates", away, 0,
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

static void check_residual(minife *m, const fv_norms *n)
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
static void check_energy(const minife *m, const fv_norms *n)
{
    if (m->iterations == 0 || !fe_reached_limit(fv_input(m), m->iterations, m->residual)) return;
    vf_words(m->base.verdict, "energy of the unfinished solution", n->energy < 0,
             "u.Au/2 - b.u: got %.17g, expected a number below 0, as CG begins with 0 and makes it "
             "smaller in each iteration",
             n->energy);
}

static double exact_error(const largest *l, fv_place node)
{
    double at[3];
    fv_position(l->m, node, at);
    return fabs(l->m->u[fv_number(l->m, node)] - fe_exact(at[0], at[1], at[2]));
}

/* A solver that is not finished adds to the error what the residual explains. */
static bool check_error(minife *m, const fv_norms *n)
{
    const double h = 1.0 / (double)least(fv_input(m));
    double error_max;
    if (!find_largest((largest){.m = m, .of_node = exact_error}, &error_max)) return false;
    const double more = fe_unfinished((double)m->rows, n->residual);
    const double roundings = ROUNDINGS * DBL_EPSILON * n->magnitude;
    const struct {
        const char *name;
        double value, tolerance;
    } all[] = {{"error_l2", n->error, 0.95 * h * h + more},
               {"error_max", error_max, 0.3 * h * h + more}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        vf_recompute(&m->base, (vf_recomputed){
                                   .name = all[i].name,
                                   .value = all[i].value,
                                   .value_tolerance = APP_SUM_TOLERANCE * all[i].value + 1e-14,
                                   .tolerance = all[i].tolerance,
                                   .tolerance_tolerance = APP_SUM_TOLERANCE * all[i].tolerance +
                                                          fe_unfinished((double)m->rows, roundings),
                                   .compare = APP_NEVER});
    return true;
}

static bool check_analytic(minife *m, const fv_norms *n)
{
    fv_analytic_errors errors;
    if (!fv_find_analytic_errors(m, &errors)) return false;
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
    return true;
}

static bool check_system(void *state)
{
    minife *const m = state;
    fv_norms n = {0};
    if (!fv_form_system(m, &n)) return false;
    check_residual(m, &n);
    check_energy(m, &n);
    const double entries = (double)(3 * fv_input(m)->nx + 1) * (double)(3 * fv_input(m)->ny + 1) *
                           (double)(3 * fv_input(m)->nz + 1);
    expect(m, "rows", (double)m->rows, 0, (double)m->rows, 0, APP_EXACT);
    expect(m, "nonzeros", entries, 0, entries, 0, APP_EXACT);
    return fv_input(m)->problem == FE_PROBLEM_MANUFACTURED ? check_error(m, &n)
                                                           : check_analytic(m, &n);
}

static void release(void *state)
{
    minife *const m = state;
    free(m->u);
    free(m->places);
    free(m->residual);
    free(m->first);
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
