#include "minx/kernel.h"

#include "sort.h"

/* A cell of a grid of 8 by 8 by 8 in the unit cube. */
MX_BODY void so_bins_body(const so_args *a, int i)
{
    MX_AT(a->bin, i) = ((int)(8 * MX_AT(a->x, i, 0)) * 8 + (int)(8 * MX_AT(a->x, i, 1))) * 8 +
                       (int)(8 * MX_AT(a->x, i, 2));
}
MX_FOR(1D, so_bins)
