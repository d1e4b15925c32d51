/* What the core keeps for each context, and backends do not see. */
#pragma once
#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MX_RECENT_KERNELS = 8 };

/* The plan of a launch, kept for the next launch of the same kernel over the same range. Members
 * that do not change are not written again, so that they stay in the caches of the other threads. */
typedef struct mx_plan {
    mx_launch launch;               /* kernel NULL: this slot of the table is empty */
    int64_t range[3 * MX_MAX_DIMS]; /* begin, end and tile of the policy, for each dimension */
    int64_t length;
    bool dynamic;
    mx_team_shape team; /* as the policy requests it */
} mx_plan;

struct mx_graph_s;
struct mx_move;
struct mx_races;

typedef struct mx_core_ctx {
    struct mx_ctx_s base; /* must be first: an mx_ctx points to it */

    /* context.c: no other context of the program has had this id */
    uint64_t id;

    /* open_contexts.c: their list; the launch that runs now, and what was called meanwhile although
     * it must not be: a kernel or a function. Other threads may look at `running`, so it points to
     * what lives as long as the program. Only bodies of the launch look at `launch` and `outer`. */
    mx_ctx next;
    uint32_t number;          /* of the contexts created so far, from 1 */
    const mx_kernel *running; /* NULL: no launch runs */
    const mx_launch *launch;
    mx_ctx outer; /* the context of the body that made the launch; NULL: no body did */
    const char *nested;
    bool nested_is_kernel;
    /* of MX_BODY_REQUIRE: how many items have failed, how many of them are run again, and the text of
     * the first one */
    int64_t failed_items, failed_again;
    char failure[512];

    /* fence.c: the kernels since the last fence (a ring) */
    const char *recent[MX_RECENT_KERNELS];
    int64_t unfenced;

    /* cores.c: the CPUs of a context that has cores of its own, as the system numbers them */
    int *cpus;
    int cpu_count;

    /* fault.c: where kernels record indices out of bounds; NULL unless MINX_BOUNDS_CHECK */
    mx_fault_ *fault;

    /* scratch.c: partial results, in the backend's space */
    void *scratch;
    size_t scratch_bytes;
    void *
        *node_memory; /* while a device records a node: mx_scratch allocates memory for this node */

    /* graph.c: the graph that records (NULL: launches run), and the function that records copies
     * and fills */
    struct mx_graph_s *graph;
    mx_err (*record_move)(struct mx_graph_s *graph, const struct mx_move *move);

    /* check.c: launches are repeated on this context; NULL: they are not */
    mx_ctx check;
    double check_tolerance;
    struct mx_kept
        *kept; /* scratch.c: memory for copies of views, which launch after launch uses */
    int kept_count;
    mx_ctx checks; /* this context repeats the launches of that one; NULL: of none */

    /* races.c: what the race check knows; NULL: it is off. And the backend of the context then */
    struct mx_races *races;
    mx_backend watched;

    /* execute.c, launch.c */
    int64_t launches;
    int64_t plans_made;  /* so far */
    mx_plan *plans;      /* a hash table; NULL: there was no launch yet */
    uint64_t plan_slots; /* of the table, a power of two; 0: there is none */
    uint64_t plan_count; /* slots in use */
    int plan_shift;      /* the bits of a hash from this one on are the number of its slot */
} mx_core_ctx;

/* The core's part of a context. */
static inline mx_core_ctx *mx_core(mx_ctx ctx) { return (mx_core_ctx *)(void *)ctx; }

/* ---- plans.c ---- */

/* Removes all plans. No launch may run. */
void mx_plans_clear(mx_ctx ctx);

/* Has mx_init been called, and not mx_finalize since? (open_contexts.c) */
extern bool mx_started_;

/* ---- names.c ---- */

/* Is it one of the types of view.h? Another number may have the kind of one type and the size of
 * another. */
bool mx_is_type(mx_type type);

/* The indices of an item or an element as messages have them: "3", or "(2, 3)". */
void mx_say_indices(int count, const int64_t *index, char *text, size_t size);

/* " in item (2, 3)", or nothing if dims is 0. */
enum { MX_ITEM_TEXT = 160 };
void mx_say_item(int dims, const int64_t *index, char text[MX_ITEM_TEXT]);

/* ---- lock.c ---- */

/* Releases all locks of MX_ATOMIC_UPDATE, in a child process: another thread of the parent may have
 * had one. */
void mx_locks_release(void);

/* ---- open_contexts.c: the list of open contexts, and which of them are in use ---- */

/* Adds a context at the end of the list, and gives it a number. */
void mx_ctx_list(mx_ctx ctx);

/* Removes a context from the list, if it is in it. */
void mx_ctx_unlist(mx_ctx ctx);

/* Restarts the numbers: the next context is number 1. */
void mx_ctx_restart_numbers(void);

/* Calls `call` for every open context. Returns the last failure. */
mx_err mx_ctx_each(mx_err (*call)(mx_ctx ctx, const char *name), const char *name);

/* The kernel whose launch runs on the context. */
static inline const mx_kernel *mx_ctx_running(mx_ctx ctx)
{
    return __atomic_load_n(&mx_core(ctx)->running, __ATOMIC_RELAXED);
}

/* `running` of contexts that a child process has from its parent, and cannot use: their threads or
 * their device are the parent's, or another thread of the parent ran a launch on them. */
extern const mx_kernel mx_kernel_of_parent_, mx_kernel_of_other_thread_;
static inline bool mx_ctx_is_of_parent(mx_ctx ctx)
{
    const mx_kernel *const running = mx_ctx_running(ctx);
    return running == &mx_kernel_of_parent_ || running == &mx_kernel_of_other_thread_;
}

/* MX_ERR_ARG: the context is in use. `call` names the function or the kernel that needs it idle;
 * the launch that runs then fails too. */
mx_err mx_ctx_refuse_(mx_ctx ctx, const mx_kernel *running, const char *call, bool is_kernel);
static inline mx_err mx_ctx_idle_for(mx_ctx ctx, const char *call, bool is_kernel)
{
    const mx_kernel *const running = mx_ctx_running(ctx);
    return running == NULL ? MX_OK : mx_ctx_refuse_(ctx, running, call, is_kernel);
}
static inline mx_err mx_ctx_idle(mx_ctx ctx, const char *call)
{
    return mx_ctx_idle_for(ctx, call, false);
}

/* MX_ERR_ARG: the calling thread runs the body of a kernel. */
mx_err mx_not_in_body(const char *call);

/* A launch begins on this context. */
static inline void mx_ctx_begin_launch(mx_ctx ctx, const mx_launch *launch)
{
    mx_core(ctx)->launch = launch;
    mx_core(ctx)->outer = mx_core(ctx)->checks != NULL ? mx_core(ctx)->checks : mx_body_ctx_;
    __atomic_store_n(&mx_core(ctx)->running, launch->kernel, __ATOMIC_RELAXED);
}

/* The launch on this context has ended, with `err`. MX_ERR_ARG: something was called meanwhile that
 * must not be. */
mx_err mx_ctx_fail_nested_(mx_ctx ctx, const char *kernel);
static inline mx_err mx_ctx_end_launch(mx_ctx ctx, const char *kernel, mx_err err)
{
    __atomic_store_n(&mx_core(ctx)->running, NULL, __ATOMIC_RELAXED);
    const char *const nested = __atomic_load_n(&mx_core(ctx)->nested, __ATOMIC_RELAXED);
    return nested == NULL ? err : mx_ctx_fail_nested_(ctx, kernel);
}

#ifdef __cplusplus
}
#endif
