/* Sorting, for drivers. All sorts are stable (equal keys keep their order), so every backend gives
 * the same result. Hosts use a radix sort with the context's threads, cuda uses CUB's. Ordered on
 * ctx; waits only if scratch memory has to grow. Views may have any strides, in a space that ctx
 * can access (MX_ERR_LAYOUT, MX_ERR_SPACE). Graphs cannot record sorts (MX_ERR_ARG). Types or
 * extents that do not match are MX_ERR_TYPE or MX_ERR_EXTENT.
 *
 * Keys: a view of rank 1 with at most MX_INDEX_END numbers, sorted in ascending order; -0 equals 0,
 * NaNs come last. */
#pragma once
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Sorts keys, and applies the same order to the first dimension of values, of any element type and
 * rank. */
#define mx_sort(ctx, keys) mx_sort_by_key((ctx), (keys), MX_VIEW_NULL)
mx_err mx_sort_by_key(mx_ctx ctx, mx_view keys, mx_view values);

/* Sets order(k), i32 and contiguous, to the index of key number k in sorted order. Does not change
 * the keys. */
#define mx_sort_order(ctx, keys, order) mx_bin_sort((ctx), (keys), MX_VIEW_NULL, (order))

/* Sorts items into bins. bins(i), i32: the bin of item i, 0 to B-1, set by your kernel. Sets order
 * (as above) and offsets (i32, extent B+1): bin b has the items order(offsets(b)) to
 * order(offsets(b+1) - 1), ascending. Items with other bin numbers are in no bin: in `order`,
 * negative ones come first and larger ones last. Bins and order may be the same view. */
mx_err mx_bin_sort(mx_ctx ctx, mx_view bins, mx_view offsets, mx_view order);

/* destination(k, ...) = source(index(k), ...). The views do not overlap, and have equal types, ranks
 * and extents beyond the first. index: i32 or i64, 0 to the source's first extent - 1: any other
 * index copies row 0, and is MX_ERR_BOUNDS, on cuda at the next fence. */
mx_err mx_permute(mx_ctx ctx, mx_view destination, mx_view source, mx_view index);
#ifdef __cplusplus
}
#endif
