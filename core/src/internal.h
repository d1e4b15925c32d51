/* What core/src and the backends share. Not installed. */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"
#include "minx/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- backends ---- */

typedef void (*mx_run_fn)(const mx_launch *launch, int64_t first, int64_t last);

#define MX_SPACE_BIT(space) ((unsigned)(space) <= MX_SPACE_PINNED ? 1u << (space) : 0u)

/* Graphs on a device; hosts replay launches. Those from `before` to `after` become a node, or a chain whose last is *node. */
typedef struct mx_graph_ops {
    mx_err (*create)(mx_ctx ctx, void **graph);
    mx_err (*before)(mx_ctx ctx, void *graph, void *const *nodes, int count);
    mx_err (*after)(mx_ctx ctx, void *graph, void **node);
    mx_err (*finish)(mx_ctx ctx, void *graph);
    mx_err (*run)(mx_ctx ctx, void *graph);
    void (*destroy)(void *graph);
} mx_graph_ops;

/* A copy of elements with any strides: one axis or more, the destination's contiguous one last. */
typedef struct mx_strided_axis {
    int64_t extent, to, from; /* steps in elements; from 0: the same one again */
    bool indexed;             /* the source is found by mx_strided.index */
} mx_strided_axis;
typedef struct mx_strided {
    char *to;
    const char *from;
    size_t size;   /* of an element */
    int64_t count; /* elements in all, at least one */
    int axes;
    mx_strided_axis axis[MX_MAX_RANK];
    const void
        *index; /* i32 or, if wide, i64: which of the source goes where along the indexed axis */
    int64_t index_stride, limit; /* an index is below the limit; 0: known to be */
    int64_t *outside;            /* where one that is not is noted, and row 0 taken in its place */
    bool index_64;
} mx_strided;

MX_INLINE int64_t mx_strided_source_(const mx_strided *c, const mx_strided_axis *axis, int64_t i)
{
    if (!axis->indexed) return i;
    i *= c->index_stride;
    i = c->index_64 ? ((const int64_t *)c->index)[i] : ((const int32_t *)c->index)[i];
    if (c->limit == 0 || (uint64_t)i < (uint64_t)c->limit) return i;
    mx_atomic_store(c->outside, i);
    return 0;
}

/* A backend. Host backends need `available`, `open` and `run`; the rest is mx_host_* then. */
typedef struct mx_backend {
    const char *name;
    int instance;          /* the kind of kernel instance it runs: MX_INSTANCE_* */
    mx_layout layout;      /* where none is asked for */
    mx_space space;        /* default memory space of its contexts */
    unsigned accessible;   /* spaces its kernels can touch, MX_SPACE_BIT bits */
    unsigned allocates_in; /* spaces that it allocates in */

    /* Could a context be opened? If not, *why says why not. */
    bool (*available)(const char **why);
    /* Devices here; NULL for host backends. */
    int (*devices)(void);
    /* Completes a context whose options (threads, device, seed; 0 or -1 where not given) are set. */
    mx_err (*open)(mx_ctx ctx);
    void (*close)(mx_ctx ctx);

    /* Cuts a launch, whose axes have the tiles that the user asked for (0: none), for this context. */
    mx_err (*plan)(mx_ctx ctx, mx_launch *launch);
    /* Runs a planned launch and puts the joined result at launch->result (not necessarily before it returns). */
    mx_err (*launch)(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);
    mx_err (*fence)(mx_ctx ctx);
    mx_err (*copy)(mx_ctx ctx, void *destination, const void *source, size_t bytes);
    mx_err (*fill)(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size);
    mx_err (*allocate)(mx_ctx ctx, mx_space space, size_t bytes, void **data);
    void (*release)(mx_space space, void *data);
    mx_err (*copy_strided)(mx_ctx ctx, const mx_strided *copy);

    /* Host backends: share the chunks 0..chunks-1 of a launch among threads; done on return. */
    void (*run)(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks);
    /* Host backends with teams of several threads: one call run(launch, t, threads) on each of that many threads at once.
     * false: there are not so many. NULL: one thread only. */
    bool (*run_team_members)(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads);
    /* Host backends: one chunk is one item, rather than one block (simt). */
    bool chunks_are_items;
    const mx_graph_ops *graph; /* NULL: none */
} mx_backend;

/* ---- contexts ---- */

enum { MX_RECENT_KERNELS = 8, MX_PLANS = 64 };

/* A launch as it was planned last, for the next one of the same kernel over the same range. Nothing in it is written again
 * that has not changed: the other threads find it in their own caches then. */
typedef struct mx_plan {
    mx_launch launch; /* kernel NULL: none yet */
    int64_t asked[3 * MX_MAX_DIMS], length;
    bool dynamic;
    mx_team_shape team;
} mx_plan;

struct mx_ctx_s {
    const mx_backend *backend;
    char name[64]; /* as the user would write it */
    mx_layout layout;
    int threads, device;
    int64_t max_concurrency; /* accelerators: items that run at once, at most */
    bool shuffled;
    uint64_t seed;
    int cores; /* 0: the context has none of its own; else its number among those that have */
    int core_count, *core; /* CPUs as the system numbers them */
    char device_name[128];
    void *state; /* the backend's own */
    void *queue; /* accelerators: what launches are put on; cuda: a cudaStream_t */

