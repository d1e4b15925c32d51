/* Sorting, for drivers. All of it is stable (equals keep their order), so every backend gives the same: hosts by a radix sort
 * with the context's threads, cuda by CUB's. Ordered on ctx; waits only while memory for it grows. Views are any with strides
 * that ctx reaches (MX_ERR_SPACE, _LAYOUT). Graphs cannot record it (MX_ERR_ARG). What does not fit is MX_ERR_TYPE, _EXTENT.
 *
 * Keys: a view of rank 1 of numbers, MX_INDEX_END at most, in ascending order; -0 equals 0, NaNs come last. */
#pragma once
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif
/* Sorts keys, and with them values of any element type and rank along their first dimension. */
#define mx_sort(ctx, keys) mx_sort_by_key((ctx), (keys), MX_VIEW_NULL)
mx_err mx_sort_by_key(mx_ctx ctx, mx_view keys, mx_view values);

/* order(k), i32 and contiguous: the index of the key that is number k. The keys stay as they are. */
#define mx_sort_order(ctx, keys, order) mx_bin_sort((ctx), (keys), MX_VIEW_NULL, (order))

/* Sorts items into bins. bins(i), i32: the bin of item i, as a kernel of yours left it there, 0 to B-1. Sets order (as above)
 * and offsets (i32, extent B+1): bin b has the items order(offsets(b)) to order(offsets(b+1) - 1), ascending. Other bin numbers
 * are in no bin, negative ones in front and larger ones behind. Bins and order may be the same view. */
mx_err mx_bin_sort(mx_ctx ctx, mx_view bins, mx_view offsets, mx_view order);

/* destination(k, ...) = source(index(k), ...), for views of equal type, rank and further extents that do not overlap. index:
 * i32 or i64, 0 to the source's extent - 1: another one takes element 0, and is MX_ERR_BOUNDS, on cuda at the next fence. */
mx_err mx_permute(mx_ctx ctx, mx_view destination, mx_view source, mx_view index);
#ifdef __cplusplus
}
#endif
