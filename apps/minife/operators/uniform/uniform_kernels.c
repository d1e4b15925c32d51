/* y = A x on a mesh of equal boxes: all elements have the same matrix, so that a row far from given
 * values is a constant stencil of 27 points. It is symmetric in x: line k around a line of rows has
 * one coefficient for dx = 0 and one for dx = -1 and 1. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_uniform.h"

typedef struct stencil_line {
    int start[9], low[9], high[9]; /* as fe_lines_args.line */
    double centre[9], side[9]; /* the coefficients; 0 where the values of a whole line are given */
    int rows;
    bool given; /* the values of this line itself */
} stencil_line;

MX_BODY bool is_given(const fe_uniform_args *a, int d, int at)
{
    return !a->raw && (at == 0 || at == a->mesh.elements[d]);
}

MX_BODY stencil_line stencil_line_at(const fe_uniform_args *a, int number)
{
    const fe_mesh *const m = &a->mesh;
    const int z = m->first[0] + number / m->count[1], y = m->first[1] + number % m->count[1];
    const int width = m->extent[1] + 2, h = (z - m->low[0] + 1) * width + y - m->low[1] + 1;
    stencil_line r;
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

MX_BODY double of_line(const fe_uniform_args *a, const stencil_line *r, int k, int i)
{
    const int x = r->start[k] + i;
    return r->centre[k] * MX_AT(a->x, x) + r->side[k] * (MX_AT(a->x, x - 1) + MX_AT(a->x, x + 1));
}

/* A row with no given value in its own line and no end of the lines near it. */
MX_BODY double inner_row(const fe_uniform_args *a, const stencil_line *r, int i)
{
    return ((of_line(a, r, 0, i) + of_line(a, r, 1, i)) +
            (of_line(a, r, 2, i) + of_line(a, r, 3, i))) +
           ((of_line(a, r, 4, i) + of_line(a, r, 5, i)) +
            (of_line(a, r, 6, i) + of_line(a, r, 7, i))) +
           of_line(a, r, 8, i);
}

/* Any row. */
MX_BODY double outer_row(const fe_uniform_args *a, const stencil_line *r, int i)
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
MX_BODY int outer_rows(const stencil_line *r) { return r->rows < 4 ? r->rows : 4; }

MX_BODY double all_lines(const fe_uniform_args *a, mx_team *t)
{
    const int first = a->first * a->mesh.count[1] + t->league_rank * a->lines_per_team;
    const int lines = a->end * a->mesh.count[1];
    const int last = first + a->lines_per_team < lines ? first + a->lines_per_team : lines;
    double dot = 0;
    MX_TEAM_FOR (t, number, first, last) {
        const stencil_line r = stencil_line_at(a, number);
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

MX_BODY void fe_uniform_body(const fe_uniform_args *a, mx_team *t) { (void)all_lines(a, t); }
MX_FOR(TEAM, fe_uniform)

MX_BODY void fe_uniform_dot_body(const fe_uniform_args *a, mx_team *t, double *dot)
{
    *dot += all_lines(a, t);
}
MX_REDUCE(TEAM, fe_uniform_dot, MX_SUM)

/* ---- columns: devices ----
 *
 * A thread goes along z. The stencil is symmetric in all directions, so that the elements of x in a
 * plane make two sums: one for the rows of this plane, and one for those of both planes beside it.
 * Each plane is read once, 9 elements for each row. */

/* What a plane adds to rows at one place: to its own, and to those beside it. */
typedef struct plane_sums {
    double in_plane, beside, x;
} plane_sums;

MX_BODY plane_sums add_plane(const fe_uniform_args *a, int z, int y, int i)
{
    const fe_mesh *const m = &a->mesh;
    const int width = m->extent[1] + 2, h = (z - m->low[0] + 1) * width + y - m->low[1] + 1;
    const int at = m->first[2] + i;
    const bool low = is_given(a, 2, at - 1), high = is_given(a, 2, at + 1);
    double centre[3], side[3];
    plane_sums s;
    for (int k = 0; k < 3; k++) {
        const int line = h + k - 1, x = MX_AT(a->line, 0, line) + i;
        const int before = i > 0 ? x - 1 : MX_AT(a->line, 1, line),
                  behind = i + 1 < m->count[2] ? x + 1 : MX_AT(a->line, 2, line);
        const bool given = is_given(a, 0, z) || is_given(a, 1, y + k - 1);
        centre[k] = MX_AT(a->x, x);
        side[k] = (low ? 0 : MX_AT(a->x, before)) + (high ? 0 : MX_AT(a->x, behind));
        if (k == 1) s.x = centre[k];
        if (given) centre[k] = side[k] = 0;
    }
    const double c = centre[0] + centre[2], d = side[0] + side[2];
    s.in_plane = (a->stencil[4][0] * centre[1] + a->stencil[4][1] * side[1]) +
                 (a->stencil[3][0] * c + a->stencil[3][1] * d);
    s.beside = (a->stencil[1][0] * centre[1] + a->stencil[1][1] * side[1]) +
               (a->stencil[0][0] * c + a->stencil[0][1] * d);
    return s;
}

/* Stores y of a column; returns its x . y. */
MX_BODY double one_column(const fe_uniform_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node n = fe_item_at(m, i, j, k);
    const int begin = a->first + n.at[0] * a->planes, y = m->first[1] + n.at[1];
    const int end = begin + a->planes < a->end ? begin + a->planes : a->end;
    const bool given = is_given(a, 1, y) || is_given(a, 2, m->first[2] + n.at[2]);
    plane_sums below = add_plane(a, m->first[0] + begin - 1, y, n.at[2]);
    plane_sums centre = add_plane(a, m->first[0] + begin, y, n.at[2]);
    double dot = 0;
    for (int p = begin; p < end; p++) {
        const int z = m->first[0] + p;
        const plane_sums above = add_plane(a, z + 1, y, n.at[2]);
        const double sum =
            given || is_given(a, 0, z) ? centre.x : below.beside + centre.in_plane + above.beside;
        MX_AT(a->y, (p * m->count[1] + n.at[1]) * m->count[2] + n.at[2]) = sum;
        dot += centre.x * sum;
        below = centre;
        centre = above;
    }
    return dot;
}

MX_BODY void fe_uniform_column_body(const fe_uniform_args *a, int i, int j, int k)
{
    (void)one_column(a, i, j, k);
}
MX_FOR(3D, fe_uniform_column, MX_ITEMS_PLAIN)

MX_BODY void fe_uniform_column_dot_body(const fe_uniform_args *a, int i, int j, int k, double *dot)
{
    *dot += one_column(a, i, j, k);
}
MX_REDUCE(3D, fe_uniform_column_dot, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void fe_uniform_diagonal_body(const fe_uniform_diagonal_args *a, int row)
{
    const bool given = fe_fixed(&a->mesh, fe_node_of_row(&a->mesh, row)) != 0;
    MX_AT(a->diagonal, row) = given ? 1 : a->centre;
}
MX_FOR(1D, fe_uniform_diagonal, MX_ITEMS_PLAIN)
