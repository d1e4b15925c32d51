/* Launching kernels. A header shared by driver and kernel file declares each kernel with its
 * argument struct (below):
 *
 *     MX_ARGS(tl_cg_update_args,
 *         (mx_f64_2, u) (mx_f64_2, r)
 *         (mx_cf64_2, p) (mx_cf64_2, w),
 *         double alpha;
 *     );
 *     MX_DECLARE_REDUCE(2D, tl_cg_update, tl_cg_update_args, double)
 *
 * which gives the driver typed functions:
 *
 *     mx_err tl_cg_update(mx_range_2 range, const tl_cg_update_args *args, double *result);
 *     mx_err tl_cg_update_into(mx_range_2 range, const tl_cg_update_args *args, mx_view view, int64_t index);
 *     mx_err tl_cg_update_partials(mx_range_2 range, const tl_cg_update_args *args, mx_view view, int64_t index,
 *                                  mx_partials *partials);
 *
 * The first waits for the result. The second stores it in element `index` of a view of rank 0
 * (index 0) or 1, in memory that the context can access, and does not wait. The third does the same,
 * or leaves the join of the partial results to a kernel of the caller (mx_partials). A kernel without
 * result gives one function,
 *
 *     mx_err tl_update(mx_range_2 range, const tl_update_args *args);
 *
 * A scan (MX_DECLARE_SCAN) gives the first two functions of a reduction; `result`, the total, may be
 * NULL. A reduction into an array (MX_DECLARE_REDUCE_ARRAY) gives functions with a length:
 *
 *     mx_err name(mx_range_1 range, const ARGS *args, int64_t length, T *result);
 *     mx_err name_into(mx_range_1 range, const ARGS *args, mx_view view);
 *
 * `result` has room for `length` values: of less, where the compiler knows it, the launch is
 * MX_ERR_EXTENT. The second fills the whole view, of rank 0 or 1, and does not wait. In both forms the body may
 * read the old values of the result, through an accessor or in its arguments; through a plain
 * pointer only where MX_NOT_CHECKED is defined (kernel.h).
 *
 * The first argument is the index space: 1D to 6D and 1D_64 to 6D_64 take ranges, TEAM
 * takes teams (mx_league). Bodies have int64_t indices over those with _64, else int; a range
 * beyond MX_INDEX_END is MX_ERR_EXTENT there. The kernel file defines the kernel over the same
 * index space, by the macro of the same name without DECLARE_ (kernel.h). Arguments are copied at
 * the call, and have at most MX_ARGS_MAX bytes. A launch checks the accessors in them:
 * MX_ERR_STALE, _SPACE, _LAYOUT, and MX_ERR_ARG for one that was never bound, is not in the list of
 * MX_ARGS, or is of tokens or a scatter view of another context. A body must not launch a kernel: it
 * does not compile. Through a function of another file, which hosts compile, the inner and the outer
 * launch on the same context are MX_ERR_ARG.
 *
 * ---- argument structs ----
 *
 * The arguments of a kernel are a struct that header, driver and kernel file
 * share. MX_ARGS(T, LIST, MEMBERS) defines it. LIST has its accessors, each with its type; behind
 * the comma are other members, as in any struct:
 *
 *     MX_ARGS(heat_args,
 *         (mx_f64_2, u) // temperature of cell (i, j)
 *         (mx_cf64_2, w),
 *         double dt;
 *         int n;
 *     );
 *
 * is the struct
 *
 *     typedef struct heat_args {
 *         mx_f64_2 u;
 *         mx_cf64_2 w;
 *         double dt;
 *         int n;
 *     } heat_args;
 *
 * The list may be empty: MX_ARGS(T, , int n;). The other members may be left out, with their comma.
 * Kernels whose arguments are another struct do not compile.
 *
 * A launch checks each accessor of the list. If one was never bound, or its view was destroyed, the
 * error names it. If some kernels with these arguments do not use accessor u, mark it by
 * mx_bind_none(&args.u) for them. An accessor that is one of the other members is an error at the
 * first launch of a kernel over a range, if it is bound.
 *
 * A member that has accessors inside, a struct or an array, is in the list with a third word: a
 * macro M(ACCESSOR, m) that names the accessors in such a member m:
 *
 *     #define CSR_ACCESSORS(ACCESSOR, m) ACCESSOR(m.begin) ACCESSOR(m.column)
 *     MX_ARGS(spmv_args, (csr, matrix, CSR_ACCESSORS) (mx_cf64_1, x) (mx_f64_1, y));
 *
 * MX_ARGS_FROM does the same, and also defines a function that binds the accessors. It takes the
 * views from members of the same names in a struct of views:
 *
 *     typedef struct heat_views {
 *         mx_view u, w;
 *     } heat_views;
 *     MX_ARGS_FROM(heat_args, heat_views,
 *         (mx_f64_2, u)
 *         (mx_cf64_2, w),
 *         double dt;
 *     );
 *
 *     mx_err heat_args_bind(mx_ctx ctx, const heat_views *views, heat_args *args);
 *
 * Call it again after views were swapped, resized or created again. On failure the accessors
 * bound so far stay bound. Several argument structs may be bound from one struct of views. It does
 * not bind the members with accessors inside: a scatter view (kit/scatter.h) is bound by
 * mx_scatter_bind, others by mx_bind of each accessor.
 *
 * Use both macros at file scope, with a semicolon. */
