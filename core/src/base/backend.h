/* Backends: the one header that a backend includes. docs/add-a-backend.md says what to fill in. Not
 * installed.
 *
 *   1. strided copies, which a backend does for the core
 *   2. mx_backend, the table of functions that a backend is
 *   3. mx_ctx_s, a context: members that a backend reads and sets
 *   4. functions that backends call: memory, faults, cores; and those that host backends share */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"
#include "minx/launch.h"

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. copies of elements with any strides ---- */

typedef struct mx_strided_axis {
    int64_t extent;
    int64_t to;    /* stride, in elements where the layout is left, right or stride */
    int64_t from;  /* the same; 0: the same element again */
    int dimension; /* of the views; needed by layouts without strides */
    bool indexed;  /* the source is found by mx_strided.index */
} mx_strided_axis;

/* One axis or more, the destination's contiguous one last. */
typedef struct mx_strided {
    char *to;
    const char *from;
    size_t size;   /* of an element */
    int64_t count; /* elements in all, at least one */
    int axes;
    mx_strided_axis axis[MX_MAX_RANK];
    int rank;              /* of the views */
    mx_layout to_layout;   /* 0 (MX_LAYOUT_DEFAULT): strides, as for left, right and stride */
    mx_layout from_layout; /* the same */
    const void *index;     /* the source row of each row along the indexed axis: i32 or i64 */
    int64_t index_stride;  /* from one index to the next */
    int64_t limit;         /* every index must be below it; 0: they need no check */
    int64_t *outside;      /* gets an index that is not; row 0 is copied in its place */
    bool index_64;         /* the indices are i64 */
} mx_strided;

/* The source row of row i along this axis. */
MX_INLINE int64_t mx_strided_source_(const mx_strided *c, const mx_strided_axis *axis, int64_t i)
{
    if (!axis->indexed) return i;
    i *= c->index_stride;
    i = c->index_64 ? ((const int64_t *)c->index)[i] : ((const int32_t *)c->index)[i];
    if (c->limit == 0 || (uint64_t)i < (uint64_t)c->limit) return i;
    mx_atomic_store(c->outside, i);
    return 0;
}

/* The offsets of element number `item` in destination and source, in elements. */
MX_INLINE void mx_strided_offsets_(const mx_strided *c, int64_t item, int64_t *to, int64_t *from)
{
    int64_t to_offset = 0, from_offset = 0;
    for (int n = c->axes - 1; n >= 0; n--) {
        const mx_strided_axis *axis = &c->axis[n];
        const int64_t i = item % axis->extent;
        const int64_t j = mx_strided_source_(c, axis, i);
        item /= axis->extent;
        to_offset += mx_term_((int)c->to_layout, c->rank, axis->dimension, i, axis->to);
        from_offset += mx_term_((int)c->from_layout, c->rank, axis->dimension, j, axis->from);
    }
    *to = to_offset;
    *from = from_offset;
}

/* ---- 2. the table ---- */

/* Sets of memory spaces have a bit for each. */
#define MX_SPACE_BIT(space) ((unsigned)(space) < MX_SPACE_STAGING ? 1u << (space) : 0u)

/* The spaces that ordinary host code can access. */
#define MX_HOST_ACCESSIBLE \
    (MX_SPACE_BIT(MX_SPACE_HOST) | MX_SPACE_BIT(MX_SPACE_MANAGED) | MX_SPACE_BIT(MX_SPACE_PINNED))

/* Runs a part of a launch on the calling thread: chunks first to last-1. */
typedef void (*mx_run_fn)(const mx_launch *launch, int64_t first, int64_t last);

typedef struct mx_backend_info {
    const char *name;   /* in resource strings */
    int instance;       /* the kind of kernel instance that it runs: MX_INSTANCE_* */
    mx_layout layout;   /* of contexts that name none */
    uint32_t tool_type; /* the type of device that tools know it by; MX_TOOL_TYPE_UNKNOWN */
    bool many_threads;  /* a context may have several host threads */
    bool binds_cores;   /* it takes cores=: its threads call mx_cores_bind_thread */
    /* Can a context be opened here? If not, *why gets the reason. NULL: always. */
    bool (*available)(const char **why);
    /* How many devices there are here. NULL: contexts have no device. */
    int (*devices)(void);
    /* Completes a context whose options (threads, device, seed; 0 or -1 where not given) are
     * set. */
    mx_err (*open)(mx_ctx ctx);
    /* Closes a context, also one whose open failed. May be NULL. */
    void (*close)(mx_ctx ctx);
} mx_backend_info;

enum { MX_TOOL_TYPE_UNKNOWN = 9 };

