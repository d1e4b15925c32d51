/* The backends of GPUs: a context has one device and one stream. Kernel files define the launches of
 * their kernels (minx/device/kernel.h). This file has what they share: memory, copies, results,
 * fences. cuda.cu and hip.cu include it, each once, after they have defined what differs:
 *
 *     BACKEND, BACKEND_TABLE       its name in quotes, and mx_backend_NAME
 *     INSTANCE, SPACE, TOOL_TYPE   the kind of its kernels, the space of a device's own memory, and
 *                                  the type of device for tools
 *     VENDOR, RUNTIME, runtime_version
 *                                  of the driver and the run time, in messages; the version times 10
 *     ARCHITECTURE, ARCHITECTURE_OF(properties)
 *                                  the option of CMake that builds kernels for a device: a format and
 *                                  its arguments
 *     properties_of_device, node_t types: what the run time says of a device, a node of a graph
 *     device_id                    sets the 16 bytes that tell devices apart
 *     shared_bytes                 the largest shared memory of a block
 *     overlaps_kernels             may a kernel be set up while the one before it runs?
 *     allocate_pinned, free_pinned page-locked memory, which all devices can access
 *     kind_of_memory               the space of an address, and its device if it is of one;
 *                                  MX_SPACE_HOST: not the run time's
 *     begin_capture, end_capture   the work in a stream between them becomes nodes of a graph; *last is
 *                                  the last of them, or NULL
 *     instantiate                  makes a graph executable */
#pragma once
#include "base/backend.h"
#include "device_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARRAY_ITEMS = 4,    /* of a thread, at least, in a reduction into an array */
    RESULT_BYTES = 4096 /* of pinned memory for results, at first */
};

typedef MX_GPU_(Error_t) gpu_error;
typedef MX_GPU_(Stream_t) gpu_stream;

/* The devices that contexts were opened on. Kernels on each of them may use pinned memory. */
enum { MAX_DEVICES = 1024 };
static bool in_use[MAX_DEVICES];

typedef struct device_state {
    MX_GPU_(Event_t) reached; /* for contexts that wait for this one */
    void *slots;       /* for one reduction at a time; empty between two of them. Behind them:
                          * mx_gpu_limit_ */
    bool has_limit;    /* it was written */
    bool records_node; /* a node of a graph is being recorded: nodes may run at the same time, so
                          * they cannot use these slots */
    void *result;      /* pinned memory: reductions write results for the host to it */
    size_t result_bytes;
    int64_t processors; /* the device's multiprocessors */
    int64_t resident;   /* thread blocks that the device can run at the same time, at most */
    bool overlaps;      /* a kernel may be set up while the kernel before it runs */
    size_t max_shared;  /* bytes of shared memory that a block can have */
} device_state;

static device_state *state_of(mx_ctx ctx) { return (device_state *)ctx->state; }
static gpu_stream stream_of(mx_ctx ctx) { return (gpu_stream)ctx->queue; }

/* The run time keeps the last error. It is reported here, so a later GetLastError must not return it
 * again. */
static gpu_error clear_sticky_error(gpu_error err)
{
    if (err != MX_GPU_(Success)) (void)MX_GPU_(GetLastError)();
    return err;
}

/* DEVICE_TRY(Malloc, arguments...) calls a function of the run time. */
#define TEXT(...) #__VA_ARGS__
#define TEXT_OF(...) TEXT(__VA_ARGS__)
#define DEVICE_TRY(function, ...) \
    DEVICE_CHECK(MX_GPU_(function)(__VA_ARGS__), TEXT_OF(MX_GPU_(function)))
#define DEVICE_CHECK(call, name)                                                          \
    do {                                                                                  \
        const gpu_error device_err_ = clear_sticky_error(call);                           \
        if (device_err_ != MX_GPU_(Success))                                              \
            return MX_FAIL(device_err_ == MX_GPU_(ErrorMemoryAllocation) ? MX_ERR_MEMORY  \
                                                                         : MX_ERR_DEVICE, \
                           "%s: %s", name, MX_GPU_(GetErrorString)(device_err_));         \
    } while (0)