#pragma once
#include "minx/detail/args.h"
#include "minx/detail/index_space.h"
#include "minx/policy.h"
#include "minx/reduce.h"
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mx_kernel;
struct mx_team; /* team.h */

/* One dimension of a launch. Hosts: one tile is one chunk of work. */
typedef struct mx_axis {
    int64_t begin;
    int64_t end;
    int64_t tile;  /* indices of a tile along this dimension */
    int64_t tiles; /* the number of tiles along it */
} mx_axis;

/* The shape of a team. A policy has the requested values, a launch the planned ones. */
typedef struct mx_team_shape {
    int size; /* threads */
    int lanes;
    size_t team_bytes[2];   /* scratch that the team shares, for each level */
    size_t thread_bytes[2]; /* scratch of each thread, for each level */
} mx_team_shape;

enum { MX_DEVICE_BYTES_ = 64 };

/* One planned launch. Axes are in loop order: 0 is the outermost, dims-1 the contiguous one of the
 * layout. The members that all threads of a host backend read come first, in as few cache lines as
 * possible: each thread loads these lines from the cache of the launching core, which takes a
 * measurable share of a launch of a few microseconds. */
typedef struct mx_launch {
    /* the arguments; hosts: after the prologue */
    const void *args;
    /* partial results: one for each chunk (hosts) or thread block (accelerators) */
    char *partials;
    /* hosts: the distance from one partial result to the next */
    int64_t partial_bytes;
    /* the number of values of an array reduction, else 1 */
    int64_t length;
    int64_t chunks;
    /* hosts: the number of the first chunk of a call */
    int64_t first_chunk;
    mx_axis axis[MX_MAX_DIMS];
    /* a thread takes the next chunk when it is free */
    bool dynamic;
    /* size 0: no teams */
    mx_team_shape team;
    /* scratch of teams; hosts: both levels, accelerators: level 1 */
    char *scratch;
    /* hosts: scratch of each thread or team; accelerators: of each block */
    size_t scratch_bytes;
    /* where kernels store what went wrong: see mx_overflow in core/src/base/backend.h */
    int64_t *overflow;
    /* memory for the joined result */
    void *result;
    /* hosts, array reductions: the first chunk sums its items in the result */
    bool sums_in_result;
    /* hosts, kernels with a prologue: memory for a copy of the arguments, owned by the caller of
     * the planner */
    void *args_copy;
    mx_ctx ctx;
    const struct mx_kernel *kernel;
    int dims;
    /* accelerators: the backend's own part of the plan (device/launch.h) */
    unsigned char device[MX_DEVICE_BYTES_] __attribute__((aligned(8)));
} __attribute__((aligned(128))) mx_launch;

/* The functions of one kernel, compiled for one instance (an instance kind and a layout). */
typedef struct mx_instance {
    /* accelerators: puts the launch on its queue; returns the device's error code, 0 if none */
    int (*enqueue)(const mx_launch *launch);
    /* accelerators: the number of rows for one thread (in one dimension: items; not used by
     * reductions over one dimension) */
    int per_thread;
    /* accelerators: the bytes that enqueue needs at launch->partials; NULL: one value for each
     * block */
    size_t (*temporary)(const mx_launch *launch);
    /* accelerators, reductions of a range to one value: the threads of a block, where the backend
     * has no reason for fewer. 0 for all other kernels */
    int threads;
    /* accelerators, reductions of a range to one value: if the threads step through the range, the
     * number of blocks that a multiprocessor of the current device runs at a time. NULL for all
     * other kernels */
    int (*at_a_time)(void);
    /* hosts: runs the chunks first..last-1 of a launch on the calling thread */
    void (*run)(const mx_launch *launch, int64_t first, int64_t last);
    /* hosts: the prologue, NULL if there is none */
    void (*prepare)(void *args);
    /* hosts: joins n partial results, in order, into *result */
    void (*join)(const mx_launch *launch, void *result, int64_t n);
    /* hosts, array reductions: joins elements first..last-1 of the partial results of all chunks */
    void (*join_array)(const mx_launch *launch, int64_t first, int64_t last);
    /* hosts, scans: replaces partial results first..last-1 by their exclusive prefix sums, and
     * updates *carry */
    void (*prefix)(const mx_launch *launch, void *carry, int64_t first, int64_t last);
    /* hosts, scans: runs the chunks first..last-1 again, with these prefix sums */
    void (*scan)(const mx_launch *launch, int64_t first, int64_t last);
    /* hosts, teams of several threads: runs member number `first`; all members run at the same
     * time */
    void (*run_team_members)(const mx_launch *launch, int64_t first, int64_t last);
} mx_instance;

