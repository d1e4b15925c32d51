#include "minx/scan.h"

#include "tools.h"

MX_BODY void to_set_body(const to_args *a, int i) { MX_AT(a->x, i) = i; }
MX_FOR(1D, to_set)

MX_BODY void to_sum_body(const to_args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, to_sum, MX_SUM)

MX_BODY void to_bins_body(const to_args *a, int i, to_bins_array bins)
{
    mx_array_add(bins, i % 2, MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D, to_bins, MX_SUM)

MX_BODY void to_scan_body(const to_args *a, int i, double *sum, bool final)
{
    *sum += MX_AT(a->x, i);
    if (final) MX_AT(a->x, i) = *sum;
}
MX_SCAN(1D, to_scan, MX_SUM)
