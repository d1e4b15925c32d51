/* Products with a matrix that is stored by lines of the mesh: it needs no numbers of columns,
 * because those of a whole line of rows are contiguous too, in 9 lines of nodes, except at both
 * ends.
 *
 * half: a row has the coefficients of the columns behind its own. Those in front of it are in the
 * rows of these columns, which are at most one plane behind in memory, so that they are in cache. A
 * sum has the terms of a row, and nothing is added to other rows, so that its bits do not depend on
 * threads. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_product_kernels.h"

/* A line of rows. */
typedef struct line_rows {
    /* of the lines around, in the order of z, y: as fe_lines_args.line */
    int start[9], low[9], high[9];
    int rows;
    bool whole; /* no neighbour of a row is a ghost, and all places read are in x */
    /* where the coefficients are: slot s of row i is at first + s * pitch + i; half: slot 13 + s */
    int64_t first;
    /* from a line's coefficients to those of the next one along z, y */
    int64_t of_plane, of_line;
    /* the same to the line whose coefficients are fetched while this one is computed */
    int64_t ahead;
} line_rows;

MX_BODY line_rows line_at(const fe_lines_args *a, int number, int slots)
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
    r.of_line = a->width;
    r.of_plane = slots * a->pitch;
    r.first = (z - a->low[0]) * r.of_plane + (y - a->low[1]) * r.of_line + m->first[2] - a->low[2];
    r.ahead = number + 1 < m->count[0] * m->count[1] ? r.of_line : 0;
    return r;
}

MX_BODY double value_at(const fe_lines_args *a, int64_t at, bool is_f32)
{
    return is_f32 ? (double)MX_LOAD(a->f32value, at) : MX_LOAD(a->value, at);
}

/* The element of x at place dx (-1, 0, 1) from row i in line k. */
MX_BODY double neighbour(const fe_lines_args *a, const line_rows *r, int k, int i, int dx)
{
    const int at = i + dx;
    const int index = at < 0 ? r->low[k] : at >= r->rows ? r->high[k] : r->start[k] + at;
    return MX_AT(a->x, index);
}

/* ---- 27 slots ---- */

MX_BODY double full_end(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    double sum = 0;
    for (int k = 0; k < 9; k++)
        for (int dx = -1; dx <= 1; dx++)
            sum += value_at(a, r->first + (3 * k + dx + 1) * a->pitch + i, is_f32) *
                   neighbour(a, r, k, i, dx);
    return sum;
}

/* Three slots of line k around. */
MX_BODY double full_three(const fe_lines_args *a, const line_rows *r, int k, int i, bool is_f32)
{
    const int64_t at = r->first + 3 * k * a->pitch + i;
    const int x = r->start[k] + i;
    return value_at(a, at, is_f32) * MX_AT(a->x, x - 1) +
           value_at(a, at + a->pitch, is_f32) * MX_AT(a->x, x) +
           value_at(a, at + 2 * a->pitch, is_f32) * MX_AT(a->x, x + 1);
}

/* A row that is at neither end. */
MX_BODY double full_row(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    return ((full_three(a, r, 0, i, is_f32) + full_three(a, r, 1, i, is_f32)) +
            (full_three(a, r, 2, i, is_f32) + full_three(a, r, 3, i, is_f32))) +
           ((full_three(a, r, 4, i, is_f32) + full_three(a, r, 5, i, is_f32)) +
            (full_three(a, r, 6, i, is_f32) + full_three(a, r, 7, i, is_f32))) +
           full_three(a, r, 8, i, is_f32);
}

/* ---- 14 slots ---- */

/* Slots s to s + 2, of the line dz, dy behind; and the symmetric ones. */
MX_BODY double half_three(const fe_lines_args *a, const line_rows *r, int s, int i, int dz, int dy,
                          bool is_f32)
{
    const int k = 4 + 3 * dz + dy;
    const int64_t behind = r->first + s * a->pitch + i,
                  front = behind - dz * r->of_plane - dy * r->of_line;
    const int x = r->start[k] + i, w = r->start[8 - k] + i;
    return (value_at(a, behind, is_f32) * MX_AT(a->x, x - 1) +
            value_at(a, behind + a->pitch, is_f32) * MX_AT(a->x, x) +
            value_at(a, behind + 2 * a->pitch, is_f32) * MX_AT(a->x, x + 1)) +
           (value_at(a, front + 1, is_f32) * MX_AT(a->x, w + 1) +
            value_at(a, front + a->pitch, is_f32) * MX_AT(a->x, w) +
            value_at(a, front + 2 * a->pitch - 1, is_f32) * MX_AT(a->x, w - 1));
}

