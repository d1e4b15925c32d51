#include "minx/kernel.h"

#include "kernels/tl_diagonal.h"

/* A row of a block: -low(i) z(i-1) + diagonal z(i) - low(i+1) z(i+1) = r(i), without the parts of
 * cells outside of the block. */
typedef struct block_row {
    double diagonal, low, high;
} block_row;

MX_BODY block_row row_of_block(const tl_precondition_args *a, int row, int k, bool solid)
{
    const int next = tl_next_row(&a->mesh, solid);
    const double v = MX_AT(a->v, row, k), ry = a->mesh.ry;
    const block_row of_block = {tl_diagonal_at(&a->mesh, &a->v, row, k, solid),
                                ry * (v + MX_AT(a->v, row - next, k)),
                                ry * (v + MX_AT(a->v, row + next, k))};
    return of_block;
}

/* Solves the system of a block by elimination, and adds the sum of r z. `top` is the number of row 0
 * of the plane. */
MX_BODY void solve_block(const tl_precondition_args *a, int top, int block, int k, bool solid,
                         double *rz)
{
    const int begin = a->first + block * TL_BLOCK, next = tl_next_row(&a->mesh, solid);
    const int rows = begin + TL_BLOCK < a->last ? TL_BLOCK : a->last - begin;
    const int first = top + begin * next;
    /* Each element is set before it is read. gcc cannot prove it, and warns without the zeros. */
    double upper[TL_BLOCK] = {0}, z[TL_BLOCK] = {0};
    double before = 0, up = 0;
    for (int i = 0; i < TL_BLOCK; i++) {
        if (i >= rows) break;
        const int j = first + i * next;
        const block_row row = row_of_block(a, j, k, solid);
        const double low = i > 0 ? row.low : 0;
        const double pivot = 1.0 / (row.diagonal - low * up);
        up = row.high * pivot;
        before = (MX_AT(a->r, j, k) + low * before) * pivot;
        upper[i] = up;
        z[i] = before;
    }
    double after = 0, sum = 0;
    for (int i = TL_BLOCK - 1; i >= 0; i--) {
        if (i >= rows) continue;
        const int j = first + i * next;
        after = z[i] + (i + 1 < rows ? upper[i] * after : 0);
        MX_AT(a->z, j, k) = after;
        sum += MX_AT(a->r, j, k) * after;
    }
    *rz += sum;
}

MX_BODY void tl_precondition_block_body(const tl_precondition_args *a, int block, int k, double *rz)
{
    solve_block(a, 0, block, k, false, rz);
}
MX_REDUCE(2D, tl_precondition_block, MX_SUM)

MX_BODY void tl_precondition_block_3d_body(const tl_precondition_args *a, int i, int block, int k,
                                           double *rz)
{
    solve_block(a, TL_ROW(i, 0), block, k, true, rz);
}
MX_REDUCE(3D, tl_precondition_block_3d, MX_SUM)
