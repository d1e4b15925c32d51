/* Graphs. A node is a launch or a move (a copy or a fill). A launch node keeps the plan, the
 * arguments and the target of the result; a move node keeps the views and the value. Devices also
 * record the node into a graph of their own. There each node has its own memory for partial
 * results, since branches run at the same time. */
#include "minx/graph.h"
#include "base/events.h"
#include "launches.h"
#include "services/services.h"
#include "view/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct node {
    mx_launch launch; /* kernel NULL: a move */
    mx_move move;
    void *args; /* of the kernel; the value of a fill */
    mx_result result;
    bool has_result;
    void *memory;      /* devices: for partial results */
    void *device_node; /* the device's handle of the node */
} node;

struct mx_graph_s {
    mx_ctx ctx;
    node **nodes;
    int count;
    int capacity;
    mx_node *after; /* the nodes that the next node waits for */
    int after_count;
    void *device; /* the device's own graph; NULL on hosts */
    bool watched; /* recorded under check=races */
};

static mx_err record_move(mx_graph graph, const mx_move *move);

mx_err mx_graph_create(mx_ctx ctx, mx_graph *graph)
{
    MX_REQUIRE(graph != NULL, MX_ERR_ARG, "the pointer to the graph is NULL");
    *graph = NULL;
    MX_REQUIRE(ctx != NULL, MX_ERR_ARG, "a graph needs a context");
    MX_TRY(mx_ctx_idle(ctx, "mx_graph_create"));
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG, "%s records a graph already", ctx->name);
    MX_REQUIRE(mx_core(ctx)->check == NULL, MX_ERR_ARG,
               "%s is checked against %s: it cannot record a graph; end the check first", ctx->name,
               mx_core(ctx)->check->name);
    mx_graph created = calloc(1, sizeof *created);
    MX_REQUIRE(created != NULL, MX_ERR_MEMORY, "no memory for a graph");
    created->ctx = ctx;
    created->watched = ctx->unwatched != NULL;
    const mx_backend_graph *const ops = &ctx->backend->graph;
    const mx_err err = ops->create != NULL ? MX_PASS(ops->create(ctx, &created->device)) : MX_OK;
    if (err != MX_OK) free(created);
    *graph = mx_core(ctx)->graph = err == MX_OK ? created : NULL;
    mx_core(ctx)->record_move = record_move;
    return err;
}

mx_node mx_graph_last(mx_graph graph) { return graph != NULL ? graph->count - 1 : -1; }

mx_err mx_graph_after(mx_graph graph, int count, const mx_node *nodes)
{
    MX_REQUIRE(graph != NULL && mx_core(graph->ctx)->graph == graph && count >= 0 &&
                   (count == 0 || nodes != NULL),
               MX_ERR_ARG, "graph: %d nodes to wait for, expected nodes of a graph that records",
               count);
    for (int n = 0; n < count; n++)
        MX_REQUIRE(nodes[n] >= 0 && nodes[n] < graph->count, MX_ERR_ARG,
                   "graph: node %d of %d does not exist", nodes[n], graph->count);
    mx_node *after = malloc((size_t)(count > 0 ? count : 1) * sizeof *after);
    MX_REQUIRE(after != NULL, MX_ERR_MEMORY, "no memory for a graph");
    if (count > 0) memcpy(after, nodes, (size_t)count * sizeof *after);
    free(graph->after);
    graph->after = after;
    graph->after_count = count;
    return MX_OK;
}

static void free_node(mx_ctx ctx, node *n)
{
    if (n == NULL) return;
    if (n->memory != NULL) ctx->backend->memory.release(ctx->backend->memory.space, n->memory);
    free(n->launch.args_copy);
    free(n->args);
    free(n);
}

static mx_err make_node(const mx_launch *l, const void *args, const mx_result *result,
                        node **created)
{
    const size_t size = l->kernel->args_size, rounded_size = (size + 63) & ~(size_t)63;
    node *n = aligned_alloc(_Alignof(node), sizeof *n);
    MX_REQUIRE(n != NULL, MX_ERR_MEMORY, "kernel %s: no memory for a node", l->kernel->name);
    memset(n, 0, sizeof *n);
    n->launch = *l;
    n->args = malloc(size);
    n->launch.args_copy = l->args_copy != NULL ? aligned_alloc(64, rounded_size) : NULL;
    if (n->args == NULL || (l->args_copy != NULL && n->launch.args_copy == NULL)) {
        free_node(NULL, n);
        return MX_FAIL(MX_ERR_MEMORY, "kernel %s: no memory for a node", l->kernel->name);
    }
    memcpy(n->args, args, size);
    if (n->launch.args_copy != NULL) {
        memcpy(n->launch.args_copy, l->args_copy, size);
        n->launch.args = n->launch.args_copy;
    }
    n->has_result = result != NULL;
    if (result != NULL) n->result = *result;
    *created = n;
    return MX_OK;
}

