/* How a kernel file is compiled for GPUs: each kernel becomes a struct NAME__device,
 * which the templates below take.
 *
 * Ranges of one and two dimensions. A thread block has 256 threads, in some reductions 512:
 * block[0] of them along the contiguous index, block[1] along the rows. (A row is one combination
 * of the other indices.) blockIdx.y counts the rows and, beyond its limit, blockIdx.z too. A
 * thread runs `per_thread` neighbouring rows; in one dimension, except in reductions, that many
 * items, which are 256 apart. The number is
 *   - 2 in a reduction, and 8 if its value is larger than 8 bytes, so that values are joined less
 *     often; 1 in a reduction of 8 bytes whose items have loops (MX_ITEMS_PLAIN), which have many
 *     loads of their own, and in any reduction with MX_ITEMS_RESIDENT_2 or _4;
 *   - 2 in two dimensions if there is a prologue and no loop, because two rows share what the
 *     prologue computes;
 *   - otherwise 1, because the loads of a second row would wait for the store of the first.
 *     Exceptions: 2 if one row for each thread would need a few rounds of blocks on the device, and
 *     2 small items (MX_ITEMS_SIMD) in one dimension.
 * Loads by MX_TRAIT_RANDOM_ACCESS do not wait for a store.
 *
 * Ranges of three dimensions or more are divided into planes (the last two indices). A block has
 * 64 (or 32) threads along the contiguous index, and its other threads along the next; where that
 * has few rows, more threads along the contiguous index. A thread runs one item of a plane or, in
 * reductions, the items at the same position in several planes, one plane after the other. Most of
 * what an item reads was then loaded already for the planes before. Items with loops are one for
 * each thread here too. In three dimensions no index needs a division.
 *
 * Reductions. The threads of a block join their values by shuffles and shared memory into one
 * partial result (join.h). If there are few partial results (MX_GPU_SLOTS_) of at most 8
 * bytes, each block puts its own into a slot, and the block with the highest number joins them in
 * the same kernel. The reason: starting a second kernel often takes as long as a
 * kernel whose data are in cache. All other partial results are joined by a
 * second kernel with one block; if there are many, a kernel with some blocks runs between the
 * two. With the setting reduction-wait=0 there is always a second kernel. Partial results of a
 * node of a graph have one too: nodes may run at the same time, so they cannot share the slots, and
 * the host does not start their kernels. Rejected: the block that finishes last joins. Each block
 * then needs a fence and an atomic, which take longer than many a small reduction.
 *
 * The order is fixed, so the bits of a sum do not change from run to run. They do depend on the
 * number of blocks, which depends on the device and, where threads step through the range, in
 * most cases on the registers of the kernel. So two kernels with the same sum may differ in the
 * last bits.
 *
 * The last of these kernels may be left to the caller (mx_partials in launch.h), who joins in the
 * same order: there is one kernel less where another one follows that needs the result, and has few
 * blocks. Slots leave nothing.
 *
 * In most reductions to at most 8 bytes a block has 512 threads, because fewer partial results
 * are joined faster. Blocks of other reductions have 256: where items have loops, where a value is
 * larger than 8 bytes, in planes of at most 256 items (rows rounded up to warps), and in ranges
 * with few rows or short rows. Threads step through such ranges, and through ranges of one
 * dimension. The number of blocks is then limited. In ranges with few or short rows, and of blocks
 * with 512 threads, there are at most as many blocks as the device runs of this kernel at a time. Of
 * blocks with 256 threads there are at most twice as many as it runs of a kernel with few
 * registers. */
#pragma once
#include "minx/device/join.h"
#include "minx/device/range.h"

/* Do the items have loops? */
#define MX_ITEMS_SIMD_LOOPS_ false
#define MX_ITEMS_PLAIN_LOOPS_ true
#define MX_ITEMS_RESIDENT_2_LOOPS_ true
#define MX_ITEMS_RESIDENT_4_LOOPS_ true
/* The number of blocks that a multiprocessor must have room for. With more blocks a thread has fewer
 * registers. */
#define MX_ITEMS_SIMD_BLOCKS_ 1
#define MX_ITEMS_PLAIN_BLOCKS_ 1
#define MX_ITEMS_RESIDENT_2_BLOCKS_ 2
#define MX_ITEMS_RESIDENT_4_BLOCKS_ 4

