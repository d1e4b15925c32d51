/* Direct messages on CUDA: mailboxes are shared by CUDA IPC, also between processes on one GPU. A group
 * is one kernel. */
#define DIRECT_FUNCTION static __device__ inline
#define DIRECT_BOTH static __host__ __device__ inline

#include "direct.h"

#include "minx/extend.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 512 };

DIRECT_FUNCTION void direct_put(uint64_t *at, uint64_t unit, uint32_t turn)
{
    const uint64_t tag = (uint64_t)turn << 32;
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(at),
                 "l"((unit & 0xffffffffu) | tag), "l"((unit >> 32) | tag)
                 : "memory");
}

DIRECT_FUNCTION void direct_look(const uint64_t *at, uint64_t words[2])
{
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(words[0]), "=l"(words[1])
                 : "l"(at)
                 : "memory");
}

DIRECT_FUNCTION void direct_put_word(uint64_t *at, uint64_t word)
{
    *(volatile uint64_t *)at = word;
}

DIRECT_FUNCTION uint64_t direct_look_word(const uint64_t *at)
{
    return *(const volatile uint64_t *)at;
}

DIRECT_FUNCTION uint32_t direct_look_state(const uint32_t *state)
{
    return *(const volatile uint32_t *)state;
}

DIRECT_FUNCTION void direct_set_state(uint32_t *state, uint32_t value)
{
    *(volatile uint32_t *)state = value;
    __threadfence_system();
}

DIRECT_FUNCTION uint64_t direct_now()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

DIRECT_FUNCTION void direct_pause(uint32_t looks) { (void)looks; }

DIRECT_FUNCTION uint64_t direct_load(const char *from, uint64_t left)
{
    uint64_t unit = 0;
    if (left >= 8 && (uintptr_t)from % 8 == 0) return *(const uint64_t *)from;
    if (left >= 8 && (uintptr_t)from % 4 == 0)
        return *(const uint32_t *)from | (uint64_t) * (const uint32_t *)(from + 4) << 32;
    for (uint64_t b = 0; b < 8 && b < left; b++)
        unit |= (uint64_t)(unsigned char)from[b] << (8 * b);
    return unit;
}

DIRECT_FUNCTION void direct_store(char *to, uint64_t unit, uint64_t left)
{
    if (left >= 8 && (uintptr_t)to % 8 == 0) {
        *(uint64_t *)to = unit;
    } else if (left >= 8 && (uintptr_t)to % 4 == 0) {
        *(uint32_t *)to = (uint32_t)unit;
        *(uint32_t *)(to + 4) = (uint32_t)(unit >> 32);
    } else {
        for (uint64_t b = 0; b < 8 && b < left; b++) to[b] = (char)(unit >> (8 * b));
    }
}

#define DIRECT_ALL(ok) (__syncthreads_and(ok) != 0)

/* Each lane is two of the MX_JOIN_THREADS threads of the core's join, in whose order it adds: so the
 * sums have the same bits. */
enum { WARP = 32, WARPS = MX_JOIN_THREADS / WARP, THREADS_OF_LANE = MX_JOIN_THREADS / LANES };

DIRECT_FUNCTION void direct_join_warp(double *sums)
{
    for (int distance = WARP / 2; distance > 0; distance /= 2)
#pragma unroll
        for (int i = 0; i < APP_DIRECT_JOINED; i++)
            sums[i] += __shfl_down_sync(~0u, sums[i], distance);
}

