/* Preconditioners: the diagonal of A, and its diagonal blocks of TL_BLOCK cells along y. */
#include "minx/kernel.h"

#include "tl_kernels.h"

MX_BODY double diagonal_of(const mx_cf64_2 *kx, const mx_cf64_2 *ky, int j, int k)
{
    return 1.0 + (MX_AT(*kx, j, k + 1) + MX_AT(*kx, j, k)) +
           (MX_AT(*ky, j + 1, k) + MX_AT(*ky, j, k));
}

MX_BODY void tl_diagonal_body(const tl_diagonal_args *a, int j, int k)
{
    MX_AT(a->diagonal, j, k) = 1.0 / diagonal_of(&a->kx, &a->ky, j, k);
}
MX_FOR(2D, tl_diagonal)

MX_BODY void tl_precondition_diagonal_body(const tl_precondition_args *a, int j, int k, double *rz)
{
    const double r = MX_AT(a->r, j, k), z = r * MX_AT(a->diagonal, j, k);
    MX_AT(a->z, j, k) = z;
    *rz += r * z;
}
MX_REDUCE(2D, tl_precondition_diagonal, MX_SUM, MX_ITEMS_SIMD)

/* Row i of a block: -ky(i) z(i-1) + diagonal z(i) - ky(i+1) z(i+1) = r(i), without the parts of cells outside of the block. */
MX_BODY void tl_precondition_block_body(const tl_precondition_args *a, int block, int k, double *rz)
{
    const int first = a->first + block * TL_BLOCK;
    const int rows = first + TL_BLOCK < a->last ? TL_BLOCK : a->last - first;
    double upper[TL_BLOCK], z[TL_BLOCK];
    double before = 0, up = 0;
    for (int i = 0; i < TL_BLOCK; i++) {
        if (i >= rows) break;
        const int j = first + i;
        const double low = i > 0 ? MX_AT(a->ky, j, k) : 0;
        const double pivot = 1.0 / (diagonal_of(&a->kx, &a->ky, j, k) - low * up);
        up = MX_AT(a->ky, j + 1, k) * pivot;
        before = (MX_AT(a->r, j, k) + low * before) * pivot;
        upper[i] = up;
        z[i] = before;
    }
    double after = 0, sum = 0;
    for (int i = TL_BLOCK - 1; i >= 0; i--) {
        if (i >= rows) continue;
        after = z[i] + (i + 1 < rows ? upper[i] * after : 0);
        MX_AT(a->z, first + i, k) = after;
        sum += MX_AT(a->r, first + i, k) * after;
    }
    *rz += sum;
}
MX_REDUCE(2D, tl_precondition_block, MX_SUM)
