/* Declarations that the files of the kit share. The kit uses public headers of the core only.
 * Its kernels define MX_NOT_CHECKED: their arguments have plain pointers. */
#pragma once
#include "minx/extend.h"
#include "minx/kit/map.h"
#include "minx/kit/scatter.h"
#include "minx/kit/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unless `holds`, fails with the view's properties and what was expected. */
mx_err mx_expect(bool holds, mx_err err, const mx_view_info *view, const char *what,
                 const char *expected);

/* MX_ERR_ARG if ctx records a graph. */
mx_err mx_no_graph(mx_ctx ctx, const mx_view_info *view, const char *what);

/* Pairs to sort: the bits of keys, and their indices. The pairs are in arrays number `current`; the
 * other arrays are for work. */
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

/* radix.c, sort_cuda.cu, sort_hip.cu: sort pairs by the lowest `bits` bits. Equal keys keep their order;
 * pairs->current may change. work NULL: only set work_bytes. */
mx_err mx_sort_on_host(mx_ctx ctx, mx_pairs *pairs, int bits);
mx_err mx_sort_on_cuda(mx_ctx ctx, mx_pairs *pairs, int bits);
mx_err mx_sort_on_hip(mx_ctx ctx, mx_pairs *pairs, int bits);

/* Joins `copies` copies of a view, the first at `from`, into view `to`, and sets the copies to the
 * identity. There are two kernels:
 *
 *     mx_scatter_join         an item is an element; also for views with gaps
 *     mx_scatter_join_blocks  a team joins a block of elements, one copy after the other; for memory without gaps. Faster on hosts,
 *                             where its loops over elements are vectorised */
/* clang-format off */
#define MX_DECLARE_JOIN_(tag, T)                                                         \
    MX_ARGS(mx_join_##tag##_args,                                                        \
        (mx_##tag##_8s, to) (mx_##tag##_8s, from),                                       \
        T identity;                                                                      \
        int64_t step;  /* elements from one copy to the next */                          \
        int64_t span;  /* elements of all memory of a copy */                            \
        int64_t block; /* elements of a team */                                          \
        int copies;                                                                      \
        int op;                                                                          \
        int rank; /* 0: all memory of the copies; else the elements, by their indices */ \
        bool overwrite;                                                                  \
    );                                                                                   \
    MX_DECLARE_FOR(1D_64, mx_scatter_join_##tag, mx_join_##tag##_args)                   \
    MX_DECLARE_FOR(TEAM, mx_scatter_join_blocks_##tag, mx_join_##tag##_args)
/* clang-format on */
MX_SCATTER_TYPES_(MX_DECLARE_JOIN_)

/* Arguments of three kernels: encode turns keys into bits whose unsigned (for integers: signed)
 * order is the order of the keys, decode turns the bits of integers back into keys, bin_offsets
 * finds where each bin begins in sorted bits of i32: one item for so many `steps` of count +
 * offset_count. */
MX_ARGS(mx_sort_args, ,
    char *keys;
    int64_t key_bytes; /* from one key to the next */
    int64_t count;
    mx_type type;
    uint64_t *bits;
    int32_t *index; /* NULL if only bits are sorted */
    int32_t *offsets;
    int64_t offset_stride, offset_count;
    int64_t steps; /* of one item of bin_offsets */
);
MX_DECLARE_FOR(1D, mx_sort_encode, mx_sort_args)
MX_DECLARE_FOR(1D, mx_sort_decode, mx_sort_args)
MX_DECLARE_FOR(1D, mx_bin_offsets, mx_sort_args)

MX_ARGS(mx_map_args, (mx_u64_1, map) (mx_u64_1, old) (mx_i32_1, origin));
MX_DECLARE_REDUCE(1D, mx_map_count, mx_map_args, int64_t)
MX_DECLARE_FOR(1D, mx_map_insert_all, mx_map_args)

#ifdef __cplusplus
}
#endif
