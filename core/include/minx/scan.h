/* Scans (prefix sums), for kernel files. The body adds the contribution of its item to the value.
 * When `final` is true, the value is the sum over all earlier items, and the body stores its
 * result:
 *
 *     MX_BODY void offsets_body(const offsets_args *a, int i, int64_t *sum, bool final)
 *     {
 *         if (final) MX_AT(a->begin, i) = *sum;          // exclusive: before adding; inclusive: after
 *         *sum += MX_AT(a->count, i);
 *     }
 *     MX_SCAN(1D, offsets, MX_SUM)                       driver: offsets(range, &args, &total)
 *     MX_SCAN_CUSTOM(1D, name, init, join)               a struct, with functions of your own
 *
 * init(v) stores the identity of join in *v. join(into, v) joins *v, the value of later items,
 * into *into, that of earlier items. It must be associative, but need not be commutative.
 *
 * A body may be called several times for an item, so it must store only when `final` is true. It is
 * true once. The total may be NULL; name_into leaves it in a view.
 *
 * Hosts: the bits are the same for any number of threads. The total may differ by rounding from the
 * sum that the last item gets, because the order of additions is not the same. cuda and
 * hip: the single-pass scan of CUB or rocPRIM (Merrill and Garland 2016), which reads and writes all
 * data once. Its sums of floating-point numbers may differ in their last bits from run to run. */
#pragma once
#include "minx/kernel.h"

#undef MX_SCAN
#undef MX_SCAN_CUSTOM
#define MX_SCAN(S, name, ...) MX_DEFINE_(SCAN_, S, name, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)
#define MX_SCAN_CUSTOM(S, name, init, ...) \
    MX_DEFINE_CUSTOM_(SCAN_CUSTOM_, S, name, init, __VA_ARGS__, MX_DEFAULT_, MX_DEFAULT_, ~)

#ifdef MX_DISPATCH
#define MX_DEFINE_RANGE_SCAN_TABLE_(name, D, I, S, R, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, S##_BLOCK_, MX_PATTERN_SCAN)
#define MX_DEFINE_RANGE_SCAN_CUSTOM_TABLE_(name, D, I, S, functions, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, S##_BLOCK_, MX_PATTERN_SCAN)
#endif

#ifndef MX_GPU_CODE_
#define MX_SCAN_ITEM_(name)              \
    name##__value value_ = lane_[l];     \
    name##__item(&a, i, &value_, false); \
    lane_[l] = value_
