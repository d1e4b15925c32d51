/* What the core keeps for each context, and backends do not see. */
#pragma once
#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MX_RECENT_KERNELS = 8, MX_PLANS = 64 };

/* The last plan of a launch, kept for the next launch of the same kernel over the same range.
 * Members that do not change are not written again, so that they stay in the caches of the other
 * threads. */
typedef struct mx_plan {
    mx_launch launch;               /* kernel NULL: there is no plan yet */
    int64_t range[3 * MX_MAX_DIMS]; /* begin, end and tile of the policy, for each dimension */
    int64_t length;
    bool dynamic;
    mx_team_shape team; /* as the policy requests it */
} mx_plan;

struct mx_graph_s;
struct mx_move;

typedef struct mx_core_ctx {
    struct mx_ctx_s base; /* must be first: an mx_ctx points to it */

    /* context.c: no other context of the program has had this id */
    uint64_t id;

    /* fence.c: the list of open contexts, and the kernels since the last fence (a ring) */
    mx_ctx next;
    uint32_t number; /* of the contexts created so far, from 1 */
    const char *recent[MX_RECENT_KERNELS];
    int64_t unfenced;

    /* cores.c: the CPUs of a context that has cores of its own, as the system numbers them */
    int *cpus;
    int cpu_count;

    /* fault.c: where kernels record indices out of bounds; NULL unless MINX_BOUNDS_CHECK */
    mx_fault *fault;

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

    /* execute.c, launch.c */
    int64_t launches;
    const char *running; /* the kernel that a launch runs now */
    const char *nested;  /* a kernel that was launched by its body */
    mx_plan plans[MX_PLANS];
} mx_core_ctx;

/* The core's part of a context. */
static inline mx_core_ctx *mx_core(mx_ctx ctx) { return (mx_core_ctx *)(void *)ctx; }

#ifdef __cplusplus
}
#endif
