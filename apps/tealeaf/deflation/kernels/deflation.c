/* Deflated conjugate gradients: see tl_deflation.h. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "deflation/tl_deflation.h"

/* Cell 0 of a line that begins at a row and a column of an array of rows; the next cells follow it
 * in memory. */
#define LINE_FROM(view, row, column) (&MX_AT(view, row, column))

/* A segment: the cells begin to end-1 of a line, all in one coarse cell. */
typedef struct segment {
    int row, column; /* of cell 0 of the line */
    int begin, end;
    int cell; /* the coarse cell */
    bool begins[3],
        ends[3]; /* is the coarse cell before it, or behind it, in a direction another one? */
} segment;

/* Sets what a segment has of a direction: it is in coarse cell number `local` of those of this
 * rank, and goes from cell `first` to cell `last`. */
MX_BODY void set_direction(const tl_segments *s, const mx_ci32_2 *cuts, int d, int local, int first,
                           int last, segment *g)
{
    const int coarse = s->local_first[d] + local;
    g->cell += coarse * s->stride[d];
    g->begins[d] = coarse > 0 && first == MX_AT(*cuts, d, local);
    g->ends[d] = coarse + 1 < s->number[d] && last + 1 == MX_AT(*cuts, d, local + 1);
}

MX_BODY segment segment_at(const tl_deflated_args *a, int number)
{
    const tl_segments *const s = &a->segments;
    const int line = number / s->count, along = number % s->count;
    const int outer = line / s->cells[TL_INNER], inner = line % s->cells[TL_INNER];
    segment g;
    g.row = s->row + outer * s->direction[TL_OUTER].row + inner * s->direction[TL_INNER].row;
    g.column =
        s->column + outer * s->direction[TL_OUTER].column + inner * s->direction[TL_INNER].column;
    g.begin = mx_max(MX_AT(a->cuts, TL_ALONG, along), 0);
    g.end = mx_min(MX_AT(a->cuts, TL_ALONG, along + 1), s->cells[TL_ALONG]);
    g.cell = 0;
    set_direction(s, &a->cuts, TL_OUTER, MX_AT(a->line_cell, TL_OUTER, outer), outer, outer, &g);
    set_direction(s, &a->cuts, TL_INNER, MX_AT(a->line_cell, TL_INNER, inner), inner, inner, &g);
    set_direction(s, &a->cuts, TL_ALONG, along, g.begin, g.end - 1, &g);
    return g;
}

MX_BODY int segments_of(const tl_segments *s)
{
    return s->cells[TL_OUTER] * s->cells[TL_INNER] * s->count;
}

/* The line beside that of the segment, `side` (-1 or 1) steps away. */
#define BESIDE(view, g, d, side)                                   \
    LINE_FROM(view, (g).row + (side)*a->segments.direction[d].row, \
              (g).column + (side)*a->segments.direction[d].column)

/* ---- w = A p ---- */

/* What flows between a cell and its neighbours in a direction, from v and p of the three. */
MX_BODY double flow(double weight, double v, double v_low, double v_high, double p, double p_low,
                    double p_high)
{
    return weight * ((v + v_low) * (p - p_low) + (v + v_high) * (p - p_high));
}

