/* The race check: what kernel files of hosts call in builds with MINX_RACE_CHECK
 * (MINX_BOUNDS_CHECK without a sanitizer). Compilers instrument the loads and stores of these
 * files (-fsanitize=thread); core/src/services/races.c has the functions that they call. */
#pragma once
#include "minx/device/vendor.h"

#if defined(MINX_RACE_CHECK) && !defined(MX_GPU_CODE_)
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* mx_item_set_ (minx/accessor.h) of instrumented files. Indices are no array: compilers would
 * instrument the stores to it. */
void mx_races_item_(int32_t dims, int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4,
                    int64_t i5);
/* +1: no other item now uses what this item does, which has a lock or a token. -1: that ends. */
void mx_races_exclusive_(int change);
#ifdef __cplusplus
}
#endif
#if defined(__has_feature)
#define MX_INSTRUMENTED_ __has_feature(thread_sanitizer)
#elif defined(__SANITIZE_THREAD__)
#define MX_INSTRUMENTED_ 1
#else
#define MX_INSTRUMENTED_ 0
#endif
#if MX_INSTRUMENTED_ && !defined(__cplusplus)
/* gcc 12 and clang 14 call those of C, which minx would not see. */
#include <string.h>
void *__tsan_memcpy(void *to, const void *from, size_t size);
void *__tsan_memmove(void *to, const void *from, size_t size);
void *__tsan_memset(void *to, int value, size_t size);
#undef memcpy
#undef memmove
#undef memset
#define memcpy(...) __tsan_memcpy(__VA_ARGS__)
#define memmove(...) __tsan_memmove(__VA_ARGS__)
#define memset(...) __tsan_memset(__VA_ARGS__)
#endif
#else
#define MX_INSTRUMENTED_ 0
#define mx_races_exclusive_(change) ((void)0)
#endif
