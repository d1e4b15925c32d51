/* Several steps of a polynomial in one sweep over the cells (tl_sweep.h). The residual after them is
 * one more stage, which needs of the last step what a step needs of the one before.
 *
 * Step s of a line needs step s - 1 of this line and of the two lines beside it. So a thread can
 * take all steps as it goes over the lines, each step one line behind the step before:
 *
 *     step 0 of line l,  step 1 of line l - 1,  step 2 of line l - 2, ...  then from the next l
 *
 * Each step takes two lines at a time, l and l + 1 and so on, so that it loads once what both read.
 *
 * The lines between the first step and the last one stay in the cache. u and next are read and
 * written by turns. A step may overwrite what the step before the last one has written, because the
 * step between them has been taken in that line and in both lines beside it.
 *
 * Long lines are cut into segments, so that the lines of a segment that all steps need fit in the cache. Each
 * step has its cuts TL_CUT_SHIFT cells further left than the step before. What a step needs from
 * the left of its segment was computed with the segment before; from the right it needs nothing.
 *
 * Threads: lines are divided into bands, one for each thread.
 *
 *     bands   step s computes the lines that need nothing of other bands: s lines less at each
 *             border between two bands.
 *     gaps    a second launch computes the others, 2 s lines of step s at each border.
 *
 *                  step 3         *******           *******
 *                  step 2       ***********   +   ***********         * bands   + gaps
 *                  step 1     *************** + + ***************
 *                  step 0   *******************************************
 *
 * So each cell is computed once, from the same numbers as one step at a time. On several ranks each
 * step computes one layer of ghosts less than the step before (../polynomial.c). Rejected: bands that
 * overlap. They compute lines at the borders twice, and need copies of them. */
#include "minx/kernel.h"

#include "kernels/tl_apply.h"
#include "polynomial/tl_sweep.h"

#include <math.h>

/* Step s of cells i0 to i1-1 of a line; returns their q.q. */
MX_BODY double step_cells(const tl_sweep_args *a, int s, int line, int i0, int i1, bool weighted)
{
    const double alpha = a->alpha[s], beta = a->beta[s], across = a->across, along = a->along;
    const bool from_u = (a->parity + s) % 2 == 0;
    const mx_f64_2 *const from = from_u ? &a->u : &a->next;
    const double *const MX_RESTRICT below = &TL_CELL(*from, line - 1, i0);
    const double *const MX_RESTRICT u = &TL_CELL(*from, line, i0);
    const double *const MX_RESTRICT above = &TL_CELL(*from, line + 1, i0);
    double *const MX_RESTRICT next =
        from_u ? &TL_CELL(a->next, line, i0) : &TL_CELL(a->u, line, i0);
    double *const MX_RESTRICT step = &TL_CELL(a->step, line, i0);
    const double *const MX_RESTRICT b = &TL_CELL(a->b, line, i0);
    const double *const MX_RESTRICT v = &TL_CELL(a->v, line, i0);
    const double *const MX_RESTRICT v_below = &TL_CELL(a->v, line - 1, i0);
    const double *const MX_RESTRICT v_above = &TL_CELL(a->v, line + 1, i0);
    const double *const MX_RESTRICT diagonal = &TL_CELL(a->diagonal, line, i0);
    double qq = 0;
    MX_SIMD_SUM(qq)
    for (int i = 0; i < i1 - i0; i++) {
        const double q = b[i] - tl_apply(along, across, v[i], v[i - 1], v[i + 1], v_below[i],
                                         v_above[i], u[i], u[i - 1], u[i + 1], below[i], above[i]);
        const double z = weighted ? q * diagonal[i] : q;
        const double change = alpha * step[i] + beta * z;
        step[i] = change;
        next[i] = u[i] + change;
        qq += q * q;
    }
    return qq;
}