typedef struct mx_backend_memory {
    mx_space space;           /* the default space of views, and the space of scratch */
    unsigned accessible;      /* spaces that its kernels can access */
    unsigned allocates_in;    /* spaces that it allocates in */
    unsigned allocates_zeros; /* the spaces among them where new memory is zero */
    unsigned of_device;       /* the spaces among them that belong to one device */
    mx_space fault_space;     /* for fault records: its kernels and host code can access it */
    mx_err (*allocate)(mx_ctx ctx, mx_space space, size_t bytes, void **data);
    void (*release)(mx_space space, void *data);
    /* These three are ordered like kernels of ctx, and need not be done on return. */
    mx_err (*copy)(mx_ctx ctx, void *destination, const void *source, size_t bytes);
    mx_err (*fill)(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size);
    mx_err (*copy_strided)(mx_ctx ctx, const mx_strided *copy);
    /* Is the memory at this address the backend's? If so, sets its space, and its device or -1.
     * NULL: all its memory is the host's. */
    bool (*identify)(const void *address, mx_space *space, int *device);
    /* The last view of this memory ends. Copies to it that are not done yet: `freed`, they must not
     * be done any more; else, where the caller's memory was wrapped, they must be done before the
     * call returns. NULL: the backend keeps no list of copies. Needs `identify`. */
    void (*leave)(const void *data, size_t bytes, bool freed);
} mx_backend_memory;

typedef struct mx_backend_launch {
    /* Divides a launch into chunks for this context. Its axes have the tiles that the user
     * requested (0: none). */
    mx_err (*plan)(mx_ctx ctx, mx_launch *launch);
    /* Runs a planned launch. When the work is done, the joined result is at launch->result. If
     * result->host is not NULL, the result is there on return. */
    mx_err (*run)(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);
    /* Waits until all work on the context is done. */
    mx_err (*fence)(mx_ctx ctx);
    /* Work launched on ctx from now on runs after the work launched on `other` so far; both are the
     * backend's. The host does not wait. NULL: the core calls fence(other). */
    mx_err (*wait)(mx_ctx ctx, mx_ctx other);
    /* The same for a queue that is the caller's, and the context: the later work of ctx waits for
     * the work in the queue so far or, if `queue_waits`, the other way round. NULL: contexts cannot
     * use queues of the caller's. */
    mx_err (*wait_queue)(mx_ctx ctx, void *queue, bool queue_waits);
} mx_backend_launch;

/* Graphs of a device. create NULL: the backend has none, and the core repeats recorded launches one
 * by one. */
typedef struct mx_backend_graph {
    mx_err (*create)(mx_ctx ctx, void **graph);
    /* Launches between these two calls become one node, or a chain whose last node is *node. It
     * waits for `nodes`. */
    mx_err (*before)(mx_ctx ctx, void *graph, void *const *nodes, int count);
    mx_err (*after)(mx_ctx ctx, void *graph, void **node);
    mx_err (*finish)(mx_ctx ctx, void *graph);
    mx_err (*run)(mx_ctx ctx, void *graph);
    void (*destroy)(void *graph);
} mx_backend_graph;

/* Host backends only. */
typedef struct mx_backend_host {
    /* Divides the chunks 0 to chunks-1 of a launch among the context's threads. Done on return.
     * NULL: not a host backend. */
    void (*run)(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks);
    /* Calls run(launch, t, threads) for t = 0 to threads-1, each on a thread of its own, all at the
     * same time. The backend passes `launch` on and reads only its args and ctx. false, before any
     * call: there are not enough threads; for a launch of teams this is an error, a scan then uses
     * the function above. NULL: teams have one thread. */
    bool (*run_team_members)(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads);
    /* A chunk is one item, rather than a block of them; lanes of teams are threads (simt). */
    bool chunks_are_items;
    /* check=races: items run in order on one thread, and the members of a team in turn. */
    bool watched;
    /* The shape of a team with MX_AUTO. 0 means 1. */
    int auto_team_size;
    int auto_team_lanes;
    /* The backend that order=shuffled opens in place of this one; NULL: this one does not take
     * order=. */
    const struct mx_backend *shuffled;
} mx_backend_host;

typedef struct mx_backend {
    mx_backend_info info;
    mx_backend_memory memory;
    mx_backend_launch launch;
    mx_backend_graph graph;
    mx_backend_host host;
} mx_backend;

/* ---- 3. contexts ---- */

/* The numbers at mx_ctx_s.overflow; 0: all is well. */
typedef enum mx_overflow {
    MX_OVERFLOW_LEVEL_0, /* the bytes of a request for scratch of teams that was too large */
    MX_OVERFLOW_LEVEL_1,
    MX_OVERFLOW_INDEX,  /* a wrong index of a gather */
    MX_OVERFLOW_WAITED, /* the seconds for which a reduction waited in vain for its other blocks */
    MX_OVERFLOWS        /* their number */
} mx_overflow;