enum { MX_GPU_THREADS_ = 256, MX_GPU_MANY_THREADS_ = 512 };

static constexpr bool mx_same_text_(const char *a, const char *b)
{
    return *a == *b && (*a == '\0' || mx_same_text_(a + 1, b + 1));
}

/* The item of one thread in a plane. */
template <class K>
static __device__ __forceinline__ void mx_gpu_plane_item_(const typename K::args *args,
                                                          const mx_gpu_range_of_<K> &range)
{
    typename K::index o[MX_MAX_DIMS], i;
    if (mx_gpu_in_plane_<K>(range, o, &i) && mx_gpu_plane_<K>(range, blockIdx.z, o))
        K::item(args, o, i);
}

/* The items of one thread. If all are inside the range, there is no branch between them. The
 * compiler may then move a load by MX_TRAIT_RANDOM_ACCESS before the store of an earlier one. */
template <class K, int per_thread>
static __device__ __forceinline__ void mx_gpu_items_(const typename K::args *args,
                                                     const mx_gpu_range_of_<K> &range)
{
    typedef typename K::index I;
    const I end = range.end[K::dims - 1];
    if (K::dims == 1) {
        const I i = mx_gpu_index_<K>(range, per_thread);
        if (i + (per_thread - 1) * MX_GPU_THREADS_ < end) {
#pragma unroll
            for (int n = 0; n < per_thread; n++) K::item(args, NULL, i + n * MX_GPU_THREADS_);
            return;
        }
        for (int n = 0; n < per_thread - 1; n++)
            if (i + n * MX_GPU_THREADS_ < end) K::item(args, NULL, i + n * MX_GPU_THREADS_);
        return;
    }
    I o[MX_MAX_DIMS];
    const I i = mx_gpu_index_<K>(range, 1);
    const typename K::row row = mx_gpu_first_row_<K>(per_thread);
    if (i >= end) return;
    if (K::dims == 2 && mx_gpu_row_<K>(range, row + per_thread - 1, o)) {
#pragma unroll
        for (int n = 0; n < per_thread; n++) {
            mx_gpu_row_<K>(range, row + n, o);
            K::item(args, o, i);
        }
        return;
    }
#pragma unroll
    for (int n = 0; n < per_thread; n++)
        if (mx_gpu_row_<K>(range, row + n, o)) K::item(args, o, i);
}

template <class K, int per_thread, bool planes>
static __device__ __forceinline__ void mx_gpu_any_items_(const typename K::args *args,
                                                         const mx_gpu_range_of_<K> &range)
{
    if constexpr (planes)
        mx_gpu_plane_item_<K>(args, range);
    else
        mx_gpu_items_<K, per_thread>(args, range);
}

template <class K, int per_thread, bool planes>
static __global__ void MX_GPU_BOUNDS_(MX_GPU_THREADS_, K::resident)
    mx_gpu_for_(const __grid_constant__ typename K::args args,
                const __grid_constant__ mx_gpu_range_of_<K> range)
{
    mx_gpu_begin_<K::loops>();
    if (K::has_prologue) {
        typename K::args args_copy = args;
        K::mx_prologue_(&args_copy);
        mx_gpu_any_items_<K, per_thread, planes>(&args_copy, range);
    } else {
        mx_gpu_any_items_<K, per_thread, planes>(&args, range);
    }
}

/* The items of one thread in a reduction, for a range with few rows or short ones: the grid is
 * smaller than the range, and each thread steps through it. */
