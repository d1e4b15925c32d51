/* Contexts on streams that the caller owns, and the order of contexts and such streams. The streams
 * are those of other contexts, so the test needs no functions of a device. */
#include "check.h"
#include "instances.h"

enum { MANY = 100000, TURNS = 60 };

static void *stream_of(mx_ctx ctx)
{
    mx_ctx_details details = {.queue = NULL};
    MUST(mx_ctx_get_details(ctx, &details));
    return details.queue;
}

static uint64_t expected_sum(const uint64_t *factor, int factors)
{
    uint64_t sum = 0;
    for (int i = 0; i < MANY; i++) {
        uint64_t value = 0;
        for (int turn = 0; turn < TURNS; turn++)
            value = value * factor[turn % factors] + (uint64_t)i;
        sum += value;
    }
    return sum;
}

/* `b` runs on the stream of `a`, or on the default stream: the two take turns with a view. On one
 * stream they need not wait for each other. */
static void check_turns(mx_ctx a, mx_ctx b, bool one_stream)
{
    static const uint64_t factor[2] = {3935559000370003845u, 25214903917u};
    const mx_ctx ctx[2] = {a, b};
    in_args args[2] = {{.factor = factor[0]}, {.factor = factor[1]}};
    uint64_t sum = 0;
    mx_view x;
    MUST(mx_view_create_1d(a, "x", MX_U64, MANY, &x));
    MUST(mx_fence(a));
    for (int c = 0; c < 2; c++) MUST(mx_bind(ctx[c], x, &args[c].x));
    for (int turn = 0; turn < TURNS; turn++) {
        if (!one_stream && turn % 4 < 2)
            MUST(mx_ctx_wait_stream(ctx[turn % 2], stream_of(ctx[1 - turn % 2])));
        if (!one_stream && turn % 4 >= 2)
            MUST(mx_stream_wait_ctx(stream_of(ctx[turn % 2]), ctx[1 - turn % 2]));
        MUST(in_step(mx_range_1d(ctx[turn % 2], 0, MANY), &args[turn % 2]));
    }
    MUST(in_sum(mx_range_1d(ctx[(TURNS - 1) % 2], 0, MANY), &args[1], &sum));
    CHECK(sum == expected_sum(factor, 2));
    MUST(mx_fence(a));
    MUST(mx_view_destroy(&x));
}

static void test_streams(mx_ctx ctx)
{
    mx_ctx same, other, by_default;
    MUST(mx_ctx_create_on_stream(check_resource, stream_of(ctx), &same));
    CHECK(stream_of(same) == stream_of(ctx));
    check_turns(ctx, same, true);
    MUST(mx_ctx_create(check_resource, &other));
    CHECK(stream_of(other) != stream_of(ctx));
    check_turns(ctx, other, false);
    MUST(mx_ctx_create_on_stream(check_resource, NULL, &by_default));
    CHECK(stream_of(by_default) == NULL);
    check_turns(by_default, other, false);
    mx_ctx_destroy(&same); /* the stream stays */
    check_turns(ctx, other, false);
    mx_ctx_destroy(&by_default);
    mx_ctx_destroy(&other);
}

/* Hosts have no streams; no context, and one that records a graph, cannot wait. */
static void test_refused(mx_ctx ctx)
{
    mx_ctx made = ctx;
    mx_graph graph;
    char resource[128];
    void *const stream = stream_of(ctx);
    CHECK_FAILS(mx_ctx_wait_stream(NULL, stream), MX_ERR_ARG, "no context");
    CHECK_FAILS(mx_stream_wait_ctx(stream, NULL), MX_ERR_ARG, "no context");
    CHECK_FAILS(mx_ctx_create_on_stream("serial", stream, NULL), MX_ERR_ARG, "is NULL");
    CHECK_FAILS(mx_ctx_create_on_stream("serial", stream, &made), MX_ERR_INPUT,
                "serial: a context on a stream: serial has no streams");
    CHECK(made == NULL);
    MUST(mx_graph_create(ctx, &graph));
    CHECK_FAILS(mx_ctx_wait_stream(ctx, stream), MX_ERR_ARG, "records a graph");
    CHECK_FAILS(mx_stream_wait_ctx(stream, ctx), MX_ERR_ARG, "records a graph");
    mx_graph_destroy(&graph);
    if (check_is_gpu(ctx)) {
        snprintf(resource, sizeof resource, "%s%cpriority=high", check_resource,
                 strchr(check_resource, ':') ? ',' : ':');
        CHECK_FAILS(mx_ctx_create_on_stream(resource, stream, &made), MX_ERR_INPUT,
                    "priority: got high, but the stream has a priority already");
        return;
    }
    CHECK_FAILS(mx_ctx_wait_stream(ctx, stream), MX_ERR_ARG, "wait of a context for a stream: ");
    CHECK_FAILS(mx_stream_wait_ctx(stream, ctx), MX_ERR_ARG, "has no streams: fence instead");
    CHECK_FAILS(mx_ctx_create_on_stream(check_resource, stream, &made), MX_ERR_INPUT,
                "has no streams");
}

static void test(mx_ctx ctx)
{
    test_refused(ctx);
    if (check_is_gpu(ctx)) test_streams(ctx);
}

int main(int argc, char **argv) { return check_main(argc, argv, test); }
