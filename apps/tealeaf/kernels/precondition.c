/* Preconditioners: the diagonal of A, and its diagonal blocks of TL_BLOCK cells along y. */
#include "minx/kernel.h"

#include "tl_apply_3d.h"
#include "tl_kernels.h"

#include <math.h>

/* v of a neighbour, for the diagonal. It is negative beyond the edge of the domain; with mirrored
 * boundaries it counts like that of the cell inside. */
MX_BODY double of_neighbour(const tl_mesh *m, double v) { return m->mirrors ? fabs(v) : v; }

/* The two neighbours in a direction. */
#define PAIR(v, m, j, k, dj, dk)                            \
    (of_neighbour(m, MX_AT(*(v), (j) - (dj), (k) - (dk))) + \
     of_neighbour(m, MX_AT(*(v), (j) + (dj), (k) + (dk))))

MX_BODY double diagonal_of(const mx_cf64_2 *v, const tl_mesh *m, int j, int k)
{
    const double twice = 2.0 * MX_AT(*v, j, k);
    return 1.0 + m->rx * (twice + PAIR(v, m, j, k, 0, 1)) +
           m->ry * (twice + PAIR(v, m, j, k, 1, 0));
}

MX_BODY void tl_diagonal_body(const tl_diagonal_args *a, int j, int k)
{
    MX_AT(a->diagonal, j, k) = 1.0 / diagonal_of(&a->v, &a->mesh, j, k);
}
MX_FOR(2D, tl_diagonal)

MX_BODY double diagonal_3d(const mx_cf64_2 *v, const tl_mesh *m, int r, int k)
{
    const double twice = 2.0 * MX_AT(*v, r, k);
    return 1.0 + m->rx * (twice + PAIR(v, m, r, k, 0, 1)) +
           m->ry * (twice + PAIR(v, m, r, k, m->row, 0)) +
           m->rz * (twice + PAIR(v, m, r, k, m->plane, 0));
}

MX_BODY void tl_diagonal_3d_body(const tl_diagonal_args *a, int i, int j, int k)
{
    const int row = TL_ROW(i, j);
    MX_AT(a->diagonal, row, k) = 1.0 / diagonal_3d(&a->v, &a->mesh, row, k);
}
MX_FOR(3D, tl_diagonal_3d)

MX_BODY void tl_precondition_diagonal_body(const tl_precondition_args *a, int j, int k, double *rz)
{
    const double r = MX_AT(a->r, j, k), z = r * MX_AT(a->diagonal, j, k);
    MX_AT(a->z, j, k) = z;
    *rz += r * z;
}
MX_REDUCE(2D, tl_precondition_diagonal, MX_SUM, MX_ITEMS_SIMD)
TL_SUM_BODY_3D(tl_precondition_diagonal, tl_precondition_args, double)
MX_REDUCE(3D, tl_precondition_diagonal_3d, MX_SUM, MX_ITEMS_SIMD)

/* A block: row i of `rows` ones is row number first + i * stride of the arrays. */
typedef struct block_rows {
    int first, rows, stride;
} block_rows;

MX_BODY block_rows rows_of_block(const tl_precondition_args *a, int block)
{
    const int first = a->first + block * TL_BLOCK;
    const block_rows b = {first, first + TL_BLOCK < a->last ? TL_BLOCK : a->last - first, 1};
    return b;
}

/* A row of a block: -low(i) z(i-1) + diagonal z(i) - low(i+1) z(i+1) = r(i), without the parts of
 * cells outside of the block. */
typedef struct block_row {
    double diagonal, low, high;
} block_row;

MX_BODY block_row row_of_block(const tl_precondition_args *a, int j, int k)
{
    const double ry = a->mesh.ry;
    const block_row row = {diagonal_of(&a->v, &a->mesh, j, k),
                           ry * (MX_AT(a->v, j - 1, k) + MX_AT(a->v, j, k)),
                           ry * (MX_AT(a->v, j, k) + MX_AT(a->v, j + 1, k))};
    return row;
}

