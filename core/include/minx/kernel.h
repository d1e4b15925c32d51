/* For kernel files. A kernel file is plain C11 that nvcc also takes as CUDA C++ (no VLAs, explicit casts, initialisers in
 * order). minx_add_kernels compiles it once for each instance, and once more for the dispatch table:
 *
 *     #include "minx/kernel.h"
 *     #include "tl_kernels.h"
 *     MX_BODY void tl_update_body(const tl_update_args *a, int j, int k)
 *     {
 *         MX_AT(a->u, j, k) += a->dt * MX_AT(a->w, j, k);
 *     }
 *     MX_FOR_2D(tl_update)
 *
 * The body of a reduction takes a pointer to the value as one more argument:
 *     MX_BODY void tl_norm_body(const tl_norm_args *a, int j, int k, double *sum)
 *     MX_REDUCE_2D(tl_norm, MX_SUM)
 *
 * Promise: two items of a launch never touch the same element, unless both only read it or go through mx_atomic_*. On
 * hosts the items along the contiguous index run as one `omp simd` loop. The _NESTED forms are for bodies that loop
 * themselves: their items run one after the other, and an inner loop is marked MX_SIMD or MX_SIMD_SUM(variables).
 *
 * The _STENCIL forms do the same as the plain ones, faster on GPUs for items that read their neighbours in other rows.
 *
 * A prologue, given as last argument, runs on a private copy of the arguments before any item of a thread:
 *     MX_BODY void tl_step_prologue(tl_step_args *a) { a->alpha = MX_AT(a->rr) / MX_AT(a->pw); }
 *     MX_REDUCE_2D(tl_step, MX_SUM, tl_step_prologue)
 * so that scalars which earlier kernels left in views are read and worked on once, not at every item. */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"
#include "minx/launch.h"
#include "minx/math.h"
#include "minx/reduce.h"
#include "minx/trait.h"

/* In front of a body, a prologue, an init, a join, and of functions that they call. */
#define MX_BODY MX_INLINE

#define MX_STRING_(...) #__VA_ARGS__
#define MX_PRAGMA_(...) _Pragma(MX_STRING_(__VA_ARGS__))
#define MX_PASTE_(a, b) a##b
#define MX_PASTE(a, b) MX_PASTE_(a, b)
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

/* Each stamp is made by STAMP(name, dimensions, index type, simd, ..., prologue); the prologue may be left out. */
#define MX_THIRD_(a, b, c, ...) c
#define MX_FOURTH_(a, b, c, d, ...) d
#define MX_FIFTH_(a, b, c, d, e, ...) e

#define MX_FOR1_(D, I, S, name) MX_STAMP_FOR_(name, D, I, S, MX_NO_PROLOGUE_)
#define MX_FOR2_(D, I, S, name, prologue) MX_STAMP_FOR_(name, D, I, S, prologue)
#define MX_FOR_(D, I, S, ...) MX_THIRD_(__VA_ARGS__, MX_FOR2_, MX_FOR1_, 0)(D, I, S, __VA_ARGS__)

#define MX_REDUCE2_(D, I, S, name, R) MX_STAMP_REDUCE_(name, D, I, S, R, MX_NO_PROLOGUE_)
#define MX_REDUCE3_(D, I, S, name, R, prologue) MX_STAMP_REDUCE_(name, D, I, S, R, prologue)
#define MX_REDUCE_(D, I, S, ...) \
    MX_FOURTH_(__VA_ARGS__, MX_REDUCE3_, MX_REDUCE2_, 0, 0)(D, I, S, __VA_ARGS__)

#define MX_FIELDS2_(D, I, S, name, LIST) MX_STAMP_FIELDS_(name, D, I, S, LIST, MX_NO_PROLOGUE_)
#define MX_FIELDS3_(D, I, S, name, LIST, prologue) MX_STAMP_FIELDS_(name, D, I, S, LIST, prologue)
#define MX_FIELDS_(D, I, S, ...) \
    MX_FOURTH_(__VA_ARGS__, MX_FIELDS3_, MX_FIELDS2_, 0, 0)(D, I, S, __VA_ARGS__)

#define MX_CUSTOM3_(D, I, name, init, join) \
    MX_STAMP_CUSTOM_(name, D, I, init, join, MX_NO_PROLOGUE_)
#define MX_CUSTOM4_(D, I, name, init, join, prologue) \
    MX_STAMP_CUSTOM_(name, D, I, init, join, prologue)