/* Only the core creates contexts: each has more members, which backends do not see (state.h). */
struct mx_ctx_s {
    const mx_backend *backend;
    char name[64];         /* the resource string, for messages */
    char backend_name[48]; /* "openmp", or "serial:order=shuffled" */
    mx_layout layout;

    const mx_backend *unwatched; /* check=races: what `backend` is a copy of; else NULL */

    /* Options of the resource string, set before the backend's open, which replaces values that
     * were not given. */
    int threads;
    int device;
    int auto_lanes; /* of teams with MX_AUTO, in place of host.auto_team_lanes */
    uint64_t seed;
    bool shuffled;
    bool high_priority; /* contexts of devices only */
    bool callers_queue; /* `queue` is the caller's: open and close leave it as it is */

    /* Accelerators: a reduction may wait inside of its kernel for its other blocks for so many
     * seconds (a setting). 0: it must not wait. After a reduction has waited for so long, the core
     * sets this to 0. */
    int reduction_wait;

    /* The backend's open sets these. A host backend may leave all of them 0. */
    char device_name[128];
    char device_id[48];      /* unique among the devices of all machines; see mx_ctx_details */
    int64_t max_concurrency; /* accelerators: the maximum of items that run at the same time */
    void *state;             /* the backend's own data */
    void *queue;             /* accelerators: the queue of launches; cuda: a cudaStream_t */

    /* Backends read these. */
    int cores; /* the number of this context among those that have cores of their own; 0: it has none */
    /* Kernels store here what went wrong: see mx_overflow. */
    int64_t *overflow;

    /* Accelerators count here how often the host waited for the device. */
    int64_t synchronisations;
};

/* The instance of a kernel for this context; NULL: not in this build. */
static inline const mx_instance *mx_instance_of(mx_ctx ctx, const mx_kernel *kernel)
{
    return kernel->instance[ctx->backend->info.instance][ctx->layout];
}

/* ---- 4. functions that backends call ---- */

/* Waits as mx_fence, while the context runs a launch: for a result in host memory. */
mx_err mx_fence_launch(mx_ctx ctx);

/* At least `bytes` of memory in the backend's space for one launch: partial results, scratch of
 * teams. */
mx_err mx_scratch(mx_ctx ctx, size_t bytes, void **scratch);

/* After the work is done: MX_ERR_BOUNDS with view, index, extent, file and line if a kernel
 * recorded an index out of bounds. */
mx_err mx_fault_check(mx_ctx ctx);

/* The same for ctx->overflow: MX_ERR_MEMORY with the bytes of the scratch request, MX_ERR_BOUNDS
 * with the index, MX_ERR_DEVICE with the seconds. */
mx_err mx_overflow_check(mx_ctx ctx);

/* "a, b, c": the kernels since the last fence, the latest last. */
void mx_recent_kernels(mx_ctx ctx, char *text, size_t size);

/* The number of this thread in a launch, 0 to threads-1. Kernels use it to index memory of each
 * thread (minx/host/kernel.h says why it is a short). */
extern __thread short mx_thread_;

/* The context whose chunks this thread runs now; NULL: none. By it a call from a body is recognised. */
extern __thread mx_ctx mx_body_ctx_;

/* Does this thread run items that it or another one runs again, as a scan does? What fails then is
 * counted apart. */
extern __thread bool mx_body_again_;

/* The name of the kernel whose body this thread runs; NULL: none. A signal handler may call it. */
const char *mx_body_kernel(void);

/* What the first MX_BODY_REQUIRE said that did not hold in that launch; NULL: none. */
const char *mx_body_failure(void);

/* Runs a part of a launch as thread number `thread` of it. All calls of `run` by host backends are
 * made here. */
static inline void mx_host_run_part(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int thread,
                                    int64_t first, int64_t last)
{
    const mx_ctx outer = mx_body_ctx_; /* a body on another context may have made this launch */
    const short outer_thread = mx_thread_;
    mx_thread_ = (short)thread;
    mx_body_ctx_ = ctx;
    run(launch, first, last);
    mx_thread_ = outer_thread;
    mx_body_ctx_ = outer;
}

/* The locks that fork() holds, in the order in which threads take them. */
typedef enum mx_fork_lock {
    MX_FORK_CONTEXTS, /* the list of contexts */
    MX_FORK_ADDRESSES,
    MX_FORK_VIEWS,
    MX_FORK_SIMT_MEMORY,
    MX_FORK_LOCKS /* their number */
} mx_fork_lock;

/* From now on fork() takes this lock first, so that no other thread is at work on what it guards.
 * In the child process in_child makes the lock new, and corrects what it guards. */
void mx_fork_holds(mx_fork_lock number, pthread_mutex_t *lock, void (*in_child)(void));