MX_BODY double half_row(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    const int64_t at = r->first + i;
    const int x = r->start[4] + i;
    const double line = value_at(a, at, is_f32) * MX_AT(a->x, x) +
                        value_at(a, at + a->pitch, is_f32) * MX_AT(a->x, x + 1) +
                        value_at(a, at + a->pitch - 1, is_f32) * MX_AT(a->x, x - 1);
    return ((line + half_three(a, r, 2, i, 0, 1, is_f32)) + half_three(a, r, 5, i, 1, -1, is_f32)) +
           (half_three(a, r, 8, i, 1, 0, is_f32) + half_three(a, r, 11, i, 1, 1, is_f32));
}

MX_BODY double half_end(const fe_lines_args *a, const line_rows *r, int i, bool is_f32)
{
    double sum = value_at(a, r->first + i, is_f32) * neighbour(a, r, 4, i, 0);
    for (int s = 1; s < FE_HALF_SLOTS; s++) {
        const int slot = FE_DIAGONAL_SLOT + s, k = slot / 3, dx = slot % 3 - 1;
        const int64_t behind = r->first + s * a->pitch + i,
                      front = behind - (k / 3 - 1) * r->of_plane - (k % 3 - 1) * r->of_line - dx;
        sum += value_at(a, behind, is_f32) * neighbour(a, r, k, i, dx) +
               value_at(a, front, is_f32) * neighbour(a, r, 8 - k, i, -dx);
    }
    return sum;
}

/* ---- both ---- */

enum { VECTOR = 8 };

/* Fetches the coefficients of rows i to i + VECTOR - 1 of the next line: they are more streams than
 * hardware fetches. Without this the product of half a matrix took 1.4 times as long. */
MX_BODY void fetch(const fe_lines_args *a, const line_rows *r, int i, int slots, bool is_f32)
{
    const int64_t at = r->first + r->ahead + i;
    for (int s = 0; s < slots; s++) {
        if (is_f32)
            MX_PREFETCH(&MX_AT(a->f32value, at + s * a->pitch));
        else
            MX_PREFETCH(&MX_AT(a->value, at + s * a->pitch));
    }
}

/* A line that is whole, by one lane, as vectors of rows. The last vector ends with the line, so
 * that it may repeat some rows of the one before it. The coefficients of nodes that do not exist
 * are 0. Returns x . y. */
MX_BODY double whole_line(const fe_lines_args *a, const line_rows *r, bool half, bool is_f32)
{
    const int row = r->start[4];
    double sum[VECTOR], dot = 0;
    for (int l = 0; l < VECTOR; l++) sum[l] = 0;
    for (int done = 0; done < r->rows; done += VECTOR) {
        const int first = done + VECTOR <= r->rows ? done : r->rows - VECTOR;
        fetch(a, r, first, half ? FE_HALF_SLOTS : FE_SLOTS, is_f32);
        MX_SIMD for (int l = 0; l < VECTOR; l++)
        {
            const int i = first + l;
            const double y = half ? half_row(a, r, i, is_f32) : full_row(a, r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            sum[l] += i >= done ? MX_AT(a->x, row + i) * y : 0;
        }
    }
    for (int l = 0; l < VECTOR; l++) dot += sum[l];
    return dot;
}

MX_BODY double all_lines(const fe_lines_args *a, mx_team *t, bool half, bool is_f32)
{
    const int first = a->first + t->league_rank * a->lines_per_team;
    const int last = first + a->lines_per_team < a->end ? first + a->lines_per_team : a->end;
    double dot = 0;
    MX_TEAM_FOR (t, number, first, last) {
        const line_rows r = line_at(a, number, half ? FE_HALF_SLOTS : FE_SLOTS);
        const int row = r.start[4], step = r.rows > 1 ? r.rows - 1 : 1;
        if (t->lanes == 1 && r.whole && r.rows >= VECTOR) {
            dot += whole_line(a, &r, half, is_f32);
            continue;
        }
        double of_line;
        MX_VECTOR_SUM (t, i, 1, r.rows - 1, of_line) {
            const double y = half ? half_row(a, &r, i, is_f32) : full_row(a, &r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            of_line += MX_AT(a->x, row + i) * y;
        }
        MX_VECTOR_SINGLE (t) dot += of_line;
        for (int i = t->lane * step; i < r.rows; i += t->lanes * step) {
            const double y = half ? half_end(a, &r, i, is_f32) : full_end(a, &r, i, is_f32);
            MX_AT(a->y, row + i) = y;
            dot += MX_AT(a->x, row + i) * y;
        }
    }
    return dot;
}

MX_BODY double full_lines(const fe_lines_args *a, mx_team *t, bool is_f32)
{
    return all_lines(a, t, false, is_f32);
}
MX_BODY double half_lines(const fe_lines_args *a, mx_team *t, bool is_f32)
{
    return all_lines(a, t, true, is_f32);
}
FE_DEFINE_PRODUCTS(fe_lines, fe_lines_args, full_lines)
FE_DEFINE_PRODUCTS(fe_half, fe_lines_args, half_lines)
