/* For kernel files. A kernel file is plain C11 that nvcc also takes as CUDA C++ (no VLAs, explicit
 * casts, initialisers in order). minx_add_kernels compiles it once for each instance (host, simt,
 * cuda or hip, in layout left or right), and once more for the dispatch table:
 *
 *     #include "minx/kernel.h"
 *     #include "tl_kernels.h" // MX_DECLARE_FOR(2D, tl_update, tl_update_args): see minx/launch.h
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
 * Bodies use functions that are marked MX_BODY or come from a header of C, and no variables of the
 * file: nvcc would refuse others, and so does the dispatch unit. It also refuses functions of your
 * own headers without the mark, and `static const int N = 5;`: a constant is a macro or an
 * enumerator. A driver in the same file may call functions that are marked MX_BODY, but cannot take
 * their address (for qsort, say): it needs a function of its own.
 *
 * The macros that define kernels, and where they are explained:
 *     MX_FOR(S, name)                             here
 *     MX_REDUCE(S, name, reducer)                 minx/reduce.h
 *     MX_REDUCE_FIELDS(S, name, LIST)
 *     MX_REDUCE_CUSTOM(S, name, init, join)
 *     MX_REDUCE_ARRAY(S, name, reducer)           not for TEAM
 *     MX_SCAN(S, name, reducer)                   minx/scan.h; 1D or 1D_64
 *     MX_SCAN_CUSTOM(S, name, init, join)
 * S is the index space, as in the declaration: 1D to 6D, 1D_64 to 6D_64, TEAM (minx/team.h).
 *
 * Each takes two more arguments, the kind of its items and a prologue, or only the kind:
 *     MX_ITEMS_SIMD         the default, for small items. Hosts vectorise over the contiguous index
 *                           (`omp simd`)
 *     MX_ITEMS_PLAIN        for bodies with a loop; the default of teams. Hosts run items one after
 *                           the other. Mark an inner loop with MX_SIMD or MX_SIMD_SUM(variables).
 *                           MX_UNROLL(n) in front of that unrolls the loop n times on GPUs, so that
 *                           the loads of several iterations run at the same time
 *     MX_ITEMS_RESIDENT_2   as MX_ITEMS_PLAIN. On a GPU the compiler limits the registers of a
 *     MX_ITEMS_RESIDENT_4   thread, so that 2 or 4 blocks of 256 threads are resident on a
 *                           multiprocessor (on most GPUs the limit is 128 and 64 registers). Then
 *                           more threads wait for loads at the same time. Try them where items wait
 *                           for scattered loads (4), or process a column of cells (2)
 *
 * Teams have the first two. MX_ITEMS_SIMD is for teams whose items are small and wait for memory. On
 * a GPU the compiler then limits the registers of a lane (to 32 on most GPUs), so that the GPU runs
 * its maximum number of lanes at the same time.
 *
 * A prologue runs before the items, on a private copy of the arguments: on hosts once for each
 * launch, on a GPU once for each thread (for a scan once):
 *     MX_BODY void tl_step_prologue(tl_step_args *a) { a->alpha = MX_AT(a->rr) / MX_AT(a->pw); }
 *     MX_REDUCE(2D, tl_step, MX_SUM, MX_ITEMS_SIMD, tl_step_prologue)
 * With a prologue, a scalar that an earlier kernel stored in a view is not read again for each
 * item.
 *
 * Where launches are checked against another backend (minx/context.h), the kernels of a file that
 * defines MX_NOT_CHECKED before this header are not. It is for arguments with plain pointers: the
 * repetition would use the same pointers, so it would write there once more, and host code cannot
 * read a device's memory through them. A body may also read the old result of a reduction into an
 * array through such a pointer: on hosts the array is then copied once more.
 *
 * Rows are along the contiguous index, and should be long: a row of 3 items takes longer than 3
 * items of a long row. Instead of a launch over n x 3, launch over n and loop over 3 in the body.
 *
 * MX_ON_DEVICE is 1 where a body is compiled for a GPU or simt, else 0: see minx/detail/language.h.
 *
 * Your duty: two items of a launch must not access the same element, unless both only read it, or
 * both use mx_atomic_* or a scatter view. check=races finds such items (docs/debugging.md). */
#pragma once
#include "minx/accessor.h"
#include "minx/atomic.h"
#include "minx/detail/index_space.h"
#include "minx/launch.h"
#include "minx/math.h"
#include "minx/reduce.h"
#include "minx/trait.h"

/* Marks a body, a prologue, an init, a join, and the functions that they call. */
#define MX_BODY MX_INLINE
/* The same for a function that is not inlined: a loop over many cells that several places call, or
 * that uses many arrays. Where gcc inlines such a loop, it may not vectorise a copy of it, or may
 * not keep all its addresses in general registers. */
#ifdef MX_GPU_CODE_
#define MX_BODY_NOINLINE static __device__ __noinline__
#elif defined(MX_CHECKS_BODIES_)
#define MX_BODY_NOINLINE MX_INLINE
#else
#define MX_BODY_NOINLINE static __attribute__((noinline, unused))
#endif

