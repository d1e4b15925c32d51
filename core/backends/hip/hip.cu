/* hip: AMD's GPUs, and whatever else has HIP's run time. */
#define MX_INSTANCE_HIP_
#include "base/backend.h"
#include "minx/device/vendor.h"

#include <stdlib.h>
#include <string.h>

#define BACKEND "hip"
#define BACKEND_TABLE mx_backend_hip
#define INSTANCE MX_INSTANCE_HIP
#define SPACE MX_SPACE_HIP
#define TOOL_TYPE 3
#define VENDOR "AMD"
#define RUNTIME "HIP"
#define ARCHITECTURE "-DMINX_HIP_ARCHITECTURES=%s"
#define ARCHITECTURE_OF(properties) (properties).gcnArchName

enum { runtime_version = HIP_VERSION_MAJOR * 10 + HIP_VERSION_MINOR };
typedef hipDeviceProp_t properties_of_device;
typedef hipGraphNode_t node_t;

/* Some devices have no number of their own: the place on the bus becomes a part of the id. */
static hipError_t device_id(const hipDeviceProp_t *properties, int device, unsigned char id[16])
{
    hipUUID uuid;
    const hipError_t err = hipDeviceGetUuid(&uuid, device);
    static_assert(sizeof uuid.bytes == 16, "an id has another size");
    if (err != hipSuccess) return err;
    const int place[] = {properties->pciDomainID, properties->pciBusID, properties->pciDeviceID};
    memcpy(id, uuid.bytes, 16);
    for (int n = 0; n < 3; n++)
        for (int b = 0; b < 4; b++) id[4 * n + b] ^= (unsigned char)(place[n] >> 8 * b);
    return hipSuccess;
}

static size_t shared_bytes(const hipDeviceProp_t *properties)
{
    return properties->sharedMemPerBlock;
}

static bool overlaps_kernels(const hipDeviceProp_t *properties)
{
    (void)properties;
    return false;
}

static hipError_t allocate_pinned(void **data, size_t bytes)
{
    return hipHostMalloc(data, bytes, hipHostMallocPortable | hipHostMallocMapped);
}
static hipError_t free_pinned(void *data) { return hipHostFree(data); }

/* Of memory that is not its own, HIP says that the address is an invalid value. */
static hipError_t kind_of_memory(const void *address, mx_space *space, int *device)
{
    hipPointerAttribute_t attributes;
    const hipError_t err = hipPointerGetAttributes(&attributes, address);
    if (err != hipSuccess) return err;
    *space = attributes.isManaged                                     ? MX_SPACE_MANAGED
             : MX_HIP_MEMORY_TYPE_(attributes) == hipMemoryTypeDevice ? MX_SPACE_HIP
             : MX_HIP_MEMORY_TYPE_(attributes) == hipMemoryTypeHost   ? MX_SPACE_PINNED
                                                                      : MX_SPACE_HOST;
    if (*space == MX_SPACE_HIP) *device = attributes.device;
    return hipSuccess;
}

/* HIP cannot capture into a graph that there is already. So the work becomes a graph of its own, and
 * that graph a node. The nodes that it waits for are kept until then. */
enum { MAX_DEPENDENCES = 1024 };
static thread_local hipGraphNode_t dependences[MAX_DEPENDENCES];
static thread_local size_t dependence_count;

static hipError_t begin_capture(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *nodes,
                                size_t count)
{
    (void)graph;
    if (count > MAX_DEPENDENCES) return hipErrorInvalidValue;
    if (count > 0) memcpy(dependences, nodes, count * sizeof *nodes);
    dependence_count = count;
    return hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed);
}

static hipError_t end_capture(hipStream_t stream, hipGraph_t graph, hipGraphNode_t *last)
{
    hipGraph_t captured = NULL;
    *last = NULL;
    const hipError_t err = hipStreamEndCapture(stream, &captured);
    if (err != hipSuccess) return err;
    const hipError_t added =
        hipGraphAddChildGraphNode(last, graph, dependences, dependence_count, captured);
    const hipError_t destroyed = hipGraphDestroy(captured); /* the node has a copy */
    return added != hipSuccess ? added : destroyed;
}

static hipError_t instantiate(hipGraphExec_t *executable, hipGraph_t graph)
{
    return hipGraphInstantiate(executable, graph, NULL, NULL, 0);
}

#include "../device/device.h"
