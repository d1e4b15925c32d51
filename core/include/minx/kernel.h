/* For kernel files. A kernel file is plain C11 that nvcc also takes as CUDA C++ (no VLAs, explicit casts, initialisers in
 * order). minx_add_kernels compiles it once for each instance, and once more for the dispatch table:
 *
 *     #include "minx/kernel.h"
 *     #include "tl_kernels.h"                     // MX_DECLARE_FOR(2D, tl_update, tl_update_args): see minx/launch.h
 *     MX_BODY void tl_update_body(const tl_update_args *a, int j, int k)
 *     {
 *         MX_AT(a->u, j, k) += a->dt * MX_AT(a->w, j, k);
 *     }
 *     MX_FOR(2D, tl_update)
 *
 * The body of a reduction takes a pointer to the value as one more argument:
 *     MX_BODY void tl_norm_body(const tl_norm_args *a, int j, int k, double *sum)
 *     MX_REDUCE(2D, tl_norm, MX_SUM)
 *
 * The macros that define kernels, and where they are explained:
 *     MX_FOR(S, name)                             here
 *     MX_REDUCE(S, name, reducer)                 minx/reduce.h
 *     MX_REDUCE_FIELDS(S, name, LIST)
 *     MX_REDUCE_CUSTOM(S, name, init, join)
 *     MX_REDUCE_ARRAY(S, name, reducer)           not for TEAM
 *     MX_SCAN(S, name, reducer)                   minx/scan.h; 1D or 1D_64
 *     MX_SCAN_CUSTOM(S, name, init, join)
 * S is the index space, as in the declaration: 1D to 6D, 1D_64 to 3D_64, TEAM (minx/team.h).
 *
 * Each takes two more arguments, a trait and a prologue, or only the trait. A trait says what the items are like:
 *     MX_ITEMS_SIMD       the default: small. Hosts run those along the contiguous index as one `omp simd` loop.
 *     MX_ITEMS_PLAIN      their bodies loop. Hosts run them one after the other; an inner loop is marked MX_SIMD or
 *                         MX_SIMD_SUM(variables). Fewer items are worth a thread. Teams have no other trait.
 *     MX_ITEMS_STENCIL    as MX_ITEMS_SIMD, and they read their neighbours in other rows: GPUs run them faster. From two
 *                         dimensions on.
 *
 * A prologue runs on a private copy of the arguments before any item of a thread:
 *     MX_BODY void tl_step_prologue(tl_step_args *a) { a->alpha = MX_AT(a->rr) / MX_AT(a->pw); }
 *     MX_REDUCE(2D, tl_step, MX_SUM, MX_ITEMS_SIMD, tl_step_prologue)
 * so that scalars which earlier kernels left in views are read and worked on once, not at every item.
 *
 * Promise: two items of a launch never touch the same element, unless both only read it or go through mx_atomic_*. */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"
#include "minx/index_space.h"
#include "minx/launch.h"
#include "minx/math.h"
#include "minx/reduce.h"
#include "minx/trait.h"

/* In front of a body, a prologue, an init, a join, and of functions that they call. */
#define MX_BODY MX_INLINE

#define MX_STRING_(...) #__VA_ARGS__
#ifdef __OPTIMIZE__
#define MX_PRAGMA_(...) _Pragma(MX_STRING_(__VA_ARGS__))
#else /* plain loops for debuggers: a pragma makes copies of a loop's variables, which are hard to print */
#define MX_PRAGMA_(...)
#endif
#define MX_SYMBOL_(name) MX_PASTE(name##__, MX_INSTANCE_SUFFIX)
#define MX_NO_PROLOGUE_(args) ((void)(args))

#ifdef __CUDACC__
#define MX_CONST_TABLE \
    static __device__ const /* a file-scope table: MX_CONST_TABLE double weight[3] = {...}; */
#define MX_SIMD
#define MX_SIMD_SUM(...)
#else
#define MX_CONST_TABLE static const
#define MX_SIMD MX_PRAGMA_(omp simd)
#define MX_SIMD_SUM(...) MX_PRAGMA_(omp simd reduction(+ : __VA_ARGS__))
#endif