    void *scratch; /* partial results, in the backend's own space */
    size_t scratch_bytes;
    int64_t *overflow; /* kernels note there what scratch lacked, by level, and a wrong index */
    mx_fault *fault;   /* where they note indices out of bounds; NULL unless MINX_BOUNDS_CHECK */

    mx_ctx next;              /* in the list of open contexts */
    uint32_t tool_device;     /* what tools know it by, mx_tool_device */
    struct mx_graph_s *graph; /* that records; NULL: launches run */
    void **node_memory;       /* while a device records: where mx_scratch is allocated anew */
    mx_ctx check;             /* repeat launches there; NULL: no */
    double check_tolerance;

    const char *recent[MX_RECENT_KERNELS]; /* kernels since the last fence, a ring */
    int64_t unfenced;
    int64_t launches, synchronisations;
    const char *running,
        *nested; /* the kernel in its launch, and one that was launched meanwhile */

    mx_plan plans[MX_PLANS];
};

/* Reads ctx->fault after the work is done: MX_ERR_BOUNDS with view, index, extent, file and line if one was noted. */
mx_err mx_fault_check(mx_ctx ctx);

/* The same for ctx->overflow: MX_ERR_MEMORY with what was asked for, MX_ERR_BOUNDS with the index. */
mx_err mx_overflow_check(mx_ctx ctx);

/* "a, b, c": the kernels since the last fence, the latest last. */
void mx_recent_kernels(mx_ctx ctx, char *text, size_t size);

/* ---- host backends: what they have in common ---- */

mx_err mx_host_plan(mx_ctx ctx, mx_launch *launch);
mx_err mx_host_launch(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);
bool mx_host_run_team_members(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int threads);
mx_err mx_host_fence(mx_ctx ctx);
mx_err mx_host_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes);
mx_err mx_host_fill(mx_ctx ctx, void *destination, int64_t count, const void *value, size_t size);
mx_err mx_host_copy_strided(mx_ctx ctx, const mx_strided *copy);
mx_err mx_host_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data);
void mx_host_release(mx_space space, void *data);
bool mx_host_available(const char **why);
#define MX_HOST_ACCESSIBLE \
    (MX_SPACE_BIT(MX_SPACE_HOST) | MX_SPACE_BIT(MX_SPACE_MANAGED) | MX_SPACE_BIT(MX_SPACE_PINNED))
/* There is always one, which owns what has no context (mirrors). */
extern const mx_backend mx_backend_serial;
/* The members every host backend has alike, for its initialiser. */
#define MX_HOST_BACKEND                                                                           \
    .space = MX_SPACE_HOST, .accessible = MX_HOST_ACCESSIBLE,                                     \
    .allocates_in = MX_SPACE_BIT(MX_SPACE_HOST), .available = mx_host_available,                  \
    .plan = mx_host_plan, .launch = mx_host_launch, .fence = mx_host_fence, .copy = mx_host_copy, \
    .fill = mx_host_fill, .allocate = mx_host_allocate, .release = mx_host_release,               \
    .copy_strided = mx_host_copy_strided

/* The number of this thread in a launch, for kernels that keep something for each: backends set it (0 to threads-1). */
extern __thread int mx_thread_;

/* cores.c: cores of its own for a context, number first to last of those of the process; sets ctx->threads where it is 0. A
 * thread that runs a part of a launch goes to its core, or back to where it was before it came to one. */
mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last);
void mx_cores_rebind_thread(mx_ctx ctx, int thread);
extern __thread int mx_cores_bound;
/* cores: ctx->cores, which other threads do not read there: it shares its cache line with what changes at each launch. */
static inline void mx_cores_bind_thread(mx_ctx ctx, int cores, int thread)
{
    if (mx_cores_bound != cores) mx_cores_rebind_thread(ctx, thread);
}

/* ---- launches ---- */

/* What a kernel was compiled to for this context; NULL: nothing. */
static inline const mx_instance *mx_instance_of(mx_ctx ctx, const mx_kernel *kernel)
{
    return kernel->instance[ctx->backend->instance][ctx->layout];
}

/* launch.c, with everything checked and planned: dispatches to the backend. */
mx_err mx_launch_run(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);

/* launch.c: counts it, and notes its name for messages. */
void mx_launch_count(mx_ctx ctx, const mx_launch *launch);

/* launch.c: checks where the result goes, and puts that into the launch; result: NULL if there is none. */
mx_err mx_launch_set_result(mx_ctx ctx, mx_launch *launch, const mx_result *result);

/* graph.c: makes the launch a node of the graph. */
mx_err mx_graph_record(struct mx_graph_s *graph, const mx_launch *launch, const void *args,
                       const mx_result *result);

/* check.c: runs the launch on ctx and on ctx->check and compares. */
mx_err mx_launch_checked(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result);

/* At least `bytes` of the context's scratch. */
mx_err mx_scratch(mx_ctx ctx, size_t bytes, void **scratch);

#ifdef __cplusplus
}
#endif