#define MX_DEFINE_SCAN_RUN_(name, I, S, prologue)                                              \
    MX_DEFINE_RUN_(name, 1, I, S##_LANES_, prologue, MX_NUMBER_BEGIN_(name),                   \
                   S##_ROW_(I, MX_SCAN_ITEM_(name)), MX_NUMBER_END_(name))                     \
    MX_DEFINE_JOIN_ALL_(name)                                                                  \
    static void name##__prefix(const mx_launch *launch_, void *carry, int64_t first_,          \
                               int64_t last_)                                                  \
    {                                                                                          \
        name##__value *const before = (name##__value *)carry;                                  \
        for (int64_t part_ = first_; part_ < last_; part_++) {                                 \
            name##__value *const at =                                                          \
                (name##__value *)(launch_->partials + part_ * launch_->partial_bytes);         \
            const name##__value share = *at;                                                   \
            *at = *before;                                                                     \
            name##__join(before, &share);                                                      \
        }                                                                                      \
    }                                                                                          \
    static void name##__scan(const mx_launch *launch_, int64_t first_, int64_t last_)          \
    {                                                                                          \
        const name##__args a = *(const name##__args *)launch_->args;                           \
        for (int64_t u = first_; u < last_; u++) {                                             \
            const int64_t chunk_ = launch_->first_chunk + u;                                   \
            const mx_tile_ tile_ = mx_chunk_tile_(launch_, 1, chunk_);                         \
            name##__value value_ =                                                             \
                *(const name##__value *)(launch_->partials + chunk_ * launch_->partial_bytes); \
            for (I i = (I)tile_.begin[0]; i < (I)tile_.end[0]; i++)                            \
                name##__item(&a, i, &value_, true);                                            \
        }                                                                                      \
    }                                                                                          \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                                  \
                                          .prepare = MX_PROLOGUE_(name, prologue),             \
                                          .join = name##__join_all,                            \
                                          .prefix = name##__prefix,                            \
                                          .scan = name##__scan};
#define MX_DEFINE_RANGE_SCAN_(name, D, I, S, R, prologue)                                \
    MX_DEFINE_VALUE_(name, R##_INIT(name##__value, v), R##_JOIN(name##__value, into, v)) \
    MX_DEFINE_SCAN_RUN_(name, I, S, prologue)
/* one lane, because a join need not be commutative */
#define MX_DEFINE_RANGE_SCAN_CUSTOM_(name, D, I, S, functions, prologue)             \
    MX_DEFINE_VALUE_(name, MX_INIT_OF_ functions(v), MX_JOIN_OF_ functions(into, v)) \
    MX_DEFINE_SCAN_RUN_(name, I, MX_ITEMS_PLAIN, prologue)

#else
#include MX_GPU_SCAN_HEADER_
#include <iterator>
#include <type_traits>

/* The arguments of an item. They are in the iterators themselves or, after a prologue and where
 * they are large, in device memory: threads have copies of the iterators, in memory of their own
 * where an index of an array is not constant. */
enum { MX_GPU_HELD_BYTES_ = 512 };
template <class A> static __device__ __forceinline__ const A *mx_gpu_args_(const A &args)
{
    return &args;
}
template <class A> static __device__ __forceinline__ const A *mx_gpu_args_(const A *const &args)
{
    return args;
}

/* The input iterator of a scan by the vendor's library: the contribution of item i, added to the identity. */
template <class K> struct mx_gpu_shares_ {
    typedef typename K::value value_type;
    typedef value_type reference;
    typedef int64_t difference_type;
    typedef const value_type *pointer;
    typedef std::random_access_iterator_tag iterator_category;
    typename K::held_args held;
    int64_t at;
    __device__ __forceinline__ value_type operator[](int64_t i) const
    {
        value_type v;
        K::mx_init_(&v);
        K::item(mx_gpu_args_(held), (typename K::index)(at + i), &v, false);
        return v;
    }
    __device__ __forceinline__ value_type operator*() const { return (*this)[0]; }
    __host__ __device__ __forceinline__ mx_gpu_shares_ operator+(int64_t n) const
    {
        mx_gpu_shares_ moved = *this;
        moved.at += n;
        return moved;
    }
    __host__ __device__ __forceinline__ mx_gpu_shares_ operator-(int64_t n) const
    {
        return *this + -n;
    }
};

/* The output iterator: when the library stores the prefix sum of item i, the item runs with final =
 * true. The last item stores the total. */
template <class K> struct mx_gpu_final_ {
    typename K::held_args held;
    int64_t at, last;
    typename K::value *total;
    __device__ __forceinline__ const mx_gpu_final_ &operator=(const typename K::value &before) const
    {
        typename K::value v = before;
        K::item(mx_gpu_args_(held), (typename K::index)at, &v, true);
        if (at == last && total != NULL) *total = v;
        return *this;
    }
};
template <class K> struct mx_gpu_finals_ {
    typedef typename K::value value_type;
    typedef mx_gpu_final_<K> reference;
    typedef int64_t difference_type;
    typedef value_type *pointer;
    typedef std::random_access_iterator_tag iterator_category;
    mx_gpu_final_<K> item;
    __device__ __forceinline__ reference operator[](int64_t i) const
    {
        reference moved = item;
        moved.at += i;
        return moved;
    }
    __device__ __forceinline__ reference operator*() const { return item; }
    __host__ __device__ __forceinline__ mx_gpu_finals_ operator+(int64_t n) const
    {
        mx_gpu_finals_ moved = *this;
        moved.item.at += n;
        return moved;
    }
};
/* The join of a kernel, as an operator for the library. (For sums its own operator is used, for which
 * it is tuned.) */
template <class K> struct mx_gpu_joining_ {
    __device__ __forceinline__ typename K::value operator()(const typename K::value &a,
                                                            const typename K::value &b) const
    {
        typename K::value v = a;
        K::mx_join_(&v, &b);
        return v;
    }
};

template <class K> static __global__ void mx_gpu_identity_(typename K::value *identity)
{
    if (identity != NULL) K::mx_init_(identity);
}
template <class K>
static __global__ void mx_gpu_prologue_(const __grid_constant__ typename K::args args,
                                        typename K::args *result)
{
    typename K::args args_copy = args;
    K::mx_prologue_(&args_copy);
    *result = args_copy;
}

/* A kernel of one thread, which begins when the kernel before it has ended. */
template <class... Parameters>
static int mx_gpu_start_one_(const mx_launch *launch, void (*kernel)(Parameters...),
                             Parameters... parameters)
{
    return mx_gpu_start_on_(mx_gpu_planned_(launch)->queue, false, kernel, dim3(1), dim3(1), 0,
                            parameters...);
}

/* In device memory, before the workspace of the library: the arguments (after a prologue), and the identity
 * from the user's init. */
enum { MX_GPU_FRONT_BYTES_ = 4096 };
template <class K> static char *mx_gpu_identity_copy_(char *memory)
{
    return memory + (K::args_in_memory ? MX_GPU_FRONT_BYTES_ : 0);
}
template <class K> static char *mx_gpu_workspace_(char *memory)
{
    return mx_gpu_identity_copy_<K>(memory) + (K::number ? 0 : MX_GPU_FRONT_BYTES_);
}

/* memory NULL: only sets *bytes to the memory that it needs. */
template <class K> static int mx_gpu_scan_(const mx_launch *launch, char *memory, size_t *bytes)
{
    const int64_t begin = launch->axis[0].begin, end = launch->axis[0].end, n = end - begin;
    const MX_GPU_(Stream_t) queue = (MX_GPU_(Stream_t))mx_gpu_planned_(launch)->queue;
    const size_t front = mx_gpu_workspace_<K>(NULL) - (char *)NULL;
    void *const workspace = memory != NULL ? memory + front : NULL;
    size_t rest = memory != NULL ? *bytes - front : 0;
    MX_GPU_(Error_t) err;
    int code = 0; /* of the kernels before the library's */
    mx_gpu_shares_<K> shares = {};
    mx_gpu_finals_<K> finals;
    if constexpr (K::args_in_memory) {
        shares.held = (typename K::args *)memory;
        if (memory != NULL)
            code = mx_gpu_start_one_(launch, mx_gpu_prologue_<K>,
                                     *(const typename K::args *)launch->args,
                                     (typename K::args *)memory);
    } else if (launch->args != NULL) {
        memcpy(&shares.held, launch->args, sizeof shares.held);
    }
    shares.at = finals.item.at = begin;
    finals.item.held = shares.held;
    finals.item.last = end - 1;
    finals.item.total = (typename K::value *)launch->result;
    if constexpr (K::number) {
        typename K::value identity;
        K::mx_init_(&identity);
        err = MX_GPU_EXCLUSIVE_SCAN_(workspace, rest, shares, finals, typename K::joining(),
                                     identity, n, queue);
    } else { /* the user's init runs on the device only */
        typename K::value *const identity =
            (typename K::value *)(memory != NULL ? mx_gpu_identity_copy_<K>(memory) : NULL);
        if (memory != NULL && code == 0)
            code = mx_gpu_start_one_(launch, mx_gpu_identity_<K>, identity);
        err = MX_GPU_EXCLUSIVE_SCAN_(workspace, rest, shares, finals, typename K::joining(),
                                     MX_GPU_VALUE_AT_(typename K::value, identity), n, queue);
    }
    *bytes = rest + front;
    return code != 0 ? code : (int)err;
}
template <class K> static size_t mx_gpu_scan_bytes_(const mx_launch *launch)
{
    size_t bytes = 0;
    mx_gpu_scan_<K>(launch, NULL, &bytes);
    return bytes;
}
template <class K> static int mx_gpu_enqueue_scan_(const mx_launch *launch)
{
    size_t bytes = (size_t)launch->partial_bytes;
    if (launch->axis[0].begin < launch->axis[0].end)
        return mx_gpu_scan_<K>(launch, launch->partials, &bytes);
    return mx_gpu_start_one_(launch, mx_gpu_identity_<K>, (typename K::value *)launch->result);
}

#define MX_DEFINE_SCAN_RUN_(name, I, prologue_, NUMBER, SUMS, INIT, JOIN, WHERE)               \
    struct name##__device {                                                                    \
        MX_GPU_COMMON_(name, 1, I, prologue_)                                                  \
        typedef std::conditional<SUMS, MX_GPU_PLUS_(name##__value),                            \
                                 mx_gpu_joining_<name##__device>>::type joining;               \
        enum { args_in_memory = has_prologue || sizeof(args) > MX_GPU_HELD_BYTES_ };           \
        typedef std::conditional<args_in_memory, const args *, args>::type held_args;          \
        typedef name##__value value;                                                           \
        enum { number = NUMBER };                                                              \
        static WHERE __forceinline__ void mx_init_(value *v) { INIT; }                         \
        static __device__ __forceinline__ void mx_join_(value *into, const value *v) { JOIN; } \
        static __device__ __forceinline__ void item(const args *a, I i, value *v, bool final)  \
        {                                                                                      \
            name##__item(a, i, v, final);                                                      \
        }                                                                                      \
    };                                                                                         \
    MX_GPU_INSTANCE_OF_(name, mx_gpu_enqueue_scan_, 1, 0, mx_gpu_scan_bytes_<name##__device>, NULL)
#define MX_DEFINE_RANGE_SCAN_(name, D, I, S, R, prologue)                                         \
    MX_DEFINE_SCAN_RUN_(name, I, prologue, true, mx_same_text_(#R, "MX_SUM"), R##_INIT(value, v), \
                        R##_JOIN(value, into, v), __host__ __device__)
#define MX_DEFINE_RANGE_SCAN_CUSTOM_(name, D, I, S, functions, prologue)           \
    MX_DEFINE_SCAN_RUN_(name, I, prologue, false, false, MX_INIT_OF_ functions(v), \
                        MX_JOIN_OF_ functions(into, v), __device__)
#endif