/* The body's indices, from loop indices: o0 outermost, then o1 ..., i contiguous. */
#define MX_ITEM_1D_ i
#if MX_INSTANCE_LAYOUT == 1
#define MX_ITEM_2D_ i, o0
#define MX_ITEM_3D_ i, o1, o0
#define MX_ITEM_4D_ i, o2, o1, o0
#define MX_ITEM_5D_ i, o3, o2, o1, o0
#define MX_ITEM_6D_ i, o4, o3, o2, o1, o0
#else
#define MX_ITEM_2D_ o0, i
#define MX_ITEM_3D_ o0, o1, i
#define MX_ITEM_4D_ o0, o1, o2, i
#define MX_ITEM_5D_ o0, o1, o2, o3, i
#define MX_ITEM_6D_ o0, o1, o2, o3, o4, i
#endif

#if defined(MX_DISPATCH)
#include "minx/kernel_dispatch.h"
#elif defined(__CUDACC__)
#include "minx/kernel_cuda.h"
#else
#include "minx/kernel_host.h"
#endif

/* ---- From MX_FOR(S, ...) to MX_DEFINE_FOR_(name, dimensions, index type, trait, prologue), which each of the three headers
 * above has; teams: MX_DEFINE_TEAM_FOR_. The patterns are FOR_, REDUCE_, FIELDS_, CUSTOM_, ARRAY_, SCAN_, SCAN_CUSTOM_;
 * what belongs to one stands between trait and prologue. ---- */
#define MX_FOR(S, ...) MX_FOURTH_(__VA_ARGS__, MX_FOR3_, MX_FOR2_, MX_FOR1_, ~)(S, __VA_ARGS__)
#define MX_FOR1_(S, name) MX_DEFINE_(FOR_, S, MX_ITEMS_DEFAULT, name, MX_NO_PROLOGUE_)
#define MX_FOR2_(S, name, trait) MX_DEFINE_(FOR_, S, trait, name, MX_NO_PROLOGUE_)
#define MX_FOR3_(S, name, trait, prologue) MX_DEFINE_(FOR_, S, trait, name, prologue)

/* R: a reducer or a list of fields. */
#define MX_REDUCE(S, ...) MX_DEFINE_WITH_1_(REDUCE_, S, __VA_ARGS__)
#define MX_REDUCE_FIELDS(S, ...) MX_DEFINE_WITH_1_(FIELDS_, S, __VA_ARGS__)
#define MX_REDUCE_ARRAY(S, ...) MX_DEFINE_WITH_1_(ARRAY_, S, __VA_ARGS__)
#define MX_SCAN(S, ...) MX_DEFINE_WITH_1_(SCAN_, S, __VA_ARGS__)
#define MX_DEFINE_WITH_1_(PATTERN, S, ...) \
    MX_FIFTH_(__VA_ARGS__, MX_WITH_1_4_, MX_WITH_1_3_, MX_WITH_1_2_, ~, ~)(PATTERN, S, __VA_ARGS__)
#define MX_WITH_1_2_(PATTERN, S, name, R) \
    MX_DEFINE_(PATTERN, S, MX_ITEMS_DEFAULT, name, R, MX_NO_PROLOGUE_)
#define MX_WITH_1_3_(PATTERN, S, name, R, trait) \
    MX_DEFINE_(PATTERN, S, trait, name, R, MX_NO_PROLOGUE_)
#define MX_WITH_1_4_(PATTERN, S, name, R, trait, prologue) \
    MX_DEFINE_(PATTERN, S, trait, name, R, prologue)

#define MX_REDUCE_CUSTOM(S, ...) MX_DEFINE_WITH_2_(CUSTOM_, S, __VA_ARGS__)
#define MX_SCAN_CUSTOM(S, ...) MX_DEFINE_WITH_2_(SCAN_CUSTOM_, S, __VA_ARGS__)
#define MX_DEFINE_WITH_2_(PATTERN, S, ...)                                    \
    MX_SIXTH_(__VA_ARGS__, MX_WITH_2_5_, MX_WITH_2_4_, MX_WITH_2_3_, ~, ~, ~) \
    (PATTERN, S, __VA_ARGS__)
