/* The on-node work of TeaLeaf, declared. Arrays have `ghosts` ghost cells on each side, one unless
 * the deck asks for more: cell (j, k), row j and column k of this rank, is at index (j + ghosts, k
 * + ghosts).
 *
 * In 3-D, cell (i, j, k) is in plane i. Its arrays are bound as arrays of rows too: row (i, j) has
 * number TL_ROW(i, j). So both have the same structs of arguments, and what happens to a
 * cell by itself is written once. Each kernel NAME over rows and columns has a NAME_3d over planes,
 * rows and columns.
 *
 * The equation (I - dt div K grad) u_new = u_old, backward Euler, cell-centred with five points, in
 * 3-D seven. The conductivity of a face is the mean of the values v of its two cells. With rx =
 * dt/dx^2 / 2 and so on the faces of a cell weigh
 *
 *     left  = rx (v(j, k-1) + v(j, k)),   right = rx (v(j, k) + v(j, k+1)),
 *     below = ry (v(j-1, k) + v(j, k)),   above = ry (v(j, k) + v(j+1, k)),
 *
 *     (A u)(j, k) = (1 + left + right + below + above) u(j, k)
 *                   - left u(j, k-1) - right u(j, k+1) - below u(j-1, k) - above u(j+1, k)
 *
 * A ghost cell beyond the edge of the domain has -v of the cell inside, so that the face between
 * them weighs exactly 0: no heat passes. */
#pragma once
#include "minx/minx.h"

/* What kernels know of the mesh. */
typedef struct tl_mesh {
    int plane, row; /* 3-D: from the row number of (i, j) to those of (i + 1, j) and (i, j + 1) */
    double rx, ry, rz; /* dt/dx^2, dt/dy^2, dt/dz^2, halved */
    int mirrors;       /* preconditioners count faces at the edge of the domain in the diagonal */
} tl_mesh;

/* What the kernels work on. Arguments are bound from members of the same names. */
typedef struct tl_views {
    /* the state */
    mx_view density, energy, u, u_start;
    /* conductivity */
    mx_view v;
    /* conjugate gradients: vectors, and the scalars that stay with them. rr is a ring of TL_SCALARS
     * numbers by iteration, pw is p.w; both of this rank, then over all ranks */
    mx_view p, r, w, rr, pw;
    /* preconditioners: z = M^-1 r; 1 / diagonal of A */
    mx_view z, diagonal;
    /* polynomials: the other one of a pair of vectors, and the step from one to the other */
    mx_view next, step;
    /* the deck's states: densities and energies; the columns that they fill in each row */
    mx_view materials, filled;
} tl_views;

/* Density and energy by the deck's states: the last state that fills a cell counts. The value is
 * their sums over the cells. */
#define TL_FILLED(FIELD)        \
    FIELD(double, mass, MX_SUM) \
    FIELD(double, energy, MX_SUM)
MX_VALUE(tl_filled_sums, TL_FILLED)
MX_ARGS_FROM(tl_fill_args, tl_views,
    (mx_f64_2, density) (mx_f64_2, energy)
    (mx_cf64_2, materials) /* (state, 0): density, (state, 1): energy */
    /* (state, row of this rank, 0 and 1): from which column of this rank to before which */
    (mx_ci32_3, filled),
    int states, ghosts;
    int rows;      /* in a plane of this rank */
    double volume; /* of a cell */
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_fill, tl_fill_args, tl_filled_sums)
MX_DECLARE_REDUCE(3D, tl_fill_3d, tl_fill_args, tl_filled_sums)

/* v = 1/w from the density, in the cells of this rank, its ghosts, and one layer of ghosts beyond
 * the edge of the domain. */
MX_ARGS_FROM(tl_inverse_args, tl_views,
    (mx_f64_2, v)
    (mx_cf64_2, density),
    int inverse; /* w = 1/density */
    /* the first and the last index (plane, row, column) that is inside the domain */
    int first[3], last[3];
    tl_mesh mesh;
);
MX_DECLARE_FOR(2D, tl_inverse, tl_inverse_args)
MX_DECLARE_FOR(3D, tl_inverse_3d, tl_inverse_args)

