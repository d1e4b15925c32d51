/* Teams, for kernel files: nested parallelism as plain loops.
 *
 *     MX_BODY void spmv_body(const spmv_args *a, mx_team *t)            // one call for each thread of each team
 *     {
 *         const int r0 = t->league_rank * ROWS, r1 = ...;
 *         MX_TEAM_FOR(t, r, r0, r1) {                                   // threads of the team share the rows
 *             double s;
 *             MX_VECTOR_SUM(t, k, MX_AT(a->begin, r), MX_AT(a->begin, r + 1), s)        // lanes share the loop
 *                 s += MX_AT(a->value, k) * MX_AT(a->x, MX_AT(a->column, k));
 *             MX_VECTOR_SINGLE(t) MX_AT(a->y, r) = s;
 *         }
 *     }
 *     MX_FOR(TEAM, spmv)                     driver: spmv(mx_league(ctx, teams, MX_AUTO, MX_AUTO), &args)
 *     MX_REDUCE(TEAM, energy, MX_SUM)        the body gets a pointer to a value as its last argument. Every lane has a value of its
 *                                            own, and all are joined: what the team is to add once is added under
 *                                            MX_TEAM_SINGLE. Also MX_REDUCE_FIELDS and MX_REDUCE_CUSTOM.
 *
 * Loops      MX_TEAM_FOR(t, i, begin, end)          threads share it; all lanes of a thread execute the same iterations
 *            MX_VECTOR_FOR(t, i, begin, end)        the lanes of a thread share it; hosts: omp simd
 *            MX_TEAM_VECTOR_FOR(t, i, begin, end)   threads and lanes share it
 *            MX_VECTOR_SUM(t, i, begin, end, s...)  as MX_VECTOR_FOR, with up to four sums: `s += x`
 *            MX_VECTOR_MIN(t, i, begin, end, m...)  with minima: `m = x < m ? x : m`
 *            MX_VECTOR_MAX(t, i, begin, end, m...)  with maxima: `m = m < x ? x : m`
 *            MX_VECTOR_REDUCE(t, i, begin, end, v, init, join)
 *                                                   with any value v and the functions of an MX_REDUCE_CUSTOM, so with a
 *                                                   location: mx_maxloc_f64_init, mx_maxloc_f64_join; not vectorised on hosts
 *            MX_VECTOR_SCAN(t, i, begin, end, s, x) runs the statement with s = the sum of x over the indices before i
 *            MX_VECTOR_SCAN_INCLUSIVE(...)          the same, i included. x: an expression of i, evaluated once for each i
 *            After the loop every lane has the result; after a scan, s is the sum of all x. The loop first sets the variable to
 *            its identity, which is also the result of an empty range: 0 for a sum, plus infinity (or the largest integer) for a
 *            minimum, minus infinity (or the smallest) for a maximum, the value that init sets. NaN: as reduce.h says of MX_MIN
 *            and MX_MAX. Lanes are joined in a fixed order, so a repeated launch gives the same bits.
 * Single     MX_TEAM_SINGLE(t), MX_VECTOR_SINGLE(t) statement: by one thread of the team, by one lane of the thread
 * Collective mx_team_barrier(t)                     waits for all threads of the team, and makes their stores visible
 *            mx_team_sum(t, v), _min, _max          over threads (all lanes of a thread pass the same v); all get the result
 *            mx_team_scan(t, v)                     the sum over threads of lower rank
 *            mx_team_broadcast(t, v, rank)          the value of one thread
 *            for f64 f32 i32 i64 u32 u64
 * Scratch    MX_TEAM_SCRATCH(t, level, mx_f64_2, name, n0, n1)      declares accessor `name` of n0 x n1 elements that the team
 *            MX_THREAD_SCRATCH(t, level, mx_i32_1, name, n)         shares, or that each thread has for itself; any rank from 1
 *            Contents are undefined at first. The policy sets how much scratch there is (mx_with_scratch). A request for more
 *            makes the body return, and the launch (on a GPU, the next fence) is MX_ERR_MEMORY.
 *
 * Rules: barriers and collectives are called by all threads or none (uniform control flow); no
 * return before a barrier; no break out of a vector loop; a store outside of a vector loop goes
 * through MX_VECTOR_SINGLE. The simt instance runs every lane as a host thread. It ends the program
 * with a message where a barrier diverges. A missing single changes its results: with check=serial
 * in the resource of the context that is MX_ERR_MISMATCH, with kernel, view and index.
 *
 * A team of one thread has no extra cost: the body is compiled once more for it, without
 * barriers. */
#pragma once
#include "minx/kernel.h"

