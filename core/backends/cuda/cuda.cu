/* cuda: NVIDIA's GPUs. The CUDA run time is linked statically, so a program also starts without a
 * driver, and then says that cuda is not available. */
#include "base/backend.h"
#include "minx/device/vendor.h"

#include <stdlib.h>
#include <string.h>

#define BACKEND "cuda"
#define BACKEND_TABLE mx_backend_cuda
#define INSTANCE MX_INSTANCE_CUDA
#define SPACE MX_SPACE_CUDA
#define TOOL_TYPE 2
#define VENDOR "NVIDIA"
#define RUNTIME "CUDA"
#define ARCHITECTURE "-DMINX_CUDA_ARCHITECTURES=%d%d-real"
#define ARCHITECTURE_OF(properties) (properties).major, (properties).minor

enum { runtime_version = CUDART_VERSION / 100 };
typedef cudaDeviceProp properties_of_device;
typedef cudaGraphNode_t node_t;

static cudaError_t device_id(const cudaDeviceProp *properties, int device, unsigned char id[16])
{
    (void)device;
    static_assert(sizeof properties->uuid.bytes == 16, "an id has another size");
    memcpy(id, properties->uuid.bytes, 16);
    return cudaSuccess;
}

static size_t shared_bytes(const cudaDeviceProp *properties)
{
    return properties->sharedMemPerBlockOptin;
}

static bool overlaps_kernels(const cudaDeviceProp *properties) { return properties->major >= 9; }

static cudaError_t allocate_pinned(void **data, size_t bytes)
{
    return cudaHostAlloc(data, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
}
static cudaError_t free_pinned(void *data) { return cudaFreeHost(data); }

static cudaError_t kind_of_memory(const void *address, mx_space *space, int *device)
{
    cudaPointerAttributes attributes;
    const cudaError_t err = cudaPointerGetAttributes(&attributes, address);
    if (err != cudaSuccess) return err;
    *space = attributes.type == cudaMemoryTypeUnregistered ? MX_SPACE_HOST
             : attributes.type == cudaMemoryTypeDevice     ? MX_SPACE_CUDA
             : attributes.type == cudaMemoryTypeManaged    ? MX_SPACE_MANAGED
                                                           : MX_SPACE_PINNED;
    if (attributes.type == cudaMemoryTypeDevice) *device = attributes.device;
    return cudaSuccess;
}

static cudaError_t begin_capture(cudaStream_t stream, cudaGraph_t graph,
                                 const cudaGraphNode_t *nodes, size_t count)
{
    return cudaStreamBeginCaptureToGraph(stream, graph, nodes, NULL, count,
                                         cudaStreamCaptureModeRelaxed);
}

static cudaError_t end_capture(cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t *last)
{
    cudaStreamCaptureStatus status;
    const cudaGraphNode_t *nodes = NULL;
    size_t count = 0;
    cudaGraph_t captured = NULL;
    (void)graph;
    const cudaError_t err =
        cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, &nodes, NULL, &count);
    *last = count > 0 ? nodes[0] : NULL;
    const cudaError_t ended = cudaStreamEndCapture(stream, &captured);
    return ended != cudaSuccess ? ended : err;
}

static cudaError_t instantiate(cudaGraphExec_t *executable, cudaGraph_t graph)
{
    return cudaGraphInstantiate(executable, graph, 0);
}

#include "../device/device.h"
