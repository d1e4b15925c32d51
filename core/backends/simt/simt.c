/* simt: a debug backend that runs each item as a GPU runs a thread. Host threads take items one by
 * one, so neighbouring items run at the same time. Views have the GPU's layout, and nothing is
 * vectorised. Host code cannot access its memory, and copies to the host are done late
 * (simt_memory.c). Mistakes that show on a GPU show here too, on any machine.
 *
 * order=shuffled uses the same code with ordinary memory: one thread runs the items in a random
 * order, which changes at each launch. This shows dependences that a fixed order hides. */
#include "simt_memory.h"

#include <omp.h>

enum {
    SIMT_THREADS = 4,
    /* the shape of teams with MX_AUTO: several threads and lanes, so that a missing single or
     * barrier shows */
    TEAM_SIZE = 2,
    TEAM_LANES = 4
};

static mx_err open_threads(mx_ctx ctx)
{
    if (ctx->threads == 0) ctx->threads = SIMT_THREADS;
    ctx->device = -1;
    return MX_OK;
}

static uint64_t next_random(uint64_t *state) /* splitmix64, Steele, Lea and Flood 2014 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A random permutation of 0..chunks-1 that needs no memory: a Feistel network permutes the numbers
 * below the next power of four. It is applied again until the result is below `chunks`. */
static int64_t permuted(int64_t chunk, int64_t chunks, uint64_t seed)
{
    int half = 1;
    while ((int64_t)1 << 2 * half < chunks) half++;
    const uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t at = (uint64_t)chunk;
    do {
        uint64_t left = at >> half, right = at & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t key = seed + round * 0x632be59bd9b4e019u + right;
            const uint64_t mixed = left ^ (next_random(&key) & mask);
            left = right;
            right = mixed;
        }
        at = left << half | right;
    } while (at >= (uint64_t)chunks);
    return (int64_t)at;
}

static void shuffled_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    const uint64_t seed = next_random(&ctx->seed);
    for (int64_t u = 0; u < chunks; u++) {
        const int64_t chunk = permuted(u, chunks, seed);
        mx_host_run_part(ctx, launch, run, 0, chunk, chunk + 1);
    }
}

static void simt_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    const int threads = ctx->threads;
    mx_simt_memory_open();
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int64_t u = 0; u < chunks; u++) {
        const int thread = omp_get_thread_num();
        mx_cores_bind_thread(ctx, 0, thread, threads);
        mx_host_run_part(ctx, launch, run, thread, u, u + 1);
    }
    mx_simt_memory_close();
}

/* Partial results are joined outside of simt_run. */
static mx_err simt_launch(mx_ctx ctx, mx_launch *launch, const void *args, const mx_result *result)
{
    mx_simt_finish_copies(ctx);
    mx_simt_memory_open();
    const mx_err err = mx_host_launch(ctx, launch, args, result);
    mx_simt_memory_close();
    return err;
}

static mx_err simt_fence(mx_ctx ctx)
{
    mx_simt_finish_copies(ctx);
    return MX_OK;
}

static mx_err simt_open(mx_ctx ctx)
{
    mx_simt_memory_prepare();
    return open_threads(ctx);
}

#define KERNEL_SPACES \
    (MX_SPACE_BIT(MX_SPACE_SIMT) | MX_SPACE_BIT(MX_SPACE_PINNED) | MX_SPACE_BIT(MX_SPACE_MANAGED))

const mx_backend mx_backend_simt = {
    .info = {.name = "simt",
             .instance = MX_INSTANCE_SIMT,
             .layout = MX_LAYOUT_LEFT,
             .tool_type = MX_TOOL_TYPE_UNKNOWN,
             .many_threads = true,
             .available = mx_host_openmp_available,
             .open = simt_open},
    .memory = {.space = MX_SPACE_SIMT,
               .accessible = KERNEL_SPACES,
               .allocates_in = KERNEL_SPACES,
               .allocates_zeros = MX_SPACE_BIT(MX_SPACE_SIMT),
               .fault_space = MX_SPACE_PINNED,
               .allocate = mx_simt_allocate,
               .release = mx_simt_release,
               .copy = mx_simt_copy,
               .fill = mx_simt_fill,
               .copy_strided = mx_simt_copy_strided,
               .identify = mx_simt_identify,
               .leave = mx_simt_leave},
    .launch = {.plan = mx_host_plan, .run = simt_launch, .fence = simt_fence},
    .host = {.run = simt_run,
             .run_team_members = mx_host_run_team_members,
             .chunks_are_items = true,
             .auto_team_size = TEAM_SIZE,
             .auto_team_lanes = TEAM_LANES},
};

const mx_backend mx_backend_shuffled = {
    .info = {.name = "serial",
             .instance = MX_INSTANCE_SIMT,
             .layout = MX_LAYOUT_LEFT,
             .tool_type = MX_TOOL_TYPE_UNKNOWN,
             .open = open_threads},
    .memory = MX_HOST_MEMORY,
    .launch = MX_HOST_LAUNCH,
    .host = {.run = shuffled_run,
             .run_team_members = mx_host_run_team_members,
             .chunks_are_items = true},
};