#define MX_FIFTH_(a, b, c, d, e, ...) e
#define MX_EACH1_(M, a) M(a)
#define MX_EACH2_(M, a, ...) M(a), MX_EACH1_(M, __VA_ARGS__)
#define MX_EACH3_(M, a, ...) M(a), MX_EACH2_(M, __VA_ARGS__)
#define MX_EACH4_(M, a, ...) M(a), MX_EACH3_(M, __VA_ARGS__)
#define MX_EACH_(M, ...) \
    MX_FIFTH_(__VA_ARGS__, MX_EACH4_, MX_EACH3_, MX_EACH2_, MX_EACH1_)(M, __VA_ARGS__)
#define MX_ZERO_(v) (v) = 0
#define MX_HIGHEST_(v) mx_set_highest_(&(v))
#define MX_LOWEST_(v) mx_set_lowest_(&(v))
/* Ignore NaN, unless both are NaN. */
#define MX_LEAST_OF_(all, other) ((other) < (all) || MX_NOT_A_NUMBER_(all) ? (other) : (all))
#define MX_LARGEST_OF_(all, other) ((all) < (other) || MX_NOT_A_NUMBER_(all) ? (other) : (all))

typedef struct mx_team {
    int league_rank, league_size;
    int rank;              /* of this thread in its team */
    int size;              /* threads of the team */
    int lane;              /* of this lane in its thread; 0 on serial and openmp */
    int lanes;             /* of a thread; 1 on serial and openmp */
    char *scratch[2][2];   /* [level][0]: the team's, [level][1]: the thread's */
    size_t used[2][2];     /* bytes of each that are in use */
    size_t capacity[2][2]; /* bytes of each */
    int64_t *overflow;     /* [level]: the bytes of a request that was too large */
    struct mx_team_shared_ *shared;
    int phase[2]; /* of the barrier of the team, and of the barrier of the lanes */
} mx_team;

/* The kinds of items of teams (detail/define.h). */
#define MX_ITEMS_OF_TEAM_MX_DEFAULT__ ~, MX_WITH_PLAIN_
#define MX_ITEMS_OF_TEAM_MX_ITEMS_PLAIN_ ~, MX_WITH_PLAIN_
#define MX_ITEMS_OF_TEAM_MX_ITEMS_SIMD_ ~, MX_WITH_SIMD_

