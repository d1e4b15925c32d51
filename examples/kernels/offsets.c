#include "offsets.h"
#include "minx/scan.h"

/* An exclusive scan: the sum is stored before this item is added. */
MX_BODY void offsets_body(const offsets_args *a, int i, int32_t *sum, bool final)
{
    if (final) MX_AT(a->begin, i) = *sum;
    *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, offsets, MX_SUM)
