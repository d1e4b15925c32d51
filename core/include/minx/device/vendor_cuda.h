/* What device code and its backend use of CUDA. vendor_hip.h has the same of HIP, under the same
 * names; minx/device/vendor.h chooses. */
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

#define MX_GPU_CODE_ 1
/* The run time's names: MX_GPU_(Malloc) is cudaMalloc here and hipMalloc there. */
#define MX_GPU_(name) cuda##name

/* ---- the compiler ---- */

enum : int { MX_GPU_WAVE_ = 32 }; /* lanes that run together: a warp, a wavefront */
/* A kernel with blocks of at most so many threads. Registers are limited so that a multiprocessor
 * has room for so many blocks; 0: no limit. */
#define MX_GPU_BOUNDS_(threads, blocks) __launch_bounds__(threads, blocks)
#define MX_GPU_TRAP_() __trap()
/* Of a constant of the host that has addresses of functions. */
#define MX_GPU_CONST_ const

/* The number of threads that a multiprocessor can run at a time. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define MX_GPU_RESIDENT_ 1024
#elif defined(__CUDA_ARCH__) && (__CUDA_ARCH__ / 10 == 86 || __CUDA_ARCH__ / 10 == 87 || \
                                 __CUDA_ARCH__ / 10 == 89 || __CUDA_ARCH__ >= 1100)
#define MX_GPU_RESIDENT_ 1536
#else
#define MX_GPU_RESIDENT_ 2048
#endif

/* The first statement of each kernel (programmatic dependent launch). From here on the device may
 * set up the next kernel of the stream. The statements after this one wait until the kernel before
 * has ended. This hides most of the time between two kernels.
 *
 * A kernel whose items have loops lets the next one be set up only after it has waited itself.
 * Otherwise several kernels wait on the device at the same time. The blocks of waiting kernels are
 * spread unevenly over the multiprocessors, so that some multiprocessors have more work. */
template <bool loops> static __device__ __forceinline__ void mx_gpu_begin_()
{
#if __CUDA_ARCH__ >= 900
    if (!loops) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (loops) asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* ---- lanes ---- */

/* The lanes of a thread of a team: a power of two up to MX_GPU_WAVE_, aligned in their wave. */
typedef unsigned mx_gpu_lanes_;
static __device__ __forceinline__ mx_gpu_lanes_ mx_gpu_lanes_of_(int lanes)
{
    const unsigned first = (threadIdx.y * (unsigned)lanes) & 31;
    return lanes == 32 ? ~0u : ((1u << lanes) - 1u) << first;
}
/* The value of the lane `distance` further on in the wave; of the lane whose number differs in this
 * bit; of the lane `distance` before, in groups of `width` lanes; of lane `from` of such a group. */
#define MX_GPU_SHUFFLE_DOWN_(v, distance) __shfl_down_sync(~0u, v, distance)
#define MX_GPU_SHUFFLE_XOR_(lanes, v, distance) __shfl_xor_sync(lanes, v, distance)
#define MX_GPU_SHUFFLE_UP_(lanes, v, distance, width) __shfl_up_sync(lanes, v, distance, width)
#define MX_GPU_SHUFFLE_(lanes, v, from, width) __shfl_sync(lanes, v, from, width)
#define MX_GPU_WAVE_BARRIER_() __syncwarp()

/* ---- instructions ---- */

/* Two words at an address of 16 bytes, past the caches that are not coherent. The words may be
 * accessed in any order, but each in one access: PTX treats a volatile access to a vector as one to
 * each element. */
static __device__ __forceinline__ void
mx_gpu_write_words_(unsigned long long *to, unsigned long long w0, unsigned long long w1)
{
    asm volatile("st.volatile.v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(w0), "l"(w1) : "memory");
}
static __device__ __forceinline__ void
mx_gpu_read_words_(const unsigned long long *from, unsigned long long *w0, unsigned long long *w1)
{
    asm volatile("ld.volatile.v2.u64 {%0, %1}, [%2];"
                 : "=l"(*w0), "=l"(*w1)
                 : "l"(from)
                 : "memory");
}

static __device__ __forceinline__ unsigned long long mx_gpu_nanoseconds_()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Of integers of 4 and 8 bytes, with and without a sign; they return the old value. */
#define MX_GPU_ATOMIC_MIN_(p, v) atomicMin(p, v)
#define MX_GPU_ATOMIC_MAX_(p, v) atomicMax(p, v)

/* The multiprocessor that a thread runs on. */
static __device__ __forceinline__ unsigned mx_gpu_multiprocessor_()
{
    unsigned number;
    __asm__("mov.u32 %0, %%smid;" : "=r"(number));
    return number;
}

/* 1 / x, with at least 18 correct bits. */
static __device__ __forceinline__ double mx_gpu_rough_reciprocal_(double x)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    return y;
}

/* The flag, of which the compiler must know nothing where the lanes of a wave run in step: see
 * MX_ATOMIC_UPDATE. */
static __device__ __forceinline__ bool mx_gpu_unseen_(bool flag) { return flag; }

/* ---- launches ---- */

/* Blocks along x that a grid can have, if a block has so many threads along x. */
#define MX_GPU_MAX_BLOCKS_(threads) INT32_MAX

/* kernel<<<grid, block, shared_bytes, queue>>>(parameters...). overlaps: the kernel is set up while
 * the kernel before it still runs (mx_gpu_begin_). */
template <class... Parameters>
static int mx_gpu_start_on_(void *queue, bool overlaps, void (*kernel)(Parameters...), dim3 grid,
                            dim3 block, size_t shared_bytes, Parameters... parameters)
{
    cudaLaunchAttribute overlap;
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = (cudaStream_t)queue;
    config.attrs = &overlap;
    config.numAttrs = overlaps ? 1 : 0;
    return (int)cudaLaunchKernelEx(&config, kernel, parameters...);
}

/* ---- scans and sorts over a device: CUB ---- */

#define MX_GPU_SCAN_HEADER_ <cub/device/device_scan.cuh>
#define MX_GPU_PLUS_(T) ::cuda::std::plus<T>
#define MX_GPU_VALUE_AT_(T, address) cub::FutureValue<T>(address)
#define MX_GPU_EXCLUSIVE_SCAN_(work, bytes, in, out, join, start, n, queue) \
    cub::DeviceScan::ExclusiveScan(work, bytes, in, out, join, start, n, queue)

#define MX_GPU_SORT_HEADER_ <cub/device/device_radix_sort.cuh>
#define MX_GPU_BUFFERS_ cub::DoubleBuffer
#define MX_GPU_SELECTED_(buffers, first) ((buffers).selector != 0)
#define MX_GPU_SORT_KEYS_(work, bytes, keys, n, bits, queue) \
    cub::DeviceRadixSort::SortKeys(work, bytes, keys, n, 0, bits, queue)
#define MX_GPU_SORT_PAIRS_(work, bytes, keys, values, n, bits, queue) \
    cub::DeviceRadixSort::SortPairs(work, bytes, keys, values, n, 0, bits, queue)