static bool device_available(const char **why)
{
    static char text[256];
    int devices = 0;
    const gpu_error err = clear_sticky_error(MX_GPU_(GetDeviceCount)(&devices));
    *why = text;
    if (err == MX_GPU_(ErrorInsufficientDriver))
        snprintf(text, sizeof text,
                 "there is no " VENDOR " driver, or it is older than " RUNTIME
                 " %d.%d, with which this program was built",
                 runtime_version / 10, runtime_version % 10);
    else if (err == MX_GPU_(ErrorNoDevice) || (err == MX_GPU_(Success) && devices == 0))
        snprintf(text, sizeof text, "this machine has no " RUNTIME " device");
    else if (err != MX_GPU_(Success))
        snprintf(text, sizeof text, "%s", MX_GPU_(GetErrorString)(err));
    return err == MX_GPU_(Success) && devices > 0;
}

static int device_devices(void)
{
    int devices = 0;
    return clear_sticky_error(MX_GPU_(GetDeviceCount)(&devices)) == MX_GPU_(Success) ? devices : 0;
}

static __global__ void probe_kernel() {}

static mx_err create_stream(mx_ctx ctx)
{
    int low = 0, high = 0;
    DEVICE_TRY(DeviceGetStreamPriorityRange, &low, &high);
    DEVICE_TRY(StreamCreateWithPriority, (gpu_stream *)&ctx->queue, MX_GPU_(StreamNonBlocking),
               ctx->high_priority ? high : low);
    return MX_OK;
}

static mx_err device_open(mx_ctx ctx)
{
    int devices = 0;
    properties_of_device properties;
    DEVICE_TRY(GetDeviceCount, &devices);
    if (ctx->device < 0) ctx->device = 0;
    MX_REQUIRE(ctx->device < devices, MX_ERR_BACKEND,
               "%s: device: got %d, this machine has %d (0 to %d)", ctx->name, ctx->device, devices,
               devices - 1);
    MX_REQUIRE(ctx->threads <= 1, MX_ERR_INPUT,
               "%s: threads: got %d; a " BACKEND " context takes no number of threads", ctx->name,
               ctx->threads);
    ctx->threads = 1;
    DEVICE_TRY(SetDevice, ctx->device);
    if (ctx->device < MAX_DEVICES) in_use[ctx->device] = true;
    DEVICE_TRY(GetDeviceProperties, &properties, ctx->device);
    snprintf(ctx->device_name, sizeof ctx->device_name, "%.127s", properties.name);
    unsigned char id[16] = {0};
    DEVICE_CHECK(device_id(&properties, ctx->device, id), "the device's id");
    for (size_t b = 0; b < sizeof id; b++)
        snprintf(ctx->device_id + 2 * b, sizeof ctx->device_id - 2 * b, "%02x", (unsigned)id[b]);
    MX_GPU_(FuncAttributes) attributes;
    const gpu_error image =
        clear_sticky_error(MX_GPU_(FuncGetAttributes)(&attributes, (const void *)probe_kernel));
    MX_REQUIRE(image == MX_GPU_(Success), MX_ERR_BACKEND,
               "device %d (%s): %s; this build has no kernels for it: configure with " ARCHITECTURE,
               ctx->device, properties.name, MX_GPU_(GetErrorString)(image),
               ARCHITECTURE_OF(properties));
    device_state *state = (device_state *)calloc(1, sizeof *state);
    MX_REQUIRE(state != NULL, MX_ERR_MEMORY, "no memory for a context");
    ctx->state = state;
    state->processors = properties.multiProcessorCount;
    state->resident = state->processors * (properties.maxThreadsPerMultiProcessor / THREADS);
    ctx->max_concurrency =
        (int64_t)properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor;
    state->overlaps = overlaps_kernels(&properties);
    state->max_shared = shared_bytes(&properties) - MX_GPU_ITEM_BYTES_;
    if (!ctx->callers_queue) MX_TRY(create_stream(ctx));
    DEVICE_TRY(EventCreateWithFlags, &state->reached, MX_GPU_(EventDisableTiming));
    DEVICE_CHECK(allocate_pinned(&state->result, RESULT_BYTES), "page-locked memory");
    state->result_bytes = RESULT_BYTES;
    const size_t slots_bytes = (size_t)(MX_GPU_SLOTS_ + 1) * MX_GPU_SLOT_BYTES_;
    DEVICE_TRY(Malloc, &state->slots, slots_bytes);
    DEVICE_TRY(MemsetAsync, state->slots, 0, slots_bytes, stream_of(ctx));
    return MX_OK;
}

