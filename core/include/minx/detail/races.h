/* The race check: what kernel files of hosts call in builds with MINX_RACE_CHECK
 * (MINX_BOUNDS_CHECK without a sanitizer). Compilers instrument the loads and stores of these
 * files (-fsanitize=thread); core/src/services/races.c has the functions that they call. */
#pragma once
#if defined(MINX_RACE_CHECK) && !defined(__CUDACC__)
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
/* The item with these indices begins, 0 for dimensions that a kernel does not have. Of a team:
 * its number in the league. */
void mx_races_item_(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, int64_t i5);
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
#if MX_INSTRUMENTED_
#define MX_RACES_RANGE_(D) mx_races_item_(MX_NAMES_##D##_ MX_NO_INDICES_##D##_);
#define MX_RACES_TEAM_(D) mx_races_item_(t->league_rank, 0, 0, 0, 0, 0);
#define MX_NO_INDICES_1_ , 0, 0, 0, 0, 0
#define MX_NO_INDICES_2_ , 0, 0, 0, 0
#define MX_NO_INDICES_3_ , 0, 0, 0
#define MX_NO_INDICES_4_ , 0, 0
#define MX_NO_INDICES_5_ , 0
#define MX_NO_INDICES_6_
#endif
#else
#define mx_races_exclusive_(change) ((void)0)
#endif
#ifndef MX_RACES_RANGE_
#define MX_RACES_RANGE_(D)
#define MX_RACES_TEAM_(D)
#endif
