#include "pack.h"
#include "minx/kernel.h"

MX_BODY void pack_components_body(const pack_args *a, int k, int c)
{
    MX_AT(a->buffer, k, c) = MX_LOAD(a->x, MX_LOAD(a->index, k), c);
}
MX_FOR(2D, pack_components)

MX_BODY void pack_particles_body(const pack_args *a, int k)
{
    const int i = MX_LOAD(a->index, k);
    for (int c = 0; c < 3; c++) MX_AT(a->buffer, k, c) = MX_LOAD(a->x, i, c);
}
MX_FOR(1D, pack_particles, MX_ITEMS_PLAIN)

MX_BODY void unpack_components_body(const unpack_args *a, int k, int c)
{
    MX_AT(a->x, MX_LOAD(a->index, k), c) = MX_LOAD(a->buffer, k, c);
}
MX_FOR(2D, unpack_components)

MX_BODY void unpack_particles_body(const unpack_args *a, int k)
{
    const int i = MX_LOAD(a->index, k);
    for (int c = 0; c < 3; c++) MX_AT(a->x, i, c) = MX_LOAD(a->buffer, k, c);
}
MX_FOR(1D, unpack_particles, MX_ITEMS_PLAIN)
