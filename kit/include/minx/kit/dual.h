/* Dual views: one array in two views, one on the host side and one on the device side (the
 * context's space). A flag for each side says whether it was modified since the last sync. If the
 * host can access the context's space, both sides are the same view, and a sync copies nothing. The
 * flags are used even then, so that a missing mx_dual_modify shows on every backend:
 *     write x.host;  mx_dual_modify(&x, MX_SIDE_HOST);  MX_TRY(mx_dual_sync(ctx, &x, MX_SIDE_DEVICE));  use x.device */
#pragma once
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The two sides of a dual view. */
typedef enum mx_side { MX_SIDE_HOST, MX_SIDE_DEVICE } mx_side;

/* Pass it by pointer: a copy would have flags of its own. It owns the views. */
typedef struct mx_dual {
    mx_view host, device;
    bool modified[2]; /* by mx_side, since the last sync */
} mx_dual;

/* Creates the device side as mx_view_create does, and the host side as a mirror view of it. On
 * failure both are null. */
mx_err mx_dual_create(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                      const mx_view_options *options, mx_dual *dual);
#define mx_dual_create(...) MX_AT_SOURCE_LINE_(mx_dual_create(__VA_ARGS__))

/* Destroys both views. Accepts NULL. */
mx_err mx_dual_destroy(mx_dual *dual);

/* Notes that this side was modified, or will be before the next sync. */
void mx_dual_modify(mx_dual *dual, mx_side side);

/* True if the other side was modified since the last sync, so that this side is out of date. */
#define mx_dual_need_sync(dual, side) ((dual)->modified[(side) == MX_SIDE_HOST])

/* Clears the flags of both sides, and copies nothing. */
#define mx_dual_clear(dual) ((void)((dual)->modified[0] = (dual)->modified[1] = false))

/* Brings this side up to date if the other one was written. The copy to the device is ordered on
 * ctx; that to the host is complete on return. MX_ERR_ARG if both were written: choose one by
 * mx_dual_clear and mx_dual_modify. */
mx_err mx_dual_sync(mx_ctx ctx, mx_dual *dual, mx_side side);

#ifdef __cplusplus
}
#endif
