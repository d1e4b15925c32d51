/* The equations of a solution, element by element.
 *
 * The elements of a mesh that is not distorted are boxes. With sides h, their stiffness is a sum of
 * three matrices that all boxes have in common, one for each direction d, times
 * h_x h_y h_z / (2 h_d^2). The eight points of the integration are the original's in both cases.
 *
 * Layers of elements along z are formed by threads: first those with even numbers, of which no two
 * have a node in common, then the others. So each row is the same sum for any number of threads. */
#include "fe_checks.h"

#include "mesh/fe_exact.h"
#include "results/share.h"

#include <stdlib.h>
#include <string.h>

#define GAUSS_POINT 0.577350269 /* as the original: nine digits */

/* At the points of the reference cube: shape functions, and their derivatives along each direction;
 * and their sums over the points: the load of a source 1, and the matrices of boxes. */
typedef struct reference {
    double shape[8][8], derivative[8][3][8];
    double load[8], box[3][8][8];
} reference;

typedef struct element {
    int64_t node[8];
    double at[8][3];
    double stiffness[8][8], load[8]; /* symmetric */
    double error;                    /* the integral of (u - exact)^2 */
} element;

typedef struct layer_sums {
    long double error, squares;                     /* of elements */
    long double residual, first, magnitude, energy; /* of rows */
} layer_sums;

typedef struct assembly {
    minife *m;
    bool manufactured, distorted, mixed;
    reference at;
    layer_sums *layers; /* of each layer of nodes, and of the elements that begin there */
    int64_t begin;      /* the first layer of elements: 0 or 1 */
} assembly;

/* ---- elements ---- */

static void find_reference(reference *r)
{
    *r = (reference){.load = {0}};
    for (int q = 0; q < 8; q++)
        for (int n = 0; n < 8; n++) {
            double factor[3], sign[3];
            for (int d = 0; d < 3; d++) {
                sign[d] = n & 1 << d ? 0.5 : -0.5;
                factor[d] = 0.5 + sign[d] * (q & 1 << d ? GAUSS_POINT : -GAUSS_POINT);
            }
            r->shape[q][n] = factor[0] * factor[1] * factor[2];
            r->load[n] += r->shape[q][n];
            for (int d = 0; d < 3; d++)
                r->derivative[q][d][n] = sign[d] * factor[(d + 1) % 3] * factor[(d + 2) % 3];
        }
    for (int d = 0; d < 3; d++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int q = 0; q < 8; q++)
                    r->box[d][i][j] += r->derivative[q][d][i] * r->derivative[q][d][j];
}

/* The source and the error at point q, whose share of the volume is det. */
static void add_source(const assembly *a, element *e, int q, double det)
{
    double at[3] = {0}, value = 0;
    for (int n = 0; n < 8; n++) {
        value += a->at.shape[q][n] * a->m->u[e->node[n]];
        for (int c = 0; c < 3; c++) at[c] += a->at.shape[q][n] * e->at[n][c];
    }
    const double source = fe_exact_source(at[0], at[1], at[2]);
    const double error = value - fe_exact(at[0], at[1], at[2]);
    e->error += det * error * error;
    for (int n = 0; n < 8; n++) e->load[n] += det * source * a->at.shape[q][n];
}

static void make_box(const assembly *a, element *e)
{
    double side[3];
    for (int d = 0; d < 3; d++) side[d] = e->at[7][d] - e->at[0][d];
    const double volume = side[0] * side[1] * side[2];
    const double x = volume / (2 * side[0] * side[0]), y = volume / (2 * side[1] * side[1]),
                 z = volume / (2 * side[2] * side[2]);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            e->stiffness[i][j] =
                x * a->at.box[0][i][j] + y * a->at.box[1][i][j] + z * a->at.box[2][i][j];
    if (a->manufactured)
        for (int q = 0; q < 8; q++) add_source(a, e, q, volume / 8);
    else
        for (int n = 0; n < 8; n++) e->load[n] = volume / 8 * a->at.load[n];
}

/* The cofactors of a matrix, which are its inverse's transpose times the determinant. */
static double find_cofactors(double m[3][3], double c[3][3])
{
    for (int i = 0; i < 3; i++) {
        const double *const next = m[(i + 1) % 3], *const after = m[(i + 2) % 3];
        c[i][0] = next[1] * after[2] - next[2] * after[1];
        c[i][1] = next[2] * after[0] - next[0] * after[2];
        c[i][2] = next[0] * after[1] - next[1] * after[0];
    }
    return m[0][0] * c[0][0] + m[0][1] * c[0][1] + m[0][2] * c[0][2];
}

/* Gradients of the shape functions at all points, a row for each point and direction; and the same
 * times the determinant. */
