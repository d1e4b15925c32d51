/* Reductions to an array of launch->length values, on GPUs. Items add by atomic operations
 * to an array of their block in shared memory, which is then added to the array in device memory.
 * If the array is too long for shared memory, items add to the one in device memory at once. */
#pragma once

template <class K> static __global__ void mx_gpu_array_begin_(typename K::value *array, int64_t n)
{
    mx_gpu_begin_<false>();
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n) K::mx_init_(&array[e]);
}

extern __shared__ __align__(16) char mx_gpu_array_of_block_[];
template <class K>
static __device__ __forceinline__ void
mx_gpu_array_items_(const typename K::args *args, const mx_gpu_range_of_<K> &range, int64_t items,
                    const typename K::array array)
{
    typedef typename K::index I;
    const I begin = range.begin[K::dims - 1];
    const int64_t contiguous = (int64_t)range.end[K::dims - 1] - begin;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 4
    for (int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; n < items; n += step) {
        I o[MX_MAX_DIMS];
        if (K::dims == 1) {
            K::item(args, NULL, (I)(begin + n), array);
        } else {
            mx_gpu_row_<K>(range, (typename K::row)(n / contiguous), o);
            K::item(args, o, (I)(begin + n % contiguous), array);
        }
    }
}
template <class K>
static __global__ void MX_GPU_BOUNDS_(MX_GPU_THREADS_, 0)
    mx_gpu_array_(const __grid_constant__ typename K::args args,
                  const __grid_constant__ mx_gpu_range_of_<K> range, int64_t items, int64_t length,
                  bool shared, typename K::value *array, mx_fault_ *fault)
{
    typedef typename K::value T;
    T *const values = shared ? (T *)mx_gpu_array_of_block_ : array;
    const typename K::array of_items = MX_ARRAY_(values, length, fault);
    (void)fault;
    for (int64_t e = threadIdx.x; shared && e < length; e += blockDim.x) K::mx_init_(&values[e]);
    mx_gpu_begin_<false>();
    __syncthreads();
    if (K::has_prologue) {
        typename K::args args_copy = args;
        K::mx_prologue_(&args_copy);
        mx_gpu_array_items_<K>(&args_copy, range, items, of_items);
    } else {
        mx_gpu_array_items_<K>(&args, range, items, of_items);
    }
    if (!shared) return;
    __syncthreads();
    for (int64_t e = threadIdx.x; e < length; e += blockDim.x) K::merge(&array[e], values[e]);
}

template <class T> static __global__ void mx_gpu_array_end_(const T *array, int64_t n, T *result)
{
    mx_gpu_begin_<false>();
    const int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e < n) result[e] = array[e];
}

template <class K> static int mx_gpu_enqueue_array_(const mx_launch *launch)
{
    typedef typename K::value T;
    const int64_t length = launch->length;
    const size_t bytes = (size_t)length * sizeof(T);
    const bool shared = bytes <= MX_GPU_PLAIN_SHARED_;
    const dim3 over_array((unsigned)((length + MX_GPU_THREADS_ - 1) / MX_GPU_THREADS_));
    T *const array = (T *)launch->partials;
    int64_t items = 1;
    for (int d = 0; d < K::dims; d++) items *= launch->axis[d].end - launch->axis[d].begin;
    if (length == 0) return 0;
    int code = mx_gpu_start_(launch, mx_gpu_array_begin_<K>, over_array, dim3(MX_GPU_THREADS_),
                             array, length);
    if (code == 0 && mx_gpu_planned_(launch)->blocks > 0)
        code = mx_gpu_start_shared_(
            launch, mx_gpu_array_<K>, dim3((unsigned)mx_gpu_planned_(launch)->blocks),
            dim3(MX_GPU_THREADS_), shared ? bytes : 0, *(const typename K::args *)launch->args,
            mx_gpu_range_from_<K>(launch), items, length, shared, array, mx_launch_fault_(launch));
    if (code != 0) return code;
    return mx_gpu_start_(launch, mx_gpu_array_end_<T>, over_array, dim3(MX_GPU_THREADS_),
                         (const T *)array, length, (T *)launch->result);
}

#define MX_DEFINE_RANGE_ARRAY_(name, D, I, S, R, prologue_)                                         \
    struct name##__device {                                                                         \
        MX_GPU_COMMON_(name, D, I, prologue_)                                                       \
        typedef name##__value value;                                                                \
        typedef name##__array array;                                                                \
        enum { per_thread = 1 };                                                                    \
        static __device__ __forceinline__ void item(const args *a, const I *o, I i,                 \
                                                    const array &bins)                              \
        {                                                                                           \
            MX_OUTER_##D##D_ name##__item(a, MX_ITEM_##D##D_, bins);                                \
        }                                                                                           \
        static __device__ __forceinline__ void mx_init_(value *v) { R##_INIT(value, v); }           \
        /* joins `v` into an element that other blocks join into, unless nothing was added to it */ \
        static __device__ __forceinline__ void merge(value *into, value v)                          \
        {                                                                                           \
            value identity;                                                                         \
            mx_init_(&identity);                                                                    \
            if (v == identity) return;                                                              \
            if constexpr (mx_same_text_(#R, "MX_SUM"))                                              \
                mx_atomic_add(into, v);                                                             \
            else                                                                                    \
                for (value old = mx_atomic_load(into), seen;; old = seen) {                         \
                    value joined = old;                                                             \
                    R##_JOIN(value, &joined, &v);                                                   \
                    seen = mx_atomic_compare_exchange(into, old, joined);                           \
                    if (seen == old || (seen != seen && old != old)) return;                        \
                }                                                                                   \
        }                                                                                           \
    };                                                                                              \
    MX_GPU_INSTANCE_(name, mx_gpu_enqueue_array_)