static void device_close(mx_ctx ctx)
{
    device_state *state = state_of(ctx);
    if (state == NULL) return;
    if (ctx->queue != NULL && !ctx->callers_queue) (void)MX_GPU_(StreamDestroy)(stream_of(ctx));
    if (state->reached != NULL) (void)MX_GPU_(EventDestroy)(state->reached);
    (void)free_pinned(state->result);
    (void)MX_GPU_(Free)(state->slots);
    free(state);
    ctx->state = NULL;
}

static mx_err device_fence(mx_ctx ctx)
{
    if (ctx->state == NULL) return MX_OK;
    /* atomic, because a tool's fence waits for the contexts of all threads */
    __atomic_fetch_add(&ctx->synchronisations, 1, __ATOMIC_RELAXED);
    DEVICE_TRY(SetDevice, ctx->device);
    const gpu_error err = clear_sticky_error(MX_GPU_(StreamSynchronize)(stream_of(ctx)));
    if (err == MX_GPU_(Success)) return MX_OK;
    char recent[512];
    mx_recent_kernels(ctx, recent, sizeof recent);
    return MX_FAIL(MX_ERR_DEVICE, "device %d failed: %s; kernels since the last fence: %s",
                   ctx->device, MX_GPU_(GetErrorString)(err), recent);
}

/* The event is recorded again for each wait. */
static mx_err device_wait(mx_ctx ctx, mx_ctx other)
{
    DEVICE_TRY(SetDevice, other->device);
    DEVICE_TRY(EventRecord, state_of(other)->reached, stream_of(other));
    DEVICE_TRY(SetDevice, ctx->device);
    DEVICE_TRY(StreamWaitEvent, stream_of(ctx), state_of(other)->reached, 0);
    return MX_OK;
}

static mx_err device_wait_queue(mx_ctx ctx, void *queue, bool queue_waits)
{
    const gpu_stream first = queue_waits ? stream_of(ctx) : (gpu_stream)queue;
    const gpu_stream then = queue_waits ? (gpu_stream)queue : stream_of(ctx);
    DEVICE_TRY(SetDevice, ctx->device);
    DEVICE_TRY(EventRecord, state_of(ctx)->reached, first);
    DEVICE_TRY(StreamWaitEvent, then, state_of(ctx)->reached, 0);
    return MX_OK;
}

/* ---- memory ---- */

static mx_err device_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data)
{
    *data = NULL;
    DEVICE_TRY(SetDevice, ctx->device);
    const gpu_error err = space == SPACE              ? MX_GPU_(Malloc)(data, bytes)
                          : space == MX_SPACE_MANAGED ? MX_GPU_(MallocManaged)(data, bytes)
                                                      : allocate_pinned(data, bytes);
    MX_REQUIRE(clear_sticky_error(err) == MX_GPU_(Success), MX_ERR_MEMORY,
               "no %zu bytes in memory space %s: %s", bytes, mx_space_name(space),
               MX_GPU_(GetErrorString)(err));
    return MX_OK;
}

static void device_release(mx_space space, void *data)
{
    if (space == MX_SPACE_PINNED) {
        /* unlike Free, this does not wait for kernels that use the memory */
        for (int d = 0; d < MAX_DEVICES; d++)
            if (in_use[d] && clear_sticky_error(MX_GPU_(SetDevice)(d)) == MX_GPU_(Success))
                (void)clear_sticky_error(MX_GPU_(DeviceSynchronize)());
        (void)free_pinned(data);
    } else {
        (void)MX_GPU_(Free)(data);
    }
}

static mx_err device_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    DEVICE_TRY(SetDevice, ctx->device);
    DEVICE_TRY(MemcpyAsync, destination, source, bytes, MX_GPU_(MemcpyDefault), stream_of(ctx));
    return MX_OK;
}

static bool device_identify(const void *address, mx_space *space, int *device)
{
    *device = -1;
    return clear_sticky_error(kind_of_memory(address, space, device)) == MX_GPU_(Success) &&
           *space != MX_SPACE_HOST;
}

