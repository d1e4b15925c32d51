/* How a kernel file is compiled for CUDA devices: each kernel becomes a traits struct, and the templates below do the rest.
 *
 * A thread block has 256 threads: block[0] of them along the contiguous index, block[1] along the rows (a row is one
 * combination of the other indices). Rows are counted by blockIdx.y and, beyond its limit, blockIdx.z.
 *
 * Reductions: threads of a block join by shuffles and shared memory into one partial result a block; a second small kernel
 * joins those in a fixed order. No atomics, so the bits do not change from run to run. A thread takes two rows of a 2- or
 * 3-dimensional range (neighbouring rows share loads of a stencil), or strides through a 1-dimensional one. */
#pragma once
#include <cuda_runtime.h>
#include <string.h>

#define MX_SIMD_LOOP_(...)
#define MX_PLAIN_LOOP_(...)

enum { MX_CUDA_THREADS_ = 256, MX_CUDA_ROWS_ = 2, MX_CUDA_JOIN_THREADS_ = 1024 };

static constexpr bool mx_same_text_(const char *a, const char *b)
{
    return *a == *b && (*a == '\0' || mx_same_text_(a + 1, b + 1));
}

template <class I> struct mx_cuda_range_ {
    I begin[3], end[3];
};

/* This thread's row and contiguous index; false: outside. */
template <class K>
static __device__ __forceinline__ bool mx_cuda_row_(const mx_cuda_range_<typename K::index> &range, int64_t row,
                                                    typename K::index *o, typename K::index *m)
{
    typedef typename K::index I;
    *o = *m = 0;
    if (K::dims == 1) return row == 0;
    if (K::dims == 2) {
        *o = range.begin[0] + (I)row;
        return *o < range.end[0];
    }
    const I columns = range.end[1] - range.begin[1];
    *o = range.begin[0] + (I)(row / columns);
    *m = range.begin[1] + (I)(row % columns);
    return *o < range.end[0];
}

static __device__ __forceinline__ int64_t mx_cuda_block_row_()
{
    return (int64_t)blockIdx.y + (int64_t)gridDim.y * (int64_t)blockIdx.z;
}

template <class K>
static __global__ void __launch_bounds__(MX_CUDA_THREADS_)
    mx_cuda_for_(const __grid_constant__ typename K::args args, const __grid_constant__ mx_cuda_range_<typename K::index> range)
{
    typedef typename K::index I;
    const I i = range.begin[K::dims - 1] + (I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x;
    I o, m;
    if (i >= range.end[K::dims - 1] ||
        !mx_cuda_row_<K>(range, mx_cuda_block_row_() * blockDim.y + threadIdx.y, &o, &m))
        return;
    if (K::has_prologue) {
        typename K::args own = args;
        K::prologue(&own);
        K::item(&own, o, m, i);
    } else {
        K::item(&args, o, m, i);
    }
}

template <class T> static __device__ __forceinline__ T mx_cuda_shuffle_down_(const T &v, int distance)
{
    static_assert(sizeof(T) % 4 == 0, "the value of a reduction on cuda must be a multiple of 4 bytes long");
    unsigned words[sizeof(T) / 4];
    memcpy(words, &v, sizeof(T));
#pragma unroll
    for (int w = 0; w < (int)(sizeof(T) / 4); w++) words[w] = __shfl_down_sync(~0u, words[w], distance);
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
    const I end = range.end[K::dims - 1];
    I i = range.begin[K::dims - 1] + (I)blockIdx.x * (I)blockDim.x + (I)threadIdx.x;
    if (K::dims == 1) {
        const int64_t step = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 4
        for (int64_t at = i; at < end; at += step) mx_cuda_add_<K>(args, 0, 0, (I)at, total);
        return;
    }
    if (i >= end) return;
    const int64_t first = (mx_cuda_block_row_() * blockDim.y + threadIdx.y) * MX_CUDA_ROWS_;
#pragma unroll
    for (int r = 0; r < MX_CUDA_ROWS_; r++) {
        I o, m;
        if (mx_cuda_row_<K>(range, first + r, &o, &m)) mx_cuda_add_<K>(args, o, m, i, total);
    }
}

template <class K>
static __global__ void __launch_bounds__(MX_CUDA_THREADS_)
    mx_cuda_reduce_(const __grid_constant__ typename K::args args,
                    const __grid_constant__ mx_cuda_range_<typename K::index> range, typename K::value *partials)
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
    if (launch->blocks > 0) /* an empty range has no partial results: what is joined then is the identity */
        mx_cuda_reduce_<K><<<MX_CUDA_GRID_(launch), MX_CUDA_BLOCK_(launch), 0, queue>>>(
            *(const typename K::args *)launch->args, mx_cuda_range_of_<K>(launch), (T *)launch->partials);
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
    const mx_instance MX_SYMBOL_(name) = {NULL, NULL, NULL, enqueue<name##__traits>}; \
    }

#define MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
    typedef name##__args args;                                                                 \
    typedef I index;                                                                           \
    enum { dims = D, has_prologue = !mx_same_text_(MX_STRING_(prologue_), "MX_NO_PROLOGUE_") }; \
    static __device__ __forceinline__ void prologue(args *a) { prologue_(a); }

#define MX_CUDA_VALUE_(name, D, I)                                                                              \
    typedef name##__value value;                                                                                \
    static __device__ __forceinline__ void item(const name##__args *a, I o, I m, I i, value *v)                 \
    {                                                                                                           \
        (void)o, (void)m;                                                                                       \
        name##_body(a, MX_ITEM_##D##D_, v);                                                                     \
    }

#define MX_STAMP_FOR_(name, D, I, S, prologue_)                                                \
    struct name##__traits {                                                                    \
        MX_CUDA_TRAITS_(name, D, I, prologue_)                                                 \
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
        static __device__ __forceinline__ void item(const args *a, int i, value *values)       \
        {                                                                                      \
            name##_body(a, i, values);                                                         \
        }                                                                                      \
        static __device__ __forceinline__ void init(value *v) { R##_INIT(value, v); }          \
        static __device__ __forceinline__ void join(value *into, const value *v) { R##_JOIN(value, into, v); } \
    };                                                                                         \
    MX_CUDA_INSTANCE_(name, mx_cuda_enqueue_array_)
