/* The on-node work of TeaLeaf, declared. Arrays have one ghost cell on each side: cell (j, k), row j and column k of this
 * rank, is at index (j + 1, k + 1).
 *
 * The equation (I - dt div K grad) u_new = u_old, backward Euler, cell-centred with five points. kx(j, k) is the
 * conductivity of the face between cells (j, k-1) and (j, k), times dt/dx^2; ky(j, k) that between (j-1, k) and (j, k),
 * times dt/dy^2; both are 0 on the edge of the domain (no flux). So
 *
 *     (A u)(j, k) = (1 + kx(j, k) + kx(j, k+1) + ky(j, k) + ky(j+1, k)) u(j, k)
 *                   - kx(j, k) u(j, k-1) - kx(j, k+1) u(j, k+1) - ky(j, k) u(j-1, k) - ky(j+1, k) u(j+1, k) */
#pragma once
#include "minx/minx.h"

/* What the kernels work on. Arguments are bound from members of the same names. */
typedef struct tl_views {
    /* the state */
    mx_view density, energy, u, u_start, kx, ky;
    /* conjugate gradients: vectors, and the scalars that stay with them. rr is a ring of r.r by iteration, pw is p.w;
     * both of this rank, then over all ranks */
    mx_view p, r, w, rr, pw;
    /* the deck's states: densities and energies; the columns that they fill in each row */
    mx_view materials, filled;
} tl_views;

/* Density and energy by the deck's states: the last state that fills a cell counts. The value is their sums over the cells. */
#define TL_FILLED(FIELD)        \
    FIELD(double, mass, MX_SUM) \
    FIELD(double, energy, MX_SUM)
MX_VALUE(tl_filled_sums, TL_FILLED)
typedef struct tl_fill_args {
    mx_f64_2 density, energy;
    mx_cf64_2 materials; /* (state, 0): density, (state, 1): energy */
    mx_ci32_3
        filled; /* (state, row of this rank, 0 and 1): from which column of this rank to before which */
    int states;
    double volume; /* of a cell */
} tl_fill_args;
MX_BUNDLE(tl_fill_args, tl_views, density, energy, materials, filled)
MX_DECLARE_REDUCE(2D, tl_fill, tl_fill_args, tl_filled_sums)

/* kx and ky from the density. w is the density, or its inverse; the face's conductivity is the mean of 1/w. Runs over the
 * faces of this rank's cells, one row and column more than cells; cells of this rank begin at global (row0, column0). */
typedef struct tl_faces_args {
    mx_f64_2 kx, ky;
    mx_cf64_2 density;
    double rx, ry;                    /* dt/dx^2, dt/dy^2 */
    int inverse;                      /* w = 1/density */
    int row0, column0, rows, columns; /* global place and size of the domain, to find its edges */
} tl_faces_args;
MX_BUNDLE(tl_faces_args, tl_views, kx, ky, density)
MX_DECLARE_FOR(2D, tl_faces, tl_faces_args)

/* u = u_start = energy density. */
typedef struct tl_start_args {
    mx_f64_2 u, u_start;
    mx_cf64_2 energy, density;
} tl_start_args;
MX_BUNDLE(tl_start_args, tl_views, u, u_start, energy, density)
MX_DECLARE_FOR(2D, tl_start, tl_start_args)

/* r = u_start - A u, p = r; the sum of r r. */
typedef struct tl_residual_args {
    mx_f64_2 r, p;
    mx_cf64_2 u, u_start, kx, ky;
} tl_residual_args;
MX_BUNDLE(tl_residual_args, tl_views, r, p, u, u_start, kx, ky)
MX_DECLARE_REDUCE(2D, tl_residual, tl_residual_args, double)

/* The sums of (u_start - A u)^2, and of (|u_start| + |A| |u|)^2, in proportion to which rounding errors are. */
#define TL_ERROR(FIELD)       \
    FIELD(double, rr, MX_SUM) \
    FIELD(double, magnitude, MX_SUM)
MX_VALUE(tl_error_sums, TL_ERROR)
typedef struct tl_error_args {
    mx_cf64_2 u, u_start, kx, ky;
} tl_error_args;
MX_BUNDLE(tl_error_args, tl_views, u, u_start, kx, ky)
MX_DECLARE_REDUCE(2D, tl_error, tl_error_args, tl_error_sums)

/* w = A p; the sum of p w. */
typedef struct tl_cg_matvec_args {
    mx_f64_2 w;
    mx_cf64_2 p, kx, ky;
} tl_cg_matvec_args;
MX_BUNDLE(tl_cg_matvec_args, tl_views, w, p, kx, ky)
MX_DECLARE_REDUCE(2D, tl_cg_matvec, tl_cg_matvec_args, double)

/* u += alpha p, r -= alpha w; the sum of r r. alpha = rr(n-1) / pw, or 0 once rr(n-1) is below the tolerance: a converged
 * system does not change any more. So a host that reads rr only after a batch of iterations gets the same result. */
typedef struct tl_cg_update_args {
    mx_f64_2 u, r;
    mx_cf64_2 p, w;
    mx_cf64_1 rr, pw;
    double tolerance; /* on rr */
    int before;       /* place of rr(n-1) in the ring */
    double alpha;     /* the prologue's */
} tl_cg_update_args;
MX_BUNDLE(tl_cg_update_args, tl_views, u, r, p, w, rr, pw)
MX_DECLARE_REDUCE(2D, tl_cg_update, tl_cg_update_args, double)

/* p = r + beta p, beta = rr(n) / rr(n-1). */
typedef struct tl_cg_direction_args {
    mx_f64_2 p;
    mx_cf64_2 r;
    mx_cf64_1 rr;
    double tolerance;
    int before, now; /* places of rr(n-1) and rr(n) */
    double beta;     /* the prologue's */
} tl_cg_direction_args;
MX_BUNDLE(tl_cg_direction_args, tl_views, p, r, rr)
MX_DECLARE_FOR(2D, tl_cg_direction, tl_cg_direction_args)

/* energy = u / density. */
typedef struct tl_finish_args {
    mx_f64_2 energy;
    mx_cf64_2 u, density;
} tl_finish_args;
MX_BUNDLE(tl_finish_args, tl_views, energy, u, density)
MX_DECLARE_FOR(2D, tl_finish, tl_finish_args)

/* The field summary: integrals over the domain. */
#define TL_SUMMARY(FIELD)         \
    FIELD(double, volume, MX_SUM) \
    FIELD(double, mass, MX_SUM)   \
    FIELD(double, energy, MX_SUM) \
    FIELD(double, temperature, MX_SUM)
MX_VALUE(tl_summary, TL_SUMMARY)
typedef struct tl_summary_args {
    mx_cf64_2 density, energy, u;
    double volume; /* of a cell */
} tl_summary_args;
MX_BUNDLE(tl_summary_args, tl_views, density, energy, u)
MX_DECLARE_REDUCE(2D, tl_summarise, tl_summary_args, tl_summary)

/* Bytes and flops a cell that the algorithm must move and do: each array element once, in 8 bytes. */
enum {
    TL_CG_MATVEC_BYTES = 32,
    TL_CG_UPDATE_BYTES = 48,
    TL_CG_DIRECTION_BYTES = 24,
    TL_CG_BYTES = 104,
    TL_CG_FLOPS = 15 + 6 + 2,
    TL_RESIDUAL_BYTES = 48,
    TL_RESIDUAL_FLOPS = 16
};