typedef struct gradients {
    double g[24][8], scaled[24][8];
} gradients;

/* At point q of an element that is no box. By Cramer's rule: J g = dN, where row r of J is the
 * derivative of x, y, z by reference coordinate r. */
static void add_point(const assembly *a, element *e, int q, gradients *all)
{
    double jacobian[3][3] = {{0}}, cofactor[3][3];
    const double(*const derivative)[8] = a->at.derivative[q];
    for (int n = 0; n < 8; n++)
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) jacobian[r][c] += derivative[r][n] * e->at[n][c];
    const double det = find_cofactors(jacobian, cofactor), inverse = 1 / det;
    for (int c = 0; c < 3; c++) {
        double *const g = all->g[3 * q + c], *const scaled = all->scaled[3 * q + c];
        for (int n = 0; n < 8; n++) {
            scaled[n] = cofactor[0][c] * derivative[0][n] + cofactor[1][c] * derivative[1][n] +
                        cofactor[2][c] * derivative[2][n];
            g[n] = scaled[n] * inverse;
        }
    }
    if (a->manufactured)
        add_source(a, e, q, det);
    else
        for (int n = 0; n < 8; n++) e->load[n] += det * a->at.shape[q][n];
}

static void make_hexahedron(const assembly *a, element *e)
{
    gradients all;
    for (int q = 0; q < 8; q++) add_point(a, e, q, &all);
    for (int i = 0; i < 8; i++) {
        double *const row = e->stiffness[i];
        for (int j = 0; j < 8; j++) row[j] = all.g[0][i] * all.scaled[0][j];
        for (int k = 1; k < 24; k++)
            for (int j = 0; j < 8; j++) row[j] += all.g[k][i] * all.scaled[k][j];
    }
}

static fv_place corner_of(fv_place low, int n)
{
    return (fv_place){{low.at[0] + (n & 1), low.at[1] + (n >> 1 & 1), low.at[2] + (n >> 2)}};
}

/* The corners of a box have the coordinates of its first and its last one. */
static void find_corners(const assembly *a, fv_place low, element *e)
{
    for (int n = 0; n < 8; n++) {
        const fv_place corner = corner_of(low, n);
        e->node[n] = fv_number(a->m, corner);
        if (a->distorted || n == 0 || n == 7) fv_position(a->m, corner, e->at[n]);
    }
    for (int n = 1; !a->distorted && n < 7; n++)
        for (int d = 0; d < 3; d++) e->at[n][d] = e->at[n & 1 << d ? 7 : 0][d];
}

static void make_element(const assembly *a, fv_place low, element *e)
{
    find_corners(a, low, e);
    memset(e->load, 0, sizeof e->load);
    e->error = 0;
    if (a->distorted)
        make_hexahedron(a, e);
    else
        make_box(a, e);
}

/* ---- rows ---- */

/* What u is at the nodes of an element, what its equations have instead, and what that is where u
 * is given, else 0. */
typedef struct values {
    double u[8], v[8], given[8];
    double magnitude[8]; /* |u|, and at least the value that is given */
    bool any_given;
} values;

static values find_values(const assembly *a, fv_place low, const element *e)
{
    const minife *const m = a->m;
    values all = {.any_given = false};
    for (int d = 0; d < 3; d++)
        all.any_given = all.any_given || low.at[d] == 0 || low.at[d] == m->nodes[d] - 2;
    for (int j = 0; j < 8; j++) {
        double value;
        all.u[j] = all.v[j] = m->u[e->node[j]];
        all.magnitude[j] = fabs(all.u[j]);
        if (!all.any_given || !fv_is_given(m, corner_of(low, j), &value, &all.given[j])) continue;
        all.v[j] = all.given[j];
        all.magnitude[j] = fv_larger(all.magnitude[j], fabs(value));
    }
    return all;
}

static void add_rows(minife *m, const element *e, const values *all)
{
    double difference[8], first[8], magnitude[8];
    for (int i = 0; i < 8; i++) {
        difference[i] = first[i] = e->load[i];
        magnitude[i] = fabs(e->load[i]);
    }
    for (int j = 0; j < 8; j++) {
        const double v = all->v[j], size = fabs(v);
        for (int i = 0; i < 8; i++) {
            difference[i] -= e->stiffness[j][i] * v;
            magnitude[i] += fabs(e->stiffness[j][i]) * size;
        }
    }
    for (int j = 0; all->any_given && j < 8; j++)
        for (int i = 0; i < 8; i++) first[i] -= e->stiffness[j][i] * all->given[j];
    for (int i = 0; i < 8; i++) {
        m->difference[e->node[i]] += difference[i];
        m->first[e->node[i]] += first[i];
        m->magnitude[e->node[i]] += magnitude[i];
    }
}

