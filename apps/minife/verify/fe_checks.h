/* What the files of minx-verify's checks of miniFE share. */
#pragma once
#include "contents.h"

#include "input/fe_input.h"

#include <math.h>

typedef struct minife {
    vf_base base;
    int64_t nodes[3]; /* along x, y, z */
    int64_t rows;
    double *u;        /* by node, x fastest */
    double *places;   /* of a distorted mesh: x, y, z of each node; NULL: nodes are i / n */
    double *residual; /* of the solver: iterations + 1 */
    int64_t iterations;
    fe_name problem;
    /* by row: f - K v, and | f | + | K | | v |; for the solution and for u = 0 */
    double *difference, *first, *magnitude;
} minife;

static inline const fe_input *fv_input(const minife *m) { return m->base.input; }

/* Numbers along x, y and z, of a node or of the low corner of an element. */
typedef struct fv_place {
    int64_t at[3];
} fv_place;

static inline int64_t fv_number(const minife *m, fv_place p)
{
    return p.at[0] + m->nodes[0] * (p.at[1] + m->nodes[1] * p.at[2]);
}

/* The larger one of two numbers that are not negative; NaN counts as infinity. */
static inline double fv_larger(double a, double b)
{
    if (isnan(a) || isnan(b)) return INFINITY;
    return a > b ? a : b;
}

/* nodes.c: the coordinates of a node, computed; and those in m->places, where they are there. */
void fv_find_place(const minife *m, fv_place node, double *at);
void fv_position(const minife *m, fv_place node, double *at);

/* Is u given at the node? Then *value is it, and *eliminated what its neighbours' equations have
 * instead. */
bool fv_is_given(const minife *m, fv_place node, double *value, double *eliminated);

/* contents.c */
void fv_contents(void *state);
void fv_check_shares(const minife *m);

/* system.c: norms of the residual for u as stored and for u = 0, and of the magnitudes; the L2
 * error; the energy. */
typedef struct fv_norms {
    double residual, first, magnitude;
    double float_bound; /* precision=mixed: fe_float_bound; double: 0 */
    double error;
    double energy; /* u . A u / 2 - b . u, where A u = b are the equations */
} fv_norms;

/* Forms the equations. False: it has said why it cannot. */
bool fv_form_system(minife *m, fv_norms *n);

/* series.c: the largest differences between the solution and two series, one without the source
 * and one with it, in the window that the original checks. False: it has said why it cannot. */
typedef struct fv_analytic_errors {
    double without_source, with_source;
} fv_analytic_errors;
bool fv_find_analytic_errors(const minife *m, fv_analytic_errors *errors);
