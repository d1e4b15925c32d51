/* y = A x on a mesh of equal boxes: all elements have the same matrix, so that a row far from given values is a constant stencil of
 * 27 points. It is symmetric in x: line k around a line of rows has one coefficient for dx = 0 and one for dx = -1 and 1. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_free_kernels.h"

typedef struct line_rows {
    int start[9], low[9], high[9]; /* as fe_lines_args.line */
    double centre[9], side[9]; /* the coefficients; 0 where the values of a whole line are given */
    int rows;
    bool given; /* the values of this line itself */
} line_rows;

MX_BODY bool is_given(const fe_free_args *a, int d, int at)
{
    return !a->raw && (at == 0 || at == a->mesh.elements[d]);
}

MX_BODY line_rows line_at(const fe_free_args *a, int number)
{
    const fe_mesh *const m = &a->mesh;
    const int z = m->first[0] + number / m->count[1], y = m->first[1] + number % m->count[1];
    const int width = m->extent[1] + 2, h = (z - m->low[0] + 1) * width + y - m->low[1] + 1;
    line_rows r;
    for (int k = 0; k < 9; k++) {
        const int dz = k / 3 - 1, dy = k % 3 - 1, line = h + dz * width + dy;
        const bool given = is_given(a, 0, z + dz) || is_given(a, 1, y + dy);
        r.start[k] = MX_AT(a->line, 0, line);
        r.low[k] = MX_AT(a->line, 1, line);
        r.high[k] = MX_AT(a->line, 2, line);
        r.centre[k] = given ? 0 : a->stencil[k][0];
        r.side[k] = given ? 0 : a->stencil[k][1];
    }
    r.rows = m->count[2];
    r.given = is_given(a, 0, z) || is_given(a, 1, y);
    return r;
}

MX_BODY double of_line(const fe_free_args *a, const line_rows *r, int k, int i)
{
    const int x = r->start[k] + i;
    return r->centre[k] * MX_AT(a->x, x) + r->side[k] * (MX_AT(a->x, x - 1) + MX_AT(a->x, x + 1));
}

/* A row with no given value in its own line and no end of the lines near it. */
MX_BODY double inner_row(const fe_free_args *a, const line_rows *r, int i)
{
    return ((of_line(a, r, 0, i) + of_line(a, r, 1, i)) +
            (of_line(a, r, 2, i) + of_line(a, r, 3, i))) +
           ((of_line(a, r, 4, i) + of_line(a, r, 5, i)) +
            (of_line(a, r, 6, i) + of_line(a, r, 7, i))) +
           of_line(a, r, 8, i);
}

/* Any row. */
MX_BODY double outer_row(const fe_free_args *a, const line_rows *r, int i)
{
    const int at = a->mesh.first[2] + i;
    double sum = 0;
    if (r->given || is_given(a, 2, at)) return MX_AT(a->x, r->start[4] + i);
    const bool low = is_given(a, 2, at - 1), high = is_given(a, 2, at + 1);
    for (int k = 0; k < 9; k++) {
        const double before = MX_AT(a->x, i > 0 ? r->start[k] + i - 1 : r->low[k]),
                     behind = MX_AT(a->x, i + 1 < r->rows ? r->start[k] + i + 1 : r->high[k]);
        sum += r->centre[k] * MX_AT(a->x, r->start[k] + i) +
               r->side[k] * ((low ? 0 : before) + (high ? 0 : behind));
    }
    return sum;
}

/* The rows of a line near its ends: at most two at each. */
MX_BODY int outer_rows(const line_rows *r) { return r->rows < 4 ? r->rows : 4; }

MX_BODY double all_lines(const fe_free_args *a, mx_team *t)
{
    const int lines = a->mesh.count[0] * a->mesh.count[1];
    const int first = t->league_rank * a->lines_per_team;
    const int last = first + a->lines_per_team < lines ? first + a->lines_per_team : lines;
    double dot = 0;
    MX_TEAM_FOR (t, number, first, last) {
        const line_rows r = line_at(a, number);
        const int row = r.start[4];
        double sum;
        if (r.given) {
            MX_VECTOR_SUM (t, i, 2, r.rows - 2, sum) {
                const double x = MX_AT(a->x, row + i);
                MX_AT(a->y, row + i) = x;
                sum += x * x;
            }
        } else {
            MX_VECTOR_SUM (t, i, 2, r.rows - 2, sum) {
                const double y = inner_row(a, &r, i);
                MX_AT(a->y, row + i) = y;
                sum += MX_AT(a->x, row + i) * y;
            }
        }
        MX_VECTOR_SINGLE (t) dot += sum;
        for (int e = t->lane; e < outer_rows(&r); e += t->lanes) {
            const int i = e < 2 ? e : r.rows - (outer_rows(&r) - e);
            const double y = outer_row(a, &r, i);
            MX_AT(a->y, row + i) = y;
            dot += MX_AT(a->x, row + i) * y;
        }
    }
    return dot;
}

MX_BODY void fe_uniform_body(const fe_free_args *a, mx_team *t) { (void)all_lines(a, t); }
MX_FOR(TEAM, fe_uniform)

MX_BODY void fe_uniform_dot_body(const fe_free_args *a, mx_team *t, double *dot)
{
    *dot += all_lines(a, t);
}
MX_REDUCE(TEAM, fe_uniform_dot, MX_SUM)

MX_BODY void fe_uniform_diagonal_body(const fe_uniform_diagonal_args *a, int row)
{
    const bool given = fe_fixed(&a->mesh, fe_node_of_row(&a->mesh, row)) != 0;
    MX_AT(a->diagonal, row) = given ? 1 : a->centre;
}
MX_FOR(1D, fe_uniform_diagonal, MX_ITEMS_PLAIN)
