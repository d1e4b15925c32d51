/* The calls of HIP that minx uses, by CUDA's: with it nvcc compiles the hip backend, and an NVIDIA
 * GPU runs its tests (MINX_HIP_PLATFORM=nvidia). No program that users build has it. */
#pragma once
#include <cuda_runtime.h>

#define HIP_VERSION_MAJOR 6 /* whose names it has */
#define HIP_VERSION_MINOR 0

typedef cudaError_t hipError_t;
typedef cudaStream_t hipStream_t;
typedef cudaEvent_t hipEvent_t;
typedef cudaGraph_t hipGraph_t;
typedef cudaGraphExec_t hipGraphExec_t;
typedef cudaGraphNode_t hipGraphNode_t;
typedef cudaFuncAttributes hipFuncAttributes;
#define hipSuccess cudaSuccess
#define hipErrorMemoryAllocation cudaErrorMemoryAllocation
#define hipErrorInsufficientDriver cudaErrorInsufficientDriver
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorNoDevice cudaErrorNoDevice
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventDefault cudaEventDefault
#define hipMemcpyDefault cudaMemcpyDefault
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipStreamCaptureModeRelaxed cudaStreamCaptureModeRelaxed
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped

#define hipGetLastError cudaGetLastError
#define hipGetErrorString cudaGetErrorString
#define hipGetDeviceCount cudaGetDeviceCount
#define hipSetDevice cudaSetDevice
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipDeviceGetStreamPriorityRange cudaDeviceGetStreamPriorityRange
#define hipStreamCreateWithPriority cudaStreamCreateWithPriority
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamEndCapture cudaStreamEndCapture
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventRecord cudaEventRecord
#define hipEventDestroy cudaEventDestroy
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipLaunchKernel cudaLaunchKernel
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipMalloc cudaMalloc
#define hipMallocManaged cudaMallocManaged
#define hipHostMalloc cudaHostAlloc
#define hipHostFree cudaFreeHost
#define hipFree cudaFree
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemsetAsync cudaMemsetAsync
#define hipGraphCreate cudaGraphCreate
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphLaunch cudaGraphLaunch
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphAddChildGraphNode cudaGraphAddChildGraphNode

/* The properties that minx reads. */
typedef struct hipDeviceProp_t {
    char name[256], gcnArchName[256];
    int multiProcessorCount, maxThreadsPerMultiProcessor;
    int pciDomainID, pciBusID, pciDeviceID;
    size_t sharedMemPerBlock;
} hipDeviceProp_t;
static inline hipError_t hipGetDeviceProperties(hipDeviceProp_t *p, int device)
{
    cudaDeviceProp q;
    const cudaError_t err = cudaGetDeviceProperties(&q, device);
    if (err != cudaSuccess) return err;
    for (int c = 0; c < 256; c++) p->name[c] = q.name[c];
    p->gcnArchName[0] = '\0';
    p->multiProcessorCount = q.multiProcessorCount;
    p->maxThreadsPerMultiProcessor = q.maxThreadsPerMultiProcessor;
    p->pciDomainID = q.pciDomainID;
    p->pciBusID = q.pciBusID;
    p->pciDeviceID = q.pciDeviceID;
    p->sharedMemPerBlock = q.sharedMemPerBlockOptin;
    return cudaSuccess;
}
typedef struct hipUUID {
    char bytes[16];
} hipUUID;
static inline hipError_t hipDeviceGetUuid(hipUUID *uuid, int device)
{
    cudaDeviceProp q;
    const cudaError_t err = cudaGetDeviceProperties(&q, device);
    for (int b = 0; b < 16 && err == cudaSuccess; b++) uuid->bytes[b] = q.uuid.bytes[b];
    return err;
}

enum { hipMemoryTypeHost, hipMemoryTypeDevice };
typedef struct hipPointerAttribute_t {
    int type, device, isManaged;
} hipPointerAttribute_t;
static inline hipError_t hipPointerGetAttributes(hipPointerAttribute_t *a, const void *address)
{
    cudaPointerAttributes q;
    const cudaError_t err = cudaPointerGetAttributes(&q, address);
    if (err != cudaSuccess) return err;
    if (q.type == cudaMemoryTypeUnregistered) return hipErrorInvalidValue;
    a->type = q.type == cudaMemoryTypeDevice ? hipMemoryTypeDevice : hipMemoryTypeHost;
    a->device = q.device;
    a->isManaged = q.type == cudaMemoryTypeManaged;
    return cudaSuccess;
}
static inline hipError_t hipGraphInstantiate(hipGraphExec_t *executable, hipGraph_t graph, void *,
                                             char *, size_t)
{
    return cudaGraphInstantiate(executable, graph, 0);
}

#ifdef __CUDACC__
/* The group of `width` lanes that this lane belongs to. */
static __device__ __forceinline__ unsigned hip_group_(int width)
{
    unsigned lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return width == 32 ? ~0u : ((1u << width) - 1u) << (lane & ~(unsigned)(width - 1));
}
template <class T> static __device__ __forceinline__ T __shfl_down(T v, int distance, int width)
{
    return __shfl_down_sync(hip_group_(width), v, distance, width);
}
template <class T> static __device__ __forceinline__ T __shfl_xor(T v, int distance, int width)
{
    return __shfl_xor_sync(hip_group_(width), v, distance, width);
}
template <class T> static __device__ __forceinline__ T __shfl_up(T v, int distance, int width)
{
    return __shfl_up_sync(hip_group_(width), v, distance, width);
}
template <class T> static __device__ __forceinline__ T __shfl(T v, int from, int width)
{
    return __shfl_sync(hip_group_(width), v, from, width);
}
#define __builtin_amdgcn_fence(order, scope) ((void)0)
#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_s_memrealtime() (hip_nanoseconds_() / 10)
static __device__ __forceinline__ unsigned long long hip_nanoseconds_()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#define __HIP_MEMORY_SCOPE_AGENT 0
#define __hip_atomic_store(to, value, order, scope) (*(volatile unsigned long long *)(to) = (value))
#define __hip_atomic_load(from, order, scope) (*(const volatile unsigned long long *)(from))
#define __hip_atomic_fetch_min(p, v, order, scope) atomicMin(p, v)
#define __hip_atomic_fetch_max(p, v, order, scope) atomicMax(p, v)
static __device__ __forceinline__ unsigned __smid()
{
    unsigned number;
    asm("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}
static __device__ __forceinline__ double __builtin_amdgcn_rcp(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}
#define abort() __trap()
#endif
