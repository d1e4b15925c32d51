/* Sorting on CUDA devices: CUB's radix sort. */
#include "containers.h"

#define _GLIBCXX_IOSTREAM 1 /* CUB includes <iostream>, whose objects need the C++ run time */
#include <cub/device/device_radix_sort.cuh>
#include <cuda_runtime.h>

mx_err mx_sort_on_cuda(mx_ctx ctx, mx_pairs *p, int bits)
{
    cub::DoubleBuffer<uint64_t> keys(p->bits[p->current], p->bits[!p->current]);
    cub::DoubleBuffer<int64_t> signed_keys((int64_t *)p->bits[p->current],
                                           (int64_t *)p->bits[!p->current]);
    cub::DoubleBuffer<int32_t> values(p->index[p->current], p->index[!p->current]);
    typedef cub::DeviceRadixSort radix;
    mx_ctx_info info;
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(mx_ctx_get_details(ctx, &details));
    const cudaStream_t stream = (cudaStream_t)details.queue;
    cudaError_t err = cudaSetDevice(info.device);
    if (err == cudaSuccess)
        err =
            p->signed_keys
                ? radix::SortKeys(p->work, p->work_bytes, signed_keys, p->count, 0, bits, stream)
            : p->keys_only
                ? radix::SortKeys(p->work, p->work_bytes, keys, p->count, 0, bits, stream)
                : radix::SortPairs(p->work, p->work_bytes, keys, values, p->count, 0, bits, stream);
    if (err != cudaSuccess) cudaGetLastError(); /* clears it: the error is reported here */
    MX_REQUIRE(err == cudaSuccess, MX_ERR_DEVICE, "sort: %s", cudaGetErrorString(err));
    p->current = p->current != (p->signed_keys ? signed_keys.selector : keys.selector);
    return MX_OK;
}