/* Starts a kernel of this file on the context's stream. */
template <class... Parameters>
static mx_err start(mx_ctx ctx, const char *what, void (*kernel)(Parameters...), unsigned grid,
                    Parameters... parameters)
{
    DEVICE_CHECK((gpu_error)mx_gpu_start_on_(stream_of(ctx), false, kernel, dim3(grid),
                                             dim3(THREADS), 0, parameters...),
                 what);
    return MX_OK;
}

enum { FILL_BYTES = 1024 }; /* the largest element: view.h states it */
struct alignas(16) fill_value {
    unsigned char bytes[FILL_BYTES];
};

/* An element is written as words: W is the largest type that the size and the address allow. */
template <class W>
static __global__ void fill_kernel(W *data, int64_t count, const __grid_constant__ fill_value value,
                                   int words)
{
    const W *const element = (const W *)value.bytes;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; w < count * words; w += step)
        data[w] = element[words == 1 ? 0 : w % words];
}

template <class W>
static mx_err fill_words(mx_ctx ctx, void *destination, int64_t count, const fill_value &value,
                         size_t size)
{
    const int words = (int)(size / sizeof(W));
    const int64_t blocks = (count * words + THREADS - 1) / THREADS;
    const int64_t max_blocks = state_of(ctx)->resident;
    const unsigned grid = (unsigned)(blocks < max_blocks ? blocks : max_blocks);
    return start(ctx, "fill", fill_kernel<W>, grid, (W *)destination, count, value, words);
}

static mx_err device_fill(mx_ctx ctx, void *destination, int64_t count, const void *value,
                          size_t size)
{
    bool same = true;
    const unsigned char *bytes = (const unsigned char *)value;
    for (size_t b = 1; b < size; b++) same = same && bytes[b] == bytes[0];
    DEVICE_TRY(SetDevice, ctx->device);
    if (same) {
        DEVICE_TRY(MemsetAsync, destination, bytes[0], (size_t)count * size, stream_of(ctx));
        return MX_OK;
    }
    fill_value copy;
    MX_REQUIRE(size <= sizeof copy.bytes, MX_ERR_TYPE,
               "fill: elements of %zu bytes, expected at most %zu on " BACKEND, size,
               sizeof copy.bytes);
    memcpy(copy.bytes, value, size);
    /* a multiple of a power of two exactly if size and address both are */
    const size_t both = size | (size_t)(uintptr_t)destination;
    if (both % 16 == 0) return fill_words<uint4>(ctx, destination, count, copy, size);
    if (both % 8 == 0) return fill_words<unsigned long long>(ctx, destination, count, copy, size);
    if (both % 4 == 0) return fill_words<unsigned>(ctx, destination, count, copy, size);
    return fill_words<unsigned char>(ctx, destination, count, copy, size);
}

/* An element is copied as words of `word_bytes` bytes, the largest power of two up to 8 that the
 * size and the addresses allow. */
static __global__ void strided_kernel(const __grid_constant__ mx_strided c, int word_bytes)
{
    const int64_t words = (int64_t)c.size / word_bytes, all = c.count * words;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; w < all; w += step) {
        int64_t to, from;
        mx_strided_offsets_(&c, w / words, &to, &from);
        char *const t = c.to + (to * words + w % words) * word_bytes;
        const char *const f = c.from + (from * words + w % words) * word_bytes;
        if (word_bytes == 8)
            *(uint2 *)t = *(const uint2 *)f;
        else if (word_bytes == 4)
            *(unsigned *)t = *(const unsigned *)f;
        else
            for (int b = 0; b < word_bytes; b++) t[b] = f[b];
    }
}

static mx_err device_copy_strided(mx_ctx ctx, const mx_strided *c)
{
    int word_bytes = 8;
    while ((c->size | (size_t)(uintptr_t)c->to | (size_t)(uintptr_t)c->from) % word_bytes != 0)
        word_bytes /= 2;
    const int64_t blocks = (c->count * (int64_t)(c->size / word_bytes) + THREADS - 1) / THREADS;
    const int64_t max_blocks = state_of(ctx)->resident;
    const unsigned grid = (unsigned)(blocks < max_blocks ? blocks : max_blocks);
    DEVICE_TRY(SetDevice, ctx->device);
    return start(ctx, "strided copy", strided_kernel, grid, *c, word_bytes);
}

