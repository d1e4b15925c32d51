#include "minx/kernel.h"

#include "subview.h"

MX_BODY void subview_add_body(const subview_add_args *a, int i, int j)
{
    MX_AT(a->part, i, j) += a->factor * MX_AT(a->row, j);
}
MX_FOR(2D, subview_add)

MX_BODY void subview_same_body(const subview_same_args *a, int i, int j)
{
    MX_AT(a->part, i, j) = 1000 + 10 * i + j;
}
MX_FOR(2D, subview_same)

MX_BODY void subview_sum_body(const subview_sum_args *a, int i, double *sum)
{
    *sum += MX_AT(a->row, i);
}
MX_REDUCE(1D, subview_sum, MX_SUM)