template <class K>
static __device__ __forceinline__ void mx_gpu_strided_share_(const typename K::args *args,
                                                             const mx_gpu_range_of_<K> &range,
                                                             typename K::value *total)
{
    typedef typename K::index I;
    const I i = mx_gpu_index_<K>(range, 1), end = range.end[K::dims - 1];
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    const int64_t row_step = (int64_t)gridDim.y * gridDim.z * blockDim.y;
    const int64_t first = mx_gpu_block_row_<int64_t>() * blockDim.y + threadIdx.y;
    int64_t rows = 1;
    I o[MX_MAX_DIMS];
    for (int d = 0; d < K::dims - 1; d++) rows *= (int64_t)range.end[d] - (int64_t)range.begin[d];
    if (i >= end) return;
    if (gridDim.x == 1) { /* one item of each row */
#pragma unroll 4
        for (int64_t row = first; row < rows; row += row_step) {
            mx_gpu_row_<K>(range, (typename K::row)row, o);
            K::item(args, o, i, total);
        }
        return;
    }
    for (int64_t row = first; row < rows; row += row_step) {
        mx_gpu_row_<K>(range, (typename K::row)row, o);
#pragma unroll 4
        for (int64_t at = i; at < end; at += step) K::item(args, o, (I)at, total);
    }
}

/* The items of one thread in a reduction. */
template <class K>
static __device__ __forceinline__ void mx_gpu_share_(const typename K::args *args,
                                                     const mx_gpu_range_of_<K> &range,
                                                     typename K::value *total)
{
    typedef typename K::index I;
    const I i = mx_gpu_index_<K>(range, 1), end = range.end[K::dims - 1];
    if (K::dims == 1) {
        const int64_t step = (int64_t)gridDim.x * blockDim.x;
        constexpr int unrolled = K::loops ? 1 : 4;
#pragma unroll unrolled
        for (int64_t at = i; at < end; at += step) K::item(args, NULL, (I)at, total);
        return;
    }
    if (i >= end) return;
#pragma unroll
    for (int n = 0; n < K::per_thread; n++) {
        I o[MX_MAX_DIMS];
        if (mx_gpu_row_<K>(range, mx_gpu_first_row_<K>(K::per_thread) + n, o))
            K::item(args, o, i, total);
    }
}

/* The items of one thread in a reduction, in `planes` planes. */
template <class K, int planes>
static __device__ __forceinline__ void mx_gpu_planes_share_(const typename K::args *args,
                                                            const mx_gpu_range_of_<K> &range,
                                                            typename K::value *total)
{
    typename K::index o[MX_MAX_DIMS], i;
    if (!mx_gpu_in_plane_<K>(range, o, &i)) return;
    const bool all_inside = mx_gpu_plane_<K>(range, blockIdx.z * planes + planes - 1, o);
    if (all_inside) {
#pragma unroll
        for (int n = 0; n < planes; n++) {
            mx_gpu_plane_<K>(range, blockIdx.z * planes + n, o);
            K::item(args, o, i, total);
        }
        return;
    }
    for (int n = 0; n < planes - 1; n++) {
        if (!mx_gpu_plane_<K>(range, blockIdx.z * planes + n, o)) return;
        K::item(args, o, i, total);
    }
}

/* planes 0: the range is divided into rows, not planes. */
template <class K, int planes, bool strides>
static __device__ __forceinline__ void mx_gpu_any_share_(const typename K::args *args,
                                                         const mx_gpu_range_of_<K> &range,
                                                         typename K::value *total)
{
    if constexpr (planes > 0)
        mx_gpu_planes_share_<K, planes>(args, range, total);
    else if constexpr (strides)
        mx_gpu_strided_share_<K>(args, range, total);
    else
        mx_gpu_share_<K>(args, range, total);
}

/* The most threads of a block in a reduction, which plan_grid and plan_planes (backends/device/device_grid.h)
 * respect. */
template <class K, bool strides> static constexpr int mx_gpu_reduce_threads_()
{
    return strides ? (int)MX_GPU_THREADS_ : (int)K::threads;
}

template <class K, int planes, bool strides>
static __global__ void MX_GPU_BOUNDS_((mx_gpu_reduce_threads_<K, strides>()), K::resident)
    mx_gpu_reduce_(const __grid_constant__ typename K::args args,
                   const __grid_constant__ mx_gpu_range_of_<K> range, mx_gpu_slot_ *slots,
                   typename K::value *partials, typename K::value *result)
{
    typename K::value total;
    mx_gpu_begin_<K::loops>();
    K::mx_init_(&total);
    if (K::has_prologue) {
        typename K::args args_copy = args;
        K::mx_prologue_(&args_copy);
        mx_gpu_any_share_<K, planes, strides>(&args_copy, range, &total);
    } else {
        mx_gpu_any_share_<K, planes, strides>(&args, range, &total);
    }
    mx_gpu_block_join_<K>(&total);
    if constexpr (!strides && sizeof total <= MX_GPU_SLOT_VALUE_BYTES_) {
        if (slots != NULL) {
            mx_gpu_join_slots_<K>(slots, &total, result);
            return;
        }
    }
    if (threadIdx.x == 0 && threadIdx.y == 0)
        partials[blockIdx.x + (int64_t)gridDim.x * mx_gpu_block_row_<int64_t>()] = total;
}

