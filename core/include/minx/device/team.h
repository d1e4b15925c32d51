/* Teams on GPUs. A team is a thread block: lanes along x, threads of the team along y, so
 * the lanes of a thread are neighbours in a wave. Scratch of level 0 is shared memory. Scratch of
 * level 1 is device memory, a part for each block that runs. */
#pragma once

#define MX_TEAM_FOR(t, i, b, e) for (int i = (b) + (int)threadIdx.y; i < (e); i += (int)blockDim.y)
#define MX_VECTOR_FOR(t, i, b, e) for (int i = (b) + (int)threadIdx.x; i < (e); i += (t)->lanes)
#define MX_TEAM_VECTOR_FOR(t, i, b, e)                                         \
    for (int i = (b) + (int)(threadIdx.y * blockDim.x + threadIdx.x); i < (e); \
         i += (int)(blockDim.x * blockDim.y))
#define MX_VECTOR_JOINED_(t, i, b, e, BEGIN, JOIN, ...)                                  \
    for (int mx_once_##i = (MX_EACH_(BEGIN, __VA_ARGS__), 1), mx_lanes_of_ = (t)->lanes; \
         mx_once_##i; MX_EACH_(JOIN, __VA_ARGS__), mx_once_##i = 0)                      \
        MX_VECTOR_FOR (t, i, b, e)
#define MX_VECTOR_REDUCE(t, i, b, e, v, init, join)                                 \
    for (int mx_once_##i = (init(&(v)), 1), mx_lanes_of_ = (t)->lanes; mx_once_##i; \
         (v) = mx_lane_join_(mx_lanes_of_, v,                                       \
                             [](decltype(v) into, const decltype(v) &other) {       \
                                 join(&into, &other);                               \
                                 return into;                                       \
                             }),                                                    \
             mx_once_##i = 0)                                                       \
        MX_VECTOR_FOR (t, i, b, e)
/* All lanes execute the same number of steps, also lanes without an item, because each step has a
 * shuffle. */
#define MX_VECTOR_SCANNED_(t, i, b, e, s, share, inclusive)                                      \
    for (decltype(s) mx_next_##i = 0, *mx_once_##i = &mx_next_##i; mx_once_##i != NULL;          \
         (s) = mx_next_##i, mx_once_##i = NULL)                                                  \
        for (int mx_at_##i = (b), mx_end_##i = (e); mx_at_##i < mx_end_##i;                      \
             mx_at_##i += (t)->lanes)                                                            \
            for (int i = mx_at_##i + (int)threadIdx.x,                                           \
                     mx_item_##i = ((s) = mx_lane_scan_(                                         \
                                        (t)->lanes, &mx_next_##i,                                \
                                        (decltype(s))(i < mx_end_##i ? (share) : 0), inclusive), \
                                   i < mx_end_##i);                                              \
                 mx_item_##i; mx_item_##i = 0)
#define MX_VECTOR_SINGLE(t) if (threadIdx.x == 0)
#define MX_TEAM_SINGLE(t) if (threadIdx.x == 0 && threadIdx.y == 0)

static __device__ __forceinline__ void mx_team_barrier(mx_team *) { __syncthreads(); }

template <class T>
static __device__ __forceinline__ T mx_lane_shuffle_xor_(mx_gpu_lanes_ mask, const T &v,
                                                         int distance)
{
    enum { length = (sizeof(T) + 3) / 4 };
    unsigned words[length] = {0};
    memcpy(words, &v, sizeof(T));
#pragma unroll
    for (int w = 0; w < length; w++) words[w] = MX_GPU_SHUFFLE_XOR_(mask, words[w], distance);
    T result;
    memcpy(&result, words, sizeof(T));
    return result;
}

/* Joins the values of all lanes of a thread; every lane gets the result. The value of the lower
 * lane comes first in each join, so all lanes get the same bits. */
template <class T, class F>
static __device__ __forceinline__ T mx_lane_join_(int lanes, T v, F join)
{
    const mx_gpu_lanes_ mask = mx_gpu_lanes_of_(lanes);
#pragma unroll
    for (int distance = MX_GPU_WAVE_ / 2; distance > 0; distance >>= 1) {
        if (distance >= lanes) continue;
        const T other = mx_lane_shuffle_xor_(mask, v, distance);
        v = ((int)threadIdx.x & distance) != 0 ? join(other, v) : join(v, other);
    }
    return v;
}
template <class T> static __device__ __forceinline__ T mx_lane_sum_(int lanes, T v)
{
    const mx_gpu_lanes_ mask = mx_gpu_lanes_of_(lanes);
#pragma unroll
    for (int distance = MX_GPU_WAVE_ / 2; distance > 0; distance >>= 1)
        if (distance < lanes) v += MX_GPU_SHUFFLE_XOR_(mask, v, distance);
    return v;
}
template <class T> static __device__ __forceinline__ T mx_lane_min_(int lanes, T v)
{
    return mx_lane_join_(lanes, v, [](T a, T b) { return MX_LEAST_OF_(a, b); });
}
template <class T> static __device__ __forceinline__ T mx_lane_max_(int lanes, T v)
{
    return mx_lane_join_(lanes, v, [](T a, T b) { return MX_LARGEST_OF_(a, b); });
}

/* The prefix sum over the lanes, from *next on: without this lane's share or, if inclusive, with
 * it. Adds the shares of all lanes to *next. */
template <class T>
static __device__ __forceinline__ T mx_lane_scan_(int lanes, T *next, T share, bool inclusive)
{
    const mx_gpu_lanes_ mask = mx_gpu_lanes_of_(lanes);
    const int lane = (int)threadIdx.x;
    T with_share = share;
#pragma unroll
    for (int distance = 1; distance < MX_GPU_WAVE_; distance <<= 1) {
        if (distance >= lanes) continue;
        const T other = MX_GPU_SHUFFLE_UP_(mask, with_share, distance, lanes);
        if (lane >= distance) with_share = (T)(other + with_share);
    }
    const T before = MX_GPU_SHUFFLE_UP_(mask, with_share, 1, lanes), start = *next;
    *next = (T)(start + MX_GPU_SHUFFLE_(mask, with_share, lanes - 1, lanes));
    return (T)(start + (inclusive ? with_share : lane > 0 ? before : (T)0));
}

/* The shared memory of a block begins with the slots for collectives. */
extern __shared__ __align__(16) char mx_shared_[];

/* Combines the values of threads begin to end-1: start, then step(all, value) for each. */
template <class T, class F>
static __device__ __forceinline__ T mx_team_fold_(T v, int begin, int end, T start, F step)
{
    uint64_t *const slot = (uint64_t *)mx_shared_;
    T all = start;
    if (threadIdx.x == 0) memcpy(&slot[threadIdx.y], &v, sizeof v);
    __syncthreads();
    for (int r = begin; r < end; r++) {
        T other;
        memcpy(&other, &slot[r], sizeof other);
        all = step(all, other);
    }
    __syncthreads();
    return all;
}
template <class T> static __device__ __forceinline__ T mx_team_sum(mx_team *t, T v)
{
    return mx_team_fold_(v, 0, t->size, (T)0, [](T a, T b) { return (T)(a + b); });
}
template <class T> static __device__ __forceinline__ T mx_team_scan(mx_team *t, T v)
{
    return mx_team_fold_(v, 0, t->rank, (T)0, [](T a, T b) { return (T)(a + b); });
}
template <class T> static __device__ __forceinline__ T mx_team_min(mx_team *t, T v)
{
    return mx_team_fold_(v, 0, t->size, v, [](T a, T b) { return MX_LEAST_OF_(a, b); });
}
template <class T> static __device__ __forceinline__ T mx_team_max(mx_team *t, T v)
{
    return mx_team_fold_(v, 0, t->size, v, [](T a, T b) { return MX_LARGEST_OF_(a, b); });
}
template <class T> static __device__ __forceinline__ T mx_team_broadcast(mx_team *, T v, int root)
{
    return mx_team_fold_(v, root, root + 1, v, [](T, T b) { return b; });
}

/* lanes: a compile-time constant, so that vector loops are unrolled; 0: known at run time only. */
template <int lanes>
static __device__ __forceinline__ mx_team mx_team_of_(const mx_team_shape &shape, int league,
                                                      char *level1, int64_t *overflow)
{
    mx_team t = {};
    t.league_size = league;
    t.rank = (int)threadIdx.y;
    t.size = (int)blockDim.y;
    t.lane = (int)threadIdx.x;
    t.lanes = lanes > 0 ? lanes : (int)blockDim.x;
    t.overflow = overflow;
    char *at = mx_shared_ + MX_GPU_COLLECTIVE_BYTES_(blockDim.y);
    for (int level = 0; level < 2; level++) {
        t.capacity[level][0] = shape.team_bytes[level];
        t.capacity[level][1] = shape.thread_bytes[level];
        t.scratch[level][0] = at;
        t.scratch[level][1] = at + t.capacity[level][0] + (size_t)t.rank * t.capacity[level][1];
        at = level1;
    }
    return t;
}

/* Runs all teams of a block, one after the other. */
template <class K, int lanes>
static __device__ __forceinline__ void
mx_gpu_league_(const typename K::args *args, const mx_team_shape &shape, int league, char *scratch,
               size_t scratch_bytes, int64_t *overflow, typename K::value *total)
{
    mx_team t =
        mx_team_of_<lanes>(shape, league, scratch + (size_t)blockIdx.x * scratch_bytes, overflow);
    const bool shared_scratch = (shape.team_bytes[0] | shape.team_bytes[1]) != 0;
    /* unsigned: the rank behind the last one may not fit an int */
    for (unsigned rank = blockIdx.x; rank < (unsigned)league; rank += gridDim.x) {
        t.league_rank = (int)rank;
        memset(t.used, 0, sizeof t.used);
        K::team(args, &t, total);
        /* The block's next team uses the same scratch. Collectives need no barrier here: they end
         * with one. */
        if (shared_scratch)
            __syncthreads();
        else
            MX_GPU_WAVE_BARRIER_();
    }
    /* the join of the values uses the same shared memory */
    if (K::reduces) __syncthreads();
}

/* For teams with MX_ITEMS_SIMD the compiler limits the registers of a lane, so that a multiprocessor
 * runs as many lanes at a time as it can. */
template <class K, int max_threads, int lanes>
static __global__ void MX_GPU_BOUNDS_(max_threads, K::loops ? 1 : MX_GPU_RESIDENT_ / max_threads)
    mx_gpu_team_(const __grid_constant__ typename K::args args,
                 const __grid_constant__ mx_team_shape shape, int league, char *scratch,
                 size_t scratch_bytes, int64_t *overflow, typename K::value *partials)
{
    typename K::value total;
    mx_gpu_begin_<K::loops>();
    K::mx_init_(&total);
    if (K::has_prologue) {
        typename K::args args_copy = args;
        K::mx_prologue_(&args_copy);
        mx_gpu_league_<K, lanes>(&args_copy, shape, league, scratch, scratch_bytes, overflow,
                                 &total);
    } else {
        mx_gpu_league_<K, lanes>(&args, shape, league, scratch, scratch_bytes, overflow, &total);
    }
    if (!K::reduces) return;
    /* a tree over all threads of the block, in shared memory, which the teams no longer use */
    typename K::value *const value = (typename K::value *)mx_shared_;
    const int threads = (int)(blockDim.x * blockDim.y);
    const int thread = (int)(threadIdx.y * blockDim.x + threadIdx.x);
    value[thread] = total;
    for (int n = MX_TEAM_MAX / 2; n > 0; n /= 2) {
        __syncthreads();
        if (thread < n && thread + n < threads) K::mx_join_(&value[thread], &value[thread + n]);
    }
    if (thread == 0) partials[blockIdx.x] = value[0];
}

template <class K> static size_t mx_gpu_shared_bytes_(const mx_launch *launch)
{
    const mx_team_shape *shape = &launch->team;
    const size_t scratch = MX_GPU_COLLECTIVE_BYTES_(shape->size) + shape->team_bytes[0] +
                           (size_t)shape->size * shape->thread_bytes[0];
    const size_t tree =
        K::reduces ? (size_t)shape->size * shape->lanes * sizeof(typename K::value) : 0;
    return scratch > tree ? scratch : tree;
}

template <class K> static int mx_gpu_enqueue_team_(const mx_launch *launch)
{
    typedef typename K::value T;
    const mx_team_shape *shape = &launch->team;
    const int league = (int)launch->axis[0].end;
    const size_t shared = mx_gpu_shared_bytes_<K>(launch);
    auto kernel = mx_gpu_team_<K, MX_TEAM_MAX, 0>;
    if (shape->size * shape->lanes <= MX_GPU_THREADS_)
        kernel = shape->lanes == MX_GPU_WAVE_ ? mx_gpu_team_<K, MX_GPU_THREADS_, MX_GPU_WAVE_>
                 : shape->lanes == 32         ? mx_gpu_team_<K, MX_GPU_THREADS_, 32>
                 : shape->lanes == 16         ? mx_gpu_team_<K, MX_GPU_THREADS_, 16>
                 : shape->lanes == 8          ? mx_gpu_team_<K, MX_GPU_THREADS_, 8>
                 : shape->lanes == 4          ? mx_gpu_team_<K, MX_GPU_THREADS_, 4>
                                              : mx_gpu_team_<K, MX_GPU_THREADS_, 0>;
    if (mx_gpu_planned_(launch)->blocks > 0) {
        if (shared > MX_GPU_PLAIN_SHARED_) {
            const MX_GPU_(Error_t) err = MX_GPU_(FuncSetAttribute)(
                (const void *)kernel, MX_GPU_(FuncAttributeMaxDynamicSharedMemorySize),
                (int)shared);
            if (err != MX_GPU_(Success)) return (int)err;
        }
        const int code = mx_gpu_start_shared_(
            launch, kernel, dim3((unsigned)mx_gpu_planned_(launch)->blocks),
            dim3((unsigned)shape->lanes, (unsigned)shape->size), shared,
            *(const typename K::args *)launch->args, *shape, league, launch->scratch,
            launch->scratch_bytes, launch->overflow, (T *)launch->partials);
        if (code != 0 || !K::reduces) return code;
    }
    if (!K::reduces) return 0;
    return mx_gpu_enqueue_join_<K>(launch, MX_JOIN_THREADS);
}

#define MX_DEFINE_LEAGUE_(name, S, prologue_, VALUE, INIT, JOIN, REDUCES, CALL)                    \
    struct name##__device {                                                                        \
        MX_GPU_COMMON_(name, 1, int, prologue_)                                                    \
        typedef VALUE value;                                                                       \
        enum { per_thread = 1, reduces = REDUCES, loops = S##_LOOPS_ };                            \
        static __device__ __forceinline__ void mx_init_(value *v) { INIT; }                        \
        static __device__ __forceinline__ void mx_join_(value *into, const value *v) { JOIN; }     \
        static __device__ __forceinline__ void team(const args *a, mx_team *t, value *v) { CALL; } \
    };                                                                                             \
    MX_GPU_INSTANCE_(name, mx_gpu_enqueue_team_)
#define MX_DEFINE_TEAM_FOR_(name, D, I, S, what, prologue)                             \
    MX_DEFINE_LEAGUE_(name, S, prologue, int, *v = 0, (void)into; (void)v, 0, (void)v; \
                      name##__item(a, t))
#define MX_DEFINE_TEAM_VALUED_(name, S, prologue, INIT, JOIN) \
    MX_DEFINE_LEAGUE_(name, S, prologue, name##__value, INIT, JOIN, 1, name##__item(a, t, v))
