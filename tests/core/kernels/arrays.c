#include "minx/kernel.h"
#include "minx/scan.h"

#include "arrays.h"

MX_BODY void ar_axpy_body(const ar_axpy_args *a, int i) { MX_AT(a->y, i) += a->a * MX_AT(a->x, i); }
MX_FOR(1D, ar_axpy)

MX_BODY void ar_dot_body(const ar_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->y, i);
}
MX_REDUCE(1D, ar_dot, MX_SUM)

MX_BODY void ar_heat_body(const ar_heat_args *a, int i, int j)
{
    MX_AT(a->next, i, j) = 0.25 * (MX_AT(a->u, i - 1, j) + MX_AT(a->u, i + 1, j) +
                                   MX_AT(a->u, i, j - 1) + MX_AT(a->u, i, j + 1));
}
MX_FOR(2D, ar_heat)

MX_BODY void ar_spmv_body(const ar_spmv_args *a, int i)
{
    double sum = 0;
    for (int k = MX_AT(a->row, i); k < MX_AT(a->row, i + 1); k++)
        sum += MX_AT(a->value, k) * MX_AT(a->x, MX_AT(a->column, k));
    MX_AT(a->y, i) = sum;
}
MX_FOR(1D, ar_spmv)

MX_BODY void ar_histogram_body(const ar_histogram_args *a, int i)
{
    mx_atomic_add(&MX_AT(a->bin, MX_AT(a->key, i)), 1);
}
MX_FOR(1D, ar_histogram)

MX_BODY void ar_offsets_body(const ar_offsets_args *a, int i, int32_t *sum, bool final)
{
    if (final) MX_AT(a->offset, i) = *sum;
    *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, ar_offsets, MX_SUM)

MX_BODY void ar_drift_body(const ar_drift_args *a, int i)
{
    for (int d = 0; d < 3; d++) MX_AT(a->position, i, d) += a->dt * MX_AT(a->velocity, i, d);
}
MX_FOR(1D, ar_drift)
