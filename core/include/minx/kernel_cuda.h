/* How a kernel file is compiled for CUDA devices: each kernel becomes a traits struct, and the templates below do the rest.
 *
 * A thread block has 256 threads: block[0] of them along the contiguous index, block[1] along the rows (a row is one
 * combination of the other indices). Rows are counted by blockIdx.y and, beyond its limit, blockIdx.z. A thread takes
 * `per_thread` neighbouring rows, which share loads of a stencil and halve the number of blocks to schedule; in one dimension
 * that many items, 256 apart.
 *
 * Reductions: threads of a block join by shuffles and shared memory into one partial result a block. The last block to
 * finish joins those, in a fixed order, so the bits do not change from run to run; where there are many, a second kernel with
 * more threads does. One-dimensional ranges are strided through by as many blocks as the device holds at a time. */
#pragma once
#include <cuda_runtime.h>
#include <string.h>

#define MX_SIMD_LOOP_(...)
#define MX_PLAIN_LOOP_(...)

#ifndef MX_CUDA_FOR_1D
#define MX_CUDA_FOR_1D 2
#define MX_CUDA_FOR_ND 2
#define MX_CUDA_REDUCE_BIG 8
#define MX_CUDA_FUSED 2048
#endif
enum { MX_CUDA_THREADS_ = 256, MX_CUDA_JOIN_THREADS_ = 1024, MX_CUDA_FUSED_BLOCKS_ = MX_CUDA_FUSED };

static constexpr bool mx_same_text_(const char *a, const char *b)
{
    return *a == *b && (*a == '\0' || mx_same_text_(a + 1, b + 1));
}

template <class I> struct mx_cuda_range_ {
    I begin[3], end[3];
};

/* This thread's row; false: outside. Threads beyond the range are told by 64-bit numbers: near the end of a 32-bit index
 * type theirs would wrap around into the range. */
template <class K>
static __device__ __forceinline__ bool mx_cuda_row_(const mx_cuda_range_<typename K::index> &range, int64_t row,
                                                    typename K::index *o, typename K::index *m)
{
    typedef typename K::index I;
    *o = *m = 0;
    if (K::dims == 1) return row == 0;
    if (K::dims == 2) {
        *o = range.begin[0] + (I)row;
        return row < (int64_t)range.end[0] - range.begin[0];
    }
    const int64_t columns = (int64_t)range.end[1] - range.begin[1], plane = row / columns;
    *o = range.begin[0] + (I)plane;
    *m = range.begin[1] + (I)(row % columns);
    return plane < (int64_t)range.end[0] - range.begin[0];
}

static __device__ __forceinline__ int64_t mx_cuda_block_row_()
{
    return (int64_t)blockIdx.y + (int64_t)gridDim.y * (int64_t)blockIdx.z;
}

/* The items of one thread. */
template <class K>
static __device__ __forceinline__ void mx_cuda_items_(const typename K::args *args,
                                                      const mx_cuda_range_<typename K::index> &range)
{
    typedef typename K::index I;
    const int64_t end = range.end[K::dims - 1];
    if (K::dims == 1) {
        const int64_t at = range.begin[0] + (int64_t)blockIdx.x * (MX_CUDA_THREADS_ * K::per_thread) + threadIdx.x;
#pragma unroll
        for (int n = 0; n < K::per_thread; n++)
            if (at + n * MX_CUDA_THREADS_ < end) K::item(args, 0, 0, (I)(at + n * MX_CUDA_THREADS_));
        return;
    }
    const int64_t at = range.begin[K::dims - 1] + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t first = (mx_cuda_block_row_() * blockDim.y + threadIdx.y) * K::per_thread;
    if (at >= end) return;
    const I i = (I)at;
#pragma unroll
    for (int n = 0; n < K::per_thread; n++) {
        I o, m;
        if (mx_cuda_row_<K>(range, first + n, &o, &m)) K::item(args, o, m, i);
    }
}

template <class K>
static __global__ void __launch_bounds__(MX_CUDA_THREADS_)
    mx_cuda_for_(const __grid_constant__ typename K::args args, const __grid_constant__ mx_cuda_range_<typename K::index> range)
{
    if (K::has_prologue) {
        typename K::args own = args;
        K::prologue(&own);
        mx_cuda_items_<K>(&own, range);
    } else {
        mx_cuda_items_<K>(&args, range);
    }
}