template <class K>
static __global__ void MX_GPU_BOUNDS_(MX_JOIN_THREADS, 0)
    mx_gpu_join_(const typename K::value *partials, int64_t n, typename K::value *result)
{
    typename K::value total;
    mx_gpu_begin_<K::loops>();
    K::mx_init_(&total);
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
#pragma unroll 8
    for (int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; p < n; p += step)
        K::mx_join_(&total, &partials[p]);
    mx_gpu_block_join_<K>(&total);
    if (threadIdx.x == 0) result[blockIdx.x] = total;
}

template <class K> static mx_gpu_range_of_<K> mx_gpu_range_from_(const mx_launch *launch)
{
    mx_gpu_range_of_<K> range;
    for (int d = 0; d < K::dims; d++) {
        range.begin[d] = (typename K::index)launch->axis[d].begin;
        range.end[d] = (typename K::index)launch->axis[d].end;
    }
    return range;
}

/* kernel<<<grid, block, shared_bytes>>>(arguments...) on the launch's queue. Where devices can do
 * it, the kernel is set up while the kernel before it still runs. */
template <class... Parameters, class... Arguments>
static int mx_gpu_start_shared_(const mx_launch *launch, void (*kernel)(Parameters...), dim3 grid,
                                dim3 block, size_t shared_bytes, Arguments... arguments)
{
    return mx_gpu_start_on_<Parameters...>(mx_gpu_planned_(launch)->queue,
                                           mx_gpu_planned_(launch)->overlaps, kernel, grid, block,
                                           shared_bytes, Parameters(arguments)...);
}
template <class... Parameters, class... Arguments>
static int mx_gpu_start_(const mx_launch *launch, void (*kernel)(Parameters...), dim3 grid,
                         dim3 block, Arguments... arguments)
{
    return mx_gpu_start_shared_(launch, kernel, grid, block, 0, arguments...);
}

/* The form of a kernel that the plan requests. */
template <class K> static auto mx_gpu_for_of_(const mx_gpu_launch_ *plan)
{
    if constexpr (K::dims > 2) {
        if (plan->planes) return mx_gpu_for_<K, 1, true>;
    }
    return plan->per_thread == 2 ? mx_gpu_for_<K, 2, false> : mx_gpu_for_<K, 1, false>;
}
template <class K> static auto mx_gpu_reduce_of_(const mx_gpu_launch_ *plan)
{
    if constexpr (K::dims > 2) {
        if constexpr (K::per_thread == 1) {
            if (plan->planes) return mx_gpu_reduce_<K, 1, false>;
        } else {
            if (plan->planes)
                return plan->per_thread == MX_GPU_PLANES_
                           ? mx_gpu_reduce_<K, MX_GPU_PLANES_, false>
                           : mx_gpu_reduce_<K, MX_GPU_FEW_PLANES_, false>;
        }
    }
    return plan->strides ? mx_gpu_reduce_<K, 0, (K::dims > 1)> : mx_gpu_reduce_<K, 0, false>;
}

/* How many blocks of a reduction whose threads step through the range a multiprocessor of the
 * current device runs at a time. */
template <class K> static int mx_gpu_at_a_time_()
{
    constexpr bool strides = K::dims > 1;
    int blocks = 0;
    const MX_GPU_(Error_t) code = MX_GPU_(OccupancyMaxActiveBlocksPerMultiprocessor)(
        &blocks, mx_gpu_reduce_<K, 0, strides>, mx_gpu_reduce_threads_<K, strides>(), 0);
    if (code != MX_GPU_(Success))
        (void)MX_GPU_(GetLastError)(); /* the launch will say what is wrong */
    return code == MX_GPU_(Success) && blocks > 0 ? blocks : 1;
}

