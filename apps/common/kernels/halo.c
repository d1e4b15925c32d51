#include "minx/kernel.h"

#include "halo_kernels.h"

/* The cell of a field that value number `e` of the buffer belongs to. */
typedef struct halo_cell {
    int field, index[3];
} halo_cell;

MX_BODY halo_cell cell_of(const app_halo_segment *segment, int segments, int e)
{
    int s = segments - 1;
    while (s > 0 && segment[s].start > e) s--;
    const app_halo_segment *const g = &segment[s];
    const int cells = g->extent[0] * g->extent[1] * g->extent[2];
    int rest = (e - g->start) % cells;
    halo_cell p;
    p.field = (e - g->start) / cells;
    p.index[2] = g->begin[2] + rest % g->extent[2];
    rest /= g->extent[2];
    p.index[1] = g->begin[1] + rest % g->extent[1];
    p.index[0] = g->begin[0] + rest / g->extent[1];
    return p;
}

MX_BODY void app_halo_pack_2d_body(const app_halo_2d_args *a, int e)
{
    const halo_cell p = cell_of(a->segment, a->segments, e);
    MX_AT(a->buffer, e) = MX_AT(a->field[p.field], p.index[0], p.index[1]);
}
MX_FOR(1D, app_halo_pack_2d, MX_ITEMS_PLAIN)

MX_BODY void app_halo_unpack_2d_body(const app_halo_2d_args *a, int e)
{
    const halo_cell p = cell_of(a->segment, a->segments, e);
    MX_AT(a->field[p.field], p.index[0], p.index[1]) = MX_AT(a->buffer, e);
}
MX_FOR(1D, app_halo_unpack_2d, MX_ITEMS_PLAIN)

MX_BODY void app_halo_pack_3d_body(const app_halo_3d_args *a, int e)
{
    const halo_cell p = cell_of(a->segment, a->segments, e);
    MX_AT(a->buffer, e) = MX_AT(a->field[p.field], p.index[0], p.index[1], p.index[2]);
}
MX_FOR(1D, app_halo_pack_3d, MX_ITEMS_PLAIN)

MX_BODY void app_halo_unpack_3d_body(const app_halo_3d_args *a, int e)
{
    const halo_cell p = cell_of(a->segment, a->segments, e);
    MX_AT(a->field[p.field], p.index[0], p.index[1], p.index[2]) = MX_AT(a->buffer, e);
}
MX_FOR(1D, app_halo_unpack_3d, MX_ITEMS_PLAIN)
