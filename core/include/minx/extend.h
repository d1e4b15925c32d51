/* For libraries that are built on minx and hand out views and kernels of their own, as the kit does: what they need beside the
 * headers that programs use. Programs need none of this. */
#pragma once
#include "minx/accessor.h"
#include "minx/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- contexts ---- */

typedef struct mx_ctx_details {
    uint64_t id;             /* no other context of this program has had it */
    int instance;            /* the kind of kernel instance that it runs: MX_INSTANCE_* */
    int64_t max_concurrency; /* accelerators: items that run at once, at most; 0 on hosts */
    bool records;            /* a graph */
    bool checked;            /* launches are repeated on another backend */
    void *queue; /* accelerators: what launches are put on; cuda: a cudaStream_t. NULL on hosts */
} mx_ctx_details;
mx_err mx_ctx_get_details(mx_ctx ctx, mx_ctx_details *details);

/* At least `bytes` of memory in the context's space, for work that is ordered on ctx. It is the context's, and is used again by
 * the next launch or call that needs some. Waits for ctx where it has to grow. */
mx_err mx_ctx_scratch(mx_ctx ctx, size_t bytes, void **scratch);

/* Calls part(work, first, last) for shares of the numbers 0 to parts-1, on the threads of a host context. Done on return.
 * MX_ERR_ARG: ctx is an accelerator's. */
mx_err mx_ctx_run(mx_ctx ctx, void (*part)(void *work, int64_t first, int64_t last), void *work,
                  int64_t parts);

/* ---- views ---- */

/* What is known of a view that kernels of ctx are to read or, if `writes`, write by its strides. `what` begins the messages.
 * MX_ERR_ARG: no context; MX_ERR_STALE; MX_ERR_LAYOUT: tiles and the like; MX_ERR_SPACE: not within reach of ctx;
 * MX_ERR_CONST. */
mx_err mx_view_usable(mx_ctx ctx, mx_view view, bool writes, const char *what, mx_view_info *info);

/* Are there elements in both views? Exact for parts of one view. Of others: do their memory ranges meet? */
bool mx_views_overlap(mx_view a, mx_view b);

/* Do others own elements between those of this view? Padding of a whole view is its own. */
bool mx_view_has_gaps(mx_view view);

/* From now on only launches on ctx may take accessors of this view: elsewhere they are MX_ERR_ARG, and so are launches that
 * a check repeats, since the other backend has other threads. For views whose contents depend on the threads of a context. */
mx_err mx_view_reserve(mx_ctx ctx, mx_view view);

/* mx_bind for an accessor of rank 8 with any strides (mx_f64_8s), to a view of any rank: the dimensions that the view lacks come
 * last and have extent 1. For kernels that are written once for all ranks, and go by extent[] and stride[]. */
#define mx_bind_any(ctx, view, accessor)                                                     \
    mx_bind_any_((ctx), (view), (accessor), (uint64_t)(sizeof((accessor)->shape->code) - 1), \
                 sizeof(*(accessor)->data), #accessor)
mx_err mx_bind_any_(mx_ctx ctx, mx_view view, void *accessor, uint64_t code, size_t element_size,
                    const char *expression);

/* ---- memory ---- */

/* Copies bytes between memory of which ctx can move both sides; ordered on ctx. */
mx_err mx_ctx_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes);

/* Rows of a source, in another order. */
typedef struct mx_rows {
    const void *from;
    const int64_t *stride; /* of the source, in elements, for each dimension of the destination */
    const void *index;     /* i32 or i64, in memory that ctx reaches: which row goes where */
    int64_t index_stride;  /* from one index to the next */
    int64_t limit;         /* indices are 0 to limit-1; 0: that is known already */
    bool index_64;         /* the indices are i64 */
} mx_rows;

/* to(k, ...) = from(index(k), ...), ordered on ctx, which reaches both. An index beyond the limit takes row 0. Hosts put one of
 * them into *wrong (else 0); on accelerators *wrong is 0, and the next fence of ctx is MX_ERR_BOUNDS. */
mx_err mx_view_gather(mx_ctx ctx, mx_view to, const mx_rows *rows, int64_t *wrong);

#ifdef __cplusplus
}
#endif