#define MX_CUSTOM_(D, I, ...) \
    MX_FIFTH_(__VA_ARGS__, MX_CUSTOM4_, MX_CUSTOM3_, 0, 0, 0)(D, I, __VA_ARGS__)

#define MX_FOR_1D(...) MX_FOR_(1, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_2D(...) MX_FOR_(2, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_3D(...) MX_FOR_(3, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_4D(...) MX_FOR_(4, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_5D(...) MX_FOR_(5, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_6D(...) MX_FOR_(6, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_2D_STENCIL(...) MX_FOR_(2, int, MX_STENCIL_LOOP_, __VA_ARGS__)
#define MX_FOR_3D_STENCIL(...) MX_FOR_(3, int, MX_STENCIL_LOOP_, __VA_ARGS__)
#define MX_FOR_1D_64(...) MX_FOR_(1, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_2D_64(...) MX_FOR_(2, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_3D_64(...) MX_FOR_(3, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_FOR_1D_NESTED(...) MX_FOR_(1, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_2D_NESTED(...) MX_FOR_(2, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_3D_NESTED(...) MX_FOR_(3, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_4D_NESTED(...) MX_FOR_(4, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_5D_NESTED(...) MX_FOR_(5, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_6D_NESTED(...) MX_FOR_(6, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_1D_64_NESTED(...) MX_FOR_(1, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_2D_64_NESTED(...) MX_FOR_(2, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_FOR_3D_64_NESTED(...) MX_FOR_(3, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)

#define MX_REDUCE_1D(...) MX_REDUCE_(1, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_2D(...) MX_REDUCE_(2, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_3D(...) MX_REDUCE_(3, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_4D(...) MX_REDUCE_(4, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_5D(...) MX_REDUCE_(5, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_6D(...) MX_REDUCE_(6, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_1D_64(...) MX_REDUCE_(1, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_2D_64(...) MX_REDUCE_(2, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_3D_64(...) MX_REDUCE_(3, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_1D_NESTED(...) MX_REDUCE_(1, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_2D_NESTED(...) MX_REDUCE_(2, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_3D_NESTED(...) MX_REDUCE_(3, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_1D_64_NESTED(...) MX_REDUCE_(1, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_2D_64_NESTED(...) MX_REDUCE_(2, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_3D_64_NESTED(...) MX_REDUCE_(3, int64_t, MX_PLAIN_LOOP_, __VA_ARGS__)

#define MX_REDUCE_FIELDS_1D(...) MX_FIELDS_(1, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_2D(...) MX_FIELDS_(2, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_3D(...) MX_FIELDS_(3, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_4D(...) MX_FIELDS_(4, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_5D(...) MX_FIELDS_(5, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_6D(...) MX_FIELDS_(6, int, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_1D_64(...) MX_FIELDS_(1, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_2D_64(...) MX_FIELDS_(2, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_3D_64(...) MX_FIELDS_(3, int64_t, MX_SIMD_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_1D_NESTED(...) MX_FIELDS_(1, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_2D_NESTED(...) MX_FIELDS_(2, int, MX_PLAIN_LOOP_, __VA_ARGS__)
#define MX_REDUCE_FIELDS_3D_NESTED(...) MX_FIELDS_(3, int, MX_PLAIN_LOOP_, __VA_ARGS__)

#define MX_REDUCE_CUSTOM_1D(...) MX_CUSTOM_(1, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_2D(...) MX_CUSTOM_(2, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_3D(...) MX_CUSTOM_(3, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_4D(...) MX_CUSTOM_(4, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_5D(...) MX_CUSTOM_(5, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_6D(...) MX_CUSTOM_(6, int, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_1D_64(...) MX_CUSTOM_(1, int64_t, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_2D_64(...) MX_CUSTOM_(2, int64_t, __VA_ARGS__)
#define MX_REDUCE_CUSTOM_3D_64(...) MX_CUSTOM_(3, int64_t, __VA_ARGS__)

/* Reductions into an array: the body gets it as NAME_array and adds to element e by
 *     mx_array_add(array, e, x)    or mx_array_min, mx_array_max
 * as the kernel's reducer says. On hosts the array is the thread's own; on cuda a block shares one, and these are atomics, so
 * sums of floating-point numbers may differ there in their last bits from run to run; elements have 4 or 8 bytes. */
#define MX_REDUCE_ARRAY_1D(name, R) MX_STAMP_ARRAY_(name, R)
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