/* Kinds of instances, as minx_add_kernels names them: MX_INSTANCE_HOST and so on, MX_INSTANCE_KINDS
 * of them. */
#define MX_INSTANCE_KINDS_(ROW) \
    ROW(HOST, "host") ROW(SIMT, "simt") ROW(CUDA, "cuda") ROW(HIP, "hip") MX_INSTANCE_RACES_(ROW)
#ifdef MINX_RACE_CHECK /* kernels that check=races watches */
#define MX_INSTANCE_RACES_(ROW) ROW(HOST_RACES, "host_races") ROW(SIMT_RACES, "simt_races")
#else
#define MX_INSTANCE_RACES_(ROW)
#endif
#define MX_INSTANCE_ENUMERATOR_(KIND, name) MX_INSTANCE_##KIND,
#define MX_INSTANCE_TEXT_(KIND, name) name,
enum { MX_INSTANCE_KINDS_(MX_INSTANCE_ENUMERATOR_) MX_INSTANCE_KINDS };

/* What a kernel is: which macro defined it. */
typedef enum mx_pattern {
    MX_PATTERN_FOR,
    MX_PATTERN_REDUCE,
    MX_PATTERN_REDUCE_ARRAY,
    MX_PATTERN_SCAN
} mx_pattern;

/* A number, or a struct, in the value of a reduction, so that results of two backends can be
 * compared. Fields are in order. */
typedef struct mx_field {
    const char *name;
    mx_type type;
    size_t alignment;
    mx_type location; /* mx_loc_*, mx_minmaxloc_*: the type of the values; 0: it is none of these */
} mx_field;

typedef struct mx_kernel {
    const char *name;
    mx_pattern pattern;
    int dims;
    bool index_64; /* 64-bit indices */
    int block;     /* hosts: the least number of items for a partial result */
    size_t args_size;
    size_t value_size;
    int field_count; /* 0: no result */
    const mx_field *fields;
    /* it has plain pointers: launches of it are never repeated on another backend */
    bool not_checked;
    const mx_args_table *(*table)(void);               /* the accessors in its arguments */
    const mx_instance *instance[MX_INSTANCE_KINDS][3]; /* by kind and mx_layout; NULL: not built */
    void (*clear_padding)(void *value);                /* of its result; NULL: cannot be done */
} mx_kernel;

/* What a reduction on a GPU may leave to a kernel that its caller starts on the context's queue next,
 * so that there is one kernel less: `count` partial results, one behind the other, in memory of the
 * device. The caller's kernel joins them, and stores the result. The core would do it by one block of
 * MX_JOIN_THREADS threads: thread t joins partial results t, t + MX_JOIN_THREADS, ... to the identity;
 * then the threads of each warp, and then the warps, join their values in a tree: to each comes that of
 * the one half a warp further on, then a quarter, and so on to 1. The next launch on the context may
 * use the memory again.
 * count 0: the result is where it belongs. It is so on hosts, in graphs, where launches are checked,
 * and where the kernel itself has joined. */
typedef struct mx_partials {
    const void *values;
    int64_t count;
} mx_partials;
enum { MX_JOIN_THREADS = 1024 };

/* Where a result goes: host memory (the launch waits), or element `index` of a view. */
typedef struct mx_result {
    void *host;
    mx_view view;
    int64_t index;
    int64_t length;
    /* of one value, where the kernel is launched; type 0: not known */
    size_t value_size;
    mx_type value_type;
    mx_partials *partials; /* NULL: the launch joins them in any case */
} mx_result;

/* The policy of a launch: a range, or teams (their league is then a range of one dimension). */
typedef struct mx_policy {
    mx_ctx ctx;
    const int64_t *begin, *end, *tile;
    bool dynamic;
    const mx_teams *teams;
} mx_policy;

