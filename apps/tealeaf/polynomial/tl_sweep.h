/* Several steps of Chebyshev's or Jacobi's iteration (tl_polynomial.h) in one sweep over the
 * cells, for hosts in 2-D; kernels/sweep.c has the method.
 *
 * A step by itself reads b, u, v and step from memory, and writes next and step: 48 bytes a cell. A
 * sweep writes u, next and step once for all of its steps: 56 bytes a cell, so with ten steps 5.6
 * bytes for each. The residual of the last u, for which a kernel by itself reads 24 bytes a cell,
 * needs no more of them.
 *
 * A line: the cells along the contiguous index. All lines and cells of spans are indices, so cell 0 of
 * this rank is at `ghosts`. */
#pragma once
#include "kernels/tl_kernels.h"

enum {
    TL_SWEEP_STEPS = 16,                  /* at most */
    TL_SWEEP_STAGES = TL_SWEEP_STEPS + 1, /* steps, and the residual after them */
    TL_SWEEP_SUMS = TL_SWEEP_STAGES + 1,  /* of a line: q.q of each stage, and the magnitude */
    TL_SWEEP_BYTES = 56,
    /* cells: the lines of 10 steps, and five arrays of them, then take 0.5 MB of a second-level
     * cache, those of 16 steps 0.8 MB. Shorter segments are slower, because hardware begins to
     * fetch ahead anew in each */
    TL_SEGMENT = 1024,
    /* cells by which cuts move left from step to step: a cache line. Then lines that begin at a
     * cache line are cut at one. The last segment has more cells than all steps together move */
    TL_CUT_SHIFT = 8
};

/* From one index to before another one. */
typedef struct tl_span {
    int begin, end;
} tl_span;

typedef struct tl_sweep_views {
    mx_view u, next, step, b, v, diagonal, line_sums;
} tl_sweep_views;

/* Stage s reads u and writes next if parity + s is even, else it reads next and writes u. With
 * `residual` stage `steps` is the residual of the last u, which writes sums only: q.q, and the
 * magnitude of a tl_error_args. */
MX_ARGS_FROM(tl_sweep_args, tl_sweep_views,
    (mx_f64_2, u) (mx_f64_2, next) (mx_f64_2, step)
    (mx_cf64_2, b) (mx_cf64_2, v) (mx_cf64_2, diagonal)
    (mx_f64_1, line_sums), /* (sum, local line) */
    double across, along;  /* rx and ry of a tl_mesh: for faces between lines, and within one */
    double alpha[TL_SWEEP_STEPS], beta[TL_SWEEP_STEPS];
    tl_span lines[TL_SWEEP_STAGES], cells[TL_SWEEP_STAGES]; /* what each stage computes */
    tl_span local_lines, local_cells;                       /* of this rank */
    int steps, parity;
    int residual; /* 0 or 1 */
    int weighted; /* M is the diagonal of A, else 1 */
    int bands;    /* each has twice as many lines as a sweep has steps, or there is one */
    int segment;  /* cells */
);
/* Over the bands, from 0; then over the bands from 1, for the gap before each of them. */
MX_DECLARE_FOR(1D, tl_sweep_bands, tl_sweep_args)
MX_DECLARE_FOR(1D, tl_sweep_gaps, tl_sweep_args)

typedef struct tl_sweep_sums_views {
    mx_view rr, line_sums;
} tl_sweep_sums_views;

/* Over the sums of a sweep: each from those of its lines. */
MX_ARGS_FROM(tl_sweep_sums_args, tl_sweep_sums_views,
    (mx_f64_1, rr)
    (mx_cf64_1, line_sums),
    int lines, first; /* sum s goes to element first + s */
);
MX_DECLARE_FOR(1D, tl_sweep_sums, tl_sweep_sums_args)
