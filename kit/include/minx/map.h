/* Unordered maps: a set of keys, each in a slot whose number stays until the map is cleared or rehashed. Values are views of
 * yours, of any type, indexed by slot, with the extent mx_map_capacity.
 *
 *     driver   mx_map_create(ctx, "cells", 1000000, &map);  mx_bind(ctx, map, &args.map);           mx_u64_1 map;
 *     body     const mx_map_slot s = mx_map_insert(&a->map, key);
 *              if (s.state != MX_MAP_FAILED) mx_atomic_add(&MX_AT(a->count, s.slot), 1);
 *     another  if (mx_map_valid(&a->map, i)) ... mx_map_key(&a->map, i), MX_AT(a->count, i)      for 0 <= i < capacity
 *
 * Keys are any 64 bits; i64 and u32 ones convert to u64 and back. The handle is a view for drivers to bind and destroy: keys (0:
 * free) in a power of two of slots, a slot of its own for key 0, and a note of failure. Open addressing with linear probing
 * (Knuth, vol. 3, 6.4, algorithm L), slots claimed by compare-and-swap on the key. No key is ever removed by itself, so probing
 * meets it before a free slot. Which slot a key gets depends on the order of inserts: launches that insert cannot be checked
 * against another backend. */
#pragma once
#include "minx/atomic.h"

#ifdef __cplusplus
extern "C" {
#endif
/* A map for `keys` (1 to 2^29) different keys, with a third more slots at least. MX_ERR_ARG, and those of mx_view_create. */
mx_err mx_map_create(mx_ctx ctx, const char *label, int64_t keys, mx_view *map);
mx_err mx_map_capacity(mx_view map, int64_t *capacity); /* the number of slots */

/* How many keys it holds, and whether an insert failed since it was made or cleared. Waits for ctx. */
mx_err mx_map_size(mx_ctx ctx, mx_view map, int64_t *size, bool *failed);
mx_err mx_map_clear(mx_ctx ctx, mx_view map); /* removes all keys; ordered on ctx */

/* Puts a map for `keys` keys, with those of this one, in its place; bind again. *origin is a new i32 view, from which slot each
 * key came (0 in free slots), so that mx_permute(ctx, values, old_values, origin) moves values along. Waits for ctx.
 * MX_ERR_EXTENT: they do not fit, and nothing changed. */
mx_err mx_map_rehash(mx_ctx ctx, mx_view *map, int64_t keys, mx_view *origin);
#define mx_map_create(...) MX_AT_SOURCE_LINE_(mx_map_create(__VA_ARGS__))
#define mx_map_rehash(...) MX_AT_SOURCE_LINE_(mx_map_rehash(__VA_ARGS__))
#ifdef __cplusplus
}
#endif

enum { MX_MAP_TRIES_ = 4096 }; /* slots in a row that may be taken */
#define MX_MAP_MASK_(map) ((int)MX_EXTENT(*(map), 0) - 3)

enum { MX_MAP_FAILED, MX_MAP_EXISTING, MX_MAP_SUCCESS };
typedef struct mx_map_slot {
    int slot, state; /* slot: -1 if failed */
} mx_map_slot;

/* Where a key is or, if it claims a slot, will be. */
MX_INLINE mx_map_slot mx_map_probe_(const mx_u64_1 *map, uint64_t key, bool claims)
{
    const int mask = MX_MAP_MASK_(map), tries = key == 0 ? 1 : MX_MAP_TRIES_;
    uint64_t hash = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u; /* splitmix64, Steele et al. 2014 */
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    for (int n = 0; n < tries && n <= mask; n++) {
        const int at = key == 0 ? mask + 1 : (int)((hash + (uint64_t)n) & (uint64_t)mask);
        const uint64_t mark = key == 0 ? 1 : key;
        uint64_t there = mx_atomic_load(&MX_AT(*map, at));
        if (there == 0 && !claims) break;
        if (there == 0) there = mx_atomic_compare_exchange(&MX_AT(*map, at), 0, mark);
        const mx_map_slot s = {at, there == 0 ? MX_MAP_SUCCESS : MX_MAP_EXISTING};
        if (there == 0 || there == mark) return s;
    }
    if (claims) mx_atomic_store(&MX_AT(*map, mask + 2), 1);
    const mx_map_slot none = {-1, MX_MAP_FAILED};
    return none;
}

/* Inserts a key unless it is there; of several items that do so at once, one has success. Failed: no slot is free, or none of 4096
 * in a row (all but impossible with no more keys than it is for); the map notes it. */
#define mx_map_insert(map, key) mx_map_probe_((map), (key), true)
/* The slot of a key, -1 if it is not there; is it there? Is there a key in a slot; which, in one that has? */
#define mx_map_find(map, key) (mx_map_probe_((map), (key), false).slot)
#define mx_map_exists(map, key) (mx_map_find(map, key) >= 0)
#define mx_map_valid(map, slot) (mx_atomic_load(&MX_AT(*(map), slot)) != 0)
#define mx_map_key(map, slot) \
    ((slot) <= MX_MAP_MASK_(map) ? mx_atomic_load(&MX_AT(*(map), slot)) : (uint64_t)0)