/* || |K_e| |v_e| ||^2 of fe_float_bound */
static double float_square(const element *e, const values *all)
{
    double sum = 0;
    for (int i = 0; i < 8; i++) {
        double of_row = 0;
        for (int j = 0; j < 8; j++) of_row += fabs(e->stiffness[i][j]) * all->magnitude[j];
        sum += of_row * of_row;
    }
    return sum;
}

/* Memory that is new is written here first: pages that threads read before they write cost twice. */
static void clear_layer(void *work, int64_t z)
{
    const assembly *const a = work;
    const int64_t rows = a->m->nodes[0] * a->m->nodes[1];
    double *const all[] = {a->m->difference, a->m->first, a->m->magnitude};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        memset(all[i] + rows * z, 0, (size_t)rows * sizeof *all[i]);
}

static void add_layer(void *work, int64_t part)
{
    const assembly *const a = work;
    const int64_t z = a->begin + 2 * part;
    fv_place low = {{0, 0, z}};
    long double error = 0, squares = 0;
    for (low.at[1] = 0; low.at[1] < fv_input(a->m)->ny; low.at[1]++)
        for (low.at[0] = 0; low.at[0] < fv_input(a->m)->nx; low.at[0]++) {
            element e;
            make_element(a, low, &e);
            const values all = find_values(a, low, &e);
            add_rows(a->m, &e, &all);
            error += e.error;
            if (a->mixed) squares += float_square(&e, &all);
        }
    a->layers[z].error = error;
    a->layers[z].squares = squares;
}

static void sum_layer(void *work, int64_t z)
{
    const assembly *const a = work;
    const minife *const m = a->m;
    layer_sums sums = a->layers[z];
    fv_place node = {{0, 0, z}};
    for (node.at[1] = 0; node.at[1] < m->nodes[1]; node.at[1]++)
        for (node.at[0] = 0; node.at[0] < m->nodes[0]; node.at[0]++) {
            const int64_t row = fv_number(m, node);
            double value, unused, r = m->difference[row], r0 = m->first[row];
            double size = m->magnitude[row];
            if (fv_is_given(m, node, &value, &unused)) {
                r = value - m->u[row];
                r0 = value;
                size = fabs(value) + fabs(m->u[row]);
            }
            sums.residual += (long double)r * r;
            sums.first += (long double)r0 * r0;
            sums.magnitude += (long double)size * size;
            sums.energy -= (long double)m->u[row] * (r0 + r) / 2; /* b is r0, A u is r0 - r */
        }
    a->layers[z] = sums;
}

static fv_norms sum_layers(const assembly *a)
{
    layer_sums all = {0};
    for (int64_t z = 0; z < a->m->nodes[2]; z++) {
        all.error += a->layers[z].error;
        all.squares += a->layers[z].squares;
        all.residual += a->layers[z].residual;
        all.first += a->layers[z].first;
        all.magnitude += a->layers[z].magnitude;
        all.energy += a->layers[z].energy;
    }
    return (fv_norms){.residual = (double)sqrtl(all.residual),
                      .first = (double)sqrtl(all.first),
                      .magnitude = (double)sqrtl(all.magnitude),
                      .float_bound = fe_float_bound((double)all.squares),
                      .error = (double)sqrtl(all.error),
                      .energy = (double)all.energy};
}

static void form(assembly *a, fv_norms *n)
{
    const int64_t layers = a->m->nodes[2] - 1;
    find_reference(&a->at);
    app_share(layers + 1, clear_layer, a);
    for (a->begin = 0; a->begin < 2; a->begin++)
        app_share((layers - a->begin + 1) / 2, add_layer, a);
    app_share(layers + 1, sum_layer, a);
    *n = sum_layers(a);
}

bool fv_form_system(minife *m, fv_norms *n)
{
    const fe_input *const in = fv_input(m);
    assembly a = {.m = m,
                  .manufactured = in->problem == FE_PROBLEM_MANUFACTURED,
                  .distorted = in->mesh == FE_MESH_DISTORTED,
                  .mixed = in->precision == FE_PRECISION_MIXED,
                  .layers = calloc((size_t)m->nodes[2], sizeof *a.layers)};
    m->difference = malloc((size_t)m->rows * sizeof *m->difference);
    m->first = malloc((size_t)m->rows * sizeof *m->first);
    m->magnitude = malloc((size_t)m->rows * sizeof *m->magnitude);
    const bool there = a.layers && m->difference && m->first && m->magnitude;
    if (there) form(&a, n);
    free(a.layers);
    return there || vf_impossible(m->base.verdict, "/fields/solution", "no memory to verify it");
}
