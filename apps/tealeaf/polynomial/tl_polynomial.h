/* Polynomials in A: the kernels of a step (kernels/polynomial.c), declared. */
#pragma once
#include "kernels/tl_kernels.h"

typedef struct tl_polynomial_views {
    mx_view step, next, b, u, v, diagonal;
} tl_polynomial_views;

/* One step of Chebyshev's iteration for A u = b, or of Jacobi's:
 *
 *     q = b - A u,   step = alpha step + beta M^-1 q,   next = u + step
 *
 * next is another array than u, so the step is one pass: four arrays are read and two written, 48
 * bytes a cell; with a diagonal 56. */
MX_ARGS_FROM(tl_polynomial_args, tl_polynomial_views,
    (mx_f64_2, step) (mx_f64_2, next)
    (mx_cf64_2, b) (mx_cf64_2, u) (mx_cf64_2, v) (mx_cf64_2, diagonal),
    double alpha, beta;
    tl_mesh mesh;
);
/* M = 1 and M = the diagonal of A */
MX_DECLARE_FOR(2D, tl_polynomial, tl_polynomial_args)
MX_DECLARE_FOR(3D, tl_polynomial_3d, tl_polynomial_args)
MX_DECLARE_FOR(2D, tl_polynomial_diagonal, tl_polynomial_args)
MX_DECLARE_FOR(3D, tl_polynomial_diagonal_3d, tl_polynomial_args)
/* the same; the value is q.q */
MX_DECLARE_REDUCE(2D, tl_polynomial_norm, tl_polynomial_args, double)
MX_DECLARE_REDUCE(3D, tl_polynomial_norm_3d, tl_polynomial_args, double)
MX_DECLARE_REDUCE(2D, tl_polynomial_diagonal_norm, tl_polynomial_args, double)
MX_DECLARE_REDUCE(3D, tl_polynomial_diagonal_norm_3d, tl_polynomial_args, double)
/* the step from u = 0: step = next = beta M^-1 b */
MX_DECLARE_FOR(2D, tl_polynomial_first, tl_polynomial_args)
MX_DECLARE_FOR(3D, tl_polynomial_first_3d, tl_polynomial_args)
MX_DECLARE_FOR(2D, tl_polynomial_first_diagonal, tl_polynomial_args)
MX_DECLARE_FOR(3D, tl_polynomial_first_diagonal_3d, tl_polynomial_args)

/* Bytes and flops a cell: of a step; of the first step of a preconditioner and its two sums. A
 * product with the matrix: 19 flops, in 3-D 27. */
enum {
    TL_STEP_BYTES = 48,
    TL_POLYNOMIAL_BYTES = 24 + 32,
    TL_STEP_FLOPS = 19 + 5,
    TL_STEP_FLOPS_3D = 27 + 5
};