DIRECT_FUNCTION void direct_join(const app_direct_group *g, int lane, direct_number *numbers)
{
    __shared__ double of_warp[WARPS][APP_DIRECT_JOINED];
    const double *const values = (const double *)g->partials.values;
    const int count = (int)g->sum_count;
#pragma unroll
    for (int t = 0; t < THREADS_OF_LANE; t++) {
        const int thread = t * LANES + lane;
        double sums[APP_DIRECT_JOINED] = {0};
#pragma unroll 4
        for (int64_t p = thread; p < g->partials.count; p += MX_JOIN_THREADS)
#pragma unroll
            for (int i = 0; i < APP_DIRECT_JOINED; i++)
                if (i < count) sums[i] += values[p * count + i];
        direct_join_warp(sums);
        if (lane % WARP == 0)
            for (int i = 0; i < APP_DIRECT_JOINED; i++) of_warp[thread / WARP][i] = sums[i];
    }
    __syncthreads();
    if (lane < WARP) {
        double sums[APP_DIRECT_JOINED];
        for (int i = 0; i < APP_DIRECT_JOINED; i++) sums[i] = of_warp[lane][i];
        direct_join_warp(sums);
#pragma unroll
        for (int i = 0; i < APP_DIRECT_JOINED; i++)
            if (lane == 0 && i < count) numbers[i * g->ranks + g->self].f64 = sums[i];
    }
    __syncthreads();
}

#include "direct_words.h"

static __global__ void __launch_bounds__(LANES)
    direct_kernel(const __grid_constant__ app_direct_group group)
{
    __shared__ direct_number numbers[APP_DIRECT_NUMBERS];
#if __CUDA_ARCH__ >= 900 /* set up while the kernel before it runs, as kernels of minx are */
    asm volatile("griddepcontrol.wait;" ::: "memory");
    /* On a shared device the next kernel's blocks must not take the room of the ranks that this
     * kernel waits for. */
    if (!group.shared) asm volatile("griddepcontrol.launch_dependents;");
#endif
    const app_direct_part *const parts = group.many != NULL ? group.many : group.few;
    direct_block(&group, parts, (int)blockIdx.x, (int)threadIdx.x, LANES, numbers);
}

/* ---- what the host does ---- */

typedef struct direct_memory {
    int device;
    bool overlaps; /* a kernel may be set up while the kernel before it runs */
    uint64_t *box;
    uint32_t *state;
    app_direct_part *many; /* on the device */
    int room;              /* of many */
} direct_memory;

/* The CUDA run time keeps the last error: it must not be found again later. */
static mx_err check(cudaError_t err, const char *call)
{
    if (err == cudaSuccess) return MX_OK;
    (void)cudaGetLastError();
    return MX_FAIL(err == cudaErrorMemoryAllocation ? MX_ERR_MEMORY : MX_ERR_DEVICE, "%s: %s", call,
                   cudaGetErrorString(err));
}

#define CUDA_TRY(call) MX_TRY(check((call), #call))

static void close_cuda(void *opened)
{
    direct_memory *const m = (direct_memory *)opened;
    if (m == NULL) return;
    (void)check(cudaSetDevice(m->device), "cudaSetDevice");
    (void)check(cudaFree(m->box), "cudaFree");
    (void)check(cudaFree(m->many), "cudaFree");
    (void)check(cudaFreeHost(m->state), "cudaFreeHost");
    free(m);
}

static mx_err count_blocks(const direct_memory *m, int *blocks)
{
    cudaFuncAttributes loads_the_kernel;
    int processors = 0, of_each = 0;
    CUDA_TRY(cudaFuncGetAttributes(&loads_the_kernel, direct_kernel));
    CUDA_TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, m->device));
    CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_each, direct_kernel, LANES, 0));
    *blocks = processors * of_each;
    return MX_OK;
}

static mx_err allocate(direct_memory *m, size_t bytes, int *blocks)
{
    int major = 0;
    CUDA_TRY(cudaSetDevice(m->device));
    CUDA_TRY(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m->device));
    m->overlaps = major >= 9;
    CUDA_TRY(cudaMalloc((void **)&m->box, bytes));
    CUDA_TRY(cudaMemset(m->box, 0, bytes));
    CUDA_TRY(cudaHostAlloc((void **)&m->state, sizeof *m->state,
                           cudaHostAllocPortable | cudaHostAllocMapped));
    *m->state = 0;
    MX_TRY(count_blocks(m, blocks));
    CUDA_TRY(cudaDeviceSynchronize());
    return MX_OK;
}

