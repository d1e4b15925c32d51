/* Multigrid: the matrices of its grids. */
#include "minx/kernel.h"

#include "preconditioners/multigrid/tl_grid_kernels.h"

/* ---- the solver's mesh ---- */

MX_BODY void fine_faces(const tl_grid_fine_args *a, int row, int below, int k)
{
    const double v = MX_AT(a->v, row, k);
    MX_AT(a->face_x, row, k) = a->rx * (MX_AT(a->v, row, k - 1) + v);
    MX_AT(a->face_y, row, k) = a->ry * (MX_AT(a->v, below, k) + v);
}

MX_BODY void tl_grid_fine_body(const tl_grid_fine_args *a, int j, int k)
{
    fine_faces(a, j, j - 1, k);
}
MX_FOR(2D, tl_grid_fine)

MX_BODY void tl_grid_fine_3d_body(const tl_grid_fine_args *a, int i, int j, int k)
{
    const int row = tl_grid_row(&a->shape, 1, i, j);
    fine_faces(a, row, row - a->shape.row, k);
    MX_AT(a->face_z, row, k) = a->rz * (MX_AT(a->v, row - a->shape.plane, k) + MX_AT(a->v, row, k));
}
MX_FOR(3D, tl_grid_fine_3d)

/* ---- coarse grids ---- */

/* Between the centres of the cells before and behind a face. The first cell's neighbour is a cell
 * of another rank: it counts as wide as most cells. */
MX_BODY double distance(const tl_grid_widths *w, int d, int index)
{
    return TL_WIDTH(w, d, index) + TL_WIDTH(w, d, index - 1);
}

/* How a fine face along dimension d before coarse index `c` counts. */
MX_BODY double share(const tl_grid_coarse_args *a, int d, int c)
{
    return distance(&a->fine_widths, d, TL_FINE_BEGIN(&a->transfer, d, c)) /
           distance(&a->widths, d, c);
}

/* The sums over the fine faces of a coarse cell, along dimension d. */
MX_BODY double sum_of_faces(const tl_grid_coarse_args *a, const mx_cf64_2 *face, int solid, int d,
                            int ci, int cj, int ck)
{
    const tl_transfer *const t = &a->transfer;
    const int i0 = solid ? TL_FINE_BEGIN(t, 0, ci) : 0, j0 = TL_FINE_BEGIN(t, 1, cj),
              k0 = TL_FINE_BEGIN(t, 2, ck);
    const int i1 = !solid || d == 0 ? i0 + 1 : TL_FINE_END(t, 0, ci);
    const int j1 = d == 1 ? j0 + 1 : TL_FINE_END(t, 1, cj);
    const int k1 = d == 2 ? k0 + 1 : TL_FINE_END(t, 2, ck);
    double sum = 0;
    for (int i = i0; i < i1; i++)
        for (int j = j0; j < j1; j++)
            for (int k = k0; k < k1; k++)
                sum += MX_AT(*face, tl_grid_row(&a->shape, solid, i, j), k);
    return sum;
}

MX_BODY void tl_grid_coarse_body(const tl_grid_coarse_args *a, int j, int k)
{
    MX_AT(a->face_x, j, k) = share(a, 2, k) * sum_of_faces(a, &a->fine_x, 0, 2, 0, j, k);
    MX_AT(a->face_y, j, k) = share(a, 1, j) * sum_of_faces(a, &a->fine_y, 0, 1, 0, j, k);
}
MX_FOR(2D, tl_grid_coarse, MX_ITEMS_PLAIN)

MX_BODY void tl_grid_coarse_3d_body(const tl_grid_coarse_args *a, int i, int j, int k)
{
    const int row = i * a->transfer.plane + j * a->transfer.row;
    MX_AT(a->face_x, row, k) = share(a, 2, k) * sum_of_faces(a, &a->fine_x, 1, 2, i, j, k);
    MX_AT(a->face_y, row, k) = share(a, 1, j) * sum_of_faces(a, &a->fine_y, 1, 1, i, j, k);
    MX_AT(a->face_z, row, k) = share(a, 0, i) * sum_of_faces(a, &a->fine_z, 1, 0, i, j, k);
}
MX_FOR(3D, tl_grid_coarse_3d, MX_ITEMS_PLAIN)

/* ---- the diagonal ---- */

MX_BODY void tl_grid_weight_body(const tl_grid_weight_args *a, int j, int k)
{
    const tl_grid_widths *const w = &a->widths;
    const double volume = TL_WIDTH(w, 1, j) * TL_WIDTH(w, 2, k);
    MX_AT(a->weight, j, k) = 1.0 / (volume + (MX_AT(a->face_x, j, k) + MX_AT(a->face_x, j, k + 1)) +
                                    (MX_AT(a->face_y, j, k) + MX_AT(a->face_y, j + 1, k)));
}
MX_FOR(2D, tl_grid_weight)

MX_BODY void tl_grid_weight_3d_body(const tl_grid_weight_args *a, int i, int j, int k)
{
    const int row = tl_grid_row(&a->shape, 1, i, j), above = row + a->shape.row,
              behind = row + a->shape.plane;
    const tl_grid_widths *const w = &a->widths;
    const double volume = TL_WIDTH(w, 0, i) * TL_WIDTH(w, 1, j) * TL_WIDTH(w, 2, k);
    MX_AT(a->weight, row, k) =
        1.0 / (volume + (MX_AT(a->face_x, row, k) + MX_AT(a->face_x, row, k + 1)) +
               (MX_AT(a->face_y, row, k) + MX_AT(a->face_y, above, k)) +
               (MX_AT(a->face_z, row, k) + MX_AT(a->face_z, behind, k)));
}
MX_FOR(3D, tl_grid_weight_3d)