template <class T> static __device__ __forceinline__ T mx_cuda_shuffle_down_(const T &v, int distance)
{
    enum { length = (sizeof(T) + 3) / 4 };
    unsigned words[length] = {0};
    memcpy(words, &v, sizeof(T));
#pragma unroll
    for (int w = 0; w < length; w++) words[w] = __shfl_down_sync(~0u, words[w], distance);
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
}

/* Joins the values of all threads of a block; thread 0 has the result. Every thread must call. */
template <class K> static __device__ __forceinline__ void mx_cuda_block_join_(typename K::value *v)
{
    typedef typename K::value T;
    __shared__ T of_warp[MX_CUDA_JOIN_THREADS_ / 32];
    const int thread = (int)(threadIdx.x + threadIdx.y * blockDim.x), lane = thread & 31, warp = thread >> 5;
    const int warps = (int)(blockDim.x * blockDim.y) >> 5;
    for (int distance = 16; distance > 0; distance >>= 1) {
        const T other = mx_cuda_shuffle_down_(*v, distance);
        K::join(v, &other);
    }
    __syncthreads(); /* an earlier join may still read of_warp */
    if (lane == 0) of_warp[warp] = *v;
    __syncthreads();
    if (warp > 0) return;
    if (lane < warps)
        *v = of_warp[lane];
    else
        K::init(v);
    for (int distance = 16; distance > 0; distance >>= 1) {
        const T other = mx_cuda_shuffle_down_(*v, distance);
        K::join(v, &other);
    }
}

template <class K>
static __device__ __forceinline__ void mx_cuda_add_(const typename K::args *args, typename K::index o, typename K::index m,
                                                    typename K::index i, typename K::value *total)
{
    typename K::value item;
    K::init(&item);
    K::item(args, o, m, i, &item);
    K::join(total, &item);
}

/* The share of one thread. */
template <class K>
static __device__ __forceinline__ void mx_cuda_share_(const typename K::args *args,
                                                      const mx_cuda_range_<typename K::index> &range,
                                                      typename K::value *total)
{
    typedef typename K::index I;
    const int64_t end = range.end[K::dims - 1];
    int64_t at = range.begin[K::dims - 1] + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (K::dims == 1) {
        const int64_t step = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 4
        for (; at < end; at += step) mx_cuda_add_<K>(args, 0, 0, (I)at, total);
        return;
    }
    if (at >= end) return;
    const I i = (I)at;
    const int64_t first = (mx_cuda_block_row_() * blockDim.y + threadIdx.y) * K::per_thread;
#pragma unroll
    for (int r = 0; r < K::per_thread; r++) {
        I o, m;
        if (mx_cuda_row_<K>(range, first + r, &o, &m)) mx_cuda_add_<K>(args, o, m, i, total);
    }
}