template <class K> static int mx_gpu_enqueue_for_(const mx_launch *launch)
{
    return mx_gpu_start_(launch, mx_gpu_for_of_<K>(mx_gpu_planned_(launch)),
                         dim3(mx_gpu_planned_(launch)->grid[0], mx_gpu_planned_(launch)->grid[1],
                              mx_gpu_planned_(launch)->grid[2]),
                         dim3(mx_gpu_planned_(launch)->block[0], mx_gpu_planned_(launch)->block[1]),
                         *(const typename K::args *)launch->args, mx_gpu_range_from_<K>(launch));
}

/* Joins the partial results of all blocks, by a block of `threads` threads. Many of them become
 * those of MX_GPU_JOIN_BLOCKS_ first, behind the others. */
template <class K> static int mx_gpu_enqueue_join_(const mx_launch *launch, int threads)
{
    typedef typename K::value T;
    const mx_partials last = mx_gpu_last_partials_(launch, sizeof(T));
    if (last.values != launch->partials) {
        const int code = mx_gpu_start_(launch, mx_gpu_join_<K>, dim3(MX_GPU_JOIN_BLOCKS_),
                                       dim3(MX_JOIN_THREADS), (const T *)launch->partials,
                                       mx_gpu_planned_(launch)->blocks, (T *)last.values);
        if (code != 0) return code;
    }
    if (mx_gpu_planned_(launch)->leaves_join) return 0;
    return mx_gpu_start_(launch, mx_gpu_join_<K>, dim3(1), dim3((unsigned)threads),
                         (const T *)last.values, last.count, (T *)launch->result);
}

template <class K> static int mx_gpu_enqueue_reduce_(const mx_launch *launch)
{
    typedef typename K::value T;
    const mx_gpu_launch_ *plan = mx_gpu_planned_(launch);
    /* an empty range has no partial results; the join then gives the identity */
    if (plan->blocks > 0) {
        const int code = mx_gpu_start_(
            launch, mx_gpu_reduce_of_<K>(plan), dim3(plan->grid[0], plan->grid[1], plan->grid[2]),
            dim3(plan->block[0], plan->block[1]), *(const typename K::args *)launch->args,
            mx_gpu_range_from_<K>(launch), (mx_gpu_slot_ *)plan->slots, (T *)launch->partials,
            (T *)launch->result);
        if (code != 0 || plan->slots != NULL) return code;
    }
    /* the same order, so the same bits, as with slots */
    const bool few = mx_gpu_fits_slots_(plan, sizeof(T));
    return mx_gpu_enqueue_join_<K>(launch,
                                   few ? (int)(plan->block[0] * plan->block[1]) : MX_JOIN_THREADS);
}

/* ---- the definitions ---- */

/* The outer indices, with the names that MX_ITEM_2D_ and the others use. */
#define MX_OUTER_1D_ (void)o;
#define MX_OUTER_2D_ const auto o0 = o[0];
#define MX_OUTER_3D_ MX_OUTER_2D_ const auto o1 = o[1];
#define MX_OUTER_4D_ MX_OUTER_3D_ const auto o2 = o[2];
#define MX_OUTER_5D_ MX_OUTER_4D_ const auto o3 = o[3];
#define MX_OUTER_6D_ MX_OUTER_5D_ const auto o4 = o[4];

/* The members that only host instances have stay NULL. */
static inline constexpr mx_instance mx_gpu_instance_(int (*enqueue)(const mx_launch *),
                                                     int per_thread, int threads,
                                                     size_t (*temporary)(const mx_launch *),
                                                     int (*at_a_time)(void))
{
    mx_instance instance = {};
    instance.enqueue = enqueue;
    instance.per_thread = per_thread;
    instance.threads = threads;
    instance.temporary = temporary;
    instance.at_a_time = at_a_time;
    return instance;
}
#define MX_GPU_INSTANCE_OF_(name, enqueue, per_thread, threads, temporary, at_a_time)             \
    extern "C" {                                                                                  \
    extern MX_GPU_CONST_ mx_instance MX_SYMBOL_(name);                                            \
    MX_GPU_CONST_ mx_instance MX_SYMBOL_(name) = mx_gpu_instance_(enqueue<name##__device>,        \
                                                                  per_thread, threads, temporary, \
                                                                  at_a_time);                     \
    }
