/* Multigrid on small grids: one cycle in one launch, by one team, or on the larger ones of them each
 * part of a cycle in a launch of its own. See ../bottom.c. The steps are those of kernels/grid.c,
 * but each one is stored. Ghosts are 0, and so are the faces to them. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "preconditioners/multigrid/tl_grid_kernels.h"

/* ---- to and from the grids of ranks ---- */

#define ARRAY(g, array, n) ((g)->begin + (int)(array) * (g)->size + (n))

MX_BODY void tl_bottom_collect_body(const tl_bottom_copy_args *a, int n)
{
    const tl_bottom_grid *const g = &a->grid;
    const int plane = a->solid ? n / g->plane : 0;
    const int row = (n - plane * g->plane) / g->row;
    const int column = n - plane * g->plane - row * g->row;
    const int i = plane - a->from[0], j = row - a->from[1], k = column - a->from[2];
    const int inside = (!a->solid || (i >= 1 && i <= a->cells[0])) && j >= 1 && j <= a->cells[1] &&
                       k >= 1 && k <= a->cells[2];
    double value = 0;
    if (inside) value = MX_AT(a->local, a->solid ? i * a->shape.plane + j * a->shape.row : j, k);
    MX_AT(a->data, ARRAY(g, a->array, n)) = value;
}
MX_FOR(1D, tl_bottom_collect, MX_ITEMS_PLAIN)

MX_BODY double spread_value(const tl_bottom_copy_args *a, int i, int j, int k)
{
    const tl_bottom_grid *const g = &a->grid;
    const int n = (i + a->from[0]) * g->plane + (j + a->from[1]) * g->row + k + a->from[2];
    return MX_AT(a->data, ARRAY(g, a->array, n));
}

MX_BODY void tl_bottom_spread_body(const tl_bottom_copy_args *a, int j, int k)
{
    MX_AT(a->local, j, k) = spread_value(a, 0, j, k);
}
MX_FOR(2D, tl_bottom_spread)

MX_BODY void tl_bottom_spread_3d_body(const tl_bottom_copy_args *a, int i, int j, int k)
{
    MX_AT(a->local, i * a->shape.plane + j * a->shape.row, k) = spread_value(a, i, j, k);
}
MX_FOR(3D, tl_bottom_spread_3d)

/* ---- cells ---- */

#define AT(g, array, n) MX_AT(a->data, ARRAY(g, array, n))

/* Rows of all planes are counted through. Returns the place of index k = 0 in row `q`. */
MX_BODY int line_of(const tl_bottom_grid *g, int solid, int q)
{
    const int plane = q / g->cells[1], row = q - plane * g->cells[1] + 1;
    return (plane + solid) * g->plane + row * g->row;
}

MX_BODY int rows_of(const tl_bottom_grid *g) { return g->cells[0] * g->cells[1]; }

/* The sum of face x(neighbour) at place n. */
MX_BODY double from_neighbours(const tl_bottom_args *a, const tl_bottom_grid *g, int x, int n)
{
    double sum = AT(g, TL_BOTTOM_FACE_X, n) * AT(g, x, n - 1) +
                 AT(g, TL_BOTTOM_FACE_X, n + 1) * AT(g, x, n + 1);
    sum += AT(g, TL_BOTTOM_FACE_Y, n) * AT(g, x, n - g->row) +
           AT(g, TL_BOTTOM_FACE_Y, n + g->row) * AT(g, x, n + g->row);
    if (a->solid)
        sum += AT(g, TL_BOTTOM_FACE_Z, n) * AT(g, x, n - g->plane) +
               AT(g, TL_BOTTOM_FACE_Z, n + g->plane) * AT(g, x, n + g->plane);
    return sum;
}

/* A step from -> to at place n. */
MX_BODY void step(const tl_bottom_args *a, const tl_bottom_grid *g, double omega, int from, int to,
                  int n)
{
    const double sum = AT(g, TL_BOTTOM_B, n) + from_neighbours(a, g, from, n);
    AT(g, to, n) = (1.0 - omega) * AT(g, from, n) + omega * AT(g, TL_BOTTOM_WEIGHT, n) * sum;
}

/* The first step, from 0. */
MX_BODY void first_step(const tl_bottom_args *a, const tl_bottom_grid *g, double omega, int to,
                        int n)
{
    AT(g, to, n) = omega * AT(g, TL_BOTTOM_WEIGHT, n) * AT(g, TL_BOTTOM_B, n);
}

/* b - A x, summed over the fine cells in the coarse cell of row `q` and index ck. */
MX_BODY double sum_of_residuals(const tl_bottom_args *a, const tl_bottom_grid *g, int x, int q,
                                int ck)
{
    const tl_transfer *const t = &g->transfer;
    const tl_bottom_grid *const coarse = g + 1;
    const int plane = q / coarse->cells[1], cj = q - plane * coarse->cells[1] + 1;
    const int ci = plane + a->solid;
    const int i0 = a->solid ? TL_FINE_BEGIN(t, 0, ci) : 0;
    const int i1 = a->solid ? TL_FINE_END(t, 0, ci) : 1;
    double sum = 0;
    for (int i = i0; i < i1; i++)
        for (int j = TL_FINE_BEGIN(t, 1, cj); j < TL_FINE_END(t, 1, cj); j++)
            for (int k = TL_FINE_BEGIN(t, 2, ck); k < TL_FINE_END(t, 2, ck); k++) {
                const int n = i * g->plane + j * g->row + k;
                sum += AT(g, TL_BOTTOM_B, n) + from_neighbours(a, g, x, n) -
                       AT(g, x, n) / AT(g, TL_BOTTOM_WEIGHT, n);
            }
    return sum;
}