/* w of a segment; returns its sum, and that of p w. In 2-D outer lines are not read. */
MX_BODY double multiply_segment(const tl_deflated_args *a, mx_team *t, const segment *g, bool solid,
                                double *pw)
{
    const double along = a->segments.direction[TL_ALONG].weight;
    const double inner = a->segments.direction[TL_INNER].weight;
    const double outer = a->segments.direction[TL_OUTER].weight;
    double *const MX_RESTRICT w = LINE_FROM(a->w, g->row, g->column);
    const double *const MX_RESTRICT p = LINE_FROM(a->p, g->row, g->column);
    const double *const MX_RESTRICT v = LINE_FROM(a->v, g->row, g->column);
    const double *const MX_RESTRICT p_low = BESIDE(a->p, *g, TL_INNER, -1),
                                    *const MX_RESTRICT p_high = BESIDE(a->p, *g, TL_INNER, 1);
    const double *const MX_RESTRICT v_low = BESIDE(a->v, *g, TL_INNER, -1),
                                    *const MX_RESTRICT v_high = BESIDE(a->v, *g, TL_INNER, 1);
    const double *const MX_RESTRICT p_front = BESIDE(a->p, *g, TL_OUTER, -1),
                                    *const MX_RESTRICT p_back = BESIDE(a->p, *g, TL_OUTER, 1);
    const double *const MX_RESTRICT v_front = BESIDE(a->v, *g, TL_OUTER, -1),
                                    *const MX_RESTRICT v_back = BESIDE(a->v, *g, TL_OUTER, 1);
    double sum, product;
    (void)t; /* hosts have no lanes */
    MX_VECTOR_SUM (t, i, g->begin, g->end, sum, product) {
        double x = p[i] + flow(along, v[i], v[i - 1], v[i + 1], p[i], p[i - 1], p[i + 1]) +
                   flow(inner, v[i], v_low[i], v_high[i], p[i], p_low[i], p_high[i]);
        if (solid) x += flow(outer, v[i], v_front[i], v_back[i], p[i], p_front[i], p_back[i]);
        w[i] = x;
        sum += x;
        product += p[i] * x;
    }
    *pw = product;
    return sum;
}

MX_BODY void multiply_segments(const tl_deflated_args *a, mx_team *t, bool solid, double *pw)
{
    const int first = t->league_rank * TL_TEAM_SEGMENTS;
    const int last = mx_min(first + (int)TL_TEAM_SEGMENTS, segments_of(&a->segments));
    MX_TEAM_FOR (t, n, first, last) {
        const segment g = segment_at(a, n);
        double product;
        const double sum = multiply_segment(a, t, &g, solid, &product);
        MX_VECTOR_SINGLE (t) {
            MX_AT(a->segment_sums, n) = sum;
            *pw += product;
        }
    }
}

MX_BODY void tl_deflated_matvec_body(const tl_deflated_args *a, mx_team *t, double *pw)
{
    multiply_segments(a, t, false, pw);
}
MX_REDUCE(TEAM, tl_deflated_matvec, MX_SUM)

MX_BODY void tl_deflated_matvec_3d_body(const tl_deflated_args *a, mx_team *t, double *pw)
{
    multiply_segments(a, t, true, pw);
}
MX_REDUCE(TEAM, tl_deflated_matvec_3d, MX_SUM)

/* ---- the update ---- */

/* Where p.P A p is a smaller part of p.w, it is only rounding errors of both: p is in the coarse
 * space. Then r is what rounding left there, and the correction is all that is needed. */
#define ROUNDING 1e-12

MX_BODY void tl_deflated_alpha(tl_deflated_args *a)
{
    const bool going = MX_AT(a->rr, a->norm) > a->tolerance;
    const double pw = MX_AT(a->sums, TL_DEFLATION_SUMS * a->segments.coarse);
    const double projected = pw - MX_AT(a->product, 0); /* p.P A p */
    const bool moves = going && a->moves && !(projected <= ROUNDING * pw);
    a->alpha = moves ? MX_AT(a->rr, a->before) / projected : 0.0;
    a->correction = going && a->corrects ? 1.0 : 0.0;
}

/* g of a coarse cell. */
MX_BODY double coarse_value(const tl_deflated_args *a, int cell)
{
    return a->alpha * MX_AT(a->solution, cell) -
           a->correction * MX_AT(a->solution, a->segments.coarse + cell);
}

/* The weight of faces towards another coarse cell times the difference of g, before and behind the
 * segment in each direction; 0 where there is none. */
typedef struct jumps {
    double low[3], high[3];
} jumps;