static mx_err make_move_node(const mx_move *move, node **created)
{
    mx_view_info info;
    MX_TRY(mx_view_get_info(move->to, &info));
    const size_t size = MX_TYPE_SIZE(info.type);
    node *n = aligned_alloc(_Alignof(node), sizeof *n);
    MX_REQUIRE(n != NULL, MX_ERR_MEMORY, "view '%s': no memory for a node", info.label);
    memset(n, 0, sizeof *n);
    n->move = *move;
    if (move->value != NULL) {
        n->args = malloc(size);
        if (n->args == NULL) {
            free_node(NULL, n);
            return MX_FAIL(MX_ERR_MEMORY, "view '%s': no memory for a node", info.label);
        }
        memcpy(n->args, move->value, size);
        n->move.value = n->args;
    }
    *created = n;
    return MX_OK;
}

static mx_err run_move(mx_ctx ctx, const mx_move *m)
{
    if (m->from.generation == 0) return mx_fill(ctx, m->to, m->value);
    return m->plain ? mx_deep_copy(ctx, m->to, m->from) : mx_remap(ctx, m->to, m->from);
}

/* Runs a node while the device captures it. For a move, recording is switched off meanwhile. */
static mx_err capture(mx_graph graph, node *n)
{
    const mx_ctx ctx = graph->ctx;
    if (n->launch.kernel == NULL) {
        mx_core(ctx)->graph = NULL;
        const mx_err err = run_move(ctx, &n->move);
        mx_core(ctx)->graph = graph;
        return err;
    }
    mx_core(ctx)->node_memory = &n->memory;
    const mx_err err =
        ctx->backend->launch.run(ctx, &n->launch, n->args, n->has_result ? &n->result : NULL);
    mx_core(ctx)->node_memory = NULL;
    return err;
}

/* Records the node into the device's graph, after the nodes that it waits for. */
static mx_err record_on_device(mx_graph graph, node *n, int after_count, const mx_node *after)
{
    const mx_backend_graph *ops = &graph->ctx->backend->graph;
    void **waits_for = malloc((size_t)(after_count > 0 ? after_count : 1) * sizeof *waits_for);
    MX_REQUIRE(waits_for != NULL, MX_ERR_MEMORY, "no memory for a graph");
    for (int a = 0; a < after_count; a++) waits_for[a] = graph->nodes[after[a]]->device_node;
    mx_err err = ops->before(graph->ctx, graph->device, waits_for, after_count);
    free(waits_for);
    if (err != MX_OK) return MX_PASS(err);
    err = capture(graph, n);
    const mx_err ended = ops->after(graph->ctx, graph->device, &n->device_node);
    return err != MX_OK ? err : MX_PASS(ended);
}

