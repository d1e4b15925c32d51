/* Teams on hosts. A team of one thread is an ordinary chunk of work. Larger teams are host threads
 * that run at the same time. Threads with neighbouring numbers form a team. With n teams at a time,
 * team number k runs the chunks k, k + n, k + 2n and so on. In the simt instance each lane is a
 * thread too, and one team runs at a time. */
#pragma once
#include <string.h>

/* What the threads of a team share. It is in front of the team's scratch. A barrier counts the
 * threads that are still to come, and the last one changes the phase (a sense-reversing barrier:
 * Mellor-Crummey and Scott 1991, section 2.2). Collectives exchange values through slots. There are
 * two sets of slots, used in turn, so that a collective needs only one barrier. */
typedef struct mx_barrier_ {
    int missing; /* threads that have not arrived */
    int phase;
} mx_barrier_;
typedef struct mx_team_shared_ {
    mx_barrier_ team __attribute__((aligned(64)));
    /* MX_TEAM_MAX, plus the members that wait (simt), plus MX_TEAM_DONE_ for each member that has
     * ended */
    int idle;
    uint64_t slot[2][2 * MX_TEAM_MAX] __attribute__((aligned(64)));
    mx_barrier_ thread[MX_TEAM_MAX]; /* simt: the barrier of the lanes of each thread */
    const char *kernel;
} mx_team_shared_;

enum { MX_TEAM_DONE_ = 1 << 16 };

/* detects_deadlock: ends the program with a message if the threads that are missing can no longer
 * arrive (simt). Without it only threads that have ended are seen. */
void mx_barrier_wait_(mx_team *t, mx_barrier_ *barrier, int *phase, int count,
                      bool detects_deadlock);

/* A member of a team has ended. Detects that others wait for it. */
void mx_team_ended_(mx_team *t);

#ifdef MX_INSTANCE_SIMT_
#define MX_TEAM_FOR(t, i, b, e) for (int i = (b) + (t)->rank; i < (e); i += (t)->size)
#define MX_VECTOR_FOR(t, i, b, e) for (int i = (b) + (t)->lane; i < (e); i += (t)->lanes)
#define MX_TEAM_VECTOR_FOR(t, i, b, e) \
    for (int i = (b) + (t)->rank * (t)->lanes + (t)->lane; i < (e); i += (t)->size * (t)->lanes)
#define MX_VECTOR_JOINED_(t, i, b, e, BEGIN, JOIN, ...)                                     \
    for (mx_team *mx_lanes_of_ = (MX_EACH_(BEGIN, __VA_ARGS__), (t)); mx_lanes_of_ != NULL; \
         MX_EACH_(JOIN, __VA_ARGS__), mx_lanes_of_ = NULL)                                  \
        MX_VECTOR_FOR (mx_lanes_of_, i, b, e)
#define MX_VECTOR_REDUCE(t, i, b, e, v, init, join)                       \
    for (mx_team *mx_lanes_of_ = (init(&(v)), (t)); mx_lanes_of_ != NULL; \
         MX_LANE_CUSTOM_(mx_lanes_of_, v, join), mx_lanes_of_ = NULL)     \
        MX_VECTOR_FOR (mx_lanes_of_, i, b, e)
#define MX_LANE_CUSTOM_(t, v, join)                                        \
    __extension__({                                                        \
        __typeof__(v) of_lane_[MX_LANES_MAX_];                             \
        mx_lanes_gather_((t), &(v), sizeof(v), of_lane_);                  \
        (v) = of_lane_[0];                                                 \
        for (int l_ = 1; l_ < (t)->lanes; l_++) join(&(v), &of_lane_[l_]); \
    })
/* All lanes execute the same number of steps, also lanes without an item, because each step is a
 * collective of the lanes. */
