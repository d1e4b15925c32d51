#include "cells.h"
#include "minx/kernel.h"

MX_BODY int cells_along(double x, double per_length, int side)
{
    const int cell = (int)(x * per_length);
    return cell < 0 ? 0 : cell < side ? cell : side - 1;
}

MX_BODY void cells_count_body(const cells_count_args *a, int i)
{
    const int cx = cells_along(MX_AT(a->x, i, 0), a->per_length, a->side);
    const int cy = cells_along(MX_AT(a->x, i, 1), a->per_length, a->side);
    const int cz = cells_along(MX_AT(a->x, i, 2), a->per_length, a->side);
    const int cell = (cz * a->side + cy) * a->side + cx;
    /* stores behind the atomic: on hosts it waits until those in front of it are done */
    const int slot = mx_atomic_fetch_add(&MX_AT(a->count, cell), 1);
    MX_AT(a->cell, i) = cell;
    MX_AT(a->slot, i) = slot;
}
MX_FOR(1D, cells_count)

MX_BODY void cells_fill_body(const cells_fill_args *a, int i)
{
    MX_AT(a->order, MX_AT(a->begin, MX_AT(a->cell, i)) + MX_AT(a->slot, i)) = i;
}
MX_FOR(1D, cells_fill, MX_ITEMS_PLAIN)

/* By insertion: cells are short. */
MX_BODY void cells_sort_body(const cells_sort_args *a, int cell)
{
    const int begin = MX_AT(a->begin, cell), end = MX_AT(a->begin, cell + 1);
    for (int k = begin + 1; k < end; k++) {
        const int particle = MX_AT(a->order, k);
        int at = k;
        for (; at > begin && MX_AT(a->order, at - 1) > particle; at--)
            MX_AT(a->order, at) = MX_AT(a->order, at - 1);
        MX_AT(a->order, at) = particle;
    }
}
MX_FOR(1D, cells_sort, MX_ITEMS_PLAIN)