/* The same of a line and the next one: what both read is loaded once. The sums are added to qq. */
MX_BODY void step_two_lines(const tl_sweep_args *a, int s, int line, int i0, int i1, bool weighted,
                            double qq[2])
{
    const double alpha = a->alpha[s], beta = a->beta[s], across = a->across, along = a->along;
    const bool from_u = (a->parity + s) % 2 == 0;
    const mx_f64_2 *const from = from_u ? &a->u : &a->next;
    const mx_f64_2 *const to = from_u ? &a->next : &a->u;
    const double *const MX_RESTRICT u_below = &TL_CELL(*from, line - 1, i0);
    const double *const MX_RESTRICT u_0 = &TL_CELL(*from, line, i0);
    const double *const MX_RESTRICT u_1 = &TL_CELL(*from, line + 1, i0);
    const double *const MX_RESTRICT u_above = &TL_CELL(*from, line + 2, i0);
    double *const MX_RESTRICT next_0 = &TL_CELL(*to, line, i0);
    double *const MX_RESTRICT next_1 = &TL_CELL(*to, line + 1, i0);
    double *const MX_RESTRICT step_0 = &TL_CELL(a->step, line, i0);
    double *const MX_RESTRICT step_1 = &TL_CELL(a->step, line + 1, i0);
    const double *const MX_RESTRICT b_0 = &TL_CELL(a->b, line, i0);
    const double *const MX_RESTRICT b_1 = &TL_CELL(a->b, line + 1, i0);
    const double *const MX_RESTRICT v_below = &TL_CELL(a->v, line - 1, i0);
    const double *const MX_RESTRICT v_0 = &TL_CELL(a->v, line, i0);
    const double *const MX_RESTRICT v_1 = &TL_CELL(a->v, line + 1, i0);
    const double *const MX_RESTRICT v_above = &TL_CELL(a->v, line + 2, i0);
    const double *const MX_RESTRICT diagonal_0 = &TL_CELL(a->diagonal, line, i0);
    const double *const MX_RESTRICT diagonal_1 = &TL_CELL(a->diagonal, line + 1, i0);
    double qq_0 = 0, qq_1 = 0;
    MX_SIMD_SUM(qq_0, qq_1)
    for (int i = 0; i < i1 - i0; i++) {
        const double q_0 =
            b_0[i] - tl_apply(along, across, v_0[i], v_0[i - 1], v_0[i + 1], v_below[i], v_1[i],
                              u_0[i], u_0[i - 1], u_0[i + 1], u_below[i], u_1[i]);
        const double q_1 =
            b_1[i] - tl_apply(along, across, v_1[i], v_1[i - 1], v_1[i + 1], v_0[i], v_above[i],
                              u_1[i], u_1[i - 1], u_1[i + 1], u_0[i], u_above[i]);
        const double z_0 = weighted ? q_0 * diagonal_0[i] : q_0;
        const double z_1 = weighted ? q_1 * diagonal_1[i] : q_1;
        const double change_0 = alpha * step_0[i] + beta * z_0;
        const double change_1 = alpha * step_1[i] + beta * z_1;
        const double to_0 = u_0[i] + change_0, to_1 = u_1[i] + change_1;
        step_0[i] = change_0;
        step_1[i] = change_1;
        next_0[i] = to_0;
        next_1[i] = to_1;
        qq_0 += q_0 * q_0;
        qq_1 += q_1 * q_1;
    }
    qq[0] += qq_0;
    qq[1] += qq_1;
}

/* Step s of cells i0 to i1-1 of one line or two; returns their q.q in qq. */
MX_BODY_NOINLINE void step_part(const tl_sweep_args *a, int s, int line, int lines, int i0, int i1,
                                double qq[2])
{
    qq[0] = qq[1] = 0;
    if (lines == 2 && a->weighted)
        step_two_lines(a, s, line, i0, i1, true, qq);
    else if (lines == 2)
        step_two_lines(a, s, line, i0, i1, false, qq);
    else
        qq[0] = a->weighted ? step_cells(a, s, line, i0, i1, true)
                            : step_cells(a, s, line, i0, i1, false);
}

/* The residual of cells i0 to i1-1 of a line: returns q.q, and the sum of (|b| + |A| |u|)^2. */
MX_BODY_NOINLINE double residual_part(const tl_sweep_args *a, int line, int i0, int i1,
                                      double *magnitude)
{
    const double across = a->across, along = a->along;
    const bool from_u = (a->parity + a->steps) % 2 == 0;
    const mx_f64_2 *const from = from_u ? &a->u : &a->next;
    const double *const MX_RESTRICT below = &TL_CELL(*from, line - 1, i0);
    const double *const MX_RESTRICT u = &TL_CELL(*from, line, i0);
    const double *const MX_RESTRICT above = &TL_CELL(*from, line + 1, i0);
    const double *const MX_RESTRICT b = &TL_CELL(a->b, line, i0);
    const double *const MX_RESTRICT v = &TL_CELL(a->v, line, i0);
    const double *const MX_RESTRICT v_below = &TL_CELL(a->v, line - 1, i0);
    const double *const MX_RESTRICT v_above = &TL_CELL(a->v, line + 1, i0);
    double qq = 0, squares = 0;
    MX_SIMD_SUM(qq, squares)
    for (int i = 0; i < i1 - i0; i++) {
        const double q = b[i] - tl_apply(along, across, v[i], v[i - 1], v[i + 1], v_below[i],
                                         v_above[i], u[i], u[i - 1], u[i + 1], below[i], above[i]);
        /* with the signs of A, so that all terms are added */
        const double size =
            fabs(b[i]) + tl_apply(along, across, v[i], v[i - 1], v[i + 1], v_below[i], v_above[i],
                                  fabs(u[i]), -fabs(u[i - 1]), -fabs(u[i + 1]), -fabs(below[i]),
                                  -fabs(above[i]));
        qq += q * q;
        squares += size * size;
    }
    *magnitude = squares;
    return qq;
}

