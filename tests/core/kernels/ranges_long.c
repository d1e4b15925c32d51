#define MX_LONG_ROWS
#include "minx/kernel.h"

#include "ranges.h"

MX_BODY void ranges_long_body(const ranges_long_args *a, int i, int j)
{
    MX_AT(a->table, i, j) += 100 * i + j;
}
MX_FOR(2D, ranges_long)

MX_BODY void ranges_long_sum_body(const ranges_long_args *a, int i, int j, int64_t *sum)
{
    *sum += MX_AT(a->table, i, j);
}
MX_REDUCE(2D, ranges_long_sum, MX_SUM)