/* u = u_start = energy density. */
MX_ARGS_FROM(tl_start_args, tl_views,
    (mx_f64_2, u) (mx_f64_2, u_start)
    (mx_cf64_2, energy) (mx_cf64_2, density),
    tl_mesh mesh;
);
MX_DECLARE_FOR(2D, tl_start, tl_start_args)
MX_DECLARE_FOR(3D, tl_start_3d, tl_start_args)

/* r = u_start - A u; the sum of r r. */
MX_ARGS_FROM(tl_residual_args, tl_views,
    (mx_f64_2, r)
    (mx_cf64_2, u) (mx_cf64_2, u_start) (mx_cf64_2, v),
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_residual, tl_residual_args, double)
MX_DECLARE_REDUCE(3D, tl_residual_3d, tl_residual_args, double)

/* The sums of (u_start - A u)^2, and of (|u_start| + |A| |u|)^2, in proportion to which rounding
 * errors are. */
#define TL_ERROR(FIELD)       \
    FIELD(double, rr, MX_SUM) \
    FIELD(double, magnitude, MX_SUM)
MX_VALUE(tl_error_sums, TL_ERROR)
MX_ARGS_FROM(tl_error_args, tl_views,
    (mx_cf64_2, u) (mx_cf64_2, u_start) (mx_cf64_2, v),
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_error, tl_error_args, tl_error_sums)
MX_DECLARE_REDUCE(3D, tl_error_3d, tl_error_args, tl_error_sums)

/* w = A p; the sum of p w. */
MX_ARGS_FROM(tl_cg_matvec_args, tl_views,
    (mx_f64_2, w)
    (mx_cf64_2, p) (mx_cf64_2, v),
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_cg_matvec, tl_cg_matvec_args, double)
MX_DECLARE_REDUCE(3D, tl_cg_matvec_3d, tl_cg_matvec_args, double)

/* Iterations of a batch: a device has them queued, and the host then reads their scalars at once. The
 * ring has places for a batch, and for the iteration before it. */
enum { TL_BATCH = 16, TL_RING = TL_BATCH + 1 };

/* The scalars of an iteration, in `rr`. */
enum {
    TL_RR,     /* r.r, over all ranks */
    TL_RZ,     /* r.z, where z = M^-1 r */
    TL_CHANGE, /* (r - r of the iteration before).z */
    TL_SCALARS
};

/* u += alpha p, r -= alpha w; the sum of r r. alpha = r.r / p.w, or r.z / p.w with a
 * preconditioner, with r of the iteration before; or 0 once r.r is below the tolerance: a converged
 * system does not change any more. So a host that reads rr only after a batch of iterations gets
 * the same result. */
MX_ARGS_FROM(tl_cg_update_args, tl_views,
    (mx_f64_2, u) (mx_f64_2, r)
    (mx_cf64_2, p) (mx_cf64_2, w)
    (mx_cf64_1, rr) (mx_cf64_1, pw),
    double tolerance; /* on r.r */
    int norm, before; /* where r.r, and r.r or r.z, of the iteration before are */
    int product;      /* where p.w is */
    double alpha;     /* the prologue's */
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_cg_update, tl_cg_update_args, double)
MX_DECLARE_REDUCE(3D, tl_cg_update_3d, tl_cg_update_args, double)

/* p = r + beta p, or p = z + beta p where r is bound to z. beta = r.r / r.r of the iteration
 * before; r.z likewise; or the flexible form (r - r of the iteration before).z / r.z of the
 * iteration before (Polak and Ribiere). */
MX_ARGS_FROM(tl_cg_direction_args, tl_views,
    (mx_f64_2, p)
    (mx_cf64_2, r)
    (mx_cf64_1, rr),
    double tolerance;
    int norm;    /* where r.r of the iteration before is in rr, */
    int before;  /* where the denominator is, */
    int now;     /* and the numerator */
    double beta; /* the prologue's */
    tl_mesh mesh;
);
MX_DECLARE_FOR(2D, tl_cg_direction, tl_cg_direction_args)
MX_DECLARE_FOR(3D, tl_cg_direction_3d, tl_cg_direction_args)

/* ---- preconditioners ---- */

