/* The on-node work of conjugate gradients: see cg.c. */
#pragma once
#include "kernels/fe_overlap_kernels.h"

/* The vectors of all rows. Products need ghosts: p has them, and what else is multiplied. */
typedef struct fe_vectors {
    mx_view b; /* the finest level's */
    mx_view x, r, p, w;
    mx_view z;       /* the preconditioned residual; without preconditioner it is r */
    mx_view s;       /* A p, by recurrence: single reduction only */
    mx_view scalars; /* FE_RING times FE_SCALARS */
} fe_vectors;

enum { FE_BATCH = 16, FE_RING = 2 * FE_BATCH };

/* The scalars of iteration k. */
typedef enum fe_scalar {
    FE_RR, /* r . r after it */
    FE_RZ, /* r . z after it */
    /* p . A p in it; single reduction: z . A z after it. Products that do not wait for ghosts have
     * several parts */
    FE_PW,
    FE_PS = FE_PW + FE_PRODUCT_PARTS, /* single reduction: p . A p in it */
    FE_SCALARS
} fe_scalar;

/* Where they are, in the ring `scalars`. */
MX_INLINE int fe_scalar_at(int64_t k, int scalar)
{
    return (int)(k % FE_RING) * FE_SCALARS + scalar;
}

/* What the kernels of iteration k read of the ring. */
typedef struct fe_iteration {
    int k;        /* these are numbers in the ring: of the iteration, */
    int before;   /* of the one before, */
    int earlier;  /* of the one before that, */
    int compared; /* and of the norm that is compared with the tolerance */
    int product;  /* r . z: FE_RZ; without preconditioner FE_RR */
    bool first;
    double tolerance;
} fe_iteration;

typedef struct fe_start_args {
    mx_f64_1 r, p;
    mx_cf64_1 x, b, w;
} fe_start_args;
MX_BUNDLE(fe_start_args, fe_vectors, r, p, x, b, w)
/* p = x */
MX_DECLARE_FOR(1D, fe_copy, fe_start_args)
/* r = p = b - w; the value is r . r */
MX_DECLARE_REDUCE(1D, fe_start, fe_start_args, double)

typedef struct fe_dot_args {
    mx_cf64_1 r, z;
} fe_dot_args;
MX_BUNDLE(fe_dot_args, fe_vectors, r, z)
/* r . z */
MX_DECLARE_REDUCE(1D, fe_dot, fe_dot_args, double)

typedef struct fe_update_args {
    mx_f64_1 x, r;
    mx_cf64_1 p, w;
    mx_cf64_1 scalars;
    fe_iteration at;
    double alpha; /* set by the prologue; 0 where the iteration is not to be done */
    bool done;
} fe_update_args;
MX_BUNDLE(fe_update_args, fe_vectors, x, r, p, w, scalars)
/* x += alpha p, r -= alpha w; the value is r . r, or 0 if the iteration was not to be done */
MX_DECLARE_REDUCE(1D, fe_update, fe_update_args, double)

typedef struct fe_direction_args {
    mx_f64_1 p;
    mx_cf64_1 z;
    mx_cf64_1 scalars;
    fe_iteration at;
    double beta; /* set by the prologue */
} fe_direction_args;
MX_BUNDLE(fe_direction_args, fe_vectors, p, z, scalars)
/* p = z + beta p */
MX_DECLARE_FOR(1D, fe_direction, fe_direction_args)

typedef struct fe_single_args {
    mx_f64_1 x, r, p, s;
    mx_cf64_1 z, w;
    mx_f64_1 scalars;
    fe_iteration at;
    double alpha, beta, ps; /* set by the prologue */
    bool done;
} fe_single_args;
MX_BUNDLE(fe_single_args, fe_vectors, x, r, p, s, z, w, scalars)
/* p = z + beta p, s = w + beta s, x += alpha p, r -= alpha s; the value as of fe_update. FE_PS of
 * the iteration is set. */
MX_DECLARE_REDUCE(1D, fe_single, fe_single_args, double)
