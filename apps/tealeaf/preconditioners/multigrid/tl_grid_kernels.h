/* The on-node work of multigrid (multigrid.c has the method), declared. A grid is a mesh of cells,
 * those of the solver or coarser ones. Its arrays have one layer of ghosts: cell (i, j, k), plane
 * i, row j and column k of this rank, is at index (i + 1, j + 1, k + 1). In 2-D there is one plane,
 * whose number is not used. In 3-D arrays are bound as arrays of rows, as tl_kernels.h says.
 *
 * Its matrix has the form
 *
 *     (A x)(c) = volume(c) x(c) + sum of face(c, n) (x(c) - x(n)) over the neighbours n of c
 *
 * and is kept as its faces, each in the cell after it, and as 1 / diagonal. At the edge of the
 * domain a face is 0. */
#pragma once
#include "minx/minx.h"

enum { TL_GRID_DIMS = 3 }; /* planes, rows, columns */

/* How the cells of this rank become coarser: two of them form one along the dimensions with shift =
 * 1. Behind an odd number of cells the last one is part of the coarse cell before it. Numbers are
 * indices of arrays. */
typedef struct tl_transfer {
    int shift[TL_GRID_DIMS];
    int odd[TL_GRID_DIMS];  /* of the last fine cell, if it is such an odd one; else -1 */
    int last[TL_GRID_DIMS]; /* of the last coarse cell */
    int end[TL_GRID_DIMS];  /* of the last fine cell */
    int plane, row;         /* of the coarse grid, as in tl_grid_shape */
} tl_transfer;

/* 3-D: from the row number of (i, j) to those of (i + 1, j) and (i, j + 1). */
typedef struct tl_grid_shape {
    int plane, row;
} tl_grid_shape;

/* The number of the row of plane i and row j, in 3-D (solid) or 2-D. */
MX_INLINE int tl_grid_row(const tl_grid_shape *s, int solid, int i, int j)
{
    return solid ? i * s->plane + j * s->row : j;
}

/* The widths of cells, in cells of the solver. */
typedef struct tl_grid_widths {
    int last[TL_GRID_DIMS];          /* index of the last cell */
    double width[TL_GRID_DIMS];      /* of all cells but the last one */
    double last_width[TL_GRID_DIMS]; /* of the last one */
} tl_grid_widths;

typedef struct tl_grid_views {
    mx_view face_x, face_y, face_z; /* to the cell before along x, y, z */
    mx_view weight;                 /* 1 / diagonal */
    mx_view b, x;                   /* A x = b */
    mx_view other;                  /* takes turns with x */
} tl_grid_views;

/* What kernels are bound to: arrays of a grid; those of the next grid on the other side of a
 * transfer. */
typedef struct tl_grid_bindings {
    mx_view face_x, face_y, face_z, weight, b, x, next;
    mx_view fine_x, fine_y, fine_z, coarse;
    mx_view v; /* of tl_views */
} tl_grid_bindings;

/* ---- set-up ---- */

/* The faces of the solver's mesh, from v of tl_kernels.h. Also those to the first ghosts behind the
 * cells. */
MX_ARGS_FROM(tl_grid_fine_args, tl_grid_bindings,
    (mx_f64_2, face_x) (mx_f64_2, face_y) (mx_f64_2, face_z)
    (mx_cf64_2, v),
    double rx, ry, rz; /* of a tl_mesh */
    tl_grid_shape shape;
);
MX_DECLARE_FOR(2D, tl_grid_fine, tl_grid_fine_args)
MX_DECLARE_FOR(3D, tl_grid_fine_3d, tl_grid_fine_args)

/* The faces of a coarse grid: sums of the fine ones, in proportion to the distances of the cells
 * beside them. */