MX_BODY jumps jumps_of(const tl_deflated_args *a, const segment *s, double g)
{
    jumps jump;
    for (int d = 0; d < 3; d++) {
        const int stride = a->segments.stride[d];
        const double weight = a->segments.direction[d].weight;
        jump.low[d] = s->begins[d] ? weight * (g - coarse_value(a, s->cell - stride)) : 0.0;
        jump.high[d] = s->ends[d] ? weight * (g - coarse_value(a, s->cell + stride)) : 0.0;
    }
    return jump;
}

/* The sums of a segment. */
typedef struct updated {
    double rr, r;
} updated;

/* u and r of a cell, where `change` is A W g; adds to the sums. */
#define UPDATE(i, change)                                 \
    do {                                                  \
        const double x_ = r[i] - alpha * w[i] + (change); \
        u[i] += alpha * p[i] - g;                         \
        r[i] = x_;                                        \
        rr += x_ * x_;                                    \
        sum += x_;                                        \
    } while (0)

/* What flows in A W g through the first and the last face of the segment. */
#define ENDS(i) (((i) == s->begin ? at_begin : 0.0) + ((i) + 1 == s->end ? at_end : 0.0))

MX_BODY updated update_segment(const tl_deflated_args *a, mx_team *t, const segment *s, bool solid)
{
    const double alpha = a->alpha, g = coarse_value(a, s->cell);
    const jumps jump = jumps_of(a, s, g);
    double *const MX_RESTRICT u = LINE_FROM(a->u, s->row, s->column);
    double *const MX_RESTRICT r = LINE_FROM(a->r, s->row, s->column);
    const double *const MX_RESTRICT p = LINE_FROM(a->p, s->row, s->column),
                                    *const MX_RESTRICT w = LINE_FROM(a->w, s->row, s->column),
                                    *const MX_RESTRICT v = LINE_FROM(a->v, s->row, s->column);
    const double at_begin = jump.low[TL_ALONG] * (v[s->begin - 1] + v[s->begin]);
    const double at_end = jump.high[TL_ALONG] * (v[s->end - 1] + v[s->end]);
    double rr, sum;
    (void)t; /* hosts have no lanes */
    if (!s->begins[TL_INNER] && !s->ends[TL_INNER] && !s->begins[TL_OUTER] && !s->ends[TL_OUTER]) {
        MX_VECTOR_SUM (t, i, s->begin, s->end, rr, sum) UPDATE(i, g + ENDS(i));
    } else {
        const double low = jump.low[TL_INNER], high = jump.high[TL_INNER];
        const double front = jump.low[TL_OUTER], back = jump.high[TL_OUTER];
        const double *const v_low = BESIDE(a->v, *s, TL_INNER, -1), *const v_high = BESIDE(
                                                                        a->v, *s, TL_INNER, 1);
        const double *const v_front = BESIDE(a->v, *s, TL_OUTER, -1), *const v_back = BESIDE(
                                                                          a->v, *s, TL_OUTER, 1);
        MX_VECTOR_SUM (t, i, s->begin, s->end, rr, sum) {
            double change = g + ENDS(i) + low * (v[i] + v_low[i]) + high * (v[i] + v_high[i]);
            if (solid) change += front * (v[i] + v_front[i]) + back * (v[i] + v_back[i]);
            UPDATE(i, change);
        }
    }
    const updated done = {rr, sum};
    return done;
}

MX_BODY void update_segments(const tl_deflated_args *a, mx_team *t, bool solid, double *rr)
{
    const int first = t->league_rank * TL_TEAM_SEGMENTS, all = segments_of(&a->segments);
    const int last = mx_min(first + (int)TL_TEAM_SEGMENTS, all);
    MX_TEAM_FOR (t, n, first, last) {
        const segment s = segment_at(a, n);
        const updated done = update_segment(a, t, &s, solid);
        MX_VECTOR_SINGLE (t) {
            MX_AT(a->segment_sums, all + n) = done.r;
            *rr += done.rr;
        }
    }
}

