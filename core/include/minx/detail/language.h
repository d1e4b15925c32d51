/* What C11 and the C++ of GPUs spell differently, for what must be both; and which of them it is. */
#pragma once
#include "minx/device/vendor.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* restrict, which C++ does not have under this name. */
#define MX_RESTRICT __restrict__

/* The condition is an operand, so that clang does not show the values of its parts. */
#define MX_STATIC_ASSERT(condition, text) static_assert((condition) ? true : false, text)
#ifdef MX_GPU_CODE_
#define MX_INLINE static __device__ __forceinline__
#elif defined(MX_DISPATCH) && !defined(MX_INSTANCE_SUFFIX) && !defined(__cplusplus)
/* A dispatch unit that is no instance does not run these functions, it checks them: an inline
 * function that is not static must not use what is static, by C's rules (6.7.4). So a plain function
 * or a variable of the file in a body, which nvcc refuses, is an error on hosts too. */
#define MX_CHECKS_BODIES_
#define MX_INLINE inline __attribute__((always_inline, unused))
#elif defined(__OPTIMIZE__)
#define MX_INLINE static inline __attribute__((always_inline, unused))
#else /* for debuggers: a frame, arguments and locals of its own */
#define MX_INLINE static inline __attribute__((unused))
#endif

/* For bodies and the functions that they call: 1 where they are compiled for a GPU or simt
 * (serial:order=shuffled runs the code of simt), else 0. A part of a body may have to differ: on a
 * host a branch that is often mispredicted may take longer than the work that it leaves out; on a
 * GPU the work takes longer. It says nothing in drivers: 0 in those in C, and 1 in all functions of
 * a file that is compiled for a GPU. */
#if defined(MX_GPU_CODE_) || defined(MX_INSTANCE_SIMT_)
#define MX_ON_DEVICE 1
#else
#define MX_ON_DEVICE 0
#endif

/* Asks for the cache line at an address that will be read soon. GPUs: nothing. _ONCE: it will be
 * read once only, so that it need not displace other lines from the outer caches. */
#ifdef MX_GPU_CODE_
#define MX_PREFETCH(address) ((void)(address))
#define MX_PREFETCH_ONCE(address) ((void)(address))
#else
#define MX_PREFETCH(address) __builtin_prefetch(address)
#define MX_PREFETCH_ONCE(address) __builtin_prefetch(address, 0, 0)
#endif