/* MX_BODY_REQUIRE(condition, "format", ...) in a body: an error of the program's own, such as
 *
 *     MX_BODY_REQUIRE(rho > 0, "density %g in cell (%d, %d)", rho, j, k);
 *
 * On hosts an item whose condition does not hold ends there, the others run, and the launch returns
 * MX_ERR_BODY with the kernel's name and the first of the messages. On a GPU the message goes to
 * stdout and the kernel stops. The next mx_fence is MX_ERR_DEVICE, and the process cannot use the
 * device any more; on hip the process ends. Items with it are not vectorised.
 *
 * In a void function that a body calls it ends that function only: on hosts the body goes on behind
 * the call, and the launch fails all the same. In teams the condition must be the same for all
 * members: where one member ends in front of a barrier, the others would wait for ever, so the
 * program ends with both messages. */
#define MX_BODY_REQUIRE(condition, ...)     \
    do {                                    \
        if (!(condition)) {                 \
            MX_BODY_FAIL_(__VA_ARGS__, ""); \
            return;                         \
        }                                   \
    } while (0)
#ifdef MX_GPU_CODE_
#include <stdio.h>
#define MX_BODY_FAIL_(format, ...) \
    (printf("minx: %s:%d: " format "%s\n", __FILE__, __LINE__, __VA_ARGS__), MX_GPU_TRAP_())
#else
#define MX_BODY_FAIL_(format, ...) mx_body_fail_(__FILE__, __LINE__, format "%s", __VA_ARGS__)
#endif
#ifdef __cplusplus
extern "C" {
#endif
void mx_body_fail_(const char *file, int line, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
#ifdef __cplusplus
}
#endif

#define MX_STRING_(...) #__VA_ARGS__
#ifdef __OPTIMIZE__
#define MX_PRAGMA_(...) _Pragma(MX_STRING_(__VA_ARGS__))
#else
/* Debug builds have plain loops: with a pragma gcc copies a loop's variables, and a debugger cannot
 * print them easily. */
#define MX_PRAGMA_(...)
#endif
#define MX_SYMBOL_(name) MX_PASTE_OF_(name##__, MX_INSTANCE_SUFFIX)

#ifdef MX_GPU_CODE_
#define MX_SIMD
#define MX_SIMD_SUM(...)
#define MX_UNROLL(n) MX_PRAGMA_(unroll n)
#else
#define MX_SIMD MX_PRAGMA_(omp simd)
#define MX_SIMD_SUM(...) MX_PRAGMA_(omp simd reduction(+ : __VA_ARGS__))
#define MX_UNROLL(n)
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

#ifdef MX_DISPATCH
#include "minx/detail/dispatch.h"
#endif
#if defined(MX_GPU_CODE_)
#include "minx/device/kernel.h"
#elif !defined(MX_DISPATCH) || defined(MX_INSTANCE_SUFFIX)
#include "minx/host/kernel.h"
#endif

#include "minx/detail/define.h"

/* A program of one file: kernels and their driver stand together, and minx_add_program(name file.c)
 * compiles both. The driver stands between #ifdef MX_DRIVER and #endif. It is compiled once, as C,
 * with MX_DRIVER defined, and is not part of the instances. */
#ifdef MX_DISPATCH
#define MX_DRIVER
#endif

/* Reductions into an array: the body gets it as NAME_array and adds to element e by
 *     mx_array_add(array, e, x)
 * With another reducer than MX_SUM the body uses an atomic: mx_atomic_max(mx_array_at(array, e), x).
 * On hosts each thread has an array of its own. On GPUs the threads of a block share one and add by
 * atomics, so sums of floating-point numbers may differ there in their last bits from run to run.
 * Elements have 4 or 8 bytes. e is 0 to length - 1: builds with MINX_BOUNDS_CHECK check it. */
#ifdef MINX_BOUNDS_CHECK
MX_INLINE void *mx_array_at_(void *values, size_t size, int64_t e, int64_t length, mx_fault_ *fault,
                             const char *file, int line)
{
    if ((uint64_t)e < (uint64_t)length) return (char *)values + (size_t)e * size;
    (void)mx_fault_record_(fault, 0, "", MX_FAULT_BIN_, e, 0, length, file, line);
    return fault->spare;
}
#ifdef MX_GPU_CODE_
#define MX_TYPE_OF_VALUES_(array) decltype((array).values_)
#else
#define MX_TYPE_OF_VALUES_(array) __typeof__((array).values_)
#endif
#define mx_array_at(array, e)                                                                 \
    ((MX_TYPE_OF_VALUES_(array))mx_array_at_((array).values_, sizeof *(array).values_,        \
                                             MX_INTEGER_(e), (array).length_, (array).fault_, \
                                             __FILE__, __LINE__))
#else
#define mx_array_at(array, e) (&(array).values_[e])
#endif
#ifdef MX_GPU_CODE_
#define mx_array_add(array, e, x) mx_atomic_add(mx_array_at(array, e), x)
#else
#define mx_array_add(array, e, x) ((void)(*mx_array_at(array, e) += (x)))
#endif
