#include "minx/kernel.h"

#include "accessors.h"

MX_BODY void accessors_where_body(const accessors_where_args *a, int n)
{
    const int i = n / 12, j = n / 3 % 4, k = n % 3;
    MX_AT(a->where, n, 0) = &MX_AT(a->right, i, j, k) - a->right.data;
    MX_AT(a->where, n, 1) = &MX_AT(a->left, i, j, k) - a->left.data;
    MX_AT(a->where, n, 2) = &MX_AT(a->pairs, i, j + 1) - a->pairs.data;
    MX_AT(a->where, n, 3) = &MX_AT(a->five, i, 0, j % 2, k, 4000 + n) - a->five.data;
}
MX_FOR(1D, accessors_where)

MX_BODY void accessors_halo_body(const accessors_halo_args *a, int i, int j)
{
    const int64_t code = 1000 * i + j;
    MX_AT(a->own, i, j) = code;
    MX_AT(a->strided, i, j) = code + 1;
    MX_AT(a->left, i, j) = code + 2;
    MX_AT(a->right, i, j) = code + 3;
    if (i == 0) MX_AT(a->line, j) = code;
}
MX_FOR(2D, accessors_halo)

/* The sums of the four neighbours; those of the first and last rows and columns are halo. */
MX_BODY void accessors_sums_body(const accessors_halo_args *a, int i, int j)
{
    MX_AT(a->sums, i, j) = MX_AT(a->field, i - 1, j) + MX_AT(a->field, i + 1, j) +
                           MX_AT(a->field, i, j - 1) + MX_AT(a->field, i, j + 1);
}
MX_FOR(2D, accessors_sums)

MX_BODY void accessors_fill_body(const accessors_block_args *a, int i, int j, int k)
{
    MX_AT(a->block, i, j, k) = 10000 * i + 100 * j + k;
}
MX_FOR(3D, accessors_fill)

MX_BODY void accessors_lines_body(const accessors_thin_args *a, int i, int j)
{
    MX_AT(a->line, i, j) = 1000 + 10 * i + j;
    MX_AT(a->wide, i, j) = 2000 + 10 * i + j;
}
MX_FOR(2D, accessors_lines)

MX_BODY void accessors_sheets_body(const accessors_thin_args *a, int i, int j, int k)
{
    MX_AT(a->sheet, i, j, k) = 100 * i + 10 * j + k;
}
MX_FOR(3D, accessors_sheets)
