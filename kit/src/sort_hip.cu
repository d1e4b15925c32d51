/* Sorting on hip. */
#define MX_INSTANCE_HIP_
#include "sort_device.h"

mx_err mx_sort_on_hip(mx_ctx ctx, mx_pairs *p, int bits) { return sort_on_device(ctx, p, bits); }
