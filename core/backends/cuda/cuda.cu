/* cuda: a context has one device and one stream. Kernel files define the launches of their kernels
 * (minx/device/kernel.h). This file has what they share: memory, copies, results, fences. The CUDA
 * run time is linked statically, so a program also starts without a driver, and then says that cuda
 * is not available. */
#include "base/backend.h"
#include "cuda_grid.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ARRAY_ITEMS = 4,    /* of a thread, at least, in a reduction into an array */
    RESULT_BYTES = 4096 /* of pinned memory for results, at first */
};

/* The devices that contexts were opened on. Kernels on each of them may use pinned memory. */
enum { MAX_DEVICES = 1024 };
static bool in_use[MAX_DEVICES];

typedef struct cuda_state {
    cudaEvent_t reached; /* for contexts that wait for this one */
    void *slots;         /* for one reduction at a time; empty between two of them. Behind them:
                          * mx_cuda_limit_ */
    bool has_limit;      /* it was written */
    bool records_node;   /* a node of a graph is being recorded: nodes may run at the same time, so
                          * they cannot use these slots */
    void *result;        /* pinned memory: reductions write results for the host to it */
    size_t result_bytes;
    int64_t processors; /* the device's multiprocessors */
    int64_t resident;   /* thread blocks that the device can run at the same time, at most */
    bool overlaps;      /* a kernel may be set up while the kernel before it runs */
    size_t max_shared;  /* bytes of shared memory that a block can have */
} cuda_state;

static cuda_state *state_of(mx_ctx ctx) { return (cuda_state *)ctx->state; }
static cudaStream_t stream_of(mx_ctx ctx) { return (cudaStream_t)ctx->queue; }

/* The CUDA run time keeps the last error. It is reported here, so a later cudaGetLastError must
 * not return it again. */
static cudaError_t clear_sticky_error(cudaError_t err)
{
    if (err != cudaSuccess) cudaGetLastError();
    return err;
}