/* The place of index k = 0 in the row of the coarse grid that has the cells of row `q`. */
MX_BODY int coarse_line_of(const tl_bottom_args *a, const tl_bottom_grid *g, int q)
{
    const tl_transfer *const t = &g->transfer;
    const int plane = q / g->cells[1], j = q - plane * g->cells[1] + 1;
    return (a->solid ? TL_COARSE_INDEX(t, 0, plane + 1) * g[1].plane : 0) +
           TL_COARSE_INDEX(t, 1, j) * g[1].row;
}

/* ---- a cycle by one team ---- */

MX_BODY void steps_of_team(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g,
                           double omega, int from, int to)
{
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int line = line_of(g, a->solid, q);
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1) step(a, g, omega, from, to, line + k);
    }
    mx_team_barrier(t);
}

MX_BODY void first_steps_of_team(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g,
                                 double omega, int to)
{
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int line = line_of(g, a->solid, q);
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1) first_step(a, g, omega, to, line + k);
    }
    mx_team_barrier(t);
}

MX_BODY void restrict_residual(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g, int x)
{
    const tl_bottom_grid *const coarse = g + 1;
    MX_TEAM_FOR (t, q, 0, rows_of(coarse)) {
        const int line = line_of(coarse, a->solid, q);
        MX_VECTOR_FOR (t, k, 1, coarse->cells[2] + 1)
            AT(coarse, TL_BOTTOM_B, line + k) = sum_of_residuals(a, g, x, q, k);
    }
    mx_team_barrier(t);
}

/* x += the correction of the coarse grid */
MX_BODY void correct(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g, int x)
{
    const tl_transfer *const of = &g->transfer;
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int line = line_of(g, a->solid, q), from = coarse_line_of(a, g, q);
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1)
            AT(g, x, line + k) += AT(g + 1, TL_BOTTOM_X, from + TL_COARSE_INDEX(of, 2, k));
    }
    mx_team_barrier(t);
}

MX_BODY void tl_bottom_cycle_body(const tl_bottom_args *a, mx_team *t)
{
    const int last = a->grids - 1;
    for (int n = a->team; n < last; n++) {
        const tl_bottom_grid *const g = &a->grid[n];
        first_steps_of_team(a, t, g, a->omega[0], TL_BOTTOM_AFTER(1));
        for (int s = 1; s < a->steps; s++)
            steps_of_team(a, t, g, a->omega[s], TL_BOTTOM_AFTER(s), TL_BOTTOM_AFTER(s + 1));
        restrict_residual(a, t, g, TL_BOTTOM_AFTER(a->steps));
    }
    first_steps_of_team(a, t, &a->grid[last], 1.0, TL_BOTTOM_X);
    for (int n = last - 1; n >= a->team; n--) {
        const tl_bottom_grid *const g = &a->grid[n];
        correct(a, t, g, TL_BOTTOM_AFTER(a->steps));
        for (int s = a->steps; s < 2 * a->steps; s++)
            steps_of_team(a, t, g, a->omega[2 * a->steps - 1 - s], TL_BOTTOM_AFTER(s),
                          TL_BOTTOM_AFTER(s + 1));
    }
}
MX_FOR(TEAM, tl_bottom_cycle)

/* ---- parts of a cycle, by a team for each row ---- */

MX_BODY void tl_bottom_first_body(const tl_bottom_args *a, mx_team *t)
{
    const tl_bottom_grid *const g = &a->grid[a->part.grid];
    const int line = line_of(g, a->solid, t->league_rank);
    MX_TEAM_VECTOR_FOR(t, k, 1, g->cells[2] + 1)
    first_step(a, g, a->part.omega, a->part.to, line + k);
}
MX_FOR(TEAM, tl_bottom_first)

MX_BODY void tl_bottom_step_body(const tl_bottom_args *a, mx_team *t)
{
    const tl_bottom_grid *const g = &a->grid[a->part.grid];
    const int line = line_of(g, a->solid, t->league_rank);
    MX_TEAM_VECTOR_FOR(t, k, 1, g->cells[2] + 1)
    step(a, g, a->part.omega, a->part.from, a->part.to, line + k);
}
MX_FOR(TEAM, tl_bottom_step)

MX_BODY void tl_bottom_restrict_body(const tl_bottom_args *a, mx_team *t)
{
    const tl_bottom_grid *const g = &a->grid[a->part.grid], *const coarse = g + 1;
    const int line = line_of(coarse, a->solid, t->league_rank);
    MX_TEAM_VECTOR_FOR(t, k, 1, coarse->cells[2] + 1)
    AT(coarse, TL_BOTTOM_B, line + k) = sum_of_residuals(a, g, a->part.from, t->league_rank, k);
}
MX_FOR(TEAM, tl_bottom_restrict)

MX_BODY void tl_bottom_correct_body(const tl_bottom_args *a, mx_team *t)
{
    const tl_bottom_grid *const g = &a->grid[a->part.grid];
    const tl_transfer *const of = &g->transfer;
    const int line = line_of(g, a->solid, t->league_rank),
              from = coarse_line_of(a, g, t->league_rank);
    MX_TEAM_VECTOR_FOR(t, k, 1, g->cells[2] + 1)
    AT(g, a->part.to, line + k) += AT(g + 1, TL_BOTTOM_X, from + TL_COARSE_INDEX(of, 2, k));
}
MX_FOR(TEAM, tl_bottom_correct)