MX_BODY void tl_deflated_update_body(const tl_deflated_args *a, mx_team *t, double *rr)
{
    update_segments(a, t, false, rr);
}
MX_REDUCE(TEAM, tl_deflated_update, MX_SUM, MX_ITEMS_PLAIN, tl_deflated_alpha)

MX_BODY void tl_deflated_update_3d_body(const tl_deflated_args *a, mx_team *t, double *rr)
{
    update_segments(a, t, true, rr);
}
MX_REDUCE(TEAM, tl_deflated_update_3d, MX_SUM, MX_ITEMS_PLAIN, tl_deflated_alpha)

/* ---- the coarse matrix ---- */

/* The sum of v + v of the line behind, over the segment. */
MX_BODY double sum_faces(const tl_deflated_args *a, mx_team *t, const segment *s, int d)
{
    const double *const v = LINE_FROM(a->v, s->row, s->column);
    const double *const behind = BESIDE(a->v, *s, d, 1);
    double sum;
    (void)t; /* hosts have no lanes */
    MX_VECTOR_SUM (t, i, s->begin, s->end, sum) sum += v[i] + behind[i];
    return sum;
}

MX_BODY void tl_coarse_faces_body(const tl_deflated_args *a, mx_team *t)
{
    const int first = t->league_rank * TL_TEAM_SEGMENTS, all = segments_of(&a->segments);
    const int last = mx_min(first + (int)TL_TEAM_SEGMENTS, all);
    MX_TEAM_FOR (t, n, first, last) {
        const segment s = segment_at(a, n);
        const double *const v = LINE_FROM(a->v, s.row, s.column);
        double sum[3];
        sum[TL_OUTER] = s.ends[TL_OUTER] ? sum_faces(a, t, &s, TL_OUTER) : 0.0;
        sum[TL_INNER] = s.ends[TL_INNER] ? sum_faces(a, t, &s, TL_INNER) : 0.0;
        sum[TL_ALONG] = s.ends[TL_ALONG] ? v[s.end - 1] + v[s.end] : 0.0;
        MX_VECTOR_SINGLE (t) {
            for (int d = 0; d < 3; d++)
                MX_AT(a->segment_sums, d * all + n) = a->segments.direction[d].weight * sum[d];
        }
    }
}
MX_FOR(TEAM, tl_coarse_faces)

/* ---- sums of coarse cells ---- */

/* This rank's part of a coarse cell in a direction: number `local` of those that it has a part of,
 * cells first to last-1. */
typedef struct part {
    int local, first, last;
} part;

MX_BODY part part_of(const tl_coarse_sums_args *a, int cell, int d)
{
    const tl_segments *const s = &a->segments;
    part p = {cell / s->stride[d] % s->number[d] - s->local_first[d], 0, 0};
    if (p.local < 0 || p.local >= s->local[d]) return p;
    p.first = mx_max(MX_AT(a->cuts, d, p.local), 0);
    p.last = mx_min(MX_AT(a->cuts, d, p.local + 1), s->cells[d]);
    return p;
}

MX_BODY void tl_coarse_sums_body(const tl_coarse_sums_args *a, mx_team *t)
{
    const tl_segments *const s = &a->segments;
    const int begin = t->league_rank * TL_TEAM_ROWS;
    const int end = mx_min(begin + (int)TL_TEAM_ROWS, a->fields * s->coarse);
    MX_TEAM_FOR (t, n, begin, end) {
        const int field = n / s->coarse, cell = n % s->coarse;
        const part outer = part_of(a, cell, TL_OUTER), inner = part_of(a, cell, TL_INNER),
                   along = part_of(a, cell, TL_ALONG);
        const int width = inner.last - inner.first;
        const int lines = along.last > along.first ? width * (outer.last - outer.first) : 0;
        double sum;
        MX_VECTOR_SUM (t, i, 0, lines, sum) {
            const int line =
                (field * s->cells[TL_OUTER] + outer.first + i / width) * s->cells[TL_INNER] +
                inner.first + i % width;
            sum += MX_AT(a->segment_sums, line * s->count + along.local);
        }
        MX_VECTOR_SINGLE (t) MX_AT(a->sums, n) = sum;
    }
}
MX_FOR(TEAM, tl_coarse_sums)