/* args_size: the size of the arguments where the kernel is launched. MX_ERR_ARG: it differs from the
 * one where the kernel is defined, or the size of the value does. */
mx_err mx_launch_(const mx_kernel *kernel, mx_policy policy, const void *args, size_t args_size,
                  const mx_result *result);

#define MX_LAUNCHER_ static inline __attribute__((unused))
#define MX_OF_RANGE_(range_) \
    ((mx_policy){(range_).ctx, (range_).begin, (range_).end, (range_).tile, (range_).dynamic, NULL})

/* Every kernel has NAME__args, NAME__kernel and NAME__value (an int if it has no result). CUDA allows 4096 bytes
 * of parameters for a launch; the core needs the rest. */
enum { MX_ARGS_MAX = 3968 };
#define MX_DECLARE_KERNEL_(name, ARGS)                                                           \
    MX_STATIC_ASSERT(sizeof(ARGS) <= MX_ARGS_MAX, #name ": arguments beyond MX_ARGS_MAX bytes"); \
    typedef ARGS name##__args;                                                                   \
    MX_ARGS_OF_KERNEL_(name, ARGS)

#define MX_OF_TEAMS_(teams) \
    ((mx_policy){(teams).ctx, &mx_no_tile_, &(teams).league, &mx_no_tile_, false, &(teams)})
static const int64_t mx_no_tile_ __attribute__((unused)) = 0;

/* MX_DECLARE_FOR(S, ...) looks the index space up and expands to MX_DECLARE_FOR_, MX_DECLARE_REDUCE_ or its like. A
 * definition is compared with its declaration by the type of the body (detail/define.h). If another
 * file declares the kernel in another way, it does not link: the symbol of the kernel tells how it
 * was declared. */
#define MX_DECLARE_FOR(S, name, ARGS) MX_DECLARE_(FOR_, S, name, ARGS)
#define MX_DECLARE_REDUCE(S, name, ARGS, T) MX_DECLARE_(REDUCE_, S, name, ARGS, T)
#define MX_DECLARE_REDUCE_ARRAY(S, name, ARGS, T) MX_DECLARE_(ARRAY_, S, name, ARGS, T)
#define MX_DECLARE_SCAN(S, name, ARGS, T) MX_DECLARE_(SCAN_, S, name, ARGS, T)
#define MX_DECLARE_(PATTERN, S, name, ...)     \
    MX_LOOK_UP_(MX_INDEX_##S##_, MX_NO_INDEX_) \
    (MX_DECLARE_AS_, PATTERN, S, name, __VA_ARGS__)
#define MX_DECLARE_AS_(KIND, D, I, P, OF, PATTERN, S, name, ...)                         \
    extern const mx_kernel name##__kernel __asm__(#name "__declared_as_" #PATTERN #S);   \
    MX_STATIC_ASSERT(MX_HAS_##KIND##PATTERN(D),                                          \
                     #name ": " MX_HAS_TEXT_##PATTERN ", not over " #S);                 \
    MX_DECLARE_##PATTERN(P, OF, name, __VA_ARGS__) typedef void name##_needs_MX_DECLARE( \
        const name##__args *a, MX_PARAMETERS_##KIND(D, I) MX_TAIL_##PATTERN(name));
/* Which patterns an index space has. */
#define MX_HAS_RANGE_FOR_(D) true
#define MX_HAS_RANGE_REDUCE_(D) true
#define MX_HAS_RANGE_ARRAY_(D) true
#define MX_HAS_RANGE_SCAN_(D) ((D) == 1)
#define MX_HAS_TEAM_FOR_(D) true
#define MX_HAS_TEAM_REDUCE_(D) true
#define MX_HAS_TEAM_ARRAY_(D) false
#define MX_HAS_TEAM_SCAN_(D) false
#define MX_HAS_TEXT_FOR_ "any"
#define MX_HAS_TEXT_REDUCE_ "any"
#define MX_HAS_TEXT_ARRAY_ "reductions into arrays are over ranges"
#define MX_HAS_TEXT_SCAN_ "scans are over 1D or 1D_64"

/* Each of them defines the types NAME__value and NAME__array, so that a definition by another macro
 * gives only one error. */
#define MX_DECLARE_FOR_(P, OF, name, ARGS)                                          \
    MX_DECLARE_KERNEL_(name, ARGS)                                                  \
    typedef int name##__value;                                                      \
    typedef int name##__array;                                                      \
    MX_LAUNCHER_ mx_err name(P policy_, const ARGS *args_)                          \
    {                                                                               \
        return mx_launch_(&name##__kernel, OF(policy_), args_, sizeof(ARGS), NULL); \
    }

#define MX_DECLARE_SCAN_(P, OF, name, ARGS, T)                                                  \
    MX_DECLARE_KERNEL_(name, ARGS)                                                              \
    typedef T name##__value;                                                                    \
    typedef int name##__array;                                                                  \
    MX_LAUNCHER_ mx_err name(P policy_, const ARGS *args_, T *result_)                          \
    {                                                                                           \
        const mx_result to_ = {result_, {0, 0}, 0, 1, sizeof(T), MX_ARRAY_TYPE_((T *)0), NULL}; \
        return mx_launch_(&name##__kernel, OF(policy_), args_, sizeof(ARGS), &to_);             \
    }                                                                                           \
    MX_LAUNCHER_ mx_err name##_into(P policy_, const ARGS *args_, mx_view view_, int64_t index) \
    {                                                                                           \
        const mx_result to_ = {NULL, view_, index, 1, sizeof(T), MX_ARRAY_TYPE_((T *)0), NULL}; \
        return mx_launch_(&name##__kernel, OF(policy_), args_, sizeof(ARGS), &to_);             \
    }
#define MX_DECLARE_REDUCE_(P, OF, name, ARGS, T)                                     \
    MX_DECLARE_SCAN_(P, OF, name, ARGS, T)                                           \
    MX_LAUNCHER_ mx_err name##_partials(P policy_, const ARGS *args_, mx_view view_, \
                                        int64_t index, mx_partials *partials_)       \
    {                                                                                \
        const mx_result to_ = {                                                      \
            NULL, view_, index, 1, sizeof(T), MX_ARRAY_TYPE_((T *)0), partials_};    \
        return mx_launch_(&name##__kernel, OF(policy_), args_, sizeof(ARGS), &to_);  \
    }

/* The array of a body. Builds that check indices check its bins: the fault record stands behind the
 * numbers at launch->overflow. */
#ifdef MINX_BOUNDS_CHECK
#define MX_ARRAY_MEMBERS_ \
    int64_t length_;      \
    mx_fault_ *fault_;
#define MX_ARRAY_(values, length, fault) \
    {                                    \
        values, length, fault            \
    }
#else
#define MX_ARRAY_MEMBERS_
#define MX_ARRAY_(values, length, fault) \
    {                                    \
        values                           \
    }
#endif
enum { MX_FAULT_AT_ = 4 };
static inline mx_fault_ *mx_launch_fault_(const mx_launch *launch)
{
    return (mx_fault_ *)(void *)(launch->overflow + MX_FAULT_AT_);
}

/* MX_ERR_EXTENT: a result of so many bytes has no room for its values. (size_t)-1: not known; the
 * compiler knows it of arrays that it sees, in builds with optimisation. */
mx_err mx_result_fits_(const char *kernel, size_t bytes, int64_t length, size_t value_size);

#define MX_DECLARE_ARRAY_(P, OF, name, ARGS, T)                                                \
    MX_DECLARE_KERNEL_(name, ARGS)                                                             \
    typedef T name##__value;                                                                   \
    typedef struct name##_array {                                                              \
        T *values_;                                                                            \
        MX_ARRAY_MEMBERS_                                                                      \
    } name##_array;                                                                            \
    typedef name##_array name##__array;                                                        \
    MX_LAUNCHER_ __attribute__((always_inline)) mx_err name(P range_, const ARGS *args_,       \
                                                            int64_t length_, T *result_)       \
    {                                                                                          \
        MX_TRY(mx_result_fits_(#name, __builtin_object_size(result_, 0), length_, sizeof(T))); \
        const mx_result to_ = {result_, {0, 0}, 0, length_, sizeof(T), MX_ARRAY_TYPE_((T *)0), \
                               NULL};                                                          \
        return mx_launch_(&name##__kernel, OF(range_), args_, sizeof(ARGS), &to_);             \
    }                                                                                          \
    MX_LAUNCHER_ mx_err name##_into(P range_, const ARGS *args_, mx_view view_)                \
    {                                                                                          \
        mx_view_info info;                                                                     \
        MX_TRY(mx_view_get_info(view_, &info));                                                \
        const mx_result to_ = {                                                                \
            NULL, view_, 0, info.count, sizeof(T), MX_ARRAY_TYPE_((T *)0), NULL};              \
        return mx_launch_(&name##__kernel, OF(range_), args_, sizeof(ARGS), &to_);             \
    }

#ifdef __cplusplus
}
#endif
