/* What the files of minx-verify's checks of miniFE share. */
#pragma once
#include "contents.h"

#include "input/fe_input.h"

typedef struct minife {
    vf_base base;
    int64_t nodes[3]; /* along x, y, z */
    int64_t rows;
    double *u;        /* by node, x fastest */
    double *residual; /* of the solver: iterations + 1 */
    int64_t iterations;
    fe_name problem;
    /* by row: f - K v, and | f | + | K | | v |; for the solution and for u = 0 */
    double *difference, *magnitude;
} minife;

static inline const fe_input *fv_input(const minife *m) { return m->base.input; }

/* The place of a node. */
void fv_position(const minife *m, int64_t node, double *at);

/* contents.c */
void fv_contents(void *state);
void fv_check_shares(const minife *m);
