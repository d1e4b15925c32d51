/* Numbers that kernels leave in a view of a device, read by the host. The device works on meanwhile:
 * the host waits for what was launched before app_readback_begin, not for what was launched after
 * it. Nothing here is collective. */
#pragma once
#include "minx/view.h"

typedef struct app_readback {
    mx_view source, host; /* host: where host code can access the source, the source itself */
    mx_ctx ctx;           /* its launches write the source */
    mx_ctx beside;        /* waits for the copy; NULL: launches of ctx are done on return */
    int64_t waits;        /* how often the host waited for a copy */
} app_readback;

/* Begins as {0}. The source must exist longer. After a failure, destroy. */
mx_err app_readback_create(mx_ctx ctx, mx_view source, app_readback *readback);
void app_readback_destroy(app_readback *readback);

/* Does the device work on while the host waits? If not, launch nothing that writes the source between
 * begin and end. */
bool app_readback_overlaps(const app_readback *readback);

/* Copies the source, ordered on ctx. What the end before gave is no longer valid. */
mx_err app_readback_begin(app_readback *readback);

/* Waits for the copy. *data: the elements, in the order of the source; valid until the next begin or
 * destroy. MX_ERR_DEVICE: the device failed. An error that a kernel has found itself, such as an index
 * out of bounds, is reported by the next mx_fence(ctx). */
mx_err app_readback_end(app_readback *readback, void **data);