#define CUDA_TRY(call)                                                                             \
    do {                                                                                           \
        const cudaError_t cuda_err_ = clear_sticky_error(call);                                    \
        if (cuda_err_ != cudaSuccess)                                                              \
            return MX_FAIL(cuda_err_ == cudaErrorMemoryAllocation ? MX_ERR_MEMORY : MX_ERR_DEVICE, \
                           "%s: %s", #call, cudaGetErrorString(cuda_err_));                        \
    } while (0)

static bool cuda_available(const char **why)
{
    static char text[256];
    int devices = 0;
    const cudaError_t err = clear_sticky_error(cudaGetDeviceCount(&devices));
    *why = text;
    if (err == cudaErrorInsufficientDriver)
        snprintf(text, sizeof text,
                 "there is no NVIDIA driver, or it is older than CUDA %d.%d, with which this "
                 "program was built",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (err != cudaSuccess)
        snprintf(text, sizeof text, "%s", cudaGetErrorString(err));
    else if (devices == 0)
        snprintf(text, sizeof text, "this machine has no CUDA device");
    return err == cudaSuccess && devices > 0;
}

static int cuda_devices(void)
{
    int devices = 0;
    return clear_sticky_error(cudaGetDeviceCount(&devices)) == cudaSuccess ? devices : 0;
}

static __global__ void probe_kernel() {}

static mx_err create_stream(mx_ctx ctx)
{
    int low = 0, high = 0;
    CUDA_TRY(cudaDeviceGetStreamPriorityRange(&low, &high));
    CUDA_TRY(cudaStreamCreateWithPriority((cudaStream_t *)&ctx->queue, cudaStreamNonBlocking,
                                          ctx->high_priority ? high : low));
    return MX_OK;
}

static mx_err cuda_open(mx_ctx ctx)
{
    int devices = 0;
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceCount(&devices));
    if (ctx->device < 0) ctx->device = 0;
    MX_REQUIRE(ctx->device < devices, MX_ERR_BACKEND,
               "%s: device: got %d, this machine has %d (0 to %d)", ctx->name, ctx->device, devices,
               devices - 1);
    MX_REQUIRE(ctx->threads <= 1, MX_ERR_INPUT,
               "%s: threads: got %d; a cuda context takes no number of threads", ctx->name,
               ctx->threads);
    ctx->threads = 1;
    CUDA_TRY(cudaSetDevice(ctx->device));
    if (ctx->device < MAX_DEVICES) in_use[ctx->device] = true;
    CUDA_TRY(cudaGetDeviceProperties(&properties, ctx->device));
    snprintf(ctx->device_name, sizeof ctx->device_name, "%.127s", properties.name);
    for (size_t b = 0; b < sizeof properties.uuid.bytes; b++)
        snprintf(ctx->device_id + 2 * b, sizeof ctx->device_id - 2 * b, "%02x",
                 (unsigned)(unsigned char)properties.uuid.bytes[b]);
    cudaFuncAttributes attributes;
    const cudaError_t image = clear_sticky_error(cudaFuncGetAttributes(&attributes, probe_kernel));
    MX_REQUIRE(
        image == cudaSuccess, MX_ERR_BACKEND,
        "device %d (%s, compute capability %d.%d): %s; this build has no kernels for it: configure "
        "with -DMINX_CUDA_ARCHITECTURES=%d%d-real",
        ctx->device, properties.name, properties.major, properties.minor, cudaGetErrorString(image),
        properties.major, properties.minor);
    cuda_state *state = (cuda_state *)calloc(1, sizeof *state);
    MX_REQUIRE(state != NULL, MX_ERR_MEMORY, "no memory for a context");
    ctx->state = state;
    state->processors = properties.multiProcessorCount;
    state->resident = state->processors * (properties.maxThreadsPerMultiProcessor / THREADS);
    ctx->max_concurrency =
        (int64_t)properties.multiProcessorCount * properties.maxThreadsPerMultiProcessor;
    state->overlaps = properties.major >= 9;
    state->max_shared = properties.sharedMemPerBlockOptin - MX_CUDA_ITEM_BYTES_;
    if (!ctx->callers_queue) MX_TRY(create_stream(ctx));
    CUDA_TRY(cudaEventCreateWithFlags(&state->reached, cudaEventDisableTiming));
    CUDA_TRY(
        cudaHostAlloc(&state->result, RESULT_BYTES, cudaHostAllocPortable | cudaHostAllocMapped));
    state->result_bytes = RESULT_BYTES;
    const size_t slots_bytes = (size_t)(MX_CUDA_SLOTS_ + 1) * MX_CUDA_SLOT_BYTES_;
    CUDA_TRY(cudaMalloc(&state->slots, slots_bytes));
    CUDA_TRY(cudaMemsetAsync(state->slots, 0, slots_bytes, stream_of(ctx)));
    return MX_OK;
}

static void cuda_close(mx_ctx ctx)
{
    cuda_state *state = state_of(ctx);
    if (state == NULL) return;
    if (ctx->queue != NULL && !ctx->callers_queue) cudaStreamDestroy(stream_of(ctx));
    if (state->reached != NULL) cudaEventDestroy(state->reached);
    cudaFreeHost(state->result);
    cudaFree(state->slots);
    free(state);
    ctx->state = NULL;
}

static mx_err cuda_fence(mx_ctx ctx)
{
    if (ctx->state == NULL) return MX_OK;
    /* atomic, because a tool's fence waits for the contexts of all threads */
    __atomic_fetch_add(&ctx->synchronisations, 1, __ATOMIC_RELAXED);
    CUDA_TRY(cudaSetDevice(ctx->device));
    const cudaError_t err = clear_sticky_error(cudaStreamSynchronize(stream_of(ctx)));
    if (err == cudaSuccess) return MX_OK;
    char recent[512];
    mx_recent_kernels(ctx, recent, sizeof recent);
    return MX_FAIL(MX_ERR_DEVICE, "device %d failed: %s; kernels since the last fence: %s",
                   ctx->device, cudaGetErrorString(err), recent);
}

/* The event is recorded again for each wait. */
static mx_err cuda_wait(mx_ctx ctx, mx_ctx other)
{
    CUDA_TRY(cudaSetDevice(other->device));
    CUDA_TRY(cudaEventRecord(state_of(other)->reached, stream_of(other)));
    CUDA_TRY(cudaSetDevice(ctx->device));
    CUDA_TRY(cudaStreamWaitEvent(stream_of(ctx), state_of(other)->reached, 0));
    return MX_OK;
}

static mx_err cuda_wait_queue(mx_ctx ctx, void *queue, bool queue_waits)
{
    const cudaStream_t first = queue_waits ? stream_of(ctx) : (cudaStream_t)queue;
    const cudaStream_t then = queue_waits ? (cudaStream_t)queue : stream_of(ctx);
    CUDA_TRY(cudaSetDevice(ctx->device));
    CUDA_TRY(cudaEventRecord(state_of(ctx)->reached, first));
    CUDA_TRY(cudaStreamWaitEvent(then, state_of(ctx)->reached, 0));
    return MX_OK;
}

/* ---- memory ---- */

static mx_err cuda_allocate(mx_ctx ctx, mx_space space, size_t bytes, void **data)
{
    *data = NULL;
    CUDA_TRY(cudaSetDevice(ctx->device));
    const unsigned pinned = cudaHostAllocPortable | cudaHostAllocMapped;
    const cudaError_t err = space == MX_SPACE_CUDA      ? cudaMalloc(data, bytes)
                            : space == MX_SPACE_MANAGED ? cudaMallocManaged(data, bytes)
                                                        : cudaHostAlloc(data, bytes, pinned);
    MX_REQUIRE(clear_sticky_error(err) == cudaSuccess, MX_ERR_MEMORY,
               "no %zu bytes in memory space %s: %s", bytes, mx_space_name(space),
               cudaGetErrorString(err));
    return MX_OK;
}

static void cuda_release(mx_space space, void *data)
{
    if (space == MX_SPACE_PINNED) {
        /* cudaFreeHost, unlike cudaFree, does not wait for kernels that use the memory */
        for (int d = 0; d < MAX_DEVICES; d++)
            if (in_use[d] && clear_sticky_error(cudaSetDevice(d)) == cudaSuccess)
                clear_sticky_error(cudaDeviceSynchronize());
        cudaFreeHost(data);
    } else {
        cudaFree(data);
    }
}

static mx_err cuda_copy(mx_ctx ctx, void *destination, const void *source, size_t bytes)
{
    CUDA_TRY(cudaSetDevice(ctx->device));
    CUDA_TRY(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream_of(ctx)));
    return MX_OK;
}

