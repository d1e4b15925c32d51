/* Misuse of graphs, of contexts and of settings. */
#include "minx/graph.h"
#include "minx/kit/scatter.h"
#include "misuse.h"

#include <stdio.h>
#include <string.h>

static mx_range_1 all(const mu_world *w) { return mx_range_1d(w->ctx, 0, MU_N); }

/* With a graph that records, and has one node. */
static mx_err recording(mu_world *w, mx_err (*use)(mu_world *w, mx_graph graph))
{
    mx_graph graph;
    MX_TRY(mx_graph_create(w->ctx, &graph));
    MX_TRY(mu_double(all(w), &w->args));
    const mx_err err = use(w, graph);
    mx_graph_destroy(&graph);
    return err;
}

static mx_err again(mu_world *w, mx_graph graph)
{
    mx_graph second = graph;
    const mx_err err = mx_graph_create(w->ctx, &second);
    return second == NULL ? err : MX_OK;
}

static mx_err to_host(mu_world *w, mx_graph graph)
{
    double sum;
    (void)graph;
    return mu_sum(all(w), &w->args, &sum);
}

static mx_err after_itself(mu_world *w, mx_graph graph)
{
    const mx_node next = mx_graph_last(graph) + 1;
    (void)w;
    return mx_graph_after(graph, 1, &next);
}

static mx_err after_too_few(mu_world *w, mx_graph graph)
{
    (void)w;
    return mx_graph_after(graph, -1, NULL);
}

static mx_err after_nodes_of_into_null(mu_world *w, mx_graph graph)
{
    (void)w;
    return mx_graph_after(graph, 2, NULL);
}

static mx_err after_the_end(mu_world *w, mx_graph graph)
{
    const mx_node first = 0;
    (void)w;
    MX_TRY(mx_graph_finish(graph));
    return mx_graph_after(graph, 1, &first);
}

static mx_err run_early(mu_world *w, mx_graph graph)
{
    (void)w;
    return mx_graph_run(graph);
}

static mx_err finish_again(mu_world *w, mx_graph graph)
{
    (void)w;
    MX_TRY(mx_graph_finish(graph));
    return mx_graph_finish(graph);
}

/* A graph of a device runs later: memory of the host may have gone. */
static mx_err copy_in(mu_world *w, mx_graph graph)
{
    mx_view mirror;
    (void)graph;
    MX_TRY(mx_mirror_create(w->row, &mirror));
    const mx_err err = mx_deep_copy(w->ctx, w->to, mirror);
    MX_TRY(mx_view_destroy(&mirror));
    return err;
}

static mx_err write_in(mu_world *w, mx_graph graph)
{
    const double one = 1;
    (void)graph;
    return mx_write_element(w->ctx, w->row, 0, &one);
}

static mx_err fill_of_constant_in(mu_world *w, mx_graph graph)
{
    const double one = 1;
    (void)graph;
    return mx_fill(w->ctx, w->fixed, &one);
}

static mx_err scatter_in(mu_world *w, mx_graph graph)
{
    mx_scatter s;
    (void)graph;
    return mx_scatter_create(w->ctx, w->row, MX_SUM, &s);
}

/* The view that a node copies from is gone when the graph runs. */
static mx_err run_with_ended_source(mu_world *w, mx_graph graph)
{
    mx_view source;
    MX_TRY(mx_view_create_1d(w->ctx, "source", MX_F64, MU_N, &source));
    MX_TRY(mx_deep_copy(w->ctx, w->to, source));
    MX_TRY(mx_view_destroy(&source));
    MX_TRY(mx_graph_finish(graph));
    return mx_graph_run(graph);
}

static mx_err check_in(mu_world *w, mx_graph graph)
{
    (void)graph;
    return mx_ctx_check_against(w->ctx, "serial", 1e-9);
}

