#include "offsets.h"
#include "minx/scan.h"

/* Stored before this item is added, so that it is not in the sum: an exclusive scan. */
MX_BODY void offsets_body(const offsets_args *a, int i, int32_t *sum, bool final)
{
    if (final) MX_AT(a->begin, i) = *sum;
    *sum += MX_AT(a->count, i);
}
MX_SCAN(1D, offsets, MX_SUM)
