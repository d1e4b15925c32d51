#define MX_NOT_CHECKED
#include "minx/kernel.h"
#include "minx/team.h"

#include "../containers.h"

/* The offset of element i of a view of this rank. rank 0: of memory without gaps. */
MX_BODY int64_t join_offset(int rank, const int64_t *extent, const mx_stride *stride, int64_t i)
{
    int64_t offset = rank > 0 ? 0 : i;
    for (int d = rank - 1; d >= 0; d--) {
        offset += i % extent[d] * stride[d];
        i /= extent[d];
    }
    return offset;
}
/* Joins the copies of element e with `all`. The reducer is a constant, so that a GPU loads several
 * copies at a time. */
#define JOIN_COPIES(T, OP)                     \
    MX_UNROLL(8)                               \
    for (int c = 0; c < a->copies; c++) {      \
        const T v = from[c * a->step + e];     \
        all = (T)MX_SCATTER_JOIN_(OP, all, v); \
    }
#define JOIN(tag, T)                                                                    \
    MX_BODY void mx_scatter_join_##tag##_body(const mx_join_##tag##_args *a, int64_t i) \
    {                                                                                   \
        const int64_t e = join_offset(a->rank, a->to.extent, a->to.stride, i);          \
        T *const to = a->to.data, *const from = a->from.data;                           \
        T all = a->overwrite ? a->identity : to[e];                                     \
        switch (a->op) {                                                                \
        case MX_SUM_CODE_: JOIN_COPIES(T, MX_SUM_CODE_) break;                          \
        case MX_PROD_CODE_: JOIN_COPIES(T, MX_PROD_CODE_) break;                        \
        case MX_MIN_CODE_: JOIN_COPIES(T, MX_MIN_CODE_) break;                          \
        default: JOIN_COPIES(T, MX_MAX_CODE_)                                           \
        }                                                                               \
        for (int c = 0; c < a->copies; c++) from[c * a->step + e] = a->identity;        \
        to[e] = all;                                                                    \
    }                                                                                   \
    MX_FOR(1D_64, mx_scatter_join_##tag)
MX_SCATTER_TYPES_(JOIN)

/* Joins a block of a copy. The reducer is a constant, so that the loop can be vectorised. */
#define JOIN_BLOCK(T, OP)                                 \
    MX_TEAM_VECTOR_FOR(t, e, 0, count)                    \
    {                                                     \
        T before = replaces ? a->identity : to[e];        \
        to[e] = (T)MX_SCATTER_JOIN_(OP, before, from[e]); \
        from[e] = a->identity;                            \
    }
#define JOIN_BLOCKS(tag, T)                                                                     \
    MX_BODY void mx_scatter_join_blocks_##tag##_body(const mx_join_##tag##_args *a, mx_team *t) \
    {                                                                                           \
        const int64_t begin = (int64_t)t->league_rank * a->block, left = a->span - begin;       \
        const int count = (int)(left < a->block ? left : a->block);                             \
        T *MX_RESTRICT const to = a->to.data + begin;                                           \
        for (int c = 0; c < a->copies; c++) {                                                   \
            T *MX_RESTRICT const from = a->from.data + c * a->step + begin;                     \
            const bool replaces = c == 0 && a->overwrite;                                       \
            switch (a->op) {                                                                    \
            case MX_SUM_CODE_: JOIN_BLOCK(T, MX_SUM_CODE_) break;                               \
            case MX_PROD_CODE_: JOIN_BLOCK(T, MX_PROD_CODE_) break;                             \
            case MX_MIN_CODE_: JOIN_BLOCK(T, MX_MIN_CODE_) break;                               \
            default: JOIN_BLOCK(T, MX_MAX_CODE_)                                                \
            }                                                                                   \
        }                                                                                       \
    }                                                                                           \
    MX_FOR(TEAM, mx_scatter_join_blocks_##tag)
MX_SCATTER_TYPES_(JOIN_BLOCKS)

/* Bits whose unsigned order is the order of the numbers: those of negative numbers are inverted,
 * the others get the highest bit. -0 is 0, and NaNs are last. */
MX_BODY uint64_t mx_ordered_(double v)
{
    uint64_t bits;
    if (v == 0) v = 0;
    memcpy(&bits, &v, sizeof bits);
    return v != v ? UINT64_MAX : bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}
/* The same for a key of any type. */
MX_BODY uint64_t mx_key_bits_(mx_type type, const void *key)
{
    switch (type) {
    case MX_F64: return mx_ordered_(*(const double *)key);
    case MX_F32: return mx_ordered_((double)*(const float *)key);
    case MX_I32: return *(const uint32_t *)key ^ (uint32_t)1 << 31;
    case MX_I64: return *(const uint64_t *)key ^ (uint64_t)1 << 63;
    case MX_U8: return *(const uint8_t *)key;
    case MX_U32: return *(const uint32_t *)key;
    default: return *(const uint64_t *)key;
    }
}
MX_BODY void mx_sort_encode_body(const mx_sort_args *a, int i)
{
    a->bits[i] = mx_key_bits_(a->type, a->keys + i * a->key_bytes);
    if (a->index != NULL) a->index[i] = i;
}
MX_FOR(1D, mx_sort_encode, MX_ITEMS_PLAIN)

MX_BODY void mx_sort_decode_body(const mx_sort_args *a, int i)
{
    void *const at = a->keys + i * a->key_bytes;
    const uint64_t bits = a->bits[i];
    if (a->type == MX_I32)
        *(uint32_t *)at = (uint32_t)bits ^ (uint32_t)1 << 31;
    else if (a->type == MX_I64)
        *(uint64_t *)at = bits ^ (uint64_t)1 << 63;
    else if (a->type == MX_U8)
        *(uint8_t *)at = (uint8_t)bits;
    else if (a->type == MX_U32)
        *(uint32_t *)at = (uint32_t)bits;
    else
        *(uint64_t *)at = bits;
}
MX_FOR(1D, mx_sort_decode, MX_ITEMS_PLAIN)

/* The merge path of items and bins (Green, McColl and Bader 2012). Sorted items and bins are
 * merged: bin b comes before the first item of bin b or more, and the number of items before it is
 * its offset. Each index of the launch makes some steps of the merge. So all of them take the same
 * time, wherever bins are full or empty, and one bisection serves many bins. */
MX_BODY bool item_before_bin(const mx_sort_args *a, int64_t i, int64_t b)
{
    return a->bits[i] < (uint64_t)b + ((uint64_t)1 << 31);
}
MX_BODY void mx_bin_offsets_body(const mx_sort_args *a, int part)
{
    const int64_t begin = part * a->steps;
    const int64_t end = mx_min(begin + a->steps, a->count + a->offset_count);
    int64_t i = mx_max(begin - a->offset_count, (int64_t)0);
    for (int64_t high = mx_min(begin, a->count); i < high;) { /* the items of all parts before */
        const int64_t middle = (i + high) / 2;
        const bool before = item_before_bin(a, middle, begin - 1 - middle);
        i = before ? middle + 1 : i;
        high = before ? high : middle;
    }
    for (int64_t b = begin - i; b < a->offset_count && i + b < end;) {
        if (i < a->count && item_before_bin(a, i, b)) {
            i++;
        } else {
            a->offsets[b * a->offset_stride] = (int32_t)i;
            b++;
        }
    }
}
MX_FOR(1D, mx_bin_offsets, MX_ITEMS_PLAIN)

MX_BODY void mx_map_count_body(const mx_map_args *a, int i, int64_t *count)
{
    *count += MX_AT(a->map, i) != 0;
}
MX_REDUCE(1D, mx_map_count, MX_SUM)

MX_BODY void mx_map_insert_all_body(const mx_map_args *a, int i)
{
    if (!mx_map_valid(&a->old, i)) return;
    const int slot = mx_map_insert(&a->map, mx_map_key(&a->old, i)).slot;
    if (slot >= 0) MX_AT(a->origin, slot) = i;
}
MX_FOR(1D, mx_map_insert_all, MX_ITEMS_PLAIN)
