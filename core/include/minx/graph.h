/* Graphs: launches, copies and fills recorded once and replayed many times, with less to do for each than a launch of its own.
 * While a graph records, launches on its context run nothing; they become nodes, with their ranges, a copy of their arguments, and
 * where their results go (a view: a result into host memory is MX_ERR_ARG). So do mx_fill, with a copy of its value, mx_deep_copy,
 * mx_remap, and what the kit makes of these and of launches: mx_scatter_contribute, mx_scatter_overwrite, mx_scatter_reset.
 *
 *     MX_TRY(mx_graph_create(ctx, &graph));                 records from here on
 *     MX_TRY(pack(range, &pack_args));                      a node
 *     const mx_node packed = mx_graph_last(graph);
 *     MX_TRY(interior(range, &interior_args));              after pack: each node waits for the one before it ...
 *     mx_graph_after(graph, 1, &packed);                    ... unless told which nodes the next one waits for
 *     MX_TRY(boundary(edges, &boundary_args));              after pack, beside interior
 *     mx_graph_after(graph, 2, (mx_node[]){interior_node, boundary_node});
 *     MX_TRY(mx_graph_finish(graph));                       records no more
 *     for (...) MX_TRY(mx_graph_run(graph));
 *     mx_graph_destroy(&graph);
 *
 * cuda: a CUDA graph, whose branches may run at the same time. Hosts: nodes run in the order in which they were recorded. A run
 * is ordered on the context like a launch, and checks the accessors and views of all nodes like one. Thread safety: as the
 * context's. The context must outlive the graph.
 *
 * What has no items or elements makes no node. Copies are recorded between views that kernels of the context reach (MX_ERR_SPACE):
 * on cuda pinned memory, but no ordinary memory of the host. What host code reads or writes (mx_import, mx_read_element), sorting, and
 * scatter views that are made meanwhile are MX_ERR_ARG. */
#pragma once
#include "minx/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mx_graph_s *mx_graph;
typedef int mx_node;

/* Begins to record; one graph at a time for each context (MX_ERR_ARG). On failure *graph is NULL. */
mx_err mx_graph_create(mx_ctx ctx, mx_graph *graph);

/* The node recorded last; -1 before the first. */
mx_node mx_graph_last(mx_graph graph);

/* What the next node waits for, and it alone: `count` nodes of this graph, 0 for none. MX_ERR_ARG: no such node. */
mx_err mx_graph_after(mx_graph graph, int count, const mx_node *nodes);

/* Ends recording and makes the graph ready to run. */
mx_err mx_graph_finish(mx_graph graph);

/* Runs all nodes. Errors: those of a launch; MX_ERR_ARG while the graph records. */
mx_err mx_graph_run(mx_graph graph);

/* Waits for the context's work and frees the graph; ends recording. Accepts NULL; sets *graph = NULL. */
void mx_graph_destroy(mx_graph *graph);

#ifdef __cplusplus
}
#endif
