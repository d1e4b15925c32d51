#include "minx/kernel.h"

#include "bind.h"

MX_BODY void bind_scale_body(const bind_args *a, int i, int j)
{
    MX_AT(a->x, i, j) = a->factor * MX_AT(a->y, i, j) + MX_AT(a->row, j) + a->shift;
}
MX_FOR(2D, bind_scale)

MX_BODY void bind_sum_body(const bind_args *a, int i, double *sum) { *sum += MX_AT(a->row, i); }
MX_REDUCE(1D, bind_sum, MX_SUM)

MX_BODY void bind_padded_body(const bind_padded_args *a, int i, double *sum)
{
    *sum += a->count * MX_AT(a->row, i);
}
MX_REDUCE(1D, bind_padded, MX_SUM)

MX_BODY void bind_bins_body(const bind_args *a, int i, bind_bins_array bins)
{
    mx_array_add(bins, 0, MX_AT(a->row, i));
}
MX_REDUCE_ARRAY(1D, bind_bins, MX_SUM)

MX_BODY void bind_list_body(const bind_list_args *a, int i, int j)
{
    MX_AT(a->grid, i, j) = a->shift + a->factor * MX_AT(a->row, j);
}
MX_FOR(2D, bind_list)

MX_BODY void bind_inner_body(const bind_inner_args *a, int i, double *sum)
{
    for (int n = 0; n < a->rows.count; n++) *sum += MX_AT(a->rows.row[n], i);
    *sum += MX_AT(a->row, i);
}
MX_REDUCE(1D, bind_inner, MX_SUM)