/* Adds the sum of a segment of a line to that of the line. */
MX_BODY void add_to_sum(const tl_sweep_args *a, int sum, int line, int segment, double part)
{
    if (line < a->local_lines.begin || line >= a->local_lines.end) return;
    const int64_t lines = a->local_lines.end - a->local_lines.begin;
    double *const of_line = &MX_AT(a->line_sums, sum * lines + line - a->local_lines.begin);
    *of_line = segment == 0 ? part : *of_line + part;
}

MX_BODY void residual_segment(const tl_sweep_args *a, int line, int lines, int segment, int begin,
                              int end)
{
    for (int l = line; l < line + lines; l++) {
        double magnitude;
        const double qq = residual_part(a, l, begin, end, &magnitude);
        add_to_sum(a, a->steps, l, segment, qq);
        add_to_sum(a, a->steps + 1, l, segment, magnitude);
    }
}

/* Stage s of a segment of `lines` lines, one or two. Sums are those of this rank's cells, so ghosts
 * at the ends are parts of their own. */
MX_BODY void stage_segment(const tl_sweep_args *a, int s, int line, int lines, int segment,
                           int segments)
{
    const int cut = a->local_cells.begin + segment * a->segment - TL_CUT_SHIFT * s;
    const int begin = segment == 0 ? a->cells[s].begin : cut;
    const int end = segment == segments - 1 ? a->cells[s].end : cut + a->segment;
    const int local_begin = mx_max(begin, a->local_cells.begin);
    const int local_end = mx_min(end, a->local_cells.end);
    double qq[2], of_ghosts[2];
    if (s == a->steps) {
        residual_segment(a, line, lines, segment, local_begin, local_end);
        return;
    }
    step_part(a, s, line, lines, local_begin, local_end, qq);
    if (begin < local_begin) step_part(a, s, line, lines, begin, local_begin, of_ghosts);
    if (local_end < end) step_part(a, s, line, lines, local_end, end, of_ghosts);
    for (int l = 0; l < lines; l++) add_to_sum(a, s, line + l, segment, qq[l]);
}

/* The first line of a band. */
MX_BODY int border(const tl_sweep_args *a, int band)
{
    const int64_t lines = a->local_lines.end - a->local_lines.begin;
    return a->local_lines.begin + (int)(lines * band / a->bands);
}

/* The last segment has at least half of the cells of others. So it has some in the last step too,
 * although the cuts move. */
MX_BODY int number_of_segments(const tl_sweep_args *a)
{
    const int64_t cells = a->local_cells.end - a->local_cells.begin;
    return mx_max((int)((cells + a->segment / 2) / a->segment), 1);
}

/* The lines of stage s that a band computes. */
MX_BODY tl_span lines_of_band(const tl_sweep_args *a, int band, int s)
{
    tl_span lines = a->lines[s];
    if (band > 0) lines.begin = border(a, band) + s;
    if (band < a->bands - 1) lines.end = border(a, band + 1) - s;
    return lines;
}

/* Stage s is one line behind the stage before, and takes two lines. */
MX_BODY void tl_sweep_bands_body(const tl_sweep_args *a, int band)
{
    const int segments = number_of_segments(a), stages = a->steps + a->residual;
    const tl_span first = lines_of_band(a, band, 0); /* of later steps: a part of these */
    for (int segment = 0; segment < segments; segment++)
        for (int front = first.begin; front < first.end + stages - 1; front += 2)
            for (int s = 0; s < stages; s++) {
                const tl_span lines = lines_of_band(a, band, s);
                const int line = mx_max(front - s, lines.begin);
                const int end = mx_min(front - s + 2, lines.end);
                if (line < end) stage_segment(a, s, line, end - line, segment, segments);
            }
}
MX_FOR(1D, tl_sweep_bands, MX_ITEMS_PLAIN)

MX_BODY void tl_sweep_gaps_body(const tl_sweep_args *a, int band)
{
    const int at = border(a, band), segments = number_of_segments(a);
    const int stages = a->steps + a->residual;
    for (int s = 1; s < stages; s++)
        for (int line = at - s; line < at + s; line += 2)
            for (int segment = 0; segment < segments; segment++)
                stage_segment(a, s, line, 2, segment, segments);
}
MX_FOR(1D, tl_sweep_gaps, MX_ITEMS_PLAIN)

MX_BODY void tl_sweep_sums_body(const tl_sweep_sums_args *a, int s)
{
    const double *const MX_RESTRICT sums = &MX_AT(a->line_sums, (int64_t)s * a->lines);
    double qq = 0;
    MX_SIMD_SUM(qq) for (int line = 0; line < a->lines; line++) qq += sums[line];
    MX_AT(a->rr, a->first + s) = qq;
}
MX_FOR(1D, tl_sweep_sums, MX_ITEMS_PLAIN)
