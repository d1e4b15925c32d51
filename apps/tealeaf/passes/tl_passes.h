/* The passes of conjugate gradients (tl_pass.h), one after the other, on one rank's arrays. */
#pragma once
#include "tl_pass.h"

typedef struct tl_passes {
    int bands;           /* 0: the passes run by columns */
    bool solid;          /* in 3-D */
    int64_t done;        /* passes since the start */
    tl_pass_views views; /* views.sums: by tl_place_of_pass */
    mx_view numbers;     /* the same memory as numbers, TL_PASS_SUMS for each pass */
    mx_view second[3];   /* columns: r, p and w after even passes */
    mx_view w[2];        /* w after even and after odd passes */
    tl_bands_args in_bands;
    tl_lines_args lines;
    tl_columns_args in_columns[2]; /* for even and odd passes */
    int items[3];                  /* columns in 3-D: the extents of the range */
    int ghosts;                    /* columns in 3-D: those beside the sheets; 0 on one rank */
    mx_view flat[8];               /* columns: u, v, and twice r, p and w, as one long row */
} tl_passes;

/* Prepares passes on u, r, p, w and v of `of`: cells[0] x ... cells[dims - 1] cells, in two or three
 * dimensions, and ghosts; in 3-D the views are of tl_make_array; `neighbours`: some of the ghosts stand
 * for cells of other ranks. Host code that
 * can access the arrays runs on a CPU with caches: then in 2-D by bands, one for each thread; else by
 * columns. After a failure, destroy. */
mx_err tl_passes_create(mx_ctx ctx, const tl_views *of, int dims, const int *cells, int ghosts,
                        bool neighbours, const tl_mesh *mesh, tl_passes *passes);
void tl_passes_destroy(tl_passes *passes);

/* The next pass is number 0, from r with its ghosts; w is finite. Passes behind the one with r.r <=
 * tolerance change nothing. */
void tl_passes_restart(tl_passes *passes, double tolerance);

/* Runs pass number passes->done. Before the next one, its sums are to be added over all ranks, and
 * the ghosts of w exchanged. partials: where it is not NULL, the join of the sums may be left to the
 * caller (minx/launch.h). */
mx_err tl_passes_next(mx_ctx ctx, tl_passes *passes, mx_partials *partials);

/* After the last pass: adds to u what that pass left, and brings r to where it was before the
 * passes. Another start has to follow before the next pass. */
mx_err tl_passes_end(mx_ctx ctx, tl_passes *passes);

static inline int64_t tl_place_of_pass(int64_t pass) { return pass % TL_RING; }