MX_ARGS_FROM(tl_grid_coarse_args, tl_grid_bindings,
    (mx_f64_2, face_x) (mx_f64_2, face_y) (mx_f64_2, face_z)
    (mx_cf64_2, fine_x) (mx_cf64_2, fine_y) (mx_cf64_2, fine_z),
    tl_grid_widths widths, fine_widths;
    tl_grid_shape shape; /* of the fine grid */
    tl_transfer transfer;
);
MX_DECLARE_FOR(2D, tl_grid_coarse, tl_grid_coarse_args)
MX_DECLARE_FOR(3D, tl_grid_coarse_3d, tl_grid_coarse_args)

/* weight = 1 / diagonal */
MX_ARGS_FROM(tl_grid_weight_args, tl_grid_bindings,
    (mx_f64_2, weight)
    (mx_cf64_2, face_x) (mx_cf64_2, face_y) (mx_cf64_2, face_z),
    tl_grid_widths widths;
    tl_grid_shape shape;
);
MX_DECLARE_FOR(2D, tl_grid_weight, tl_grid_weight_args)
MX_DECLARE_FOR(3D, tl_grid_weight_3d, tl_grid_weight_args)

/* ---- the cycle ---- */

/* A smoothing step is next = x + omega weight (b - A x). The x that it begins with is one of
 *
 *     first      first weight b, which is what the first step makes of 0: no array has it
 *     stored     the array x
 *
 * and with `correct`, plus the correction of the coarse grid at the cell. */
MX_ARGS_FROM(tl_grid_args, tl_grid_bindings,
    (mx_f64_2, next)
    (mx_cf64_2, x) (mx_cf64_2, b) (mx_cf64_2, weight) (mx_cf64_2, face_x) (mx_cf64_2, face_y)
    (mx_cf64_2, face_z)
    (mx_cf64_2, coarse),
    double first, omega;
    tl_grid_widths widths;
    tl_grid_shape shape;
    tl_transfer transfer;
);
/* after the first step; after any other */
MX_DECLARE_FOR(2D, tl_grid_second, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_second_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_step, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_step_3d, tl_grid_args)
/* the same with the correction of the coarse grid. NAME_pairs: an item is two cells, those of a
 * coarse cell along the contiguous index, which the range counts */
MX_DECLARE_FOR(2D, tl_grid_correct_first, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_correct_first_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_correct_first_pairs, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_correct_first_pairs_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_correct, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_correct_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_correct_pairs, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_correct_pairs_3d, tl_grid_args)
/* the last step of a cycle: the value is b . next */
MX_DECLARE_REDUCE(2D, tl_grid_last, tl_grid_args, double)
MX_DECLARE_REDUCE(3D, tl_grid_last_3d, tl_grid_args, double)
MX_DECLARE_REDUCE(2D, tl_grid_last_first, tl_grid_args, double)
MX_DECLARE_REDUCE(3D, tl_grid_last_first_3d, tl_grid_args, double)
MX_DECLARE_REDUCE(2D, tl_grid_last_first_pairs, tl_grid_args, double)
MX_DECLARE_REDUCE(3D, tl_grid_last_first_pairs_3d, tl_grid_args, double)
/* over coarse cells: next = the sum of b - A x over the fine cells in one. `next` is b of the
 * coarse grid. NAME_even: for coarse cells of two fine ones along each dimension */
MX_DECLARE_FOR(2D, tl_grid_restrict_first, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_restrict_first_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_restrict_first_even, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_restrict_first_even_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_restrict, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_restrict_3d, tl_grid_args)
MX_DECLARE_FOR(2D, tl_grid_restrict_even, tl_grid_args)
MX_DECLARE_FOR(3D, tl_grid_restrict_even_3d, tl_grid_args)

/* ---- small grids: all cells of the domain on each rank (kernels/bottom.c) ---- */

enum { TL_BOTTOM_GRIDS = 24, TL_BOTTOM_STEPS = 8 };

