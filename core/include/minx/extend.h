/* Functions for libraries that are built on minx and provide views and kernels of their own, as the
 * kit does. Programs do not need them. */
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
    bool records;            /* it records a graph now */
    bool checked;            /* its launches are repeated on another backend */
    void *queue; /* accelerators: the queue of launches; cuda: a cudaStream_t. NULL on hosts */
    /* identifies a device among those of all machines; "" on hosts. The context owns it */
    const char *device_id;
    /* the number of plans made so far. A launch that comes again needs no new one, unless the table
     * of plans was full meanwhile */
    int64_t plans;
} mx_ctx_details;
/* Gives them. MX_ERR_ARG: ctx is NULL. */
mx_err mx_ctx_get_details(mx_ctx ctx, mx_ctx_details *details);

/* Gives at least `bytes` of memory in the context's space, for work that is ordered on ctx. The
 * context owns this memory: the next launch or call that needs scratch uses it again. Waits for ctx
 * if the memory has to grow. */
mx_err mx_ctx_scratch(mx_ctx ctx, size_t bytes, void **scratch);

/* Divides the numbers 0 to parts-1 among the threads of a host context. Each thread calls
 * part(work, first, last) for its share, first to last-1. Done on return. Calls from a part are as
 * those from the body of a kernel (minx/context.h). MX_ERR_ARG: ctx is an accelerator's. */
mx_err mx_ctx_run(mx_ctx ctx, void (*part)(void *work, int64_t first, int64_t last), void *work,
                  int64_t parts);

/* ---- views ---- */

/* Gives the properties of a view, if kernels of ctx can read it by its strides or, if `writes`,
 * write it. `what` begins the error messages. MX_ERR_ARG: no context, or one on which a launch
 * runs; MX_ERR_STALE; MX_ERR_LAYOUT: the layout has no strides (tiles, Morton); MX_ERR_SPACE: ctx
 * cannot access the view; MX_ERR_CONST: the view is read-only. */
mx_err mx_view_usable(mx_ctx ctx, mx_view view, bool writes, const char *what, mx_view_info *info);

/* Do the two views share elements? Exact for parts of one view. For other views: do their memory
 * ranges overlap? */
bool mx_views_overlap(mx_view a, mx_view b);

/* Are there elements of other views between the elements of this view? Padding belongs to its
 * view. */
bool mx_view_has_gaps(mx_view view);

/* Reserves a view for one context. From now on only launches on ctx may use accessors of this view;
 * a launch on another context is MX_ERR_ARG. So is a launch that a check repeats on another
 * backend, because that backend has other threads. For views whose contents depend on the threads
 * of a context. */
mx_err mx_view_reserve(mx_ctx ctx, mx_view view);

/* Binds an accessor of rank 8 with any strides (mx_f64_8s) to a view of any rank. Dimensions that
 * the view does not have come last, with extent 1. For kernels that are written once for all ranks
 * and use extent[] and stride[]. */
#define mx_bind_any(ctx, view, accessor)                                                     \
    mx_bind_any_((ctx), (view), (accessor), (uint64_t)(sizeof((accessor)->shape->code) - 1), \
                 sizeof(*(accessor)->data), #accessor)
mx_err mx_bind_any_(mx_ctx ctx, mx_view view, void *accessor, uint64_t code, size_t element_size,
                    const char *expression);

/* ---- memory ---- */

/* Copies bytes between two memory ranges that ctx can copy between; ordered on ctx. */
mx_err mx_ctx_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes);

/* The source of a gather: rows in another order. */
typedef struct mx_rows {
    const void *from;
    const int64_t *stride; /* of the source, in elements, for each dimension of the destination */
    const void *index; /* i32 or i64, in memory that ctx can access: the source row of each row */
    int64_t index_stride; /* from one index to the next */
    int64_t limit;        /* indices must be 0 to limit-1; 0: they need no check */
    bool index_64;        /* the indices are i64 */
} mx_rows;

/* to(k, ...) = from(index(k), ...), ordered on ctx, which must be able to access both. An index
 * outside of the limit takes row 0. Hosts store one such index in *wrong (0 if there was none).
 * Accelerators set *wrong to 0, and the next fence of ctx is MX_ERR_BOUNDS. */
mx_err mx_view_gather(mx_ctx ctx, mx_view to, const mx_rows *rows, int64_t *wrong);

#ifdef __cplusplus
}
#endif
