/* Preconditioners: z = M r, where M is symmetric and positive definite, as conjugate gradients need
 * it. All are polynomials in the matrix, or made of such, so they need nothing of it but its
 * products and its diagonal. */
#pragma once
#include "fe_multigrid_kernels.h"
#include "level/fe_level.h"

/* ---- precondition.c ---- */

typedef struct fe_preconditioner fe_preconditioner;

/* The one that the input of the level names, for z (rows and ghosts) = M r (rows), views of the
 * caller. Collective. */
mx_err fe_preconditioner_create(fe_level *level, mx_view r, mx_view z, fe_preconditioner **out);
void fe_preconditioner_destroy(fe_preconditioner **preconditioner);
/* z = M r. The ghosts of z are undefined. Collective. */
mx_err fe_precondition(fe_preconditioner *preconditioner);
/* What that must move and compute on this rank. */
fe_work fe_work_of_preconditioner(const fe_preconditioner *preconditioner);

/* ---- chebyshev.c ---- */

/* Steps of the Chebyshev iteration for A x = b, which damp the part of the error whose eigenvalues
 * of (1/diagonal) A lie between low and high. */
typedef struct fe_smoother {
    fe_level *level; /* the caller's */
    int degree;      /* steps; 0: only the diagonal is used */
    double low, high;
    fe_smoother_views views; /* b and x are the caller's */
    fe_smooth_args args;
} fe_smoother;

/* smoother: all 0. b: rows; x: rows and ghosts. degree 0: there are no steps. ratio: of high to
 * low. high is estimated by Lanczos iterations, which use x. Collective. */
mx_err fe_smoother_create(fe_level *level, mx_view b, mx_view x, int degree, double ratio,
                          fe_smoother *smoother);
void fe_smoother_destroy(fe_smoother *smoother);
/* Goes on from x, or from 0. Collective. */
typedef enum fe_from { FE_FROM_ZERO, FE_FROM_X } fe_from;
mx_err fe_smooth(fe_smoother *smoother, fe_from from);
/* w = A x, with the ghosts of x. Collective. */
mx_err fe_smoother_product(fe_smoother *smoother);
fe_work fe_work_of_smoother(const fe_smoother *smoother, fe_from from);

/* ---- multigrid.c ---- */

/* coarse: all 0. A level with these elements, with its matrix. Collective. */
mx_err fe_make_coarse_level(const fe_level *finer, const mx_gid *elements, fe_level *coarse);

typedef struct fe_multigrid fe_multigrid;

/* b (rows) and x (rows and ghosts) are the caller's. Collective. */
mx_err fe_multigrid_create(fe_level *finest, mx_view b, mx_view x, fe_multigrid **multigrid);
void fe_multigrid_destroy(fe_multigrid **multigrid);
/* x = M b: one V-cycle. Collective. */
mx_err fe_multigrid_cycle(fe_multigrid *multigrid);
fe_work fe_work_of_cycle(const fe_multigrid *multigrid);

/* ---- hpcg.c: the same for the cycle of HPCG. The elements along each dimension are multiples of
 * 8. ---- */

typedef struct fe_hpcg fe_hpcg;
mx_err fe_hpcg_create(fe_level *finest, mx_view b, mx_view x, fe_hpcg **hpcg);
void fe_hpcg_destroy(fe_hpcg **hpcg);
mx_err fe_hpcg_cycle(fe_hpcg *hpcg);
fe_work fe_work_of_hpcg(const fe_hpcg *hpcg);