/* ---- launches ---- */

/* Gives pinned memory for a result that the host will read. */
static mx_err result_memory(mx_ctx ctx, size_t bytes, void **memory)
{
    device_state *state = state_of(ctx);
    if (bytes > state->result_bytes) {
        MX_TRY(device_fence(ctx));
        (void)free_pinned(state->result);
        state->result = NULL;
        state->result_bytes = 0;
        MX_TRY(device_allocate(ctx, MX_SPACE_PINNED, bytes, &state->result));
        state->result_bytes = bytes;
    }
    *memory = state->result;
    return MX_OK;
}

/* There is one block for each team, if a grid can have so many, with two exceptions. If each block
 * needs scratch in device memory, there are only as many blocks as the device can run at the same
 * time, and a block runs several teams. If each block has a partial result, there are up to 64 times
 * as many blocks: with fewer and longer ones, teams of unequal length take longer. The number of
 * bytes of the partial results has a limit too, because small teams with large values would need
 * gigabytes. */
static mx_err plan_teams(mx_ctx ctx, mx_launch *l)
{
    mx_gpu_launch_ *plan = mx_gpu_plan_(l);
    mx_team_shape *team = &l->team;
    if (team->lanes == MX_AUTO) team->lanes = WARP;
    MX_REQUIRE(team->lanes <= WARP, MX_ERR_ARG,
               "kernel %s: teams with %d lanes: expected at most %d on " BACKEND, l->kernel->name,
               team->lanes, (int)WARP);
    if (team->size == MX_AUTO) team->size = THREADS / team->lanes;
    MX_REQUIRE(
        team->size <= MX_TEAM_MAX / team->lanes, MX_ERR_ARG,
        "kernel %s: teams of %d threads with %d lanes: expected at most %d threads on " BACKEND,
        l->kernel->name, team->size, team->lanes, MX_TEAM_MAX / team->lanes);
    for (int level = 0; level < 2; level++) {
        team->team_bytes[level] = (team->team_bytes[level] + 15) & ~(size_t)15;
        team->thread_bytes[level] = (team->thread_bytes[level] + 15) & ~(size_t)15;
    }
    const size_t shared = MX_GPU_COLLECTIVE_BYTES_(team->size) + team->team_bytes[0] +
                          (size_t)team->size * team->thread_bytes[0];
    /* a reduction joins the values of all threads in shared memory */
    const size_t tree = l->kernel->value_size * (size_t)(team->size * team->lanes);
    MX_REQUIRE(
        tree <= state_of(ctx)->max_shared, MX_ERR_MEMORY,
        "kernel %s: the values of a team of %d threads with %d lanes need %zu bytes of shared "
        "memory, this device has %zu for a block",
        l->kernel->name, team->size, team->lanes, tree, state_of(ctx)->max_shared);
    MX_REQUIRE(shared <= state_of(ctx)->max_shared, MX_ERR_MEMORY,
               "kernel %s: a team has %zu bytes of scratch of level 0, expected at most %zu on "
               "this device",
               l->kernel->name, shared - MX_GPU_COLLECTIVE_BYTES_(team->size),
               state_of(ctx)->max_shared - MX_GPU_COLLECTIVE_BYTES_(team->size));
    l->scratch_bytes = team->team_bytes[1] + (size_t)team->size * team->thread_bytes[1];
    plan->blocks = at_most(l->axis[0].end, MX_GPU_MAX_BLOCKS_(team->lanes));
    const bool reduces = l->kernel->pattern == MX_PATTERN_REDUCE;
    if (l->scratch_bytes > 0 || reduces) {
        const int64_t resident = state_of(ctx)->resident;
        plan->blocks = mx_gpu_team_blocks_(
            plan->blocks, resident * THREADS / (team->size * team->lanes), resident,
            l->scratch_bytes > 0, reduces ? l->kernel->value_size : 0);
    }
    MX_REQUIRE(l->axis[0].end <= INT32_MAX, MX_ERR_EXTENT,
               "kernel %s: the league has %lld teams, expected at most %d", l->kernel->name,
               (long long)l->axis[0].end, INT32_MAX);
    return MX_OK;
}