/* diagonal = 1 / (1 + the faces of the cell) */
MX_ARGS_FROM(tl_diagonal_args, tl_views,
    (mx_f64_2, diagonal)
    (mx_cf64_2, v),
    tl_mesh mesh;
);
MX_DECLARE_FOR(2D, tl_diagonal, tl_diagonal_args)
MX_DECLARE_FOR(3D, tl_diagonal_3d, tl_diagonal_args)

/* Blocks of A: the cells of a column in TL_BLOCK rows of a plane, counted from the rank's first
 * row; the last block may have fewer. Each is a tridiagonal matrix. */
enum { TL_BLOCK = 4 };

MX_ARGS_FROM(tl_precondition_args, tl_views,
    (mx_f64_2, z)
    (mx_cf64_2, r) (mx_cf64_2, diagonal) (mx_cf64_2, v),
    int first, last; /* rows, for blocks */
    tl_mesh mesh;
);
/* z = diagonal r; the sum of r z */
MX_DECLARE_REDUCE(2D, tl_precondition_diagonal, tl_precondition_args, double)
MX_DECLARE_REDUCE(3D, tl_precondition_diagonal_3d, tl_precondition_args, double)
/* z of block (j, k): the tridiagonal system solved by elimination (Thomas); the sum of r z */
MX_DECLARE_REDUCE(2D, tl_precondition_block, tl_precondition_args, double)
MX_DECLARE_REDUCE(3D, tl_precondition_block_3d, tl_precondition_args, double)

/* The sum of r z, and of (r - r of the iteration before) z = -alpha w z */
MX_ARGS_FROM(tl_dot_args, tl_views,
    (mx_cf64_2, r) (mx_cf64_2, w) (mx_cf64_2, z)
    (mx_cf64_1, rr) (mx_cf64_1, pw),
    int before, product; /* as for tl_cg_update */
    double alpha;
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_dot, tl_dot_args, double)
MX_DECLARE_REDUCE(3D, tl_dot_3d, tl_dot_args, double)
MX_DECLARE_REDUCE(2D, tl_dot_change, tl_dot_args, double)
MX_DECLARE_REDUCE(3D, tl_dot_change_3d, tl_dot_args, double)

/* energy = u / density. */
MX_ARGS_FROM(tl_finish_args, tl_views,
    (mx_f64_2, energy)
    (mx_cf64_2, u) (mx_cf64_2, density),
    tl_mesh mesh;
);
MX_DECLARE_FOR(2D, tl_finish, tl_finish_args)
MX_DECLARE_FOR(3D, tl_finish_3d, tl_finish_args)

/* The field summary: integrals over the domain. */
#define TL_SUMMARY(FIELD)         \
    FIELD(double, volume, MX_SUM) \
    FIELD(double, mass, MX_SUM)   \
    FIELD(double, energy, MX_SUM) \
    FIELD(double, temperature, MX_SUM)
MX_VALUE(tl_summary, TL_SUMMARY)
MX_ARGS_FROM(tl_summary_args, tl_views,
    (mx_cf64_2, density) (mx_cf64_2, energy) (mx_cf64_2, u),
    double volume; /* of a cell */
    tl_mesh mesh;
);
MX_DECLARE_REDUCE(2D, tl_summarise, tl_summary_args, tl_summary)
MX_DECLARE_REDUCE(3D, tl_summarise_3d, tl_summary_args, tl_summary)

/* Bytes and flops a cell that the algorithm must move and do: each array element once, in 8
 * bytes. */
enum {
    TL_CG_MATVEC_BYTES = 24,
    TL_CG_UPDATE_BYTES = 48,
    TL_CG_DIRECTION_BYTES = 24,
    TL_CG_BYTES = TL_CG_MATVEC_BYTES + TL_CG_UPDATE_BYTES + TL_CG_DIRECTION_BYTES,
    TL_DIAGONAL_BYTES = 24,
    TL_BLOCK_BYTES = 24,
    TL_RESIDUAL_BYTES = 32,
    /* a product with the matrix: 19 flops, in 3-D 27 */
    TL_CG_FLOPS = 19 + 2 + 6 + 2,
    TL_CG_FLOPS_3D = 27 + 2 + 6 + 2,
    TL_RESIDUAL_FLOPS = 19 + 3,
    TL_RESIDUAL_FLOPS_3D = 27 + 3
};