/* The view of a node's argument, or of its result, is gone when the graph runs. */
static mx_err with_ended(mu_world *w, mx_graph graph, bool result)
{
    mx_view view;
    MX_TRY(mx_view_create_1d(w->ctx, "ended", MX_F64, MU_N, &view));
    if (!result) MX_TRY(mx_bind(w->ctx, view, &w->args.to));
    MX_TRY(result ? mu_sum_into(all(w), &w->args, view, 3) : mu_double(all(w), &w->args));
    MX_TRY(mx_graph_finish(graph));
    MX_TRY(mx_view_destroy(&view));
    return mx_graph_run(graph);
}

static mx_err run_with_ended_view(mu_world *w, mx_graph g) { return with_ended(w, g, false); }
static mx_err run_with_ended_result(mu_world *w, mx_graph g) { return with_ended(w, g, true); }

static mx_err graph_second(mu_world *w) { return recording(w, again); }
static mx_err graph_result_on_host(mu_world *w) { return recording(w, to_host); }
static mx_err graph_no_such_node(mu_world *w) { return recording(w, after_itself); }
static mx_err graph_minus_one_node(mu_world *w) { return recording(w, after_too_few); }
static mx_err graph_nodes_of_into_null(mu_world *w)
{
    return recording(w, after_nodes_of_into_null);
}
static mx_err graph_after_its_end(mu_world *w) { return recording(w, after_the_end); }
static mx_err graph_run_early(mu_world *w) { return recording(w, run_early); }
static mx_err graph_finished_twice(mu_world *w) { return recording(w, finish_again); }
static mx_err graph_copy(mu_world *w) { return recording(w, copy_in); }
static mx_err graph_write(mu_world *w) { return recording(w, write_in); }
static mx_err graph_fill(mu_world *w) { return recording(w, fill_of_constant_in); }
static mx_err graph_scatter(mu_world *w) { return recording(w, scatter_in); }
static mx_err graph_ended_source(mu_world *w) { return recording(w, run_with_ended_source); }
static mx_err graph_check(mu_world *w) { return recording(w, check_in); }
static mx_err graph_ended_view(mu_world *w) { return recording(w, run_with_ended_view); }
static mx_err graph_ended_result(mu_world *w) { return recording(w, run_with_ended_result); }

static mx_err graph_without_context(mu_world *w)
{
    mx_graph graph;
    (void)w;
    return mx_graph_create(NULL, &graph);
}

static mx_err graph_into_null(mu_world *w) { return mx_graph_create(w->ctx, NULL); }

static mx_err graph_none(mu_world *w)
{
    const mx_node first = 0;
    const bool refused = mx_graph_finish(NULL) == MX_ERR_ARG && mx_graph_last(NULL) == -1 &&
                         mx_graph_after(NULL, 1, &first) == MX_ERR_ARG;
    (void)w;
    return refused ? mx_graph_run(NULL) : MX_OK;
}

static mx_err graph_of_checked(mu_world *w)
{
    mx_graph graph;
    MX_TRY(mx_ctx_check_against(w->ctx, "serial", 1e-9));
    const mx_err err = mx_graph_create(w->ctx, &graph);
    MX_TRY(mx_ctx_check_against(w->ctx, NULL, 0));
    return err;
}

