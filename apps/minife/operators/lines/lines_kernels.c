/* Products with a matrix that is stored by lines of the mesh: it needs no numbers of columns,
 * because those of a whole line of rows are contiguous too, in 9 lines of nodes, except at both
 * ends. On hosts. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_lines.h"

/* A line of rows. */
typedef struct line_rows {
    /* of the lines around, in the order of z, y: as fe_lines_args.line */
    int start[9], low[9], high[9];
    int rows;
    bool whole;    /* no neighbour of a row is a ghost, and all places read are in x */
    int64_t first; /* where the coefficients are: slot s of row i is at first + s * pitch + i */
    /* from there to the line whose coefficients are fetched while this one is computed */
    int64_t ahead;
} line_rows;

MX_BODY line_rows line_at(const fe_lines_args *a, int number)
{
    const fe_mesh *const m = &a->mesh;
    const int z = m->first[0] + number / m->count[1], y = m->first[1] + number % m->count[1];
    const int width = m->extent[1] + 2, h = (z - m->low[0] + 1) * width + y - m->low[1] + 1;
    line_rows r;
    r.rows = m->count[2];
    r.whole = m->count[2] == m->elements[2] + 1;
    for (int k = 0; k < 9; k++) {
        const int line = h + (k / 3 - 1) * width + k % 3 - 1;
        r.start[k] = MX_AT(a->line, 0, line);
        r.low[k] = MX_AT(a->line, 1, line);
        r.high[k] = MX_AT(a->line, 2, line);
        r.whole = r.whole && r.start[k] > 0 && r.start[k] + r.rows < a->x.extent[0];
    }
    r.first = (z - a->low[0]) * FE_SLOTS * a->pitch + (int64_t)(y - a->low[1]) * a->width +
              m->first[2] - a->low[2];
    r.ahead = number + 1 < m->count[0] * m->count[1] ? a->width : 0;
    return r;
}

/* The element of x at place dx (-1, 0, 1) from row i in line k. */
MX_BODY double neighbour(const fe_lines_args *a, const line_rows *r, int k, int i, int dx)
{
    const int at = i + dx;
    const int index = at < 0 ? r->low[k] : at >= r->rows ? r->high[k] : r->start[k] + at;
    return MX_AT(a->x, index);
}

MX_BODY double end_row(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    double sum = 0;
    for (int k = 0; k < 9; k++)
        for (int dx = -1; dx <= 1; dx++)
            sum += FE_VALUE(a, r->first + (3 * k + dx + 1) * a->pitch + i, is_f32) *
                   neighbour(a, r, k, i, dx);
    return sum;
}

/* Three slots of line k around. */
MX_BODY double three_slots(const fe_lines_args *a, const line_rows *r, int k, int i, bool is_f32)
{
    const int64_t at = r->first + 3 * k * a->pitch + i;
    const int x = r->start[k] + i;
    return FE_VALUE(a, at, is_f32) * MX_AT(a->x, x - 1) +
           FE_VALUE(a, at + a->pitch, is_f32) * MX_AT(a->x, x) +
           FE_VALUE(a, at + 2 * a->pitch, is_f32) * MX_AT(a->x, x + 1);
}

/* A row that is at neither end. */
MX_BODY double one_row(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    return ((three_slots(a, r, 0, i, is_f32) + three_slots(a, r, 1, i, is_f32)) +
            (three_slots(a, r, 2, i, is_f32) + three_slots(a, r, 3, i, is_f32))) +
           ((three_slots(a, r, 4, i, is_f32) + three_slots(a, r, 5, i, is_f32)) +
            (three_slots(a, r, 6, i, is_f32) + three_slots(a, r, 7, i, is_f32))) +
           three_slots(a, r, 8, i, is_f32);
}

/* ---- lines ---- */

enum { VECTOR = 8 };

/* Fetches the coefficients of rows i to i + VECTOR - 1 of the next line: they are more streams than
 * hardware fetches. */
MX_BODY void fetch(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    const int64_t at = r->first + r->ahead + i;
    for (int s = 0; s < FE_SLOTS; s++) {
        if (is_f32)
            MX_PREFETCH(&MX_AT(a->f32value, at + s * a->pitch));
        else
            MX_PREFETCH(&MX_AT(a->value, at + s * a->pitch));
    }
}

/* A line that is whole, by one lane, as vectors of rows. The last vector ends with the line, so
 * that it may repeat some rows of the one before it. The coefficients of nodes that do not exist
 * are 0. Returns x . y. */
MX_BODY double whole_line(const fe_lines_args *a, const line_rows *r, bool is_f32)
{
    const int row = r->start[4];
    double sum[VECTOR], dot = 0;
    for (int l = 0; l < VECTOR; l++) sum[l] = 0;
    for (int done = 0; done < r->rows; done += VECTOR) {
        const int first = done + VECTOR <= r->rows ? done : r->rows - VECTOR;
        fetch(a, r, first, is_f32);
        MX_SIMD for (int l = 0; l < VECTOR; l++)
        {
            const int i = first + l;
            const double y = one_row(a, r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            sum[l] += i >= done ? MX_AT(a->x, row + i) * y : 0;
        }
    }
    for (int l = 0; l < VECTOR; l++) dot += sum[l];
    return dot;
}

MX_BODY double all_lines(const fe_lines_args *a, mx_team *t, bool is_f32)
{
    const int first = a->first + t->league_rank * a->lines_per_team;
    const int last = first + a->lines_per_team < a->end ? first + a->lines_per_team : a->end;
    double dot = 0;
    MX_TEAM_FOR (t, number, first, last) {
        const line_rows r = line_at(a, number);
        const int row = r.start[4], step = r.rows > 1 ? r.rows - 1 : 1;
        if (t->lanes == 1 && r.whole && r.rows >= VECTOR) {
            dot += whole_line(a, &r, is_f32);
            continue;
        }
        double of_line;
        MX_VECTOR_SUM (t, i, 1, r.rows - 1, of_line) {
            const double y = one_row(a, &r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            of_line += MX_AT(a->x, row + i) * y;
        }
        MX_VECTOR_SINGLE (t) dot += of_line;
        for (int i = t->lane * step; i < r.rows; i += t->lanes * step) {
            const double y = end_row(a, &r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            dot += MX_AT(a->x, row + i) * y;
        }
    }
    return dot;
}
FE_DEFINE_PRODUCTS(fe_lines, fe_lines_args, all_lines)
