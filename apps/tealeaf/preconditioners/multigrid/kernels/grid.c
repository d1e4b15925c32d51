/* Multigrid: smoothing steps, and transfers between a grid and the next coarser one.
 *
 * A step needs 1 / diagonal only: x + omega weight (b - A x) = (1 - omega) x + omega weight (b +
 * sum of face x(neighbour)). So does the residual after the first step, whose diagonal part is
 * `first` b.
 *
 * Hosts load vectors of cells. Where a step reads the coarse grid, or cells of the fine grid are
 * added to coarse ones, an item has the two fine cells of a coarse one along the contiguous index:
 * then its loads are vectors too, or every other element of one. */
#include "minx/kernel.h"

#include "preconditioners/multigrid/tl_grid_kernels.h"

/* What x is in a kernel. Constants, as `solid` (3-D) is, in all functions below. */
enum { FIRST_STEP = 0, STORED = 1, CORRECTED = 2 };

/* The row of the coarse grid that has the cells of this row. */
MX_BODY int coarse_row_of(const tl_transfer *t, int solid, int i, int j)
{
    const int row = TL_COARSE_INDEX(t, 1, j);
    return solid ? TL_COARSE_INDEX(t, 0, i) * t->plane + row * t->row : row;
}

/* x of cell (i, j, k), whose column in the coarse grid is ck. */
MX_BODY double value_of(const tl_grid_args *a, int kind, int solid, int i, int j, int k, int ck)
{
    const int row = tl_grid_row(&a->shape, solid, i, j);
    double x = (kind & STORED) ? MX_AT(a->x, row, k)
                               : a->first * MX_AT(a->weight, row, k) * MX_AT(a->b, row, k);
    if (kind & CORRECTED) x += MX_AT(a->coarse, coarse_row_of(&a->transfer, solid, i, j), ck);
    return x;
}

/* Columns of the coarse grid: of the cell before, of the cell, and of the one behind. */
typedef struct columns {
    int before, centre, behind;
} columns;

MX_BODY columns columns_of(const tl_grid_args *a, int k)
{
    const tl_transfer *const t = &a->transfer;
    const columns c = {TL_COARSE_INDEX(t, 2, k - 1), TL_COARSE_INDEX(t, 2, k),
                       TL_COARSE_INDEX(t, 2, k + 1)};
    return c;
}

/* The sum of face x(neighbour). */
MX_BODY double from_neighbours(const tl_grid_args *a, int kind, int solid, int i, int j, int k,
                               columns c)
{
    const int row = tl_grid_row(&a->shape, solid, i, j),
              above = tl_grid_row(&a->shape, solid, i, j + 1);
    double sum = MX_AT(a->face_x, row, k) * value_of(a, kind, solid, i, j, k - 1, c.before) +
                 MX_AT(a->face_x, row, k + 1) * value_of(a, kind, solid, i, j, k + 1, c.behind);
    sum += MX_AT(a->face_y, row, k) * value_of(a, kind, solid, i, j - 1, k, c.centre) +
           MX_AT(a->face_y, above, k) * value_of(a, kind, solid, i, j + 1, k, c.centre);
    if (solid)
        sum += MX_AT(a->face_z, row, k) * value_of(a, kind, solid, i - 1, j, k, c.centre) +
               MX_AT(a->face_z, row + a->shape.plane, k) *
                   value_of(a, kind, solid, i + 1, j, k, c.centre);
    return sum;
}

/* ---- steps ---- */

MX_BODY double step(const tl_grid_args *a, int kind, int solid, int i, int j, int k, columns c)
{
    const int row = tl_grid_row(&a->shape, solid, i, j);
    const double sum = MX_AT(a->b, row, k) + from_neighbours(a, kind, solid, i, j, k, c);
    const double next = (1.0 - a->omega) * value_of(a, kind, solid, i, j, k, c.centre) +
                        a->omega * MX_AT(a->weight, row, k) * sum;
    MX_AT(a->next, row, k) = next;
    return next;
}