/* The last block to come here joins all partial results. The counter wraps to 0 for the next launch. */
template <class K>
static __device__ __forceinline__ void mx_cuda_join_last_(const typename K::value *partials, unsigned *counter,
                                                          typename K::value *result)
{
    __shared__ bool last;
    const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x;
    if (thread == 0) {
        __threadfence();
        last = atomicInc(counter, blocks - 1) == blocks - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    typename K::value total;
    K::init(&total);
#pragma unroll 4
    for (unsigned p = thread; p < blocks; p += MX_CUDA_THREADS_) K::join(&total, &partials[p]);
    mx_cuda_block_join_<K>(&total);
    if (thread == 0) *result = total;
}

template <class K, bool fused>
static __global__ void __launch_bounds__(MX_CUDA_THREADS_)
    mx_cuda_reduce_(const __grid_constant__ typename K::args args,
                    const __grid_constant__ mx_cuda_range_<typename K::index> range, typename K::value *partials,
                    unsigned *counter, typename K::value *result)
{
    typename K::value total;
    K::init(&total);
    if (K::has_prologue) {
        typename K::args own = args;
        K::prologue(&own);
        mx_cuda_share_<K>(&own, range, &total);
    } else {
        mx_cuda_share_<K>(&args, range, &total);
    }
    mx_cuda_block_join_<K>(&total);
    if (threadIdx.x == 0 && threadIdx.y == 0)
        partials[blockIdx.x + (int64_t)gridDim.x * mx_cuda_block_row_()] = total;
    if (fused) mx_cuda_join_last_<K>(partials, counter, result);
}

template <class K>
static __global__ void __launch_bounds__(MX_CUDA_JOIN_THREADS_)
    mx_cuda_join_(const typename K::value *partials, int64_t n, typename K::value *result)
{
    typename K::value total;
    K::init(&total);
#pragma unroll 4
    for (int64_t p = threadIdx.x; p < n; p += MX_CUDA_JOIN_THREADS_) K::join(&total, &partials[p]);
    mx_cuda_block_join_<K>(&total);
    if (threadIdx.x == 0) *result = total;
}

/* Array reductions: a thread owns a block of the range and an array of its own; then a thread joins one element. */
template <class K>
static __global__ void mx_cuda_array_(const __grid_constant__ typename K::args args, int64_t begin, int64_t end,
                                      int64_t workers, int64_t length, typename K::value *partials)
{
    const int64_t worker = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (worker >= workers) return;
    typename K::value *values = partials + worker * length;
    for (int64_t e = 0; e < length; e++) K::init(&values[e]);
    const int64_t size = (end - begin + workers - 1) / workers, first = begin + worker * size;
    const int64_t last = first + size < end ? first + size : end;
    for (int64_t i = first; i < last; i++) K::item(&args, (int)i, values);
}

template <class K>
static __global__ void mx_cuda_join_array_(const typename K::value *partials, int64_t workers, int64_t length,
                                           typename K::value *result)
{
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= length) return;
    typename K::value total;
    K::init(&total);
    for (int64_t w = 0; w < workers; w++) K::join(&total, &partials[w * length + e]);
    result[e] = total;
}

template <class K> static mx_cuda_range_<typename K::index> mx_cuda_range_of_(const mx_launch *launch)
{
    mx_cuda_range_<typename K::index> range;
    for (int d = 0; d < 3; d++) {
        range.begin[d] = d < launch->dims ? (typename K::index)launch->begin[d] : 0;
        range.end[d] = d < launch->dims ? (typename K::index)launch->end[d] : 1;
    }
    return range;
}

#define MX_CUDA_GRID_(launch) dim3((launch)->grid[0], (launch)->grid[1], (launch)->grid[2])
#define MX_CUDA_BLOCK_(launch) dim3((launch)->block[0], (launch)->block[1])

template <class K> static int mx_cuda_enqueue_for_(const mx_launch *launch)
{
    mx_cuda_for_<K><<<MX_CUDA_GRID_(launch), MX_CUDA_BLOCK_(launch), 0, (cudaStream_t)launch->queue>>>(
        *(const typename K::args *)launch->args, mx_cuda_range_of_<K>(launch));
    return (int)cudaGetLastError();
}

template <class K> static int mx_cuda_enqueue_reduce_(const mx_launch *launch)
{
    typedef typename K::value T;
    const cudaStream_t queue = (cudaStream_t)launch->queue;
    const typename K::args *const args = (const typename K::args *)launch->args;
    if (launch->blocks > 0 && launch->blocks <= MX_CUDA_FUSED_BLOCKS_) {
        mx_cuda_reduce_<K, true><<<MX_CUDA_GRID_(launch), MX_CUDA_BLOCK_(launch), 0, queue>>>(
            *args, mx_cuda_range_of_<K>(launch), (T *)launch->partials, (unsigned *)launch->counter, (T *)launch->result);
        return (int)cudaGetLastError();
    }
    if (launch->blocks > 0) /* an empty range has no partial results: what is joined then is the identity */
        mx_cuda_reduce_<K, false><<<MX_CUDA_GRID_(launch), MX_CUDA_BLOCK_(launch), 0, queue>>>(
            *args, mx_cuda_range_of_<K>(launch), (T *)launch->partials, NULL, NULL);
    mx_cuda_join_<K><<<1, MX_CUDA_JOIN_THREADS_, 0, queue>>>((const T *)launch->partials, launch->blocks,
                                                            (T *)launch->result);
    return (int)cudaGetLastError();
}