static bool cuda_identify(const void *address, mx_space *space, int *device)
{
    cudaPointerAttributes attributes;
    if (clear_sticky_error(cudaPointerGetAttributes(&attributes, address)) != cudaSuccess)
        return false;
    if (attributes.type == cudaMemoryTypeUnregistered) return false;
    *space = attributes.type == cudaMemoryTypeDevice    ? MX_SPACE_CUDA
             : attributes.type == cudaMemoryTypeManaged ? MX_SPACE_MANAGED
                                                        : MX_SPACE_PINNED;
    *device = attributes.type == cudaMemoryTypeDevice ? attributes.device : -1;
    return true;
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
    fill_kernel<W><<<grid, THREADS, 0, stream_of(ctx)>>>((W *)destination, count, value, words);
    CUDA_TRY(cudaGetLastError());
    return MX_OK;
}

static mx_err cuda_fill(mx_ctx ctx, void *destination, int64_t count, const void *value,
                        size_t size)
{
    bool same = true;
    const unsigned char *bytes = (const unsigned char *)value;
    for (size_t b = 1; b < size; b++) same = same && bytes[b] == bytes[0];
    CUDA_TRY(cudaSetDevice(ctx->device));
    if (same) {
        CUDA_TRY(cudaMemsetAsync(destination, bytes[0], (size_t)count * size, stream_of(ctx)));
        return MX_OK;
    }
    fill_value copy;
    MX_REQUIRE(size <= sizeof copy.bytes, MX_ERR_TYPE,
               "fill: elements of %zu bytes, expected at most %zu on cuda", size,
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

static mx_err cuda_copy_strided(mx_ctx ctx, const mx_strided *c)
{
    int word_bytes = 8;
    while ((c->size | (size_t)(uintptr_t)c->to | (size_t)(uintptr_t)c->from) % word_bytes != 0)
        word_bytes /= 2;
    const int64_t blocks = (c->count * (int64_t)(c->size / word_bytes) + THREADS - 1) / THREADS;
    const int64_t max_blocks = state_of(ctx)->resident;
    const unsigned grid = (unsigned)(blocks < max_blocks ? blocks : max_blocks);
    CUDA_TRY(cudaSetDevice(ctx->device));
    strided_kernel<<<grid, THREADS, 0, stream_of(ctx)>>>(*c, word_bytes);
    CUDA_TRY(cudaGetLastError());
    return MX_OK;
}

/* ---- launches ---- */

/* Gives pinned memory for a result that the host will read. */
static mx_err result_memory(mx_ctx ctx, size_t bytes, void **memory)
{
    cuda_state *state = state_of(ctx);
    if (bytes > state->result_bytes) {
        MX_TRY(cuda_fence(ctx));
        cudaFreeHost(state->result);
        state->result = NULL;
        state->result_bytes = 0;
        MX_TRY(cuda_allocate(ctx, MX_SPACE_PINNED, bytes, &state->result));
        state->result_bytes = bytes;
    }
    *memory = state->result;
    return MX_OK;
}

/* There is one block for each team, with two exceptions. If each block needs scratch in device
 * memory, there are only as many blocks as the device can run at the same time, and a block runs
 * several teams. If each block has a partial result, there are up to 64 times as many blocks: with
 * fewer and longer ones, teams of unequal length take longer. The number of bytes of the partial
 * results has a limit too, because small teams with large values would need gigabytes. */
static mx_err plan_teams(mx_ctx ctx, mx_launch *l)
{
    mx_cuda_launch_ *plan = mx_cuda_plan_(l);
    mx_team_shape *team = &l->team;
    if (team->lanes == MX_AUTO) team->lanes = 32;
    if (team->size == MX_AUTO) team->size = THREADS / team->lanes;
    MX_REQUIRE(team->size <= MX_TEAM_MAX / team->lanes, MX_ERR_ARG,
               "kernel %s: teams of %d threads with %d lanes: expected at most %d threads on cuda",
               l->kernel->name, team->size, team->lanes, MX_TEAM_MAX / team->lanes);
    for (int level = 0; level < 2; level++) {
        team->team_bytes[level] = (team->team_bytes[level] + 15) & ~(size_t)15;
        team->thread_bytes[level] = (team->thread_bytes[level] + 15) & ~(size_t)15;
    }
    const size_t shared = MX_CUDA_COLLECTIVE_BYTES_(team->size) + team->team_bytes[0] +
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
               l->kernel->name, shared - MX_CUDA_COLLECTIVE_BYTES_(team->size),
               state_of(ctx)->max_shared - MX_CUDA_COLLECTIVE_BYTES_(team->size));
    l->scratch_bytes = team->team_bytes[1] + (size_t)team->size * team->thread_bytes[1];
    l->overflow = ctx->overflow;
    plan->blocks = l->axis[0].end;
    const bool reduces = l->kernel->pattern == MX_PATTERN_REDUCE;
    if (l->scratch_bytes > 0 || reduces) {
        const int64_t resident = state_of(ctx)->resident;
        plan->blocks = mx_cuda_team_blocks_(
            plan->blocks, resident * THREADS / (team->size * team->lanes), resident,
            l->scratch_bytes > 0, reduces ? l->kernel->value_size : 0);
    }
    MX_REQUIRE(l->axis[0].end <= INT32_MAX, MX_ERR_EXTENT,
               "kernel %s: the league has %lld teams, expected at most %d", l->kernel->name,
               (long long)l->axis[0].end, INT32_MAX);
    return MX_OK;
}

static mx_err cuda_plan(mx_ctx ctx, mx_launch *l)
{
    mx_cuda_launch_ *plan = mx_cuda_plan_(l);
    const mx_instance *instance = mx_instance_of(ctx, l->kernel);
    CUDA_TRY(cudaSetDevice(ctx->device));
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
    cuda_state *state = state_of(ctx);
    const mx_cuda_launch_ *plan = mx_cuda_planned_(l);
    const bool reduces_range = l->kernel->pattern == MX_PATTERN_REDUCE && l->team.size == 0;
    *slots = NULL;
    if (!reduces_range || !mx_cuda_fits_slots_(plan, l->kernel->value_size) || plan->blocks == 0 ||
        state->records_node || ctx->reduction_wait == 0)
        return MX_OK;
    const mx_cuda_limit_ limit = {ctx->overflow + MX_OVERFLOW_WAITED, ctx->reduction_wait};
    if (!state->has_limit)
        CUDA_TRY(cudaMemcpyAsync((char *)state->slots + MX_CUDA_SLOTS_ * MX_CUDA_SLOT_BYTES_,
                                 &limit, sizeof limit, cudaMemcpyHostToDevice, stream_of(ctx)));
    state->has_limit = true;
    *slots = state->slots;
    return MX_OK;
}

static mx_err cuda_launch(mx_ctx ctx, mx_launch *l, const void *args, const mx_result *result)
{
    mx_cuda_launch_ *plan = mx_cuda_plan_(l);
    const mx_kernel *k = l->kernel;
    const size_t bytes = (size_t)l->length * k->value_size;
    const bool to_host = result != NULL && result->host != NULL;
    l->args = args;
    CUDA_TRY(cudaSetDevice(ctx->device));
    MX_TRY(slots_for(ctx, l, &plan->slots));
    const size_t partial_bytes =
        k->pattern == MX_PATTERN_FOR || plan->slots != NULL ? 0
        : l->partial_bytes > 0
            ? (size_t)l->partial_bytes
            : ((size_t)(plan->blocks + MX_CUDA_JOIN_BLOCKS_) * (size_t)l->length * k->value_size +
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
    const int code = clear_sticky_error((cudaError_t)mx_instance_of(ctx, k)->enqueue(l));
    MX_REQUIRE(code == 0, MX_ERR_DEVICE, "kernel %s: %s", k->name,
               cudaGetErrorString((cudaError_t)code));
    if (!to_host) return MX_OK;
    MX_TRY(mx_fence_launch(ctx));
    memcpy(result->host, l->result, bytes);
    return MX_OK;
}

/* ---- graphs ----
 *
 * Launches are captured from the stream, one at a time. Each depends on the nodes that it waits
 * for. */

typedef struct cuda_graph {
    cudaGraph_t graph;
    cudaGraphExec_t executable; /* NULL until graph_finish */
} cuda_graph;

static mx_err graph_create(mx_ctx ctx, void **graph)
{
    CUDA_TRY(cudaSetDevice(ctx->device));
    cuda_graph *created = (cuda_graph *)calloc(1, sizeof *created);
    MX_REQUIRE(created != NULL, MX_ERR_MEMORY, "no memory for a graph");
    const cudaError_t err = cudaGraphCreate(&created->graph, 0);
    if (err != cudaSuccess) free(created);
    CUDA_TRY(err);
    *graph = created;
    return MX_OK;
}

static mx_err graph_before(mx_ctx ctx, void *graph, void *const *nodes, int count)
{
    CUDA_TRY(cudaStreamBeginCaptureToGraph(stream_of(ctx), ((cuda_graph *)graph)->graph,
                                           (const cudaGraphNode_t *)nodes, NULL, (size_t)count,
                                           cudaStreamCaptureModeRelaxed));
    state_of(ctx)->records_node = true;
    return MX_OK;
}

static mx_err graph_after(mx_ctx ctx, void *graph, void **node)
{
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *last = NULL;
    size_t count = 0;
    cudaGraph_t captured = NULL;
    state_of(ctx)->records_node = false;
    const cudaError_t err =
        cudaStreamGetCaptureInfo(stream_of(ctx), &status, NULL, NULL, &last, NULL, &count);
    *node = count > 0 ? last[0] : NULL;
    CUDA_TRY(cudaStreamEndCapture(stream_of(ctx), &captured));
    CUDA_TRY(err);
    MX_REQUIRE(*node != NULL, MX_ERR_DEVICE, "graph: the launch or copy recorded no node");
    (void)graph;
    return MX_OK;
}

static mx_err graph_finish(mx_ctx ctx, void *graph)
{
    cuda_graph *g = (cuda_graph *)graph;
    CUDA_TRY(cudaSetDevice(ctx->device));
    CUDA_TRY(cudaGraphInstantiate(&g->executable, g->graph, 0));
    return MX_OK;
}

static mx_err graph_run(mx_ctx ctx, void *graph)
{
    CUDA_TRY(cudaSetDevice(ctx->device));
    CUDA_TRY(cudaGraphLaunch(((cuda_graph *)graph)->executable, stream_of(ctx)));
    return MX_OK;
}

static void graph_destroy(void *graph)
{
    cuda_graph *g = (cuda_graph *)graph;
    if (g->executable != NULL) cudaGraphExecDestroy(g->executable);
    cudaGraphDestroy(g->graph);
    free(g);
}

/* The memory spaces that its kernels can access, and those that it allocates in. */
enum : unsigned {
    SPACES =
        MX_SPACE_BIT(MX_SPACE_CUDA) | MX_SPACE_BIT(MX_SPACE_MANAGED) | MX_SPACE_BIT(MX_SPACE_PINNED)
};

extern "C" {
extern const mx_backend mx_backend_cuda;
const mx_backend mx_backend_cuda = {
    .info = {.name = "cuda",
             .instance = MX_INSTANCE_CUDA,
             .layout = MX_LAYOUT_LEFT,
             .tool_type = 2,
             .many_threads = false,
             .binds_cores = false,
             .available = cuda_available,
             .devices = cuda_devices,
             .open = cuda_open,
             .close = cuda_close},
    .memory = {.space = MX_SPACE_CUDA,
               .accessible = SPACES,
               .allocates_in = SPACES,
               .of_device = MX_SPACE_BIT(MX_SPACE_CUDA),
               .fault_space = MX_SPACE_PINNED,
               .allocate = cuda_allocate,
               .release = cuda_release,
               .copy = cuda_copy,
               .fill = cuda_fill,
               .copy_strided = cuda_copy_strided,
               .identify = cuda_identify},
    .launch = {.plan = cuda_plan,
               .run = cuda_launch,
               .fence = cuda_fence,
               .wait = cuda_wait,
               .wait_queue = cuda_wait_queue},
    .graph = {.create = graph_create,
              .before = graph_before,
              .after = graph_after,
              .finish = graph_finish,
              .run = graph_run,
              .destroy = graph_destroy},
    .host = {},
};
}
