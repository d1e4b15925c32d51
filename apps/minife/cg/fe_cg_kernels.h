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

MX_ARGS_FROM(fe_start_args, fe_vectors,
    (mx_f64_1, r) (mx_f64_1, p)
    (mx_cf64_1, x) (mx_cf64_1, b) (mx_cf64_1, w)
);
/* p = x */
MX_DECLARE_FOR(1D, fe_copy, fe_start_args)
/* r = p = b - w; the value is r . r */
MX_DECLARE_REDUCE(1D, fe_start, fe_start_args, double)

MX_ARGS_FROM(fe_dot_args, fe_vectors, (mx_cf64_1, r) (mx_cf64_1, z));
/* r . z */
MX_DECLARE_REDUCE(1D, fe_dot, fe_dot_args, double)

MX_ARGS_FROM(fe_update_args, fe_vectors,
    (mx_f64_1, x) (mx_f64_1, r)
    (mx_cf64_1, p) (mx_cf64_1, w)
    (mx_cf64_1, scalars),
    fe_iteration at;
    double alpha; /* set by the prologue; 0 where the iteration is not to be done */
    bool done;
);
/* x += alpha p, r -= alpha w; the value is r . r, or 0 if the iteration was not to be done */
MX_DECLARE_REDUCE(1D, fe_update, fe_update_args, double)

MX_ARGS_FROM(fe_direction_args, fe_vectors,
    (mx_f64_1, p)
    (mx_cf64_1, z)
    (mx_cf64_1, scalars),
    fe_iteration at;
    double beta; /* set by the prologue */
);
/* p = z + beta p */
MX_DECLARE_FOR(1D, fe_direction, fe_direction_args)

MX_ARGS_FROM(fe_single_args, fe_vectors,
    (mx_f64_1, x) (mx_f64_1, r) (mx_f64_1, p) (mx_f64_1, s)
    (mx_cf64_1, z) (mx_cf64_1, w)
    (mx_f64_1, scalars),
    fe_iteration at;
    double alpha, beta, ps; /* set by the prologue */
    bool done;
);
/* p = z + beta p, s = w + beta s, x += alpha p, r -= alpha s; the value as of fe_update. FE_PS of
 * the iteration is set. */
MX_DECLARE_REDUCE(1D, fe_single, fe_single_args, double)
