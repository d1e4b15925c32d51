/* What the core does for contexts and their backends, for the core only. base/backend.h has the
 * functions that backends call. */
#pragma once
#include "base/state.h"

/* ---- fence.c ---- */

/* Fences every context that records no graph, for a profiling tool. The next mx_fence still reports
 * errors. */
void mx_fence_for_tool(const char *name);

/* ---- fault.c: faults that kernels record for the host ---- */

/* Allocates memory for the records: ctx->overflow and, with MINX_BOUNDS_CHECK,
 * mx_core(ctx)->fault. */
mx_err mx_faults_create(mx_ctx ctx);
void mx_faults_destroy(mx_ctx ctx);

/* ---- cores.c ---- */

/* Gives a context cores of its own: numbers first to last of the process's cores. Sets ctx->threads
 * if it is 0. */
mx_err mx_cores_reserve(mx_ctx ctx, int64_t first, int64_t last);

/* Lets the backend open the context. Threads that it starts may run on all cores of the process,
 * also where OpenMP has bound the calling thread to one. */
mx_err mx_cores_open(mx_ctx ctx);

/* ---- scratch.c ---- */

void mx_scratch_destroy(mx_ctx ctx);

/* Staging memory of at least `bytes` until mx_kept_return. The context keeps it for the next time:
 * the system takes as long to provide fresh memory as to copy into it. */
mx_err mx_kept_take(mx_ctx ctx, size_t bytes, void **data);

/* All that was taken is free to be taken again. */
void mx_kept_return(mx_ctx ctx);

/* ---- races.c ---- */

mx_err mx_races_create(mx_ctx ctx);
void mx_races_destroy(mx_ctx ctx);