#define MX_WITH_2_3_(PATTERN, S, name, init, join) \
    MX_DEFINE_(PATTERN, S, MX_ITEMS_DEFAULT, name, init, join, MX_NO_PROLOGUE_)
#define MX_WITH_2_4_(PATTERN, S, name, init, join, trait) \
    MX_DEFINE_(PATTERN, S, trait, name, init, join, MX_NO_PROLOGUE_)
#define MX_WITH_2_5_(PATTERN, S, name, init, join, trait, prologue) \
    MX_DEFINE_(PATTERN, S, trait, name, init, join, prologue)

/* Look up the kind of S; then whether it has the pattern, and the trait. */
#define MX_DEFINE_(PATTERN, S, trait, ...) \
    MX_DEFINE_KIND_(MX_INDEX_KIND_(S), PATTERN, S, trait, __VA_ARGS__)
#define MX_DEFINE_KIND_(...) MX_DEFINE_OF_KIND_(__VA_ARGS__)
#define MX_DEFINE_OF_KIND_(kind, PATTERN, S, trait, ...)                                        \
    MX_DEFINE_FOUND_(MX_LOOK_UP_(MX_OVER_##kind##PATTERN, NO_PATTERN_),                         \
                     MX_LOOK_UP_(MX_ITEMS_OVER_##kind##trait##_, NO_TRAIT_), PATTERN, S, trait, \
                     __VA_ARGS__)
#define MX_DEFINE_FOUND_(...) MX_DEFINE_FOUND_THESE_(__VA_ARGS__)
#define MX_DEFINE_FOUND_THESE_(found, items, PATTERN, S, trait, ...) \
    MX_DEFINE_##found(items, PATTERN, S, trait, __VA_ARGS__)

#define MX_DEFINE_NO_SPACE_(items, PATTERN, S, trait, name, ...) \
    MX_STATIC_ASSERT(false, #name ": " MX_NO_SPACE_TEXT_(S));
#define MX_DEFINE_NO_PATTERN_(items, PATTERN, S, trait, name, ...)   \
    MX_STATIC_ASSERT(false, #name ": there is no " MX_TEXT_##PATTERN \
                     "(" #S ", ...); for "                           \
                     "TEAM include minx/team.h, for scans minx/scan.h");
#define MX_DEFINE_RANGE_(items, PATTERN, S, trait, ...) \
    MX_DEFINE_RANGE_##items(MX_DEFINE_##PATTERN, PATTERN, S, trait, __VA_ARGS__)
#define MX_DEFINE_TEAM_(items, PATTERN, S, trait, ...) \
    MX_DEFINE_TEAM_##items(MX_DEFINE_TEAM_##PATTERN, PATTERN, S, trait, __VA_ARGS__)

#define MX_DEFINE_RANGE_NO_TRAIT_(STAMP, PATTERN, S, trait, name, ...)                    \
    MX_STATIC_ASSERT(false, #name ": " #S " has no trait " #trait ", but MX_ITEMS_SIMD, " \
                                  "MX_ITEMS_PLAIN and, from 2D on, MX_ITEMS_STENCIL");
#define MX_DEFINE_TEAM_NO_TRAIT_(STAMP, PATTERN, S, trait, name, ...) \
    MX_STATIC_ASSERT(false, #name ": TEAM has no trait " #trait ", but MX_ITEMS_PLAIN");
#define MX_DEFINE_RANGE_MX_ITEMS_SIMD(STAMP, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(STAMP, PATTERN, S, MX_ITEMS_SIMD, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_PLAIN(STAMP, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(STAMP, PATTERN, S, MX_ITEMS_PLAIN, __VA_ARGS__)
#define MX_DEFINE_RANGE_MX_ITEMS_STENCIL(STAMP, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(STAMP, PATTERN, S, MX_ITEMS_STENCIL, __VA_ARGS__)
#define MX_DEFINE_TEAM_MX_ITEMS_PLAIN(STAMP, PATTERN, S, trait, ...) \
    MX_DEFINE_FITS_(STAMP, PATTERN, S, MX_ITEMS_PLAIN, __VA_ARGS__)

/* Is the kernel declared, and as it is defined? An array that has no length yet is like arrays of any length. */
#ifdef __cplusplus
template <class T> struct mx_length_of_ {
    enum { value = 0 };
};
template <size_t n> struct mx_length_of_<const char[n]> {
    enum { value = n };
};
#define MX_LENGTH_IS_(array, n) \
    (mx_length_of_<decltype(array)>::value == 0 || mx_length_of_<decltype(array)>::value == (n))
#else
#define MX_LENGTH_IS_(array, n) __builtin_types_compatible_p(__typeof__(array), const char[n])
#endif
#define MX_DECLARED_OVER_(name, declared, S)                                         \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__space, MX_INDEX_NUMBER_##declared##_) || \
                         MX_LENGTH_IS_(name##__space, MX_INDEX_NUMBER_##S##_),       \
                     #name ": declared for " #declared ", defined for " #S);
#define MX_DECLARED_BY_(name, declared, text, PATTERN)                                \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__pattern, MX_PATTERN_NUMBER_##declared) || \
                         MX_LENGTH_IS_(name##__pattern, MX_PATTERN_NUMBER_##PATTERN), \
                     #name ": declared by " text ", defined by " MX_TEXT_##PATTERN);
#define MX_DECLARED_AS_(name, S, PATTERN)                                                  \
    extern const char name##__space[], name##__pattern[];                                  \
    MX_STATIC_ASSERT(!MX_LENGTH_IS_(name##__space, 1) || !MX_LENGTH_IS_(name##__space, 2), \
                     #name ": defined but not declared: see minx/launch.h");               \
    MX_DECLARED_OVER_(name, 1D, S)                                                         \
    MX_DECLARED_OVER_(name, 2D, S)                                                         \
    MX_DECLARED_OVER_(name, 3D, S)                                                         \
    MX_DECLARED_OVER_(name, 4D, S)                                                         \
    MX_DECLARED_OVER_(name, 5D, S)                                                         \
    MX_DECLARED_OVER_(name, 6D, S)                                                         \
    MX_DECLARED_OVER_(name, 1D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 2D_64, S)                                                      \
    MX_DECLARED_OVER_(name, 3D_64, S)                                                      \
    MX_DECLARED_OVER_(name, TEAM, S)                                                       \
    MX_DECLARED_BY_(name, FOR_, "MX_DECLARE_FOR", PATTERN)                                 \
    MX_DECLARED_BY_(name, REDUCE_, "MX_DECLARE_REDUCE", PATTERN)                           \
    MX_DECLARED_BY_(name, ARRAY_, "MX_DECLARE_REDUCE_ARRAY", PATTERN)                      \
    MX_DECLARED_BY_(name, SCAN_, "MX_DECLARE_SCAN", PATTERN)

#define MX_DEFINE_FITS_(STAMP, PATTERN, S, items, name, ...) \
    MX_DECLARED_AS_(name, S, PATTERN)                        \
    MX_INDEX_WITH_##S##_(MX_DEFINE_AS_, STAMP, items, name, __VA_ARGS__)
#define MX_DEFINE_AS_(D, I, P, OF, STAMP, items, name, ...) STAMP(name, D, I, items, __VA_ARGS__)

/* Reductions into an array: the body gets it as NAME_array and adds to element e by
 *     mx_array_add(array, e, x)    or mx_array_min, mx_array_max
 * as the kernel's reducer says. On hosts the array is the thread's own; on cuda a block shares one, and these are atomics, so
 * sums of floating-point numbers may differ there in their last bits from run to run; elements have 4 or 8 bytes. */
#ifdef __CUDACC__
#define mx_array_add(array, e, x) mx_atomic_add(&(array).at[e], x)
#define mx_array_min(array, e, x) ((void)mx_atomic_fetch_min(&(array).at[e], x))
#define mx_array_max(array, e, x) ((void)mx_atomic_fetch_max(&(array).at[e], x))
#else
#define mx_array_add(array, e, x) ((void)((array).at[e] += (x)))
#define mx_array_min(array, e, x) MX_ARRAY_KEEP_(&(array).at[e], x, <)
#define mx_array_max(array, e, x) MX_ARRAY_KEEP_(&(array).at[e], x, >)
#define MX_ARRAY_KEEP_(p, x, wins) ((void)(*(p) = (x)wins * (p) ? (x) : *(p)))
#endif
