/* rocPRIM's scan by CUB's, for tests: see hip/hip_runtime.h. */
#pragma once
#include <cub/device/device_scan.cuh>

namespace rocprim
{
template <class T> using plus = ::cuda::std::plus<T>;
template <class T> using future_value = cub::FutureValue<T>;
template <class In, class Out, class Start, class Join>
static cudaError_t exclusive_scan(void *work, size_t &bytes, In in, Out out, Start start, size_t n,
                                  Join join, cudaStream_t queue)
{
    return cub::DeviceScan::ExclusiveScan(work, bytes, in, out, join, start, (int64_t)n, queue);
}
} // namespace rocprim
