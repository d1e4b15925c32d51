#define MX_LONG_ROWS
#include "minx/kernel.h"

#include "ranges.h"

#ifdef MX_ITEMS_SIMD_HAS_SHORT_ROWS_ /* an instance for hosts */
MX_STATIC_ASSERT(MX_ITEMS_SIMD_HAS_SHORT_ROWS_ == 0, "no form for short rows");
#endif

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