static mx_err device_plan(mx_ctx ctx, mx_launch *l)
{
    mx_gpu_launch_ *plan = mx_gpu_plan_(l);
    const mx_instance *instance = mx_instance_of(ctx, l->kernel);
    DEVICE_TRY(SetDevice, ctx->device);
    plan->queue = ctx->queue;
    plan->overlaps = state_of(ctx)->overlaps;
    if (l->team.size != 0) return plan_teams(ctx, l);
    if (!plan_planes(l, instance, state_of(ctx)->resident))
        MX_TRY(plan_grid(l, instance, state_of(ctx)->processors, state_of(ctx)->resident));
    if (l->kernel->pattern == MX_PATTERN_REDUCE_ARRAY) {
        int64_t items = 1;
        for (int d = 0; d < l->dims; d++) items *= l->axis[d].end - l->axis[d].begin;
        plan->blocks = ceil_div(items, THREADS * ARRAY_ITEMS);
        if (plan->blocks > state_of(ctx)->resident) plan->blocks = state_of(ctx)->resident;
        l->partial_bytes = l->length * (int64_t)l->kernel->value_size;
    }
    if (instance->temporary != NULL) l->partial_bytes = (int64_t)instance->temporary(l);
    return MX_OK;
}

/* Gives the slots for a reduction, if it can use them; else NULL. */
static mx_err slots_for(mx_ctx ctx, const mx_launch *l, void **slots)
{
    device_state *state = state_of(ctx);
    const mx_gpu_launch_ *plan = mx_gpu_planned_(l);
    const bool reduces_range = l->kernel->pattern == MX_PATTERN_REDUCE && l->team.size == 0;
    *slots = NULL;
    if (!reduces_range || !mx_gpu_fits_slots_(plan, l->kernel->value_size) || plan->blocks == 0 ||
        state->records_node || ctx->reduction_wait == 0)
        return MX_OK;
    const mx_gpu_limit_ limit = {ctx->overflow + MX_OVERFLOW_WAITED, ctx->reduction_wait};
    if (!state->has_limit)
        DEVICE_TRY(MemcpyAsync, (char *)state->slots + MX_GPU_SLOTS_ * MX_GPU_SLOT_BYTES_, &limit,
                   sizeof limit, MX_GPU_(MemcpyHostToDevice), stream_of(ctx));
    state->has_limit = true;
    *slots = state->slots;
    return MX_OK;
}

static mx_err device_launch(mx_ctx ctx, mx_launch *l, const void *args, const mx_result *result)
{
    mx_gpu_launch_ *plan = mx_gpu_plan_(l);
    const mx_kernel *k = l->kernel;
    const size_t bytes = (size_t)l->length * k->value_size;
    const bool to_host = result != NULL && result->host != NULL;
    l->args = args;
    DEVICE_TRY(SetDevice, ctx->device);
    MX_TRY(slots_for(ctx, l, &plan->slots));
    plan->leaves_join = result != NULL && result->partials != NULL && plan->blocks > 0 &&
                        !mx_gpu_fits_slots_(plan, k->value_size);
    const size_t partial_bytes =
        k->pattern == MX_PATTERN_FOR || plan->slots != NULL ? 0
        : l->partial_bytes > 0
            ? (size_t)l->partial_bytes
            : ((size_t)(plan->blocks + MX_GPU_JOIN_BLOCKS_) * (size_t)l->length * k->value_size +
               255) &
                  ~(size_t)255;
    const size_t scratch_bytes = l->team.size != 0 ? (size_t)plan->blocks * l->scratch_bytes : 0;
    if (partial_bytes + scratch_bytes > 0) {
        void *memory = NULL;
        MX_TRY(mx_scratch(ctx, partial_bytes + scratch_bytes, &memory));
        l->partials = (char *)memory;
        l->scratch = l->partials + partial_bytes;
    }
    if (to_host) MX_TRY(result_memory(ctx, bytes, &l->result));
    const int code = clear_sticky_error((gpu_error)mx_instance_of(ctx, k)->enqueue(l));
    MX_REQUIRE(code == 0, MX_ERR_DEVICE, "kernel %s: %s", k->name,
               MX_GPU_(GetErrorString)((gpu_error)code));
    if (plan->leaves_join) *result->partials = mx_gpu_last_partials_(l, k->value_size);
    if (!to_host) return MX_OK;
    MX_TRY(mx_fence_launch(ctx));
    memcpy(result->host, l->result, bytes);
    return MX_OK;
}

