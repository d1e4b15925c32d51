/* Sorting on GPUs: the vendor's radix sort. sort_cuda.cu and sort_hip.cu include it. */
#pragma once
#include "containers.h"
#include "minx/device/vendor.h"

#include MX_GPU_SORT_HEADER_

static mx_err sort_on_device(mx_ctx ctx, mx_pairs *p, int bits)
{
    MX_GPU_BUFFERS_<uint64_t> keys(p->bits[p->current], p->bits[!p->current]);
    MX_GPU_BUFFERS_<int64_t> signed_keys((int64_t *)p->bits[p->current],
                                         (int64_t *)p->bits[!p->current]);
    MX_GPU_BUFFERS_<int32_t> values(p->index[p->current], p->index[!p->current]);
    mx_ctx_info info;
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(mx_ctx_get_details(ctx, &details));
    const MX_GPU_(Stream_t) stream = (MX_GPU_(Stream_t))details.queue;
    MX_GPU_(Error_t) err = MX_GPU_(SetDevice)(info.device);
    if (err == MX_GPU_(Success))
        err =
            p->signed_keys
                ? MX_GPU_SORT_KEYS_(p->work, p->work_bytes, signed_keys, p->count, bits, stream)
            : p->keys_only
                ? MX_GPU_SORT_KEYS_(p->work, p->work_bytes, keys, p->count, bits, stream)
                : MX_GPU_SORT_PAIRS_(p->work, p->work_bytes, keys, values, p->count, bits, stream);
    if (err != MX_GPU_(Success)) (void)MX_GPU_(GetLastError)(); /* the error is reported here */
    MX_REQUIRE(err == MX_GPU_(Success), MX_ERR_DEVICE, "sort: %s", MX_GPU_(GetErrorString)(err));
    const bool other = p->signed_keys
                           ? MX_GPU_SELECTED_(signed_keys, (int64_t *)p->bits[p->current])
                           : MX_GPU_SELECTED_(keys, p->bits[p->current]);
    p->current = p->current != other;
    return MX_OK;
}
