/* The core's own kernels. Checks against another backend leave out those whose names begin with mx_: they could not follow the
 * plain pointers in their arguments. */
#pragma once
#include "memory.h"
#include "minx/map.h"
#include "minx/scatter.h"
#include "minx/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The record of a view with strides that ctx, which records no graph, reaches, and may write to if `writes`. */
mx_err mx_accessible_record(mx_ctx ctx, mx_view view, bool writes, const char *what,
                            mx_record **record);
/* If it does not hold: an error that tells what the view has, and what was expected. */
mx_err mx_expect(bool holds, mx_err err, const mx_record *r, const char *what,
                 const char *expected);

/* What is sorted, bits and their indices; at !now is room to work in. alone: no indices; ints: and the bits are int64_t. */
typedef struct mx_pairs {
    uint64_t *bits[2];
    int32_t *index[2];
    int64_t count;
    int current, keys_only, signed_keys;
    size_t work_bytes;
    void *work;
} mx_pairs;

/* radix.c, sort_cuda.cu: sort pairs by the lowest `bits` bits. Equal keys keep their order; pairs->now may change. work NULL:
 * only set work_bytes. */
mx_err mx_sort_on_host(mx_ctx ctx, mx_pairs *pairs, int bits);
mx_err mx_sort_on_cuda(mx_ctx ctx, mx_pairs *pairs, int bits);

typedef struct mx_join_args {
    void *to;
    const void *from; /* `copies` of it */
    int64_t step;
    int copies, op;
    int rank; /* 0: all that lies there; else of the elements, by extents and strides */
    int64_t extent[MX_MAX_RANK], stride[MX_MAX_RANK];
} mx_join_args;
#define MX_DECLARE_JOIN_(tag, T) MX_DECLARE_FOR(1D_64, mx_scatter_join_##tag, mx_join_args)
MX_SCATTER_TYPES_(MX_DECLARE_JOIN_)

/* Keys as bits that sort alike, and integers back; in sorted bits of i32, where bins begin. */
typedef struct mx_sort_args {
    char *keys;
    int64_t key_bytes, count, offset_stride; /* bytes from one key to the next */
    mx_type type;
    uint64_t *bits;
    int32_t *index, *offsets; /* index: NULL where only bits are sorted */
} mx_sort_args;
MX_DECLARE_FOR(1D, mx_sort_encode, mx_sort_args)
MX_DECLARE_FOR(1D, mx_sort_decode, mx_sort_args)
MX_DECLARE_FOR(1D, mx_bin_offsets, mx_sort_args)

typedef struct mx_map_args {
    mx_u64_1 map, old;
    mx_i32_1 origin;
} mx_map_args;
MX_ARGS(mx_map_args, map, old, origin)
MX_DECLARE_REDUCE(1D, mx_map_count, mx_map_args, int64_t)
MX_DECLARE_FOR(1D, mx_map_insert_all, mx_map_args)

#ifdef __cplusplus
}
#endif