/* ---- graphs ----
 *
 * Launches are captured from the stream, one at a time. Each depends on the nodes that it waits
 * for. */

typedef struct device_graph {
    MX_GPU_(Graph_t) graph;
    MX_GPU_(GraphExec_t) executable; /* NULL until graph_finish */
} device_graph;

static mx_err graph_create(mx_ctx ctx, void **graph)
{
    DEVICE_TRY(SetDevice, ctx->device);
    device_graph *created = (device_graph *)calloc(1, sizeof *created);
    MX_REQUIRE(created != NULL, MX_ERR_MEMORY, "no memory for a graph");
    const gpu_error err = MX_GPU_(GraphCreate)(&created->graph, 0);
    if (err != MX_GPU_(Success)) free(created);
    DEVICE_CHECK(err, TEXT_OF(MX_GPU_(GraphCreate)));
    *graph = created;
    return MX_OK;
}

static mx_err graph_before(mx_ctx ctx, void *graph, void *const *nodes, int count)
{
    DEVICE_CHECK(begin_capture(stream_of(ctx), ((device_graph *)graph)->graph,
                               (node_t const *)nodes, (size_t)count),
                 "the begin of a node");
    state_of(ctx)->records_node = true;
    return MX_OK;
}

static mx_err graph_after(mx_ctx ctx, void *graph, void **node)
{
    state_of(ctx)->records_node = false;
    DEVICE_CHECK(end_capture(stream_of(ctx), ((device_graph *)graph)->graph, (node_t *)node),
                 "the end of a node");
    MX_REQUIRE(*node != NULL, MX_ERR_DEVICE, "graph: the launch or copy recorded no node");
    return MX_OK;
}

static mx_err graph_finish(mx_ctx ctx, void *graph)
{
    device_graph *g = (device_graph *)graph;
    DEVICE_TRY(SetDevice, ctx->device);
    DEVICE_CHECK(instantiate(&g->executable, g->graph), TEXT_OF(MX_GPU_(GraphInstantiate)));
    return MX_OK;
}

static mx_err graph_run(mx_ctx ctx, void *graph)
{
    DEVICE_TRY(SetDevice, ctx->device);
    DEVICE_TRY(GraphLaunch, ((device_graph *)graph)->executable, stream_of(ctx));
    return MX_OK;
}

static void graph_destroy(void *graph)
{
    device_graph *g = (device_graph *)graph;
    if (g->executable != NULL) (void)MX_GPU_(GraphExecDestroy)(g->executable);
    (void)MX_GPU_(GraphDestroy)(g->graph);
    free(g);
}

/* The memory spaces that its kernels can access, and those that it allocates in. */
enum : unsigned {
    SPACES = MX_SPACE_BIT(SPACE) | MX_SPACE_BIT(MX_SPACE_MANAGED) | MX_SPACE_BIT(MX_SPACE_PINNED)
};

extern "C" {
extern MX_GPU_CONST_ mx_backend BACKEND_TABLE;
MX_GPU_CONST_ mx_backend BACKEND_TABLE = {
    .info = {.name = BACKEND,
             .instance = INSTANCE,
             .layout = MX_LAYOUT_LEFT,
             .tool_type = TOOL_TYPE,
             .many_threads = false,
             .binds_cores = false,
             .available = device_available,
             .devices = device_devices,
             .open = device_open,
             .close = device_close},
    .memory = {.space = SPACE,
               .accessible = SPACES,
               .allocates_in = SPACES,
               .of_device = MX_SPACE_BIT(SPACE),
               .fault_space = MX_SPACE_PINNED,
               .allocate = device_allocate,
               .release = device_release,
               .copy = device_copy,
               .fill = device_fill,
               .copy_strided = device_copy_strided,
               .identify = device_identify},
    .launch = {.plan = device_plan,
               .run = device_launch,
               .fence = device_fence,
               .wait = device_wait,
               .wait_queue = device_wait_queue},
    .graph = {.create = graph_create,
              .before = graph_before,
              .after = graph_after,
              .finish = graph_finish,
              .run = graph_run,
              .destroy = graph_destroy},
    .host = {},
};
}
