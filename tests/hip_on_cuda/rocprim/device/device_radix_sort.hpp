/* rocPRIM's sort by CUB's, for tests: see hip/hip_runtime.h. */
#pragma once
#define _GLIBCXX_IOSTREAM 1 /* CUB includes <iostream>, whose objects need the C++ run time */
#include <cub/device/device_radix_sort.cuh>

namespace rocprim
{
template <class T> struct double_buffer : cub::DoubleBuffer<T> {
    double_buffer(T *current, T *other) : cub::DoubleBuffer<T>(current, other) {}
    T *current() { return this->Current(); }
};
template <class K>
static cudaError_t radix_sort_keys(void *work, size_t &bytes, double_buffer<K> &keys, size_t n,
                                   int begin, int end, cudaStream_t queue)
{
    return cub::DeviceRadixSort::SortKeys(work, bytes, keys, (int64_t)n, begin, end, queue);
}
template <class K, class V>
static cudaError_t radix_sort_pairs(void *work, size_t &bytes, double_buffer<K> &keys,
                                    double_buffer<V> &values, size_t n, int begin, int end,
                                    cudaStream_t queue)
{
    return cub::DeviceRadixSort::SortPairs(work, bytes, keys, values, (int64_t)n, begin, end, queue);
}
} // namespace rocprim