MX_BODY block_row row_of_block_3d(const tl_precondition_args *a, int r, int k)
{
    const double ry = a->mesh.ry;
    const block_row row = {diagonal_3d(&a->v, &a->mesh, r, k),
                           ry * TL_FACE_3D(r, k, -a->mesh.row, 0),
                           ry * TL_FACE_3D(r, k, a->mesh.row, 0)};
    return row;
}

/* Solves the system of one block by elimination, and returns the sum of r z. */
MX_BODY double solve_block(const tl_precondition_args *a, const block_rows *b, int k, bool solid)
{
    /* Each element is set before it is read. gcc cannot prove it, and warns without the zeros. */
    double upper[TL_BLOCK] = {0}, z[TL_BLOCK] = {0};
    double before = 0, up = 0;
    for (int i = 0; i < TL_BLOCK; i++) {
        if (i >= b->rows) break;
        const int j = b->first + i * b->stride;
        const block_row row = solid ? row_of_block_3d(a, j, k) : row_of_block(a, j, k);
        const double low = i > 0 ? row.low : 0;
        const double pivot = 1.0 / (row.diagonal - low * up);
        up = row.high * pivot;
        before = (MX_AT(a->r, j, k) + low * before) * pivot;
        upper[i] = up;
        z[i] = before;
    }
    double after = 0, sum = 0;
    for (int i = TL_BLOCK - 1; i >= 0; i--) {
        if (i >= b->rows) continue;
        const int j = b->first + i * b->stride;
        after = z[i] + (i + 1 < b->rows ? upper[i] * after : 0);
        MX_AT(a->z, j, k) = after;
        sum += MX_AT(a->r, j, k) * after;
    }
    return sum;
}

MX_BODY void tl_precondition_block_body(const tl_precondition_args *a, int block, int k, double *rz)
{
    const block_rows rows = rows_of_block(a, block);
    *rz += solve_block(a, &rows, k, false);
}
MX_REDUCE(2D, tl_precondition_block, MX_SUM)

MX_BODY void tl_precondition_block_3d_body(const tl_precondition_args *a, int i, int block, int k,
                                           double *rz)
{
    block_rows rows = rows_of_block(a, block);
    rows.first = TL_ROW(i, rows.first);
    rows.stride = a->mesh.row;
    *rz += solve_block(a, &rows, k, true);
}
MX_REDUCE(3D, tl_precondition_block_3d, MX_SUM)

/* ---- scalars ---- */

MX_BODY void tl_dot_body(const tl_dot_args *a, int j, int k, double *sum)
{
    *sum += MX_AT(a->r, j, k) * MX_AT(a->z, j, k);
}
MX_REDUCE(2D, tl_dot, MX_SUM, MX_ITEMS_SIMD)
TL_SUM_BODY_3D(tl_dot, tl_dot_args, double)
MX_REDUCE(3D, tl_dot_3d, MX_SUM, MX_ITEMS_SIMD)

MX_BODY void tl_dot_change_alpha(tl_dot_args *a)
{
    const double pw = MX_AT(a->pw, a->product);
    a->alpha = pw > 0 ? MX_AT(a->rr, a->before) / pw : 0.0;
}

MX_BODY void tl_dot_change_body(const tl_dot_args *a, int j, int k, double *sum)
{
    *sum -= a->alpha * MX_AT(a->w, j, k) * MX_AT(a->z, j, k);
}
MX_REDUCE(2D, tl_dot_change, MX_SUM, MX_ITEMS_SIMD, tl_dot_change_alpha)
TL_SUM_BODY_3D(tl_dot_change, tl_dot_args, double)
MX_REDUCE(3D, tl_dot_change_3d, MX_SUM, MX_ITEMS_SIMD, tl_dot_change_alpha)