#define MX_GPU_INSTANCE_(name, enqueue) \
    MX_GPU_INSTANCE_OF_(name, enqueue, name##__device::per_thread, 0, NULL, NULL)

#define MX_GPU_COMMON_(name, D, I, prologue_)                                               \
    typedef name##__args args;                                                              \
    typedef I index;                                                                        \
    typedef mx_gpu_row_type_<I, D>::type row;                                               \
    enum { dims = D, has_prologue = !mx_same_text_(MX_STRING_(prologue_), "MX_DEFAULT_") }; \
    static __device__ __forceinline__ void mx_prologue_(args *a)                            \
    {                                                                                       \
        MX_ITEM_NONE_();                                                                    \
        prologue_(a);                                                                       \
    }

/* Long items are one for each thread, whatever the size of a value. */
#define MX_GPU_VALUE_(name, D, I, S)                                                              \
    typedef name##__value value;                                                                  \
    enum { loops = S##_LOOPS_, joins = sizeof(value) > 8 && S##_BLOCKS_ == 1 };                   \
    enum { per_thread = joins ? 8 : (loops ? 1 : 2) };                                            \
    enum { threads = joins || loops ? MX_GPU_THREADS_ : MX_GPU_MANY_THREADS_ };                   \
    static __device__ __forceinline__ void item(const name##__args *a, const I *o, I i, value *v) \
    {                                                                                             \
        MX_OUTER_##D##D_ name##__item(a, MX_ITEM_##D##D_, v);                                     \
    }

#define MX_DEFINE_RANGE_FOR_(name, D, I, S, what, prologue_)                        \
    struct name##__device {                                                         \
        MX_GPU_COMMON_(name, D, I, prologue_)                                       \
        enum { loops = S##_LOOPS_, resident = S##_BLOCKS_ };                        \
        enum { shares = D == 1 || (D == 2 && has_prologue) };                       \
        enum { per_thread = shares && !loops ? 2 : 1 };                             \
        static __device__ __forceinline__ void item(const args *a, const I *o, I i) \
        {                                                                           \
            MX_OUTER_##D##D_ name##__item(a, MX_ITEM_##D##D_);                      \
        }                                                                           \
    };                                                                              \
    MX_GPU_INSTANCE_(name, mx_gpu_enqueue_for_)

/* `resident` 0 is no limit: with a limit of 1 compilers give reductions more registers than without.
 * INIT is a statement on `v`, JOIN one on `into` and `v`. */
#define MX_DEFINE_VALUED_(name, D, I, S, prologue_, INIT, JOIN)                                \
    struct name##__device {                                                                    \
        MX_GPU_COMMON_(name, D, I, prologue_)                                                  \
        MX_GPU_VALUE_(name, D, I, S)                                                           \
        enum { resident = S##_BLOCKS_ > 1 ? S##_BLOCKS_ : 0 };                                 \
        static __device__ __forceinline__ void mx_init_(value *v) { INIT; }                    \
        static __device__ __forceinline__ void mx_join_(value *into, const value *v) { JOIN; } \
    };                                                                                         \
    MX_GPU_INSTANCE_OF_(name, mx_gpu_enqueue_reduce_, name##__device::per_thread,              \
                        name##__device::threads, NULL, mx_gpu_at_a_time_<name##__device>)
#define MX_DEFINE_RANGE_REDUCE_(name, D, I, S, R, prologue) \
    MX_DEFINE_VALUED_(name, D, I, S, prologue, R##_INIT(value, v), R##_JOIN(value, into, v))
#define MX_DEFINE_RANGE_FIELDS_(name, D, I, S, LIST, prologue) \
    MX_DEFINE_VALUED_(name, D, I, S, prologue, LIST(MX_FIELD_INIT_), LIST(MX_FIELD_JOIN_))
#define MX_DEFINE_RANGE_CUSTOM_(name, D, I, S, functions, prologue)      \
    MX_DEFINE_VALUED_(name, D, I, S, prologue, MX_INIT_OF_ functions(v), \
                      MX_JOIN_OF_ functions(into, v))

#include "minx/device/reduce_array.h"
