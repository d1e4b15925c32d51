/* Which items of a range a thread of a GPU runs: see minx/device/kernel.h. */
#pragma once
#include "minx/device/launch.h"

template <class I, int dims> struct mx_gpu_range_ {
    I begin[dims], end[dims];
};
template <class K> using mx_gpu_range_of_ = mx_gpu_range_<typename K::index, K::dims>;

/* Sets `o` to the outer indices of a row of the range. false: the row is outside. Row numbers of a
 * 2-dimensional range have the type of the index, those of more dimensions 64 bits. Row numbers of
 * threads beyond the end of the range do not overflow: see MX_INDEX_END. */
template <class K>
static __device__ __forceinline__ bool mx_gpu_row_(const mx_gpu_range_of_<K> &range,
                                                   typename K::row row, typename K::index *o)
{
    typedef typename K::index I;
    typedef typename K::row R;
    if constexpr (K::dims == 1) return row == 0;
    if constexpr (K::dims > 2) {
#pragma unroll
        for (int d = K::dims - 2; d > 0; d--) {
            const R extent = (R)range.end[d] - (R)range.begin[d];
            o[d] = range.begin[d] + (I)(row % extent);
            row /= extent;
        }
    }
    o[0] = range.begin[0] + (I)row;
    return o[0] < range.end[0];
}

template <class I, int dims> struct mx_gpu_row_type_ {
    typedef int64_t type;
};
template <class I> struct mx_gpu_row_type_<I, 1> {
    typedef I type;
};
template <class I> struct mx_gpu_row_type_<I, 2> {
    typedef I type;
};

/* The block's number along the rows. */
template <class R> static __device__ __forceinline__ R mx_gpu_block_row_()
{
    return (R)blockIdx.y + (R)gridDim.y * (R)blockIdx.z;
}

/* This thread's contiguous index, and the first of its rows. */
template <class K>
static __device__ __forceinline__ typename K::index mx_gpu_index_(const mx_gpu_range_of_<K> &range,
                                                                  int items_a_thread)
{
    typedef typename K::index I;
    return range.begin[K::dims - 1] + (I)blockIdx.x * (I)(blockDim.x * items_a_thread) +
           (I)threadIdx.x;
}
template <class K>
static __device__ __forceinline__ typename K::row mx_gpu_first_row_(int rows_a_thread)
{
    typedef typename K::row R;
    return (mx_gpu_block_row_<R>() * (R)blockDim.y + (R)threadIdx.y) * (R)rows_a_thread;
}

/* A range that is divided into planes: sets this thread's two indices inside a plane. false: they
 * are outside. */
template <class K>
static __device__ __forceinline__ bool mx_gpu_in_plane_(const mx_gpu_range_of_<K> &range,
                                                        typename K::index *o, typename K::index *i)
{
    typedef typename K::index I;
    *i = mx_gpu_index_<K>(range, 1);
    o[K::dims - 2] = range.begin[K::dims - 2] + (I)(blockIdx.y * blockDim.y + threadIdx.y);
    return *i < range.end[K::dims - 1] && o[K::dims - 2] < range.end[K::dims - 2];
}

/* Sets `o` to the outer indices of a plane. false: the plane is outside. */
template <class K>
static __device__ __forceinline__ bool mx_gpu_plane_(const mx_gpu_range_of_<K> &range,
                                                     unsigned plane, typename K::index *o)
{
    typedef typename K::index I;
#pragma unroll
    for (int d = K::dims - 3; d > 0; d--) {
        const unsigned extent = (unsigned)(range.end[d] - range.begin[d]);
        o[d] = range.begin[d] + (I)(plane % extent);
        plane /= extent;
    }
    o[0] = range.begin[0] + (I)plane;
    return o[0] < range.end[0];
}
