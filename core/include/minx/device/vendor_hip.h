/* What device code and its backend use of HIP. vendor_cuda.h has the same of CUDA, under the same
 * names, and says more of them; minx/device/vendor.h chooses. */
#pragma once
#include <hip/hip_runtime.h>
#include <stdint.h>

#define MX_GPU_CODE_ 1
#define MX_GPU_(name) hip##name

/* ---- the compiler ---- */

/* The number of lanes of a wavefront. AMD's processors for computing (gfx9) have 64; those for
 * graphics, with 32, are not supported. */
#ifdef __HIP_PLATFORM_AMD__
enum : int { MX_GPU_WAVE_ = 64 };
#if defined(__AMDGCN_WAVEFRONT_SIZE) && __AMDGCN_WAVEFRONT_SIZE != 64
#error "minx needs wavefronts of 64 lanes: set MINX_HIP_ARCHITECTURES to gfx90a, gfx942 or the like"
#endif
#define __grid_constant__ /* parameters are constant */
/* The second number of launch bounds is that of the waves of a SIMD, of which a processor has 4. */
#define MX_GPU_WAVES_(threads, blocks) \
    ((threads) * (blocks) > 4 * MX_GPU_WAVE_ ? (threads) * (blocks) / (4 * MX_GPU_WAVE_) : 1)
#define MX_GPU_BOUNDS_(threads, blocks) \
    __launch_bounds__(threads, (MX_GPU_WAVES_((int)(threads), (int)(blocks))))
#else
enum : int { MX_GPU_WAVE_ = 32 };
#define MX_GPU_BOUNDS_(threads, blocks) __launch_bounds__(threads, blocks)
#endif
#define MX_GPU_TRAP_() abort()
/* Empty: the compiler would make a constant for the device too, and the functions that it points to
 * are for the host alone. */
#define MX_GPU_CONST_
#define MX_GPU_RESIDENT_ 2048

/* A kernel begins when the one before it has ended. */
template <bool loops> static __device__ __forceinline__ void mx_gpu_begin_() {}

/* ---- lanes ---- */

/* Shuffles have no masks: all lanes of a group run together. */
typedef int mx_gpu_lanes_;
static __device__ __forceinline__ mx_gpu_lanes_ mx_gpu_lanes_of_(int lanes) { return lanes; }
#define MX_GPU_SHUFFLE_DOWN_(v, distance) __shfl_down(v, distance, MX_GPU_WAVE_)
#define MX_GPU_SHUFFLE_XOR_(lanes, v, distance) __shfl_xor(v, distance, lanes)
#define MX_GPU_SHUFFLE_UP_(lanes, v, distance, width) __shfl_up(v, distance, width)
#define MX_GPU_SHUFFLE_(lanes, v, from, width) __shfl(v, from, width)
#define MX_GPU_WAVE_BARRIER_() \
    (__builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"), __builtin_amdgcn_wave_barrier())

/* ---- instructions ---- */

static __device__ __forceinline__ void
mx_gpu_write_words_(unsigned long long *to, unsigned long long w0, unsigned long long w1)
{
    __hip_atomic_store(&to[0], w0, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    __hip_atomic_store(&to[1], w1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ __forceinline__ void
mx_gpu_read_words_(const unsigned long long *from, unsigned long long *w0, unsigned long long *w1)
{
    *w0 = __hip_atomic_load(&from[0], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    *w1 = __hip_atomic_load(&from[1], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

/* The clock has 100 MHz on most devices, on some less: then a limit of time is longer. */
static __device__ __forceinline__ unsigned long long mx_gpu_nanoseconds_()
{
    return __builtin_amdgcn_s_memrealtime() * 10;
}

/* HIP 5 has no atomicMin of int64_t. */
#define MX_GPU_ATOMIC_MIN_(p, v) \
    __hip_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
#define MX_GPU_ATOMIC_MAX_(p, v) \
    __hip_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)

static __device__ __forceinline__ unsigned mx_gpu_multiprocessor_() { return __smid(); }

static __device__ __forceinline__ double mx_gpu_rough_reciprocal_(double x)
{
    return __builtin_amdgcn_rcp(x);
}

static __device__ __forceinline__ bool mx_gpu_unseen_(bool flag)
{
    unsigned number = flag;
#ifdef __HIP_PLATFORM_AMD__
    asm volatile("" : "+v"(number));
#endif
    return number != 0;
}

/* ---- launches ---- */

/* A grid has less than 2^32 threads along x. */
#define MX_GPU_MAX_BLOCKS_(threads) ((int64_t)UINT32_MAX / (threads))

/* Not by <<<>>> and the last error: that may be one of a call by another library. */
template <class... Parameters>
static int mx_gpu_start_on_(void *queue, bool, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                            size_t shared_bytes, Parameters... parameters)
{
    void *addresses[] = {(void *)&parameters...};
    return (int)hipLaunchKernel((const void *)kernel, grid, block, addresses, shared_bytes,
                                (hipStream_t)queue);
}

/* The kind of memory in attributes of a pointer: HIP 6 has renamed the member. */
#if HIP_VERSION_MAJOR < 6
#define MX_HIP_MEMORY_TYPE_(attributes) (attributes).memoryType
#else
#define MX_HIP_MEMORY_TYPE_(attributes) (attributes).type
#endif

/* ---- scans and sorts over a device: rocPRIM ---- */

#define MX_GPU_SCAN_HEADER_ "minx/device/vendor_hip_scan.h"
#define MX_GPU_PLUS_(T) rocprim::plus<T>
#define MX_GPU_VALUE_AT_(T, address) rocprim::future_value<T>(address)
#define MX_GPU_EXCLUSIVE_SCAN_(work, bytes, in, out, join, start, n, queue) \
    rocprim::exclusive_scan(work, bytes, in, out, start, (size_t)(n), join, queue)

#define MX_GPU_SORT_HEADER_ <rocprim/device/device_radix_sort.hpp>
#define MX_GPU_BUFFERS_ rocprim::double_buffer
#define MX_GPU_SELECTED_(buffers, first) ((buffers).current() != (first))
#define MX_GPU_SORT_KEYS_(work, bytes, keys, n, bits, queue) \
    rocprim::radix_sort_keys(work, bytes, keys, (size_t)(n), 0, bits, queue)
#define MX_GPU_SORT_PAIRS_(work, bytes, keys, values, n, bits, queue) \
    rocprim::radix_sort_pairs(work, bytes, keys, values, (size_t)(n), 0, bits, queue)
