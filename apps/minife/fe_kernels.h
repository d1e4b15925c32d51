/* The on-node work of the solver, and of the checks of its solution. */
#pragma once
#include "fe_mesh.h"
#include "minx/minx.h"

/* The vectors of all rows; p has ghosts too. */
typedef struct fe_vectors {
    mx_view b; /* the finest level's */
    mx_view x, r, p, w;
    mx_view rr, pw; /* scalars: FE_RING */
} fe_vectors;

/* ---- the solver (kernels/cg.c): see solve.c for the scalars ---- */

enum { FE_BATCH = 16, FE_RING = 2 * FE_BATCH };

/* Where a solver's scalars of iteration k are, in the rings rr and pw. */
MX_INLINE int fe_ring(int64_t k) { return (int)(k % FE_RING); }

typedef struct fe_start_args {
    mx_f64_1 r, p;
    mx_cf64_1 x, b, w;
} fe_start_args;
MX_BUNDLE(fe_start_args, fe_vectors, r, p, x, b, w)
/* p = x */
MX_DECLARE_FOR(1D, fe_copy, fe_start_args)
/* r = p = b - w; the value is r . r */
MX_DECLARE_REDUCE(1D, fe_start, fe_start_args, double)

/* The scalars that an iteration needs, in rings; the numbers of the entries of iteration k: */
typedef struct fe_scalars {
    int now;      /* k */
    int before;   /* k - 1 */
    int compared; /* k - 2, or 0: the norm that is compared with the tolerance */
    double tolerance;
} fe_scalars;

typedef struct fe_update_args {
    mx_f64_1 x, r;
    mx_cf64_1 p, w;
    mx_cf64_1 rr, pw;
    fe_scalars scalars;
    double alpha; /* set by the prologue; 0 where the iteration is not to be done */
    bool done;
} fe_update_args;
MX_BUNDLE(fe_update_args, fe_vectors, x, r, p, w, rr, pw)
/* x += alpha p, r -= alpha w; the value is r . r, or 0 if the iteration was not to be done */
MX_DECLARE_REDUCE(1D, fe_update, fe_update_args, double)

typedef struct fe_direction_args {
    mx_f64_1 p;
    mx_cf64_1 r;
    mx_cf64_1 rr;
    fe_scalars scalars;
    double beta; /* set by the prologue */
} fe_direction_args;
MX_BUNDLE(fe_direction_args, fe_vectors, p, r, rr)
/* p = r + beta p */
MX_DECLARE_FOR(1D, fe_direction, fe_direction_args)

/* ---- the error of the manufactured problem (kernels/error.c) ---- */

typedef struct fe_error_args {
    mx_cf64_1 p; /* the solution, with ghosts */
    mx_cf64_2 coordinates;
    fe_mesh mesh;
} fe_error_args;
MX_ARGS(fe_error_args, p, coordinates)
/* the integral of the squared error over element (z, y, x), by 2 x 2 x 2 Gauss points */
MX_DECLARE_REDUCE(3D, fe_error_l2, fe_error_args, double)
/* the largest error at own nodes */
MX_DECLARE_REDUCE(1D, fe_error_max, fe_error_args, double)