#define MX_VECTOR_SCANNED_(t, i, b, e, s, share, inclusive)                                        \
    for (__typeof__(s) mx_next_##i = 0, *mx_once_##i = &mx_next_##i; mx_once_##i != NULL;          \
         (s) = mx_next_##i, mx_once_##i = NULL)                                                    \
        for (int mx_at_##i = (b), mx_end_##i = (e); mx_at_##i < mx_end_##i;                        \
             mx_at_##i += (t)->lanes)                                                              \
            for (int i = mx_at_##i + (t)->lane,                                                    \
                     mx_item_##i = ((s) = mx_lane_scan_(                                           \
                                        (t), &mx_next_##i,                                         \
                                        (__typeof__(s))(i < mx_end_##i ? (share) : 0), inclusive), \
                                   i < mx_end_##i);                                                \
                 mx_item_##i; mx_item_##i = 0)
#define MX_VECTOR_SINGLE(t) if ((t)->lane == 0)
#define MX_TEAM_SINGLE(t) if ((t)->lane == 0 && (t)->rank == 0)
MX_INLINE void mx_team_barrier(mx_team *t)
{
    if (t->size * t->lanes > 1)
        mx_barrier_wait_(t, &t->shared->team, &t->phase[0], t->size * t->lanes, true);
}
#else
/* The begin of the part of a range that belongs to thread `rank`; the part ends where that of rank
 * + 1 begins. */
MX_INLINE int mx_team_part_(const mx_team *t, int b, int e, int rank)
{
    return t->size == 1 ? (rank == 0 ? b : e) : (int)(b + ((int64_t)e - b) * rank / t->size);
}
#define MX_TEAM_FOR(t, i, b, e)                                                      \
    for (int i = mx_team_part_(t, b, (e) > (b) ? (e) : (b), (t)->rank),              \
             mx_end_##i = mx_team_part_(t, b, (e) > (b) ? (e) : (b), (t)->rank + 1); \
         i < mx_end_##i; i++)
#define MX_VECTOR_FOR(t, i, b, e) MX_PRAGMA_(omp simd) for (int i = (b); i < (e); i++)
#define MX_TEAM_VECTOR_FOR(t, i, b, e)                                  \
    MX_PRAGMA_(omp simd)                                                \
    for (int i = mx_team_part_(t, b, (e) > (b) ? (e) : (b), (t)->rank); \
         i < mx_team_part_(t, b, (e) > (b) ? (e) : (b), (t)->rank + 1); i++)
#define MX_VECTOR_JOINED_(i, b, e, BEGIN, JOIN, ...)                                        \
    for (int mx_once_##i = (MX_EACH_(BEGIN, __VA_ARGS__), 1); mx_once_##i; mx_once_##i = 0) \
    MX_PRAGMA_(omp simd reduction(JOIN : __VA_ARGS__)) for (int i = (b); i < (e); i++)
#define MX_VECTOR_SUM(t, i, b, e, ...) MX_VECTOR_JOINED_(i, b, e, MX_ZERO_, +, __VA_ARGS__)
#define MX_VECTOR_MIN(t, i, b, e, ...) \
    MX_VECTOR_JOINED_(i, b, e, MX_HIGHEST_, mx_least_, __VA_ARGS__)
#define MX_VECTOR_MAX(t, i, b, e, ...) \
    MX_VECTOR_JOINED_(i, b, e, MX_LOWEST_, mx_largest_, __VA_ARGS__)
#define MX_VECTOR_REDUCE(t, i, b, e, v, init, join)                       \
    for (int mx_once_##i = (init(&(v)), 1); mx_once_##i; mx_once_##i = 0) \
        for (int i = (b); i < (e); i++)
/* A loop without simd: `omp scan` would need a directive inside the statement. */
#define MX_VECTOR_SCANNED_(t, i, b, e, s, share, inclusive)                               \
    for (__typeof__(s) mx_next_##i = 0, *mx_once_##i = &mx_next_##i; mx_once_##i != NULL; \
         (s) = mx_next_##i, mx_once_##i = NULL)                                           \
        for (int i = (b), mx_end_##i = (e);                                               \
             i < mx_end_##i && ((s) = mx_next_##i, mx_next_##i += (share),                \
                               (s) = (inclusive) ? mx_next_##i : (s), true);              \
             i++)

/* OpenMP's own `min` and `max` are not used: with some compilers their identity is the largest
 * finite number, which loses infinities. */
#if defined(MX_INSTANCE_SUFFIX) || defined(MX_DISPATCH)
#define MX_DECLARE_EXTREMES_(tag, T, low, high)                                   \
    MX_PRAGMA_(omp declare reduction(mx_least_:T                                  \
                                     : omp_out = MX_LEAST_OF_(omp_out, omp_in))   \
                   initializer(omp_priv = (T)(high)))                             \
    MX_PRAGMA_(omp declare reduction(mx_largest_:T                                \
                                     : omp_out = MX_LARGEST_OF_(omp_out, omp_in)) \
                   initializer(omp_priv = (T)(low)))
MX_REDUCE_TYPES_(MX_DECLARE_EXTREMES_)
#endif
#define MX_VECTOR_SINGLE(t)
#define MX_TEAM_SINGLE(t) if ((t)->rank == 0)
MX_INLINE void mx_team_barrier(mx_team *t)
{
    if (t->size > 1) mx_barrier_wait_(t, &t->shared->team, &t->phase[0], t->size, false);
}
#endif

/* Stores the value of this thread in its slot, and waits until all threads have done so. Returns
 * the slots. */
MX_INLINE const uint64_t *mx_team_gather_(mx_team *t, const void *value_, size_t size)
{
    uint64_t *slot = t->shared->slot[t->phase[0] & 1];
    if (t->lane == 0) memcpy(&slot[t->rank], value_, size);
    mx_team_barrier(t);
    return slot;
}

/* Defines a function that combines the values of threads begin to end-1: start, then STEP(all,
 * value) for each. */
#define MX_TEAM_FOLD_(name, tag, T, begin, end, start, STEP)     \
    MX_INLINE T name##_##tag##_(mx_team *t, T v)                 \
    {                                                            \
        if (t->size * t->lanes == 1) return v;                   \
        const uint64_t *slot = mx_team_gather_(t, &v, sizeof v); \
        T all = start;                                           \
        for (int r = begin; r < end; r++) {                      \
            T other;                                             \
            memcpy(&other, &slot[r], sizeof other);              \
            all = STEP(all, other);                              \
        }                                                        \
        return all;                                              \
    }
#define MX_SUM_OF_(all, other) ((all) + (other))
#define MX_TEAM_COLLECTIVES_(tag, T)                                    \
    MX_TEAM_FOLD_(mx_team_sum, tag, T, 0, t->size, (T)0, MX_SUM_OF_)    \
    MX_TEAM_FOLD_(mx_team_min, tag, T, 0, t->size, v, MX_LEAST_OF_)     \
    MX_TEAM_FOLD_(mx_team_max, tag, T, 0, t->size, v, MX_LARGEST_OF_)   \
    MX_TEAM_FOLD_(mx_team_before, tag, T, 0, t->rank, (T)0, MX_SUM_OF_) \
    MX_INLINE T mx_team_scan_##tag##_(mx_team *t, T v)                  \
    {                                                                   \
        return t->size == 1 ? (T)0 : mx_team_before_##tag##_(t, v);     \
    }                                                                   \
    MX_INLINE T mx_team_broadcast_##tag##_(mx_team *t, T v, int root)   \
    {                                                                   \
        if (t->size * t->lanes == 1) return v;                          \
        memcpy(&v, &mx_team_gather_(t, &v, sizeof v)[root], sizeof v);  \
        return v;                                                       \
    }

/* simt: sets of_lane[] to the values of all lanes of a thread. They pass through the slots after
 * those of the team's collectives, one word at a time. */
enum { MX_LANES_MAX_ = 64 };
MX_INLINE void mx_lanes_gather_(mx_team *t, const void *value_, size_t size, void *of_lane)
{
    memcpy(of_lane, value_, size);
    for (size_t at = 0; at < size && t->lanes > 1; at += sizeof(uint64_t)) {
        const size_t bytes = size - at < sizeof(uint64_t) ? size - at : sizeof(uint64_t);
        uint64_t *slot = t->shared->slot[t->phase[1] & 1] + t->size + t->rank * t->lanes;
        memcpy(&slot[t->lane], (const char *)value_ + at, bytes);
        mx_barrier_wait_(t, &t->shared->thread[t->rank], &t->phase[1], t->lanes, true);
        for (int l = 0; l < t->lanes; l++)
            memcpy((char *)of_lane + (size_t)l * size + at, &slot[l], bytes);
    }
}
#define MX_LANE_FOLD_(name, tag, T, STEP)                              \
    MX_INLINE T name##_##tag##_(mx_team *t, T v)                       \
    {                                                                  \
        T of_lane[MX_LANES_MAX_];                                      \
        if (t->lanes == 1) return v;                                   \
        mx_lanes_gather_(t, &v, sizeof v, of_lane);                    \
        v = of_lane[0];                                                \
        for (int l = 1; l < t->lanes; l++) v = (T)STEP(v, of_lane[l]); \
        return v;                                                      \
    }
#define MX_LANE_COLLECTIVES_(tag, T)                                                          \
    MX_LANE_FOLD_(mx_lane_sum, tag, T, MX_SUM_OF_)                                            \
    MX_LANE_FOLD_(mx_lane_min, tag, T, MX_LEAST_OF_)                                          \
    MX_LANE_FOLD_(mx_lane_max, tag, T, MX_LARGEST_OF_)                                        \
    /* the prefix sum over the lanes, from *next on; adds the shares of all lanes to *next */ \
    MX_INLINE T mx_lane_scan_##tag##_(mx_team *t, T *next, T share, bool inclusive)           \
    {                                                                                         \
        T of_lane[MX_LANES_MAX_], prefix = *next;                                             \
        mx_lanes_gather_(t, &share, sizeof share, of_lane);                                   \
        for (int l = 0; l < t->lanes; l++) {                                                  \
            if (l == t->lane) prefix = *next;                                                 \
            *next = (T)(*next + of_lane[l]);                                                  \
            if (l == t->lane && inclusive) prefix = *next;                                    \
        }                                                                                     \
        return prefix;                                                                        \
    }
#define MX_TEAM_TYPES_(M) \
    M(f64, double) M(f32, float) M(i32, int32_t) M(i64, int64_t) M(u32, uint32_t) M(u64, uint64_t)
MX_TEAM_TYPES_(MX_TEAM_COLLECTIVES_)
MX_TEAM_TYPES_(MX_LANE_COLLECTIVES_)

/* clang-format off */
#define MX_TEAM_CALL_(f, v) _Generic((v), double: f##_f64_, float: f##_f32_, int32_t: f##_i32_, \
                                     int64_t: f##_i64_, uint32_t: f##_u32_, uint64_t: f##_u64_)
/* clang-format on */
#define mx_team_sum(t, v) MX_TEAM_CALL_(mx_team_sum, v)(t, v)
#define mx_team_min(t, v) MX_TEAM_CALL_(mx_team_min, v)(t, v)
#define mx_team_max(t, v) MX_TEAM_CALL_(mx_team_max, v)(t, v)
#define mx_team_scan(t, v) MX_TEAM_CALL_(mx_team_scan, v)(t, v)
#define mx_team_broadcast(t, v, root) MX_TEAM_CALL_(mx_team_broadcast, v)(t, v, root)
#define mx_lane_sum_(t, v) MX_TEAM_CALL_(mx_lane_sum, v)(t, v)
#define mx_lane_min_(t, v) MX_TEAM_CALL_(mx_lane_min, v)(t, v)
#define mx_lane_max_(t, v) MX_TEAM_CALL_(mx_lane_max, v)(t, v)
#define mx_lane_scan_(t, next, v, inclusive) MX_TEAM_CALL_(mx_lane_scan, v)(t, next, v, inclusive)

/* The mx_team of one member. The memory at `area` has, in this order: the shared state; for each of
 * the two levels of scratch the part of the team, then the part of each thread. */
MX_INLINE mx_team mx_team_of_(const mx_launch *launch_, int size, int rank, int lane_, int lanes,
                              char *area)
{
    mx_team t = {0};
    char *at = area + (size > 1 || lanes > 1 ? sizeof(mx_team_shared_) : 0);
    t.league_size = (int)(launch_->axis[0].end - launch_->axis[0].begin);
    t.rank = rank;
    t.size = size;
    t.lane = lane_;
    t.lanes = lanes;
    t.overflow = launch_->overflow;
    t.shared = (mx_team_shared_ *)area;
    for (int level = 0; level < 2; level++) {
        t.capacity[level][0] = launch_->team.team_bytes[level];
        t.capacity[level][1] = launch_->team.thread_bytes[level];
        t.scratch[level][0] = at;
        t.scratch[level][1] = at + t.capacity[level][0] + (size_t)rank * t.capacity[level][1];
        at += t.capacity[level][0] + (size_t)size * t.capacity[level][1];
    }
    return t;
}

/* After a team of the league its threads wait for each other if the next team uses the same
 * scratch. Without scratch they need not wait: collectives have barriers of their own. In the simt
 * instance they always wait, so that a team body that not all threads leave in the same way is
 * detected. */
#ifdef MX_INSTANCE_SIMT_
#define MX_WAITS_AFTER_TEAM_(t) true
#else
#define MX_WAITS_AFTER_TEAM_(t) \
    ((t)->capacity[0][0] + (t)->capacity[0][1] + (t)->capacity[1][0] + (t)->capacity[1][1] > 0)
#endif
#define MX_LEAGUE_(tile_, CALL)                                              \
    for (int64_t league = tile_.begin[0]; league < tile_.end[0]; league++) { \
        t.league_rank = (int)league;                                         \
        memset(t.used, 0, sizeof t.used);                                    \
        CALL;                                                                \
        if (MX_WAITS_AFTER_TEAM_(&t)) mx_team_barrier(&t);                   \
    }

/* BEGIN is executed before the teams of a chunk, END after them; partial result number `part` is at
 * launch->partials + part * launch->partial_bytes. */
#define MX_DEFINE_LEAGUE_(name, BEGIN, CALL, END)                                                \
    static void name##__run(const mx_launch *launch_, int64_t first_, int64_t last_)             \
    {                                                                                            \
        const name##__args a = *(const name##__args *)launch_->args;                             \
        mx_team t = mx_team_of_(launch_, 1, 0, 0, 1,                                             \
                                launch_->scratch + (size_t)mx_thread_ * launch_->scratch_bytes); \
        for (int64_t part_ = first_; part_ < last_; part_++) {                                   \
            const mx_tile_ tile_ = mx_chunk_tile_(launch_, 1, part_);                            \
            BEGIN MX_LEAGUE_(tile_, CALL) END                                                    \
        }                                                                                        \
    }                                                                                            \
    static void name##__team(const mx_launch *launch_, int64_t thread, int64_t threads)          \
    {                                                                                            \
        const name##__args a = *(const name##__args *)launch_->args;                             \
        const int lanes = launch_->team.lanes, size = launch_->team.size;                        \
        const int64_t members = (int64_t)size * lanes, group = thread / members;                 \
        const int member = (int)(thread % members);                                              \
        mx_team t = mx_team_of_(launch_, size, member / lanes, member % lanes, lanes,            \
                                launch_->scratch + (size_t)group * launch_->scratch_bytes);      \
        for (int64_t chunk_ = group; chunk_ < launch_->chunks; chunk_ += threads / members) {    \
            const mx_tile_ tile_ = mx_chunk_tile_(launch_, 1, chunk_);                           \
            const int64_t part_ = chunk_ * members + member;                                     \
            (void)part_;                                                                         \
            BEGIN MX_LEAGUE_(tile_, CALL) END                                                    \
        }                                                                                        \
        mx_team_ended_(&t);                                                                      \
    }

#define MX_DEFINE_TEAM_FOR_(name, D, I, S, what, prologue)                         \
    MX_DEFINE_LEAGUE_(name, , name##__item(&a, &t), )                              \
    MX_DEFINE_PROLOGUE_(name, prologue)                                            \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                      \
                                          .prepare = MX_PROLOGUE_(name, prologue), \
                                          .run_team_members = name##__team};
#define MX_DEFINE_TEAM_VALUED_(name, S, prologue, INIT, JOIN)                               \
    MX_DEFINE_VALUE_(name, INIT, JOIN)                                                      \
    MX_DEFINE_LEAGUE_(                                                                      \
        name, name##__value total_; name##__init(&total_);, name##__item(&a, &t, &total_);  \
        , *(name##__value *)(launch_->partials + part_ * launch_->partial_bytes) = total_;) \
    MX_DEFINE_JOIN_ALL_(name)                                                               \
    MX_DEFINE_PROLOGUE_(name, prologue)                                                     \
    const mx_instance MX_SYMBOL_(name) = {.run = name##__run,                               \
                                          .prepare = MX_PROLOGUE_(name, prologue),          \
                                          .join = name##__join_all,                         \
                                          .run_team_members = name##__team};