const mu_case mu_graph_cases[] = {
    MU_CASE(graph_second, MU_ALL, MX_ERR_ARG, "records a graph already", ""),
    MU_CASE(graph_result_on_host, MU_ALL, MX_ERR_ARG, "kernel mu_sum: a graph", "mu_sum_into"),
    MU_CASE(graph_no_such_node, MU_ALL, MX_ERR_ARG, "graph: node 1 of 1 does not exist", ""),
    MU_CASE(graph_minus_one_node, MU_ALL, MX_ERR_ARG, "graph: -1 nodes to wait for", "expected"),
    MU_CASE(graph_nodes_of_into_null, MU_ALL, MX_ERR_ARG, "graph: 2 nodes to wait for", "expected"),
    MU_CASE(graph_after_its_end, MU_ALL, MX_ERR_ARG, "expected nodes of a graph that records", ""),
    MU_CASE(graph_run_early, MU_ALL, MX_ERR_ARG, "still records a graph", ""),
    MU_CASE(graph_finished_twice, MU_ALL, MX_ERR_ARG, "expected a graph that records", ""),
    MU_CASE(graph_copy, MU_CUDA, MX_ERR_SPACE, "view 'row'", "a graph cannot record this copy"),
    MU_CASE(graph_write, MU_ALL, MX_ERR_ARG, "view 'row': host code", "records a graph"),
    MU_CASE(graph_fill, MU_ALL, MX_ERR_CONST, "view 'row", "read-only"),
    MU_CASE(graph_scatter, MU_ALL, MX_ERR_ARG, "scatter view of 'row'", "records a graph"),
    MU_CASE(graph_ended_source, MU_ALL, MX_ERR_STALE, "does not exist (any more)", ""),
    MU_CASE(graph_check, MU_ALL, MX_ERR_ARG, "check: ", "records a graph"),
    MU_CASE(graph_ended_view, MU_ALL, MX_ERR_STALE, "kernel mu_double", "bind it again"),
    MU_CASE(graph_ended_result, MU_ALL, MX_ERR_STALE, "kernel mu_sum", "does not exist (any more)"),
    MU_CASE(graph_without_context, MU_ALL, MX_ERR_ARG, "a graph needs a context", ""),
    MU_CASE(graph_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(graph_none, MU_ALL, MX_ERR_ARG, "the graph to run is NULL", ""),
    MU_CASE(graph_of_checked, MU_ALL, MX_ERR_ARG, "is checked against serial",
            "it cannot record a graph"),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};

/* ---- contexts ---- */

static mx_err of(mu_world *w, const char *resource) { return mx_ctx_create(resource, &w->made); }

static mx_err resource_null(mu_world *w) { return of(w, NULL); }
static mx_err resource_empty(mu_world *w) { return of(w, ""); }
static mx_err resource_unknown(mu_world *w) { return of(w, "opencl"); }
static mx_err resource_capitals(mu_world *w) { return of(w, "OpenMP"); }
static mx_err resource_no_value(mu_world *w) { return of(w, "openmp:threads"); }
static mx_err resource_nothing_behind(mu_world *w) { return of(w, "openmp:"); }
static mx_err resource_unknown_key(mu_world *w) { return of(w, "openmp:theads=3"); }
static mx_err resource_twice(mu_world *w) { return of(w, "openmp:threads=2,threads=3"); }
static mx_err threads_zero(mu_world *w) { return of(w, "openmp:threads=0"); }
static mx_err threads_negative(mu_world *w) { return of(w, "openmp:threads=-2"); }
static mx_err threads_in_words(mu_world *w) { return of(w, "openmp:threads=two"); }
static mx_err threads_beyond_64_bits(mu_world *w)
{
    return of(w, "openmp:threads=99999999999999999999");
}
static mx_err threads_of_serial(mu_world *w) { return of(w, "serial:threads=2"); }
static mx_err threads_beyond_cores(mu_world *w)
{
    char resource[40];
    snprintf(resource, sizeof resource, "openmp:threads=%d", 8 * mx_host_cores() + 1);
    return of(w, resource);
}
static mx_err device_of_serial(mu_world *w) { return of(w, "serial:device=0"); }
static mx_err order_unknown(mu_world *w) { return of(w, "serial:order=random"); }
static mx_err order_of_openmp(mu_world *w) { return of(w, "openmp:order=shuffled"); }
static mx_err seed_without_order(mu_world *w) { return of(w, "serial:seed=3"); }
static mx_err layout_of_neither(mu_world *w) { return of(w, "serial:layout=up"); }
static mx_err cores_backwards(mu_world *w) { return of(w, "openmp:cores=3-1"); }
static mx_err cores_in_words(mu_world *w) { return of(w, "openmp:cores=all"); }
static mx_err cores_of_serial(mu_world *w) { return of(w, "serial:cores=0"); }
static mx_err cores_beyond(mu_world *w) { return of(w, "openmp:cores=0-99999"); }
static mx_err check_empty(mu_world *w) { return of(w, "serial:check="); }
static mx_err check_unknown(mu_world *w) { return of(w, "serial:check=none"); }
static mx_err context_into_null(mu_world *w)
{
    return w != NULL ? mx_ctx_create("serial", NULL) : MX_OK;
}
static mx_err info_of_none(mu_world *w) { return mx_ctx_get_info(NULL, &w->info); }
static mx_err context_info_into_null(mu_world *w) { return mx_ctx_get_info(w->ctx, NULL); }
static mx_err fence_of_none(mu_world *w) { return w != NULL ? mx_fence(NULL) : MX_OK; }
static mx_err wait_of_none(mu_world *w) { return mx_ctx_wait(NULL, w->ctx); }
static mx_err wait_for_none(mu_world *w) { return mx_ctx_wait(w->ctx, NULL); }
static mx_err wait_in_graph(mu_world *w)
{
    mx_graph graph;
    MX_TRY(mx_graph_create(w->ctx, &graph));
    const mx_err err = mx_ctx_wait(w->ctx, w->ctx);
    mx_graph_destroy(&graph);
    return err;
}
static mx_err check_of_none(mu_world *w)
{
    return w != NULL ? mx_ctx_check_against(NULL, "serial", 0) : MX_OK;
}
static mx_err check_tolerance(mu_world *w) { return mx_ctx_check_against(w->ctx, "serial", -1); }

static mx_err resource_long(mu_world *w)
{
    char text[400];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    return of(w, text);
}

/* What was checked against stays: a graph is still refused. */
static mx_err check_against_unknown(mu_world *w)
{
    mx_graph graph;
    MX_TRY(mx_ctx_check_against(w->ctx, "serial", 1e-9));
    const mx_err err = mx_ctx_check_against(w->ctx, "opencl", 1e-9);
    char message[256];
    snprintf(message, sizeof message, "%s", mx_err_message());
    const bool kept = mx_graph_create(w->ctx, &graph) == MX_ERR_ARG;
    MX_TRY(mx_ctx_check_against(w->ctx, NULL, 0));
    return kept ? MX_FAIL(err, "%s", message) : MX_OK;
}

/* ---- settings ---- */

static mx_err settings(const char *option)
{
    char program[] = "test", text[64];
    char *words[] = {program, text, NULL}, **argv = words;
    int argc = 2;
    snprintf(text, sizeof text, "%s", option);
    const mx_err err = mx_init_args(&argc, &argv);
    return argc == 2 && argv[1] == text ? err : MX_OK; /* nothing is taken out of what is wrong */
}

static mx_err setting_unknown(mu_world *w)
{
    return w != NULL ? settings("--mx-num-thread=2") : MX_OK;
}
static mx_err setting_without_value(mu_world *w)
{
    return w != NULL ? settings("--mx-num-threads") : MX_OK;
}
static mx_err setting_zero(mu_world *w)
{
    return w != NULL ? settings("--mx-num-threads=0") : MX_OK;
}
static mx_err setting_of_other_words(mu_world *w)
{
    return w != NULL ? settings("--mx-map-device-id-by=luck") : MX_OK;
}

const mu_case mu_context_cases[] = {
    MU_CASE(resource_null, MU_ALL, MX_ERR_INPUT, "is empty: expected the name of a backend", ""),
    MU_CASE(resource_empty, MU_ALL, MX_ERR_INPUT, "is empty: expected the name of a backend", ""),
    MU_CASE(resource_long, MU_ALL, MX_ERR_INPUT, "resource 'xxxx", "longer than 255 characters"),
    MU_CASE(resource_unknown, MU_ALL, MX_ERR_INPUT, "got 'opencl', expected one of serial", "simt"),
    MU_CASE(resource_capitals, MU_ALL, MX_ERR_INPUT, "got 'OpenMP', expected one of", "openmp"),
    MU_CASE(resource_no_value, MU_ALL, MX_ERR_INPUT, "got 'threads', expected key=value", ""),
    MU_CASE(resource_nothing_behind, MU_ALL, MX_ERR_INPUT, "got '', expected key=value", ""),
    MU_CASE(resource_unknown_key, MU_ALL, MX_ERR_INPUT, "unknown key 'theads'", "threads, device"),
    MU_CASE(resource_twice, MU_ALL, MX_ERR_INPUT, "threads is given twice", ""),
    MU_CASE(threads_zero, MU_ALL, MX_ERR_INPUT, "threads: got '0'", "from 1 to 4096"),
    MU_CASE(threads_negative, MU_ALL, MX_ERR_INPUT, "threads: got '-2'", "from 1 to 4096"),
    MU_CASE(threads_in_words, MU_ALL, MX_ERR_INPUT, "threads: got 'two'", "a whole number"),
    MU_CASE(threads_beyond_64_bits, MU_ALL, MX_ERR_INPUT, "got '99999999999999999999'", "4096"),
    MU_CASE(threads_of_serial, MU_ALL, MX_ERR_INPUT, "threads: got 2, expected 1", "serial"),
    MU_CASE(threads_beyond_cores, MU_ALL, MX_ERR_INPUT, "threads: got ", ", expected "),
    MU_CASE(device_of_serial, MU_ALL, MX_ERR_INPUT, "device: got 0, serial has no devices", ""),
    MU_CASE(order_unknown, MU_ALL, MX_ERR_INPUT, "order: got 'random', expected shuffled", ""),
    MU_CASE(order_of_openmp, MU_ALL, MX_ERR_INPUT, "got backend openmp, expected serial", ""),
    MU_CASE(seed_without_order, MU_ALL, MX_ERR_INPUT, "seed: got 3 without order=shuffled", ""),
    MU_CASE(layout_of_neither, MU_ALL, MX_ERR_INPUT, "layout: got 'up', expected left or right",
            ""),
    MU_CASE(cores_backwards, MU_ALL, MX_ERR_INPUT, "cores: got '1', expected", "from 3"),
    MU_CASE(cores_in_words, MU_ALL, MX_ERR_INPUT, "cores: got 'all', expected", "whole number"),
    MU_CASE(cores_of_serial, MU_ALL, MX_ERR_INPUT, "cores: got backend serial, expected openmp",
            ""),
    MU_CASE(cores_beyond, MU_ALL, MX_ERR_INPUT, "cores", "99999"),
    MU_CASE(check_empty, MU_ALL, MX_ERR_INPUT, "check: got '', expected a resource", ""),
    MU_CASE(check_unknown, MU_ALL, MX_ERR_INPUT, "backend: got 'none', expected one of", ""),
    MU_CASE(context_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(info_of_none, MU_ALL, MX_ERR_ARG, "the context or the output", ""),
    MU_CASE(context_info_into_null, MU_ALL, MX_ERR_ARG, "is NULL", ""),
    MU_CASE(fence_of_none, MU_ALL, MX_ERR_ARG, "fence: no context", ""),
    MU_CASE(wait_of_none, MU_ALL, MX_ERR_ARG, "wait", "no context"),
    MU_CASE(wait_for_none, MU_ALL, MX_ERR_ARG, "wait", "no context"),
    MU_CASE(wait_in_graph, MU_ALL, MX_ERR_ARG, "wait", "records a graph"),
    MU_CASE(check_of_none, MU_ALL, MX_ERR_ARG, "check against 'serial': no context", ""),
    MU_CASE(check_tolerance, MU_ALL, MX_ERR_ARG, "check: tolerance: got -1", "expected 0 or more"),
    MU_CASE(check_against_unknown, MU_ALL, MX_ERR_INPUT, "got 'opencl', expected one of", ""),
    MU_CASE(setting_unknown, MU_ALL, MX_ERR_INPUT, "'--mx-num-thread=2'", "--mx-num-threads=N"),
    MU_CASE(setting_without_value, MU_ALL, MX_ERR_INPUT, "expected --mx-num-threads=N", ""),
    MU_CASE(setting_zero, MU_ALL, MX_ERR_INPUT, "--mx-num-threads: got '0'", "from 1 to 4096"),
    MU_CASE(setting_of_other_words, MU_ALL, MX_ERR_INPUT, "got 'luck'", "random|mpi_rank"),
    {NULL, NULL, 0, MX_OK, NULL, NULL},
};
