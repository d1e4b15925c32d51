/* Unordered maps: a set of keys. Each key is in a slot, whose number does not change until the map
 * is cleared or rehashed. Values are in views of your own, of any type, with extent
 * mx_map_capacity; the slot of a key is the index of its value.
 *
 *     driver   mx_map_create(ctx, "cells", 1000000, &map);  mx_bind(ctx, map, &args.map);           mx_u64_1 map;
 *     body     const mx_map_slot s = mx_map_insert(&a->map, key);
 *              if (s.state != MX_MAP_FAILED) mx_atomic_add(&MX_AT(a->count, s.slot), 1);
 *     another  if (mx_map_valid(&a->map, i)) ... mx_map_key(&a->map, i), MX_AT(a->count, i)      for 0 <= i < capacity
 *
 * A key is any u64; convert i64 and u32 keys to u64 and back. The handle is a view, which drivers
 * bind and destroy. It has a power of two of slots with keys (0: the slot is free), one more slot
 * for key 0, and a flag for failed inserts. Method: open addressing with linear probing (Knuth,
 * vol. 3, 6.4, algorithm L); an insert claims a slot by compare-and-swap on the key. Single keys
 * cannot be removed, so a search meets a key before any free slot. The slot of a key depends on the
 * order of inserts, so launches that insert cannot be checked against another backend. */
#pragma once
#include "minx/atomic.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Creates a map for `keys` (1 to 2^29) different keys. It has at least a third more slots. Errors:
 * MX_ERR_ARG, and those of mx_view_create. */
mx_err mx_map_create(mx_ctx ctx, const char *label, int64_t keys, mx_view *map);

/* Gives the number of slots. */
mx_err mx_map_capacity(mx_view map, int64_t *capacity);

/* Gives the number of keys, and whether an insert failed since the map was created or cleared.
 * Waits for ctx. */
mx_err mx_map_size(mx_ctx ctx, mx_view map, int64_t *size, bool *failed);

/* Removes all keys. Ordered on ctx. */
mx_err mx_map_clear(mx_ctx ctx, mx_view map);

/* Replaces the map by one for `keys` keys, with the same keys in it. Bind the map again afterwards.
 * *origin is a new i32 view with the old slot of each key (0 for free slots): mx_permute(ctx,
 * values, old_values, origin) moves the values. Waits for ctx. MX_ERR_EXTENT: the keys do not fit,
 * and nothing changed. */
mx_err mx_map_rehash(mx_ctx ctx, mx_view *map, int64_t keys, mx_view *origin);
#define mx_map_create(...) MX_AT_SOURCE_LINE_(mx_map_create(__VA_ARGS__))
#define mx_map_rehash(...) MX_AT_SOURCE_LINE_(mx_map_rehash(__VA_ARGS__))
#ifdef __cplusplus
}
#endif

enum { MX_MAP_TRIES_ = 4096 }; /* slots that an insert tries */
#define MX_MAP_MASK_(map) ((int)MX_EXTENT(*(map), 0) - 3)

/* What became of an insert: it failed, the map had the key already, or it has it now. */
enum { MX_MAP_FAILED, MX_MAP_EXISTING, MX_MAP_SUCCESS };
typedef struct mx_map_slot {
    int slot, state; /* slot: -1 if failed */
} mx_map_slot;

/* The slot of a key; for an insert, the slot that it claims. */
MX_INLINE mx_map_slot mx_map_probe_(const mx_u64_1 *map, uint64_t key, bool claims)
{
    const int mask = MX_MAP_MASK_(map), tries = key == 0 ? 1 : MX_MAP_TRIES_;
    uint64_t hash = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u; /* splitmix64, Steele et al. 2014 */
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    hash ^= hash >> 31;
    for (int n = 0; n < tries && n <= mask; n++) {
        const int at = key == 0 ? mask + 1 : (int)((hash + (uint64_t)n) & (uint64_t)mask);
        const uint64_t stored = key == 0 ? 1 : key; /* the slot of key 0 has 1 */
        uint64_t found = mx_atomic_load(&MX_AT(*map, at));
        if (found == 0 && !claims) break;
        if (found == 0) found = mx_atomic_compare_exchange(&MX_AT(*map, at), 0, stored);
        const mx_map_slot s = {at, found == 0 ? MX_MAP_SUCCESS : MX_MAP_EXISTING};
        if (found == 0 || found == stored) return s;
    }
    if (claims) mx_atomic_store(&MX_AT(*map, mask + 2), 1);
    const mx_map_slot none = {-1, MX_MAP_FAILED};
    return none;
}

/* Inserts a key unless the map has it. If several items insert the same key at the same time,
 * exactly one gets MX_MAP_SUCCESS. An insert fails if 4096 slots in a row have other keys, and then
 * sets the map's flag. This is very unlikely up to the number of keys for which the map was
 * created. */
#define mx_map_insert(map, key) mx_map_probe_((map), (key), true)

/* Finds the slot of a key; -1 if the map does not have the key. */
#define mx_map_find(map, key) (mx_map_probe_((map), (key), false).slot)

/* True if the map has the key. */
#define mx_map_exists(map, key) (mx_map_find(map, key) >= 0)

/* True if there is a key in this slot, 0 <= slot < capacity. */
#define mx_map_valid(map, slot) (mx_atomic_load(&MX_AT(*(map), slot)) != 0)

/* The key in a slot that has one. */
#define mx_map_key(map, slot) \
    ((slot) <= MX_MAP_MASK_(map) ? mx_atomic_load(&MX_AT(*(map), slot)) : (uint64_t)0)
