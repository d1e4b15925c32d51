/* Polynomials in the matrix: the preconditioner chebyshev, and the smoother of multigrid. */
#pragma once
#include "fe_smoother_kernels.h"
#include "preconditioners/shared/fe_half.h"

/* Steps of the Chebyshev iteration for A x = b, which damp the part of the error whose eigenvalues
 * of (1/diagonal) A lie between low and high. */
typedef struct fe_smoother {
    fe_level *level; /* the caller's, or `half` */
    fe_level half;   /* fe_half_create */
    int degree;      /* steps, at least one */
    double low, high;
    fe_smoother_views views; /* b and x are the caller's */
    fe_smooth_args args;
} fe_smoother;

/* smoother: all 0. b: rows; x: rows and ghosts. ratio: of high to low. high is a formula, or
 * estimated by Lanczos iterations, which use x. Collective. */
mx_err fe_smoother_create(fe_level *level, mx_view b, mx_view x, int degree, double ratio,
                          fe_smoother *smoother);
void fe_smoother_destroy(fe_smoother *smoother);
/* Goes on from x, or from 0. Collective. */
typedef enum fe_from { FE_FROM_ZERO, FE_FROM_X } fe_from;
mx_err fe_smooth(fe_smoother *smoother, fe_from from);
/* w = A x, with the ghosts of x. Collective. */
mx_err fe_smoother_product(fe_smoother *smoother);
fe_work fe_work_of_smoother(const fe_smoother *smoother, fe_from from);