template <class K> static int mx_cuda_enqueue_array_(const mx_launch *launch)
{
    typedef typename K::value T;
    const cudaStream_t queue = (cudaStream_t)launch->queue;
    const int64_t workers = launch->blocks, length = launch->length;
    if (workers > 0)
        mx_cuda_array_<K><<<(unsigned)((workers + 63) / 64), 64, 0, queue>>>(*(const typename K::args *)launch->args,
            launch->begin[0], launch->end[0], workers, length, (T *)launch->partials);
    mx_cuda_join_array_<K><<<(unsigned)((length + 63) / 64), 64, 0, queue>>>((const T *)launch->partials, workers, length,
                                                                             (T *)launch->result);
    return (int)cudaGetLastError();
}

/* ---- the stamps ---- */
#define MX_CUDA_INSTANCE_(name, enqueue)                   \
    extern "C" {                                           \
    extern const mx_instance MX_SYMBOL_(name);             \
    const mx_instance MX_SYMBOL_(name) = {NULL, NULL, NULL, enqueue<name##__traits>, name##__traits::per_thread}; \
    }

#define MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
    typedef name##__args args;                                                                 \
    typedef I index;                                                                           \
    enum { dims = D, has_prologue = !mx_same_text_(MX_STRING_(prologue_), "MX_NO_PROLOGUE_") }; \
    static __device__ __forceinline__ void prologue(args *a) { prologue_(a); }

#define MX_CUDA_VALUE_(name, D, I)                                                                              \
    typedef name##__value value;                                                                                \
    enum { per_thread = sizeof(value) > 8 ? MX_CUDA_REDUCE_BIG : 2 };                                           \
    static __device__ __forceinline__ void item(const name##__args *a, I o, I m, I i, value *v)                 \
    {                                                                                                           \
        (void)o, (void)m;                                                                                       \
        name##_body(a, MX_ITEM_##D##D_, v);                                                                     \
    }

#define MX_STAMP_FOR_(name, D, I, S, prologue_)                                                \
    struct name##__traits {                                                                    \
        MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
        enum { per_thread = D == 1 ? MX_CUDA_FOR_1D : MX_CUDA_FOR_ND };                        \
        static __device__ __forceinline__ void item(const args *a, I o, I m, I i)              \
        {                                                                                      \
            (void)o, (void)m;                                                                  \
            name##_body(a, MX_ITEM_##D##D_);                                                   \
        }                                                                                      \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_for_)

#define MX_STAMP_REDUCE_(name, D, I, S, R, prologue_)                                          \
    struct name##__traits {                                                                    \
        MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
        MX_CUDA_VALUE_(name, D, I)                                                             \
        static __device__ __forceinline__ void init(value *v) { R##_INIT(value, v); }          \
        static __device__ __forceinline__ void join(value *into, const value *v) { R##_JOIN(value, into, v); } \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_reduce_)

#define MX_FIELD_INIT_(T, field, R) R##_INIT(T, &v->field);
#define MX_FIELD_JOIN_(T, field, R) R##_JOIN(T, &into->field, &v->field);
#define MX_STAMP_FIELDS_(name, D, I, S, LIST, prologue_)                                       \
    struct name##__traits {                                                                    \
        MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
        MX_CUDA_VALUE_(name, D, I)                                                             \
        static __device__ __forceinline__ void init(value *v) { LIST(MX_FIELD_INIT_) }         \
        static __device__ __forceinline__ void join(value *into, const value *v) { LIST(MX_FIELD_JOIN_) } \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_reduce_)

#define MX_STAMP_CUSTOM_(name, D, I, init_, join_, prologue_)                                  \
    struct name##__traits {                                                                    \
        MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
        MX_CUDA_VALUE_(name, D, I)                                                             \
        static __device__ __forceinline__ void init(value *v) { init_(v); }                    \
        static __device__ __forceinline__ void join(value *into, const value *v) { join_(into, v); } \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_reduce_)

#define MX_STAMP_ARRAY_(name, R)                                                               \
    struct name##__traits {                                                                    \
        typedef name##__args args;                                                             \
        typedef name##__value value;                                                           \
        enum { per_thread = 1 };                                                               \
        static __device__ __forceinline__ void item(const args *a, int i, value *values)       \
        {                                                                                      \
            name##_body(a, i, values);                                                         \
        }                                                                                      \
        static __device__ __forceinline__ void init(value *v) { R##_INIT(value, v); }          \
        static __device__ __forceinline__ void join(value *into, const value *v) { R##_JOIN(value, into, v); } \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_array_)
