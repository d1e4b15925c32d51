/* Deflated conjugate gradients: the arrays and kernels (deflation.c has the method, tl_coarse.h the
 * coarse cells).
 *
 * The cells of this rank lie on lines along the contiguous index: rows along x with layout right,
 * columns along y (in 3-D along z) with layout left. Coarse cells divide a line into segments. A
 * kernel goes over segments, in the order of the memory, and keeps their sums; those of a coarse
 * cell are then added in a fixed order. So sums have the same bits for any number of threads. */
#pragma once
#include "kernels/tl_kernels.h"
#include "tl_coarse.h"

/* Directions as lines have them; in 2-D there is one line `outer`. */
enum { TL_OUTER, TL_INNER, TL_ALONG };

/* The next cell in a direction is so many rows and columns of an array behind a cell. */
typedef struct tl_direction {
    int row, column;
    double weight; /* of the faces: rx, ry or rz of a tl_mesh; 0 in 2-D for TL_OUTER */
} tl_direction;

typedef struct tl_segments {
    int cells[3];       /* of this rank */
    int count;          /* segments of a line */
    int row, column;    /* of the first cell of this rank */
    int local_first[3]; /* the first coarse cell that this rank has a part of, in each direction */
    int local[3];       /* and how many */
    int number[3];      /* coarse cells of the mesh, */
    int stride[3];      /* and from one to the next */
    int coarse;         /* all coarse cells */
    tl_direction direction[3];
} tl_segments;

/* What the kernels work on. */
typedef struct tl_deflation_views {
    mx_view u, r, p, w, v, rr;
    /* (direction, c): where coarse cell local_first + c begins, counted from this rank's first
     * cell; also c = local, behind the last one. The first one may begin, and the last one end, on
     * another rank */
    mx_view cuts;
    /* (0 or 1, line): which of those coarse cells an outer or inner line belongs to */
    mx_view line_cell;
    /* sums of segments: W^T w, W^T r; or, at set-up, those of the faces towards the next coarse
     * cell in each direction */
    mx_view segment_sums;
    /* the same of coarse cells, over all ranks in the end; and p.w behind the first two */
    mx_view sums;
    /* y = E^-1 W^T w, then E^-1 W^T r; and y.W^T w as a view of its own */
    mx_view solution, product;
    /* the Cholesky factor of E, where host code can access it, or else E^-1, by rows */
    mx_view factor, inverse;
} tl_deflation_views;

enum { TL_SUM_W, TL_SUM_R, TL_DEFLATION_SUMS };

/* Strided accessors: lines follow the layout of the views, which may not be that of the kernel's
 * instance when launches are checked against another backend. */
MX_ARGS_FROM(tl_deflated_args, tl_deflation_views,
    (mx_f64_2s, u) (mx_f64_2s, r) (mx_f64_2s, w)
    (mx_cf64_2s, p) (mx_cf64_2s, v)
    (mx_cf64_1, rr) (mx_cf64_1, sums) (mx_cf64_1, solution) (mx_cf64_1, product)
    (mx_f64_1, segment_sums)
    (mx_ci32_2, cuts) (mx_ci32_2, line_cell),
    tl_segments segments;
    double tolerance;         /* on r.r: once it is reached, nothing changes any more */
    int norm, before;         /* where r.r, and r.r or r.z, of the iteration before are */
    int moves;                /* 0: alpha = 0 */
    int corrects;             /* 0: without E^-1 W^T r */
    double alpha, correction; /* the prologue's */
);

/* w = A p, with the sums of its segments; the sum of p w */
MX_DECLARE_REDUCE(TEAM, tl_deflated_matvec, tl_deflated_args, double)
MX_DECLARE_REDUCE(TEAM, tl_deflated_matvec_3d, tl_deflated_args, double)
/* g = alpha E^-1 W^T w - E^-1 W^T r,   u += alpha p - W g,   r -= alpha w - A W g, with the sums of
 * its segments; the sum of r r */
MX_DECLARE_REDUCE(TEAM, tl_deflated_update, tl_deflated_args, double)
MX_DECLARE_REDUCE(TEAM, tl_deflated_update_3d, tl_deflated_args, double)
/* for each segment and direction: the weights of the faces behind it that lead to the next coarse
 * cell */
MX_DECLARE_FOR(TEAM, tl_coarse_faces, tl_deflated_args)

/* Sums of coarse cells from those of segments, of `fields` of them. */
MX_ARGS_FROM(tl_coarse_sums_args, tl_deflation_views,
    (mx_cf64_1, segment_sums)
    (mx_f64_1, sums)
    (mx_ci32_2, cuts),
    tl_segments segments;
    int fields;
);
MX_DECLARE_FOR(TEAM, tl_coarse_sums, tl_coarse_sums_args)

/* The solution from the sums; the value is y.W^T w. With the inverse: teams on rows. With the
 * factor: one item, which substitutes forward and back. */
MX_ARGS_FROM(tl_coarse_inverse_args, tl_deflation_views,
    (mx_f64_1, solution)
    (mx_cf64_1, sums) (mx_cf64_1, inverse),
    int coarse;
);
MX_DECLARE_REDUCE(TEAM, tl_coarse_multiply, tl_coarse_inverse_args, double)

MX_ARGS_FROM(tl_coarse_factor_args, tl_deflation_views,
    (mx_f64_1, solution)
    (mx_cf64_1, sums) (mx_cf64_1, factor),
    int coarse, band;
);
MX_DECLARE_REDUCE(1D, tl_coarse_substitute, tl_coarse_factor_args, double)

/* E^-1 from the factor, a column each item. */
MX_ARGS_FROM(tl_coarse_invert_args, tl_deflation_views,
    (mx_f64_1, inverse)
    (mx_cf64_1, factor),
    int coarse, band;
);
MX_DECLARE_FOR(1D, tl_coarse_invert, tl_coarse_invert_args)

/* Segments, and rows of E^-1, that a team goes over. */
enum { TL_TEAM_SEGMENTS = 64, TL_TEAM_ROWS = 8 };

/* Flops a cell of an iteration, besides those of conjugate gradients; it moves no further bytes: v is
 * read once more at the edges of coarse cells only. */
enum { TL_DEFLATED_FLOPS = 6 };
