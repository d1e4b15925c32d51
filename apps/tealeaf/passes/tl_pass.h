/* Conjugate gradients without preconditioner: an iteration is one pass over the cells, with one sum
 * over ranks (cg_in_passes.c has the method). Pass n computes, for every cell, from alpha and beta of
 * the pass before,
 *
 *     u += alpha p,   r = r - alpha w,   p = r + beta p,   w = A p,   and the sums of r r, p w, w w, r w.
 *
 * Every second pass may leave u as it is; then the one after it adds the changes of both.
 *
 * w = A p needs the new p of the neighbours. There are two forms of the pass (kernels/pass.c), for
 * caches and for GPUs. The one for caches is in 2-D only.
 *
 * Lines: a line is the cells along the contiguous index, so a row with layout right and a column
 * with layout left. Line l, cell i of this rank is at index (l + ghosts, i + ghosts) or (i +
 * ghosts, l + ghosts). In 3-D a sheet is the lines of one value of the slowest index; cell i of line
 * l in sheet h is at index (h + ghosts, l + ghosts, i + ghosts) or (i + ghosts, l + ghosts, h +
 * ghosts). */
#pragma once
#include "kernels/tl_kernels.h"

/* The sums of a pass. */
#define TL_PASS(FIELD)        \
    FIELD(double, rr, MX_SUM) \
    FIELD(double, pw, MX_SUM) \
    FIELD(double, ww, MX_SUM) \
    FIELD(double, rw, MX_SUM)
MX_VALUE(tl_pass_sums, TL_PASS)
enum { TL_PASS_SUMS = 4 };
MX_ACCESSOR(tl_sums_of_passes, const tl_pass_sums, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE)

/* alpha and beta of a pass (kernels/pass.c); both 0 where it changes nothing. */
typedef struct tl_steps {
    double alpha, beta;
} tl_steps;

/* The cells of this rank as lines, and what a pass takes from those before. */
typedef struct tl_pass {
    int lines, length, ghosts; /* lines: in 3-D those of a sheet */
    /* from rx, ry and rz of a tl_mesh: for faces between lines of a sheet, and within a line */
    double across, along;
    double tolerance; /* on r.r: once it is reached, nothing changes any more */
    int parity;       /* 0 or 1, by turns, from 0 for the first pass */
    /* where the sums of the pass before are, and of the one before that; -1: there are none */
    int before, before_that;
    /* the prologue's */
    tl_steps now;
    bool leaves_u;
    double u_from_p, u_from_r; /* the change of u is the sum of these times the old p and r */
} tl_pass;

typedef struct tl_pass_views {
    mx_view u, r, p, w, v;
    mx_view r_before, p_before, w_before; /* columns: other arrays than r, p and w */
    mx_view sums;                         /* tl_pass_sums of each pass */
    mx_view line_sums, edges;             /* bands */
} tl_pass_views;

/* ---- columns: an item is some lines of one column ---- */

/* Nothing writes the elements during a launch. */
MX_ACCESSOR(tl_read_only, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(tl_written, double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE)

/* Item n is column n % width, if there is one, of lines_of_item lines from n / width * lines_of_item.
 * In 3-D an item is cells 2 j and 2 j + 1 of line l in sheets_of_item sheets from group *
 * sheets_of_item; its indices are (group, l, j) or (j, l, group), so that the contiguous one is that
 * of the cells. The ghosts on four sides of the sheets are for a kernel of their own, an item each,
 * sheet by sheet. One rank alone does not need it: the faces to ghosts outside of the mesh weigh 0.
 *
 * The arrays are bound as one long row, with the ghosts and what is between two lines: line l, cell i
 * is at (l + ghosts) * pitch + i + ghosts in each of them, in 3-D (h + ghosts) * sheet further on.
 * With strides for each array the registers of a GPU would not suffice. tl_make_array puts cells with
 * an even i at multiples of 16 bytes. */
MX_ARGS_FROM(tl_columns_args, tl_pass_views,
    (tl_written, u) (tl_written, r) (tl_written, p) (tl_written, w)
    (tl_read_only, r_before) (tl_read_only, p_before) (tl_read_only, w_before) (tl_read_only, v)
    (tl_sums_of_passes, sums),
    tl_pass pass;
    int width; /* length, rounded up: the 32 threads that a GPU runs together have one line */
    int lines_of_item;
    int pitch;
    /* 3-D */
    int sheets, sheets_of_item;
    int sheet;      /* elements from a sheet to the next */
    double between; /* for faces between sheets */
);
MX_DECLARE_REDUCE(1D, tl_pass_columns, tl_columns_args, tl_pass_sums)
MX_DECLARE_REDUCE(3D, tl_pass_columns_3d, tl_columns_args, tl_pass_sums)
MX_DECLARE_FOR(1D, tl_pass_ghosts_3d, tl_columns_args)
MX_INLINE int tl_ghosts_of_sheet(const tl_pass *pass) { return 2 * (pass->lines + pass->length); }

/* ---- bands: each item sweeps over a band of lines, and updates r, p and w in place ---- */

/* Lines 0 to lines-1 are divided into `bands` parts. The sums of each line go to line_sums: r.r of
 * all lines, then p.w, w.w and r.w; so results do not depend on the number of bands.
 *
 * A band needs old r, p and w of the line on each side, which belong to other bands that change
 * them. So each band also keeps its first and last line in `edges`, twice: those of the pass
 * before, and those of this one. Behind them there is room for the new p of the two lines beside
 * each band. */
MX_ARGS_FROM(tl_bands_args, tl_pass_views,
    (mx_f64_2, u) (mx_f64_2, r) (mx_f64_2, p) (mx_f64_2, w)
    (mx_cf64_2, v)
    (tl_sums_of_passes, sums)
    (mx_f64_1, line_sums) (mx_f64_1, edges),
    tl_pass pass; /* its parity says which of the two the pass before has kept */
    int bands;
);
/* Keeps the edges for the first pass. */
MX_DECLARE_FOR(1D, tl_keep_edges, tl_bands_args)
MX_DECLARE_FOR(1D, tl_pass_bands, tl_bands_args)

/* Doubles in `edges`. */
static inline int64_t tl_edges_size(int64_t bands, int64_t length)
{
    return (2 * 2 * 3 + 2) * bands * (length + 2);
}

/* The sums of a pass from those of its lines. */
MX_ARGS_FROM(tl_lines_args, tl_pass_views,
    (mx_cf64_1, line_sums),
    int lines;
);
MX_DECLARE_REDUCE(1D, tl_pass_lines, tl_lines_args, tl_pass_sums)

/* Bytes of a cell: the mean of a pass that changes u and one that leaves it. */
enum { TL_PASS_BYTES = (72 + 56) / 2, TL_PASS_FLOPS = 12 + 19 + 6, TL_PASS_FLOPS_3D = 12 + 27 + 6 };