/* Are this process's threads lost, as it is the child of a fork() and its parent had contexts with
 * several threads? */
extern bool mx_threads_lost;

/* Each OpenMP thread that runs a part of a launch first calls mx_cores_bind_thread. It binds the
 * thread to its core or to its place, or removes the binding to a core of another context (see
 * cores.c). cores: ctx->cores, which the launching thread has read, so that the others need not
 * load its cache line. threads: the number of threads of this launch. */
void mx_cores_rebind_thread(mx_ctx ctx, int thread, int64_t launch);
/* Is the thread on another core than the one to which it was bound? libomp binds its threads again
 * when their number changes. */
bool mx_cores_thread_moved(void);
extern __thread int64_t mx_cores_bound;
static inline void mx_cores_bind_thread(mx_ctx ctx, int cores, int thread, int threads)
{
    /* the calling thread's place is the same in all launches */
    const int64_t launch =
        (int64_t)cores << 32 | (thread > 0 ? (int64_t)threads << 16 | thread : 0);
    if (mx_cores_bound != launch || (cores != 0 && mx_cores_thread_moved()))
        mx_cores_rebind_thread(ctx, thread, launch);
}

/* The largest number of threads that a context may have. */
int mx_cores_max_threads(void);

/* The number of threads by OMP_NUM_THREADS, but at most OMP_THREAD_LIMIT; *origin: which of the two
 * says it. Where OMP_NUM_THREADS is not set: mx_host_cores(), and NULL. MX_ERR_INPUT: its value. */
mx_err mx_cores_openmp_threads(int *threads, const char **origin);

/* Elements first to last-1 of a copy, by the calling thread. */
void mx_strided_run(const mx_strided *copy, int64_t first, int64_t last);

/* Finds a view of this space with memory between begin and end, and copies its label into *label.
 * Takes no lock, so a signal handler may call it. */
bool mx_view_in_range(mx_space space, const void *begin, const void *end, char (*label)[64]);

/* ---- the race check, in builds with MINX_RACE_CHECK ---- */

#ifdef MINX_RACE_CHECK
/* services/races.c. Around a launch; end: MX_ERR_MISMATCH names kernel, views, indices and items
 * of the races. */
mx_err mx_races_begin(mx_ctx ctx, const mx_launch *launch, const void *args);
mx_err mx_races_end(mx_ctx ctx, mx_err err);
/* Does the calling thread run a launch of ctx that is watched? */
bool mx_races_watches(mx_ctx ctx);
/* No item of the launch runs now. */
void mx_races_no_item(void);
/* Teams have so many members. `shared`: bytes in front of their scratch. */
mx_err mx_races_members(const mx_launch *launch, int members, size_t shared);
/* This member runs now. */
void mx_races_member(int member);
/* It has passed a barrier of its team, or only of the lanes of its thread. */
void mx_races_barrier(bool of_lanes);

/* host/watched.c: the backend of a context with check=races in place of this one. */
mx_backend mx_watched_backend(const mx_backend *backend);
/* host/barrier.c: the members of a team run in turn on this thread, and this lets the next one run.
 * NULL: each member has a thread. */
extern __thread void (*mx_members_turn)(void);
#else
#define mx_members_turn ((void (*)(void))NULL)
static inline void mx_races_barrier(bool of_lanes) { (void)of_lanes; }
#endif

/* The members that all host backends share. */
mx_err mx_host_plan(mx_ctx ctx, mx_launch *launch);
mx_err mx_host_launch(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);
mx_err mx_host_fence(mx_ctx ctx);
mx_err mx_host_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data);
void mx_host_release(mx_space space, void *data);
mx_err mx_host_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes);
mx_err mx_host_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size);
mx_err mx_host_copy_strided(mx_ctx ctx, const mx_strided *copy);
#define MX_HOST_MEMORY                                                                  \
    {                                                                                   \
        .space = MX_SPACE_HOST, .accessible = MX_HOST_ACCESSIBLE,                       \
        .allocates_in = MX_SPACE_BIT(MX_SPACE_HOST), .fault_space = MX_SPACE_HOST,      \
        .allocate = mx_host_allocate, .release = mx_host_release, .copy = mx_host_copy, \
        .fill = mx_host_fill, .copy_strided = mx_host_copy_strided                      \
    }
#define MX_HOST_LAUNCH                                                      \
    {                                                                       \
        .plan = mx_host_plan, .run = mx_host_launch, .fence = mx_host_fence \
    }

/* mx_backend_info.available of backends that run on OpenMP's threads. */
bool mx_host_openmp_available(const char **why);

/* mx_backend_host.run_team_members by an OpenMP parallel region. */
bool mx_host_run_team_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads);

/* The serial backend, which is in every build. */
extern const mx_backend mx_backend_serial;

#ifdef __cplusplus
}
#endif
