/* openmp: each thread of a parallel region runs one contiguous part of the chunks. With a dynamic
 * schedule it takes one chunk after the other. */
#include "openmp_waits.h"

#include "base/backend.h"

#include <omp.h>

static int contexts; /* that are open */

static mx_err openmp_open(mx_ctx ctx)
{
    const char *origin;
    ctx->state = &contexts;
    __atomic_add_fetch(&contexts, 1, __ATOMIC_RELAXED);
    if (ctx->threads == 0) MX_TRY(mx_cores_openmp_threads(&ctx->threads, &origin));
    MX_REQUIRE(ctx->threads <= omp_get_thread_limit(), MX_ERR_INPUT,
               "%s: threads: got %d, the OpenMP run time allows %d (OMP_THREAD_LIMIT)", ctx->name,
               ctx->threads, omp_get_thread_limit());
    ctx->device = -1;
    return MX_OK;
}

static void openmp_close(mx_ctx ctx)
{
    if (ctx->state == NULL) return; /* it was never opened */
    if (__atomic_sub_fetch(&contexts, 1, __ATOMIC_RELAXED) == 0) mx_waits_end();
}

static void openmp_run(mx_ctx ctx, const mx_launch *launch, mx_run_fn run, int64_t chunks)
{
    if (chunks == 1 || ctx->threads == 1) {
        mx_host_run_part(ctx, launch, run, 0, 0, chunks);
        return;
    }
    const int cores = ctx->cores, requested = ctx->threads;
    mx_waits_watch(requested);
    /* firstprivate: clang passes shared variables by address, so that each thread would first load
     * from the stack of this one. */
    if (launch->dynamic) {
#pragma omp parallel for schedule(dynamic) num_threads(requested) \
    firstprivate(ctx, launch, run, chunks, cores, requested)
        for (int64_t u = 0; u < chunks; u++) {
            const int thread = omp_get_thread_num();
            mx_cores_bind_thread(ctx, cores, thread, requested);
            mx_host_run_part(ctx, launch, run, thread, u, u + 1);
        }
        return;
    }
#pragma omp parallel num_threads(requested) firstprivate(ctx, launch, run, chunks, cores, requested)
    {
        /* the run time may start fewer threads than requested: divide by the actual number */
        const int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
        mx_cores_bind_thread(ctx, cores, (int)thread, requested);
        int64_t first = thread, last = thread + 1;
        if (chunks != threads) { /* the part of thread 0 is one of the longest */
            first = (chunks * thread + threads - 1) / threads;
            last = (chunks * (thread + 1) + threads - 1) / threads;
        }
        if (first < last) mx_host_run_part(ctx, launch, run, (int)thread, first, last);
    }
}

const mx_backend mx_backend_openmp = {
    .info = {.name = "openmp",
             .instance = MX_INSTANCE_HOST,
             .layout = MX_LAYOUT_RIGHT,
             .tool_type = 1,
             .many_threads = true,
             .binds_cores = true,
             .available = mx_host_openmp_available,
             .open = openmp_open,
             .close = openmp_close},
    .memory = MX_HOST_MEMORY,
    .launch = MX_HOST_LAUNCH,
    .host = {.run = openmp_run, .run_team_members = mx_host_run_team_members},
};
