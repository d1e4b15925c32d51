#include "minx/kernel.h"

#include "domain/box_halo_kernels.h"

/* The cell of a field that element number `e` of the buffer belongs to. */
typedef struct halo_cell {
    int field;
    int index[3];
} halo_cell;

/* The index along a dimension, and what is left for the dimensions before it. At depth 1 a face
 * has an extent of 1, where the (slow) division is not needed. */
MX_BODY int split(int *rest, int extent)
{
    if (extent == 1) return 0;
    const int index = *rest % extent;
    *rest /= extent;
    return index;
}

MX_BODY halo_cell cell_of(const app_box_halo_args *a, int e)
{
    int s = a->segments - 1;
    while (s > 0 && a->segment[s].start > e) s--;
    const app_box_halo_segment *const g = &a->segment[s];
    int rest = e - g->start;
    halo_cell c;
    c.index[2] = g->begin[2] + split(&rest, g->extent[2]);
    c.index[1] = g->begin[1] + split(&rest, g->extent[1]);
    c.index[0] = g->begin[0] + split(&rest, g->extent[0]);
    c.field = rest;
    return c;
}

MX_BODY void app_box_halo_pack_body(const app_box_halo_args *a, int e)
{
    const halo_cell c = cell_of(a, e);
    for (int w = 0; w < a->words; w++)
        MX_AT(a->buffer, (int64_t)e * a->words + w) =
            MX_AT(a->field[c.field], c.index[0], c.index[1], c.index[2], w);
}
MX_FOR(1D, app_box_halo_pack, MX_ITEMS_PLAIN)

MX_BODY void app_box_halo_unpack_body(const app_box_halo_args *a, int e)
{
    const halo_cell c = cell_of(a, e);
    for (int w = 0; w < a->words; w++)
        MX_AT(a->field[c.field], c.index[0], c.index[1], c.index[2], w) =
            MX_AT(a->buffer, (int64_t)e * a->words + w);
}
MX_FOR(1D, app_box_halo_unpack, MX_ITEMS_PLAIN)
