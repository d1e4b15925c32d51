#include "minx/kernel.h"

#include "fe_kernels.h"

MX_BODY void fe_product_body(const fe_product_args *a, int row, double *pw)
{
    const int64_t begin = MX_AT(a->begin, row), end = MX_AT(a->begin, row + 1);
    double sum = 0;
    MX_SIMD_SUM(sum)
    for (int64_t e = begin; e < end; e++)
        sum += MX_AT(a->value, e) * MX_AT(a->p, MX_AT(a->column, e));
    MX_AT(a->w, row) = sum;
    *pw += MX_AT(a->p, row) * sum;
}
MX_REDUCE(1D, fe_product, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void fe_copy_body(const fe_start_args *a, int i) { MX_AT(a->p, i) = MX_AT(a->x, i); }
MX_FOR(1D, fe_copy)

MX_BODY void fe_start_body(const fe_start_args *a, int i, double *rr)
{
    const double r = MX_AT(a->b, i) - MX_AT(a->w, i);
    MX_AT(a->r, i) = r;
    MX_AT(a->p, i) = r;
    *rr += r * r;
}
MX_REDUCE(1D, fe_start, MX_SUM)

MX_BODY void fe_update_body(const fe_update_args *a, int i, double *rr)
{
    const double r = MX_AT(a->r, i) - a->alpha * MX_AT(a->w, i);
    MX_AT(a->x, i) += a->alpha * MX_AT(a->p, i);
    MX_AT(a->r, i) = r;
    *rr += r * r;
}
MX_REDUCE(1D, fe_update, MX_SUM)

MX_BODY void fe_direction_body(const fe_direction_args *a, int i)
{
    MX_AT(a->p, i) = MX_AT(a->r, i) + a->beta * MX_AT(a->p, i);
}
MX_FOR(1D, fe_direction)
