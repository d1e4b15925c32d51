/* Multigrid on small grids: one cycle in one launch, by one team. See ../bottom.c. The
 * steps are those of kernels/grid.c, but each one is stored. Ghosts are 0, and so are the faces
 * to them. */
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

/* ---- the cycle ---- */

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

/* from -> to */
MX_BODY void jacobi_step(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g, double omega,
                         int from, int to)
{
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int line = line_of(g, a->solid, q);
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1) {
            const int n = line + k;
            const double sum = AT(g, TL_BOTTOM_B, n) + from_neighbours(a, g, from, n);
            AT(g, to, n) =
                (1.0 - omega) * AT(g, from, n) + omega * AT(g, TL_BOTTOM_WEIGHT, n) * sum;
        }
    }
    mx_team_barrier(t);
}

/* x = omega weight b */
MX_BODY void jacobi_first_step(const tl_bottom_args *a, mx_team *t, const tl_bottom_grid *g,
                               double omega, int to)
{
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int line = line_of(g, a->solid, q);
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1)
            AT(g, to, line + k) =
                omega * AT(g, TL_BOTTOM_WEIGHT, line + k) * AT(g, TL_BOTTOM_B, line + k);
    }
    mx_team_barrier(t);
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
    const tl_bottom_grid *const coarse = g + 1;
    MX_TEAM_FOR (t, q, 0, rows_of(g)) {
        const int plane = q / g->cells[1], j = q - plane * g->cells[1] + 1, i = plane + a->solid;
        const int line = line_of(g, a->solid, q);
        const int from = (a->solid ? TL_COARSE_INDEX(of, 0, i) * coarse->plane : 0) +
                         TL_COARSE_INDEX(of, 1, j) * coarse->row;
        MX_VECTOR_FOR (t, k, 1, g->cells[2] + 1)
            AT(g, x, line + k) += AT(coarse, TL_BOTTOM_X, from + TL_COARSE_INDEX(of, 2, k));
    }
    mx_team_barrier(t);
}

/* Steps take turns between two arrays, of which OTHER is the first. So after an even number of them
 * the result is in X. */
MX_BODY int array_after(int steps) { return steps % 2 == 1 ? TL_BOTTOM_OTHER : TL_BOTTOM_X; }

MX_BODY void tl_bottom_cycle_body(const tl_bottom_args *a, mx_team *t)
{
    const int last = a->grids - 1;
    for (int n = 0; n < last; n++) {
        const tl_bottom_grid *const g = &a->grid[n];
        jacobi_first_step(a, t, g, a->omega[0], array_after(1));
        for (int s = 1; s < a->steps; s++)
            jacobi_step(a, t, g, a->omega[s], array_after(s), array_after(s + 1));
        restrict_residual(a, t, g, array_after(a->steps));
    }
    jacobi_first_step(a, t, &a->grid[last], 1.0, TL_BOTTOM_X);
    for (int n = last - 1; n >= 0; n--) {
        const tl_bottom_grid *const g = &a->grid[n];
        correct(a, t, g, array_after(a->steps));
        for (int s = a->steps; s < 2 * a->steps; s++)
            jacobi_step(a, t, g, a->omega[2 * a->steps - 1 - s], array_after(s),
                        array_after(s + 1));
    }
}
MX_FOR(TEAM, tl_bottom_cycle)