/* The arrays of a small grid, one behind the other in one view. */
typedef enum tl_bottom_array {
    TL_BOTTOM_B,
    TL_BOTTOM_X,
    TL_BOTTOM_OTHER,
    TL_BOTTOM_WEIGHT,
    TL_BOTTOM_FACE_X,
    TL_BOTTOM_FACE_Y,
    TL_BOTTOM_FACE_Z, /* 3-D only */
    TL_BOTTOM_ARRAYS
} tl_bottom_array;

/* Steps take turns between two arrays, of which OTHER is the first. So after an even number of them
 * the result is in X. */
#define TL_BOTTOM_AFTER(steps) ((steps) % 2 == 1 ? TL_BOTTOM_OTHER : TL_BOTTOM_X)

/* A small grid. Its cell with indices (i, j, k), of which the first one in the domain is 1, is
 * element i * plane + j * row + k of each array. Array number n begins at element begin + n *
 * size. */
typedef struct tl_bottom_grid {
    int cells[TL_GRID_DIMS];
    int plane, row;
    int begin, size;
    tl_transfer transfer; /* to the next one */
} tl_bottom_grid;

/* Between the arrays of the last grid that the ranks share and the first small grid. */
MX_ARGS(tl_bottom_copy_args,
    (mx_f64_2, local)
    (mx_f64_1, data),
    tl_bottom_grid grid;
    int array, solid;
    int from[TL_GRID_DIMS];  /* index in the small grid of this rank's ghost number 0 */
    int cells[TL_GRID_DIMS]; /* of this rank */
    tl_grid_shape shape;
);
/* Element n of the array = that of `local` if the cell is this rank's, else 0. */
MX_DECLARE_FOR(1D, tl_bottom_collect, tl_bottom_copy_args)
/* local = the array, for each of this rank's cells and ghosts. */
MX_DECLARE_FOR(2D, tl_bottom_spread, tl_bottom_copy_args)
MX_DECLARE_FOR(3D, tl_bottom_spread_3d, tl_bottom_copy_args)

/* A part of the cycle on one grid: the arrays that it reads and writes. */
typedef struct tl_bottom_part {
    int grid, from, to;
    double omega;
} tl_bottom_part;

MX_ARGS(tl_bottom_args,
    (mx_f64_1, data),
    int grids, solid, steps;
    int team; /* number of the first grid of tl_bottom_cycle */
    double omega[TL_BOTTOM_STEPS];
    tl_bottom_part part;
    tl_bottom_grid grid[TL_BOTTOM_GRIDS];
);
/* A cycle over the grids from number `team` on, by one team. On the last one, of one cell, it
 * solves. */
MX_DECLARE_FOR(TEAM, tl_bottom_cycle, tl_bottom_args)
/* On the grid of `part`, a team for each row: the first step, to = omega weight b; any other one;
 * b of the next grid, from x in `from`; to = to + the correction of the next grid. */
MX_DECLARE_FOR(TEAM, tl_bottom_first, tl_bottom_args)
MX_DECLARE_FOR(TEAM, tl_bottom_step, tl_bottom_args)
MX_DECLARE_FOR(TEAM, tl_bottom_restrict, tl_bottom_args)
MX_DECLARE_FOR(TEAM, tl_bottom_correct, tl_bottom_args)

/* The width along dimension d of the cell of index f. */
#define TL_WIDTH(w, d, f) ((f) == (w)->last[d] ? (w)->last_width[d] : (w)->width[d])
/* The index of the coarse cell that has the fine cell of index f along dimension d; ghosts too. */
#define TL_COARSE_INDEX(t, d, f) ((((f) + (t)->shift[d]) >> (t)->shift[d]) - ((f) == (t)->odd[d]))
/* The index of the first fine cell in a coarse one, and of the first one behind it. */
#define TL_FINE_BEGIN(t, d, c) (((c) << (t)->shift[d]) - (t)->shift[d])
#define TL_FINE_END(t, d, c) \
    ((c) == (t)->last[d] ? (t)->end[d] + 1 : TL_FINE_BEGIN(t, d, c) + (1 << (t)->shift[d]))