/* Adds a node after the last one. On failure the node is freed. */
static mx_err add_node(mx_graph graph, node *n)
{
    if (graph->count == graph->capacity) {
        const int capacity = 2 * graph->capacity + 16;
        node **nodes = realloc(graph->nodes, (size_t)capacity * sizeof(node *));
        if (nodes == NULL) {
            free_node(graph->ctx, n);
            return MX_FAIL(MX_ERR_MEMORY, "no memory for a graph");
        }
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    if (graph->device != NULL) {
        const mx_node before = graph->count - 1;
        const bool chain = graph->after == NULL;
        const mx_err err = record_on_device(graph, n, chain ? before >= 0 : graph->after_count,
                                            chain ? &before : graph->after);
        if (err != MX_OK) {
            free_node(graph->ctx, n);
            return err;
        }
    }
    graph->nodes[graph->count++] = n;
    free(graph->after);
    graph->after = NULL;
    return MX_OK;
}

static mx_err record_move(mx_graph graph, const mx_move *move)
{
    node *n;
    MX_TRY(make_move_node(move, &n));
    return add_node(graph, n);
}

mx_err mx_graph_record(mx_graph graph, const mx_launch *l, const void *args,
                       const mx_result *result)
{
    node *n;
    MX_REQUIRE(
        result == NULL || result->host == NULL, MX_ERR_ARG,
        "kernel %s: a graph cannot store a result in host memory; store it in a view (%s_into)",
        l->kernel->name, l->kernel->name);
    MX_TRY(make_node(l, args, result, &n));
    return add_node(graph, n);
}

/* May a node run now? Its views must still be there. They may have been swapped since: a node means
 * memory. */
static mx_err check_node(mx_ctx ctx, node *n)
{
    mx_record *unused;
    if (n->launch.kernel != NULL) {
        MX_TRY(mx_accessors_check(ctx, n->launch.kernel->name, n->launch.kernel->table(), n->args,
                                  true));
        return mx_launch_set_result(ctx, &n->launch, n->has_result ? &n->result : NULL);
    }
    MX_TRY(mx_record_find(n->move.to, &unused));
    return n->move.from.generation != 0 ? mx_record_find(n->move.from, &unused) : MX_OK;
}

/* The body of an earlier node may have destroyed a view, so the node is checked once more. */
static mx_err run_node(mx_ctx ctx, node *n)
{
    MX_TRY(check_node(ctx, n));
    if (n->launch.kernel == NULL) return run_move(ctx, &n->move);
    return mx_launch_execute(ctx, &n->launch, n->args, n->has_result ? &n->result : NULL);
}

mx_err mx_graph_finish(mx_graph graph)
{
    MX_REQUIRE(graph != NULL && mx_core(graph->ctx)->graph == graph, MX_ERR_ARG,
               "graph: expected a graph that records");
    const mx_ctx ctx = graph->ctx;
    mx_core(ctx)->graph = NULL;
    /* CUDA's driver may hang in cudaGraphInstantiate if the memory of a copy was freed */
    for (int i = 0; i < graph->count; i++) MX_TRY(check_node(ctx, graph->nodes[i]));
    return graph->device != NULL ? MX_PASS(ctx->backend->graph.finish(ctx, graph->device)) : MX_OK;
}

mx_err mx_graph_run(mx_graph graph)
{
    MX_REQUIRE(graph != NULL, MX_ERR_ARG, "graph: the graph to run is NULL");
    const mx_ctx ctx = graph->ctx;
    MX_TRY(mx_ctx_idle(ctx, "mx_graph_run"));
    MX_REQUIRE(mx_core(ctx)->graph == NULL, MX_ERR_ARG, "graph: %s still records a graph",
               ctx->name);
    MX_REQUIRE(graph->watched == (ctx->unwatched != NULL), MX_ERR_ARG,
               "graph: on %s check=races %s since it was recorded: record it again", ctx->name,
               graph->watched ? "has ended" : "has begun");
    /* checks all nodes before the first one runs */
    for (int i = 0; i < graph->count; i++) MX_TRY(check_node(ctx, graph->nodes[i]));
    for (int i = 0; i < graph->count; i++) {
        node *n = graph->nodes[i];
        if (graph->device == NULL)
            MX_TRY(run_node(ctx, n));
        else if (n->launch.kernel != NULL)
            mx_launch_count(ctx, &n->launch);
    }
    if (graph->device == NULL) return MX_OK;
    const uint64_t id = mx_tool_begin(ctx, MX_PATTERN_FOR, "minx::Graph", NULL);
    const mx_err err = ctx->backend->graph.run(ctx, graph->device);
    mx_tool_end(MX_PATTERN_FOR, id);
    return MX_PASS(err);
}

void mx_graph_destroy(mx_graph *graph)
{
    if (graph == NULL || *graph == NULL) return;
    mx_graph closing = *graph;
    const bool of_parent = mx_ctx_is_of_parent(closing->ctx);
    if (!of_parent && mx_ctx_idle(closing->ctx, "mx_graph_destroy") != MX_OK) return;
    *graph = NULL;
    if (mx_core(closing->ctx)->graph == closing) mx_core(closing->ctx)->graph = NULL;
    if (!of_parent) (void)mx_fence_event(closing->ctx, "minx::Graph::destruction", false);
    if (!of_parent && closing->device != NULL)
        closing->ctx->backend->graph.destroy(closing->device);
    for (int i = 0; i < closing->count; i++) free_node(closing->ctx, closing->nodes[i]);
    free(closing->nodes);
    free(closing->after);
    free(closing);
}
