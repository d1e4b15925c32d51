/* The cuda target: its stream, its sizes, its clock. */
#include "bench.h"
#include "minx/extend.h"

#include <cuda_runtime.h>

/* Room for the partial results of the largest grid: one of five doubles for 512 cells, 2e9 cells at
 * most. */
static const size_t ROOM = (size_t)192 << 20;

#define CUDA_TRY(call)                                                                \
    do {                                                                              \
        const cudaError_t err_ = (call);                                              \
        if (err_ != cudaSuccess)                                                      \
            return MX_FAIL(MX_ERR_DEVICE, "%s: %s", #call, cudaGetErrorString(err_)); \
    } while (0)

mx_err bench_cuda_open(bench_target *target)
{
    cudaDeviceProp properties;
    mx_ctx_details details;
    size_t free_bytes, all_bytes;
    MX_REQUIRE(target->info.layout == MX_LAYOUT_LEFT, MX_ERR_INPUT,
               "cuda: the rivals have layout left only");
    CUDA_TRY(cudaSetDevice(target->info.device));
    CUDA_TRY(cudaGetDeviceProperties(&properties, target->info.device));
    CUDA_TRY(cudaMemGetInfo(&free_bytes, &all_bytes));
    MX_TRY(mx_ctx_get_details(target->ctx, &details));
    target->queue = details.queue;
    CUDA_TRY(cudaMalloc(&target->partials, ROOM));
    for (int e = 0; e < 2; e++) {
        cudaEvent_t event;
        CUDA_TRY(cudaEventCreate(&event));
        target->events[e] = event;
    }
    const size_t host = bench_available_bytes();
    target->rivals[0] = &rivals_cuda;
    target->rivals[1] = &rivals_cuda_fused;
    target->in_cache = (size_t)properties.l2CacheSize / 4;
    target->out_of_cache = (size_t)properties.l2CacheSize * 4;
    target->available = free_bytes < host ? free_bytes : host;
    return MX_OK;
}

void bench_cuda_close(bench_target *target)
{
    for (int e = 0; e < 2; e++)
        if (target->events[e] != NULL) cudaEventDestroy((cudaEvent_t)target->events[e]);
    cudaFree(target->partials);
}

mx_err bench_cuda_timer_start(const bench_target *target)
{
    CUDA_TRY(cudaEventRecord((cudaEvent_t)target->events[0], (cudaStream_t)target->queue));
    return MX_OK;
}

mx_err bench_cuda_timer_stop(const bench_target *target, double *seconds)
{
    float milliseconds;
    CUDA_TRY(cudaEventRecord((cudaEvent_t)target->events[1], (cudaStream_t)target->queue));
    CUDA_TRY(cudaEventSynchronize((cudaEvent_t)target->events[1]));
    CUDA_TRY(cudaGetLastError()); /* a rival's launch that failed */
    CUDA_TRY(cudaEventElapsedTime(&milliseconds, (cudaEvent_t)target->events[0],
                                  (cudaEvent_t)target->events[1]));
    *seconds = 1e-3 * milliseconds;
    return MX_OK;
}
