/* Graphs: launches, copies and fills that are recorded once and replayed many times. A replay costs
 * less than the single launches. While a graph records, launches on its context do not run; they
 * become nodes. A node keeps the range, a copy of the arguments, and the view that gets the result
 * (a result into host memory is MX_ERR_ARG). mx_fill, mx_deep_copy and mx_remap become nodes too,
 * and so do the functions of the kit that call these: mx_scatter_contribute, mx_scatter_overwrite,
 * mx_scatter_reset.
 *
 *     MX_TRY(mx_graph_create(ctx, &graph));                 records from here on
 *     MX_TRY(pack(range, &pack_args));                      a node
 *     const mx_node packed = mx_graph_last(graph);
 *     MX_TRY(interior(range, &interior_args));              waits for the node before it: pack
 *     const mx_node inside = mx_graph_last(graph);
 *     MX_TRY(mx_graph_after(graph, 1, &packed));            the next node waits for pack only
 *     MX_TRY(boundary(edges, &boundary_args));              may run at the same time as interior
 *     const mx_node both[] = {inside, mx_graph_last(graph)};
 *     MX_TRY(mx_graph_after(graph, 2, both));               the next node waits for both
 *     MX_TRY(unpack(range, &unpack_args));
 *     MX_TRY(mx_graph_finish(graph));                       records no more
 *     for (...) MX_TRY(mx_graph_run(graph));
 *     mx_graph_destroy(&graph);
 *
 * cuda: a CUDA graph, whose branches may run at the same time. Hosts: nodes run in the order in
 * which they were recorded. A run is ordered on the context like a launch, and checks the accessors
 * and views of all nodes like one. Nodes mean memory: views may be swapped (mx_view_swap) while a
 * graph records and behind that, and each node still uses the memory that it was recorded with. A
 * graph of two steps, with a swap behind each, leaves the handles as they were. Thread safety:
 * as the context's. The context must outlive the graph.
 *
 * An operation without items or elements makes no node. Copies are recorded between views that
 * kernels of the context can access (MX_ERR_SPACE): on GPUs that includes pinned memory, but not
 * ordinary host memory. While a graph records, MX_ERR_ARG is the answer to operations with host
 * memory (mx_import, mx_read_element), to sorting, and to the creation of scatter views. */
#pragma once
#include "minx/launch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A graph, and the number of a node in it. */
typedef struct mx_graph_s *mx_graph;
typedef int mx_node;

/* Begins to record. MX_ERR_ARG: ctx records a graph already, or its launches are checked against
 * another backend (mx_ctx_check_against). On failure *graph is NULL. */
mx_err mx_graph_create(mx_ctx ctx, mx_graph *graph);

/* The node recorded last; -1 before the first. */
mx_node mx_graph_last(mx_graph graph);

/* Sets the nodes that the next node waits for: `count` nodes of this graph, 0 for none. This holds
 * for the next node only. MX_ERR_ARG: no such node. */
mx_err mx_graph_after(mx_graph graph, int count, const mx_node *nodes);

/* Ends recording and makes the graph ready to run. Checks what mx_graph_run checks. */
mx_err mx_graph_finish(mx_graph graph);

/* Runs all nodes. Errors: those of a launch; MX_ERR_ARG while the graph records,
 * or if check=races has begun or ended on its context since it was created. */
mx_err mx_graph_run(mx_graph graph);

/* Waits for the context's work and frees the graph; ends recording. Accepts NULL; sets *graph =
 * NULL. While a launch runs on its context, nothing happens (context.h, "Bodies"). */
void mx_graph_destroy(mx_graph *graph);

#ifdef __cplusplus
}
#endif