/* Allocates bytes of a scratch area. NULL: the area is too small. */
MX_INLINE void *mx_scratch_allocate_(mx_team *t, int level, int per_thread, size_t bytes)
{
    level = level != 0; /* as in mx_with_scratch */
    const size_t begin = t->used[level][per_thread];
    const size_t capacity = t->capacity[level][per_thread];
    t->used[level][per_thread] = begin + ((bytes + 15) & ~(size_t)15);
    if (bytes <= capacity && t->used[level][per_thread] <= capacity)
        return t->scratch[level][per_thread] + begin;
    mx_atomic_store(&t->overflow[level],
                    (int64_t)(bytes > capacity ? bytes : t->used[level][per_thread]));
    return NULL;
}
#ifdef MINX_BOUNDS_CHECK
#define MX_SCRATCH_FAULT_(name) name.fault = NULL, memset(name.origin, 0, sizeof name.origin);
#else
#define MX_SCRATCH_FAULT_(name)
#endif
#ifdef MX_GPU_CODE_
#define MX_TYPE_OF_DATA_(name) decltype(name.data)
#else
#define MX_TYPE_OF_DATA_(name) __typeof__(name.data)
#endif
/* Sets the extents and strides of an accessor on scratch. Returns the number of its elements. */
MX_INLINE size_t mx_scratch_shape_(int layout, int rank, const int64_t *given, int64_t *extent,
                                   mx_stride *stride)
{
    const bool left = (layout != 0 ? layout : MX_INSTANCE_LAYOUT) == 1;
    int64_t count = 1;
    for (int n = 0; n < rank; n++) {
        const int d = left ? n : rank - 1 - n;
        extent[d] = given[d];
        stride[d] = (mx_stride)count;
        count *= given[d];
    }
    return (size_t)count;
}
#define MX_SCRATCH_STAMP_ ((uint64_t)1) /* the accessor is bound, but not to a view */
#define MX_SCRATCH_(t, level, per_thread, type, name, ...)                                        \
    type name;                                                                                    \
    name.stamp = MX_SCRATCH_STAMP_;                                                               \
    MX_SCRATCH_FAULT_(name)                                                                       \
    {                                                                                             \
        enum { rank_ = sizeof name.extent / sizeof name.extent[0] };                              \
        const int64_t given_[] = {__VA_ARGS__};                                                   \
        MX_STATIC_ASSERT(                                                                         \
            sizeof given_ / sizeof given_[0] == rank_ &&                                          \
                (MX_CODE_(name) >> 4 & 15) <= MX_LAYOUT_STRIDE && MX_CODE_(name) >> 12 == 0,      \
            "scratch " #name ": an extent for each dimension; left or right; no static extents"); \
        name.data = (MX_TYPE_OF_DATA_(name))mx_scratch_allocate_(                                 \
            t, level, per_thread,                                                                 \
            sizeof *name.data * mx_scratch_shape_((int)(MX_CODE_(name) >> 4 & 15), rank_, given_, \
                                                  name.extent, name.stride));                     \
    }                                                                                             \
    if (name.data == NULL) return
#define MX_TEAM_SCRATCH(t, level, type, name, ...) MX_SCRATCH_(t, level, 0, type, name, __VA_ARGS__)
#define MX_THREAD_SCRATCH(t, level, type, name, ...) \
    MX_SCRATCH_(t, level, 1, type, name, __VA_ARGS__)

#ifdef MX_GPU_CODE_
#include "minx/device/team.h"
#else
#include "minx/host/team.h"
#endif

#if defined(MX_GPU_CODE_) || defined(MX_INSTANCE_SIMT_)
/* Each lane has variables of its own. BEGIN of MX_VECTOR_JOINED_ sets each variable to its identity,
 * JOIN joins the variables of all lanes. */
#define MX_LANE_SUM_(v) (v) = mx_lane_sum_(mx_lanes_of_, v)
#define MX_LANE_MIN_(v) (v) = mx_lane_min_(mx_lanes_of_, v)
#define MX_LANE_MAX_(v) (v) = mx_lane_max_(mx_lanes_of_, v)
#define MX_VECTOR_SUM(t, i, b, e, ...) \
    MX_VECTOR_JOINED_(t, i, b, e, MX_ZERO_, MX_LANE_SUM_, __VA_ARGS__)
#define MX_VECTOR_MIN(t, i, b, e, ...) \
    MX_VECTOR_JOINED_(t, i, b, e, MX_HIGHEST_, MX_LANE_MIN_, __VA_ARGS__)
#define MX_VECTOR_MAX(t, i, b, e, ...) \
    MX_VECTOR_JOINED_(t, i, b, e, MX_LOWEST_, MX_LANE_MAX_, __VA_ARGS__)
#endif
#define MX_VECTOR_SCAN(t, i, b, e, s, share) MX_VECTOR_SCANNED_(t, i, b, e, s, share, false)
#define MX_VECTOR_SCAN_INCLUSIVE(t, i, b, e, s, share) \
    MX_VECTOR_SCANNED_(t, i, b, e, s, share, true)

#ifdef MX_DISPATCH
#define MX_TEAM_BLOCK_ 4
#define MX_DEFINE_TEAM_FOR_TABLE_(name, D, I, S, what, prologue) \
    MX_DEFINE_KERNEL_(name, D, I, MX_TEAM_BLOCK_, MX_PATTERN_FOR, 0, 0, NULL)
#define MX_DEFINE_TEAM_REDUCE_TABLE_(name, D, I, S, R, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, MX_TEAM_BLOCK_, MX_PATTERN_REDUCE)
#define MX_DEFINE_TEAM_FIELDS_TABLE_(name, D, I, S, LIST, prologue) \
    MX_DEFINE_LIST_(name, D, I, MX_TEAM_BLOCK_, LIST)
#define MX_DEFINE_TEAM_CUSTOM_TABLE_(name, D, I, S, functions, prologue) \
    MX_DEFINE_NUMBER_(name, D, I, MX_TEAM_BLOCK_, MX_PATTERN_REDUCE)
#endif
#define MX_DEFINE_TEAM_REDUCE_(name, D, I, S, R, prologue)                \
    MX_DEFINE_TEAM_VALUED_(name, S, prologue, R##_INIT(name##__value, v), \
                           R##_JOIN(name##__value, into, v))
#define MX_DEFINE_TEAM_FIELDS_(name, D, I, S, LIST, prologue) \
    MX_DEFINE_TEAM_VALUED_(name, S, prologue, LIST(MX_FIELD_INIT_), LIST(MX_FIELD_JOIN_))
#define MX_DEFINE_TEAM_CUSTOM_(name, D, I, S, functions, prologue)      \
    MX_DEFINE_TEAM_VALUED_(name, S, prologue, MX_INIT_OF_ functions(v), \
                           MX_JOIN_OF_ functions(into, v))
