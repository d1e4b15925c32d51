#include "minx/kernel.h"
#include "minx/scan.h"
#include "minx/team.h"

#include "smooth.h"

/* The mean of two neighbours, weighted. */
MX_BODY double smooth_mean(const smooth_args *a, double left, double right)
{
    const double mean = 0.5 * (left + right);
    return a->weight * mean; /* line: mean */
}

MX_BODY void smooth_body(const smooth_args *a, int j, int k)
{
    const double left = MX_AT(a->old, j, k - 1);
    const double right = MX_AT(a->old, j, k + 1);
    MX_AT(a->next, j, k) = smooth_mean(a, left, right); /* line: body */
}
MX_FOR(2D, smooth) /* line: stamp */

MX_BODY void smooth_sum_body(const smooth_args *a, int k, double *sum)
{
    const double value = MX_AT(a->next, 1, k);
    *sum += value; /* line: sum */
}
MX_REDUCE(1D, smooth_sum, MX_SUM)

/* The sum of each row, by a team. */
MX_BODY void smooth_rows_body(const smooth_args *a, mx_team *t)
{
    const int row = t->league_rank;
    double length;
    MX_VECTOR_SUM (t, k, 0, a->columns, length) length += MX_AT(a->old, row, k);
    MX_VECTOR_SINGLE (t) MX_AT(a->length, row) = length; /* line: row */
}
MX_FOR(TEAM, smooth_rows) /* line: rows */

MX_BODY void smooth_scan_body(const smooth_args *a, int k, double *before, bool final)
{
    const double value = MX_AT(a->old, 1, k);
    if (final) MX_AT(a->next, 1, k) = *before;
    *before += value; /* line: scan */
}
MX_SCAN(1D, smooth_scan, MX_SUM) /* line: scans */