/* ---- the coarse systems ---- */

MX_BODY void tl_coarse_multiply_body(const tl_coarse_inverse_args *a, mx_team *t, double *product)
{
    const int coarse = a->coarse, first = t->league_rank * TL_TEAM_ROWS;
    const int last = mx_min(first + (int)TL_TEAM_ROWS, coarse);
    MX_TEAM_FOR (t, n, first, last) {
        double w, r;
        MX_VECTOR_SUM (t, i, 0, coarse, w, r) {
            const double x = MX_AT(a->inverse, n * coarse + i);
            w += x * MX_AT(a->sums, i);
            r += x * MX_AT(a->sums, coarse + i);
        }
        MX_VECTOR_SINGLE (t) {
            MX_AT(a->solution, n) = w;
            MX_AT(a->solution, coarse + n) = r;
            *product += w * MX_AT(a->sums, n);
        }
    }
}
MX_REDUCE(TEAM, tl_coarse_multiply, MX_SUM)

/* L y = b, then L^T x = y in place. */
MX_BODY void tl_coarse_substitute_body(const tl_coarse_factor_args *a, int item, double *product)
{
    const int n = a->coarse, band = a->band;
    double *const MX_RESTRICT w = &MX_AT(a->solution, 0);
    double *const MX_RESTRICT r = &MX_AT(a->solution, n);
    (void)item;
    for (int i = 0; i < n; i++) {
        const double *const MX_RESTRICT row = &MX_AT(a->factor, i * (band + 1) + band) - i;
        double sum_w = 0, sum_r = 0;
        MX_SIMD_SUM(sum_w, sum_r)
        for (int j = mx_max(i - band, 0); j < i; j++) {
            sum_w += row[j] * w[j];
            sum_r += row[j] * r[j];
        }
        w[i] = (MX_AT(a->sums, i) - sum_w) / row[i];
        r[i] = (MX_AT(a->sums, n + i) - sum_r) / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *const MX_RESTRICT row = &MX_AT(a->factor, i * (band + 1) + band) - i;
        const double x_w = w[i] / row[i], x_r = r[i] / row[i];
        MX_SIMD
        for (int j = mx_max(i - band, 0); j < i; j++) {
            w[j] -= row[j] * x_w;
            r[j] -= row[j] * x_r;
        }
        w[i] = x_w;
        r[i] = x_r;
    }
    for (int i = 0; i < n; i++) *product += w[i] * MX_AT(a->sums, i);
}
MX_REDUCE(1D, tl_coarse_substitute, MX_SUM, MX_ITEMS_PLAIN)

/* Column `column` of L^-1, then of E^-1 in place. */
MX_BODY void tl_coarse_invert_body(const tl_coarse_invert_args *a, int column)
{
    const int n = a->coarse, band = a->band;
    for (int i = 0; i < n; i++) {
        const double *const row = &MX_AT(a->factor, i * (band + 1) + band) - i;
        double sum = i == column ? 1.0 : 0.0;
        for (int j = mx_max(i - band, column); j < i; j++)
            sum -= row[j] * MX_AT(a->inverse, j * n + column);
        MX_AT(a->inverse, i * n + column) = sum / row[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *const row = &MX_AT(a->factor, i * (band + 1) + band) - i;
        const double x = MX_AT(a->inverse, i * n + column) / row[i];
        for (int j = mx_max(i - band, 0); j < i; j++)
            MX_AT(a->inverse, j * n + column) -= row[j] * x;
        MX_AT(a->inverse, i * n + column) = x;
    }
}
MX_FOR(1D, tl_coarse_invert, MX_ITEMS_PLAIN)