static mx_err open_cuda(mx_ctx ctx, size_t bytes, void **opened, uint64_t **box, uint32_t **state,
                        int *blocks)
{
    mx_ctx_info info;
    mx_ctx_details details;
    *opened = NULL;
    MX_TRY(mx_ctx_get_info(ctx, &info));
    MX_TRY(mx_ctx_get_details(ctx, &details));
    MX_REQUIRE(details.queue != NULL && info.device >= 0, MX_ERR_BACKEND,
               "the context has no CUDA stream");
    direct_memory *const m = (direct_memory *)calloc(1, sizeof *m);
    MX_REQUIRE(m != NULL, MX_ERR_MEMORY, "no memory for direct messages");
    m->device = info.device;
    const mx_err err = allocate(m, bytes, blocks);
    if (err != MX_OK) {
        close_cuda(m);
        return err;
    }
    *opened = m;
    *box = m->box;
    *state = m->state;
    return MX_OK;
}

static mx_err share_cuda(void *opened, char handle[APP_DIRECT_HANDLE])
{
    direct_memory *const m = (direct_memory *)opened;
    cudaIpcMemHandle_t shared;
    static_assert(sizeof shared == APP_DIRECT_HANDLE, "a handle of CUDA IPC");
    CUDA_TRY(cudaIpcGetMemHandle(&shared, m->box));
    memcpy(handle, &shared, sizeof shared);
    return MX_OK;
}

static mx_err map_cuda(void *opened, const char handle[APP_DIRECT_HANDLE], uint64_t **box)
{
    direct_memory *const m = (direct_memory *)opened;
    cudaIpcMemHandle_t shared;
    memcpy(&shared, handle, sizeof shared);
    CUDA_TRY(cudaSetDevice(m->device));
    CUDA_TRY(cudaIpcOpenMemHandle((void **)box, shared, cudaIpcMemLazyEnablePeerAccess));
    return MX_OK;
}

static void unmap_cuda(void *opened, uint64_t *box)
{
    direct_memory *const m = (direct_memory *)opened;
    (void)check(cudaSetDevice(m->device), "cudaSetDevice");
    (void)check(cudaIpcCloseMemHandle(box), "cudaIpcCloseMemHandle");
}

/* The parts of a group that has many, on the device. The group before has ended where the copy is
 * done: groups run one after another. */
static mx_err copy_many(direct_memory *m, const app_direct_part *parts, int count,
                        cudaStream_t stream)
{
    if (count > m->room) {
        CUDA_TRY(cudaFree(m->many));
        m->many = NULL;
        m->room = 0;
        CUDA_TRY(cudaMalloc((void **)&m->many, 2 * (size_t)count * sizeof *parts));
        m->room = 2 * count;
    }
    CUDA_TRY(cudaMemcpyAsync(m->many, parts, (size_t)count * sizeof *parts, cudaMemcpyHostToDevice,
                             stream));
    return MX_OK;
}

static mx_err run_cuda(void *opened, mx_ctx ctx, const app_direct_group *group,
                       const app_direct_part *parts)
{
    direct_memory *const m = (direct_memory *)opened;
    const int count = group->sends + group->receives;
    mx_ctx_details details;
    MX_TRY(mx_ctx_get_details(ctx, &details));
    const cudaStream_t stream = (cudaStream_t)details.queue;
    CUDA_TRY(cudaSetDevice(m->device));
    app_direct_group one = *group;
    one.many = NULL;
    if (count > APP_DIRECT_FEW) {
        MX_TRY(copy_many(m, parts, count, stream));
        one.many = m->many;
    } else if (count > 0) {
        memcpy(one.few, parts, (size_t)count * sizeof *parts);
    }
    const direct_blocks blocks = direct_blocks_of(&one);
    cudaLaunchAttribute overlap;
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)(blocks.send + blocks.receive + blocks.sum);
    config.blockDim = LANES;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = m->overlaps ? 1 : 0;
    CUDA_TRY(cudaLaunchKernelEx(&config, direct_kernel, one));
    return MX_OK;
}

/* Rings of 1 MiB of data. */
extern const app_direct_device app_direct_cuda = {
    128,        1024,       APP_DIRECT_NUMBERS, 1,          open_cuda,
    close_cuda, share_cuda, map_cuda,           unmap_cuda, run_cuda};