/* Returns b next. */
MX_BODY double step_cell(const tl_grid_args *a, int kind, int solid, int i, int j, int k)
{
    const double b = MX_AT(a->b, tl_grid_row(&a->shape, solid, i, j), k);
    return b * step(a, kind, solid, i, j, k, columns_of(a, k));
}

/* The same for the two cells of coarse column ck. The cell behind them is of the next column. */
MX_BODY double step_pair(const tl_grid_args *a, int kind, int solid, int i, int j, int ck)
{
    const int row = tl_grid_row(&a->shape, solid, i, j), k = 2 * ck - 1;
    const columns left = {ck - 1, ck, ck}, right = {ck, ck, ck + 1};
    const double b_left = MX_AT(a->b, row, k), b_right = MX_AT(a->b, row, k + 1);
    const double sum = b_left * step(a, kind, solid, i, j, k, left);
    return sum + b_right * step(a, kind, solid, i, j, k + 1, right);
}

#define STEP(NAME, FUNCTION, KIND)                                          \
    MX_BODY void NAME##_body(const tl_grid_args *a, int j, int k)           \
    {                                                                       \
        (void)FUNCTION(a, KIND, 0, 0, j, k);                                \
    }                                                                       \
    MX_FOR(2D, NAME)                                                        \
    MX_BODY void NAME##_3d_body(const tl_grid_args *a, int i, int j, int k) \
    {                                                                       \
        (void)FUNCTION(a, KIND, 1, i, j, k);                                \
    }                                                                       \
    MX_FOR(3D, NAME##_3d)
STEP(tl_grid_second, step_cell, FIRST_STEP)
STEP(tl_grid_step, step_cell, STORED)
STEP(tl_grid_correct_first, step_cell, FIRST_STEP + CORRECTED)
STEP(tl_grid_correct_first_pairs, step_pair, FIRST_STEP + CORRECTED)
STEP(tl_grid_correct, step_cell, STORED + CORRECTED)
STEP(tl_grid_correct_pairs, step_pair, STORED + CORRECTED)

#define LAST_STEP(NAME, FUNCTION, KIND)                                                  \
    MX_BODY void NAME##_body(const tl_grid_args *a, int j, int k, double *dot)           \
    {                                                                                    \
        *dot += FUNCTION(a, KIND, 0, 0, j, k);                                           \
    }                                                                                    \
    MX_REDUCE(2D, NAME, MX_SUM)                                                          \
    MX_BODY void NAME##_3d_body(const tl_grid_args *a, int i, int j, int k, double *dot) \
    {                                                                                    \
        *dot += FUNCTION(a, KIND, 1, i, j, k);                                           \
    }                                                                                    \
    MX_REDUCE(3D, NAME##_3d, MX_SUM)
LAST_STEP(tl_grid_last, step_cell, STORED)
LAST_STEP(tl_grid_last_first, step_cell, FIRST_STEP + CORRECTED)
LAST_STEP(tl_grid_last_first_pairs, step_pair, FIRST_STEP + CORRECTED)

/* ---- restriction ---- */

/* (b - A x)(i, j, k) */
MX_BODY double residual(const tl_grid_args *a, int kind, int solid, int i, int j, int k)
{
    const columns none = {0, 0, 0};
    const int row = tl_grid_row(&a->shape, solid, i, j);
    const double b = MX_AT(a->b, row, k);
    const double diagonal =
        kind == FIRST_STEP ? a->first * b : MX_AT(a->x, row, k) / MX_AT(a->weight, row, k);
    return b + from_neighbours(a, kind, solid, i, j, k, none) - diagonal;
}

/* Over the fine cells in coarse cell (ci, cj, ck). */
MX_BODY double sum_of_residuals(const tl_grid_args *a, int kind, int solid, int ci, int cj, int ck)
{
    const tl_transfer *const t = &a->transfer;
    const int i0 = solid ? TL_FINE_BEGIN(t, 0, ci) : 0, i1 = solid ? TL_FINE_END(t, 0, ci) : 1;
    double sum = 0;
    for (int i = i0; i < i1; i++)
        for (int j = TL_FINE_BEGIN(t, 1, cj); j < TL_FINE_END(t, 1, cj); j++)
            for (int k = TL_FINE_BEGIN(t, 2, ck); k < TL_FINE_END(t, 2, ck); k++)
                sum += residual(a, kind, solid, i, j, k);
    return sum;
}

/* Where there are two along each dimension: the flows between them cancel, and each has one
 * neighbour outside along each dimension. This is the share of cell (i, j, k), whose neighbours
 * outside are di planes, dj rows and dk columns away. */
MX_BODY double share_of(const tl_grid_args *a, int kind, int solid, const int *cell, int di, int dj,
                        int dk)
{
    const tl_grid_widths *const w = &a->widths;
    const int i = cell[0], j = cell[1], k = cell[2], row = tl_grid_row(&a->shape, solid, i, j);
    const int face_row = tl_grid_row(&a->shape, solid, i, j + (dj > 0)), face_k = k + (dk > 0);
    const double x = value_of(a, kind, solid, i, j, k, 0);
    double volume = TL_WIDTH(w, 1, j) * TL_WIDTH(w, 2, k);
    double flow = MX_AT(a->face_x, row, face_k) * (x - value_of(a, kind, solid, i, j, k + dk, 0)) +
                  MX_AT(a->face_y, face_row, k) * (x - value_of(a, kind, solid, i, j + dj, k, 0));
    if (solid) {
        volume *= TL_WIDTH(w, 0, i);
        flow += MX_AT(a->face_z, row + (di > 0 ? a->shape.plane : 0), k) *
                (x - value_of(a, kind, solid, i + di, j, k, 0));
    }
    return MX_AT(a->b, row, k) - volume * x - flow;
}

MX_BODY double share_of_plane(const tl_grid_args *a, int kind, int solid, int i, int di, int cj,
                              int ck)
{
    const int j = 2 * cj - 1, k = 2 * ck - 1;
    const int cells[4][3] = {{i, j, k}, {i, j, k + 1}, {i, j + 1, k}, {i, j + 1, k + 1}};
    const double below = share_of(a, kind, solid, cells[0], di, -1, -1) +
                         share_of(a, kind, solid, cells[1], di, -1, 1);
    return below + share_of(a, kind, solid, cells[2], di, 1, -1) +
           share_of(a, kind, solid, cells[3], di, 1, 1);
}

MX_BODY double sum_of_even(const tl_grid_args *a, int kind, int solid, int ci, int cj, int ck)
{
    const int i = solid ? 2 * ci - 1 : 0;
    const double sum = share_of_plane(a, kind, solid, i, -1, cj, ck);
    return solid ? sum + share_of_plane(a, kind, solid, i + 1, 1, cj, ck) : sum;
}

#define RESTRICT(NAME, FUNCTION, KIND, ITEMS)                               \
    MX_BODY void NAME##_body(const tl_grid_args *a, int j, int k)           \
    {                                                                       \
        MX_AT(a->next, j, k) = FUNCTION(a, KIND, 0, 0, j, k);               \
    }                                                                       \
    MX_FOR(2D, NAME, ITEMS)                                                 \
    MX_BODY void NAME##_3d_body(const tl_grid_args *a, int i, int j, int k) \
    {                                                                       \
        const int row = i * a->transfer.plane + j * a->transfer.row;        \
        MX_AT(a->next, row, k) = FUNCTION(a, KIND, 1, i, j, k);             \
    }                                                                       \
    MX_FOR(3D, NAME##_3d, ITEMS)
RESTRICT(tl_grid_restrict_first, sum_of_residuals, FIRST_STEP, MX_ITEMS_PLAIN)
RESTRICT(tl_grid_restrict_first_even, sum_of_even, FIRST_STEP, MX_ITEMS_SIMD)
RESTRICT(tl_grid_restrict, sum_of_residuals, STORED, MX_ITEMS_PLAIN)
RESTRICT(tl_grid_restrict_even, sum_of_even, STORED, MX_ITEMS_SIMD)
