#include "minx/kernel.h"

#include "map.h"

MX_BODY void mp_insert_body(const mp_args *a, int i)
{
    const mx_map_slot s = mx_map_insert(&a->map, MX_AT(a->key, i));
    MX_AT(a->slot, i) = s.slot;
    MX_AT(a->state, i) = s.state;
    if (s.state != MX_MAP_FAILED) mx_atomic_add(&MX_AT(a->count, s.slot), (int64_t)1);
}
MX_FOR(1D, mp_insert)

MX_BODY void mp_find_body(const mp_args *a, int i)
{
    MX_AT(a->slot, i) = mx_map_find(&a->map, MX_AT(a->key, i));
    MX_AT(a->state, i) = mx_map_exists(&a->map, MX_AT(a->key, i));
}
MX_FOR(1D, mp_find)

MX_BODY void mp_list_body(const mp_args *a, int i)
{
    MX_AT(a->found, i) = mx_map_valid(&a->map, i) ? mx_map_key(&a->map, i) : 12345;
    MX_AT(a->count, i) = mx_map_valid(&a->map, i);
}
MX_FOR(1D, mp_list)

MX_BODY void mp_move_body(const mp_move_args *a, int i)
{
    MX_AT(a->to, i) = MX_AT(a->from, MX_AT(a->origin, i));
}
MX_FOR(1D, mp_move)
