/* What the files of the kit share. It goes by public headers of the core alone. Checks against another backend leave out kernels
 * whose names begin with mx_: they could not follow the plain pointers in their arguments. */
#pragma once
#include "minx/extend.h"
#include "minx/map.h"
#include "minx/scatter.h"
#include "minx/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* If it does not hold: an error that tells what the view has, and what was expected. */
mx_err mx_expect(bool holds, mx_err err, const mx_view_info *view, const char *what,
                 const char *expected);

/* MX_ERR_ARG if ctx records a graph. */
mx_err mx_no_graph(mx_ctx ctx, const mx_view_info *view, const char *what);

/* What is sorted: bits and their indices. They are in place `current`; the other place is room to work in. */
typedef struct mx_pairs {
    uint64_t *bits[2];
    int32_t *index[2];
    int64_t count;
    int current;
    bool keys_only;   /* there are no indices */
    bool signed_keys; /* the bits are those of int64_t */
    size_t work_bytes;
    void *work;
} mx_pairs;

/* radix.c, sort_cuda.cu: sort pairs by the lowest `bits` bits. Equal keys keep their order; pairs->current may change.
 * work NULL: only set work_bytes. */
mx_err mx_sort_on_host(mx_ctx ctx, mx_pairs *pairs, int bits);
mx_err mx_sort_on_cuda(mx_ctx ctx, mx_pairs *pairs, int bits);

/* Joins `copies` of a view, the first at `from`, into another view, and leaves identities there. */
#define MX_DECLARE_JOIN_(tag, T)                                                       \
    typedef struct mx_join_##tag##_args {                                              \
        mx_##tag##_8s to, from;                                                        \
        T identity;                                                                    \
        int64_t step; /* elements from one copy to the next */                         \
        int copies;                                                                    \
        int op;                                                                        \
        int rank; /* 0: all that lies there; else of the elements, by their indices */ \
        bool overwrite;                                                                \
    } mx_join_##tag##_args;                                                            \
    MX_ARGS(mx_join_##tag##_args, to, from)                                            \
    MX_DECLARE_FOR(1D_64, mx_scatter_join_##tag, mx_join_##tag##_args)
MX_SCATTER_TYPES_(MX_DECLARE_JOIN_)

/* Keys as bits that sort alike, and integers back; in sorted bits of i32, where bins begin. */
typedef struct mx_sort_args {
    char *keys;
    int64_t key_bytes; /* from one key to the next */
    int64_t count;
    mx_type type;
    uint64_t *bits;
    int32_t *index; /* NULL where only bits are sorted */
    int32_t *offsets;
    int64_t offset_stride;
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
