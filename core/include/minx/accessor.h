/* Accessors: the arrays of kernels. An accessor is a small struct that is copied into a kernel's
 * arguments:
 *
 *     mx_f64_2   double, rank 2, the layout of the kernel's instance     mx_f64_2s  any strides
 *     mx_cf64_2  the same, read-only                                     mx_f64_2l, mx_f64_2r  always left, always right
 *
 * for f64 f32 i32 i64 u8 u32 u64 and ranks 0 to 8. MX_ACCESSORS(tag, T) declares them for a struct
 * of your own. MX_ACCESSOR declares one type with any layout, static extents and a trait.
 *
 * What is known at compile time (type, rank, layout, static extents, trait) belongs to the
 * accessor's type, as array sizes of a shape struct that exists only inside sizeof: it costs
 * nothing at run time, works in C and CUDA C++ alike, and a use with the wrong number of indices is
 * a compile error ("no member named is_rank_2"). */
#pragma once
#include "minx/detail/races.h"
#include "minx/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of the instance this file is compiled for; 0 in drivers, which use run-time
 * strides. */
#ifndef MX_INSTANCE_LAYOUT
#define MX_INSTANCE_LAYOUT 0
#endif

/* Strides are in elements. 32 bits are faster on GPUs; a view whose strides do not fit cannot be
 * bound. */
typedef int32_t mx_stride;

/* The record of out-of-bounds indices, in builds with MINX_BOUNDS_CHECK. Each context has one, and
 * reads it at its next fence. */
typedef struct mx_fault_ {
    uint64_t count; /* of such indices; the other members describe the first */
    int32_t dimension;
    int32_t line;
    int64_t index;
    int64_t origin;
    int64_t extent;
    uint64_t stamp;
    int32_t item_dims; /* 0: no item, a prologue for example */
    int64_t item[6];
    char expression[64];
    char file[128];
    uint64_t spare[2]; /* what stores to a bin out of bounds change */
} mx_fault_;
enum { MX_FAULT_BIN_ = -2 }; /* a dimension that is none: see mx_fault_record_ */

#ifdef MINX_BOUNDS_CHECK
#define MX_FAULT_MEMBERS_(R) \
    mx_fault_ *fault;        \
    int64_t origin[(R) ? (R) : 1];
#else
#define MX_FAULT_MEMBERS_(R)
#endif

/* The stride of a dimension if the layout and the static extents give it, else 0 (known at run time
 * only). right: the product of the extents of later dimensions; left: of earlier ones. */
#define MX_LAYOUT_OF_(L) ((L) == 0 ? MX_INSTANCE_LAYOUT : (L))
#define MX_KNOWN_(L, left, right) \
    (MX_LAYOUT_OF_(L) == 1 ? (left) : MX_LAYOUT_OF_(L) == 2 ? (right) : 0)

/* The shape as one number for mx_bind: rank 4 bits, layout 4, kind of element 3, const 1, static
 * extents of the last four dimensions 12 bits each. K: the kind, 8 more if const. */
#define MX_SHAPE_CODE_(R, L, K, a, b, c, d)                                          \
    ((uint64_t)(R) | (uint64_t)(L) << 4 | (uint64_t)(K) << 8 | (uint64_t)(a) << 12 | \
     (uint64_t)(b) << 24 | (uint64_t)(c) << 36 | (uint64_t)(d) << 48)

/* Traits: how a kernel uses an accessor. trait.h explains each and its cost. */
enum { MX_TRAIT_NONE, MX_TRAIT_RANDOM_ACCESS, MX_TRAIT_RESTRICT, MX_TRAIT_ATOMIC };

/* The data pointer. It is not in the union: there gcc ignores that it is restrict. */
#define MX_DATA_MX_TRAIT_NONE_(name, T) T *data;
#define MX_DATA_MX_TRAIT_RANDOM_ACCESS_(name, T) T *data;
#define MX_DATA_MX_TRAIT_RESTRICT_(name, T) T *MX_RESTRICT data;
#define MX_DATA_MX_TRAIT_ATOMIC_(name, T)           \
    struct name##_only_by_MX_LOAD_MX_STORE_MX_ADD { \
        T v;                                        \
    } * data;

/* x0..x7: static extents; 0 = run-time; 1 for dimensions beyond the rank. is_rank_n: with two names
 * to choose from, clang does not propose one of them, with 18 lines to show where it is from. */
#define MX_ACCESSOR_(name, T, R, L, trait_, code_, x0, x1, x2, x3, x4, x5, x6, x7)    \
    struct name##_shape {                                                             \
        char is_rank_##R[1], is_rank_n[1];                                            \
        char code[1 + (code_)], trait[1 + (trait_)];                                  \
        char x0_[1 + (x0)], x1_[1 + (x1)], x2_[1 + (x2)], x3_[1 + (x3)];              \
        char x4_[1 + (x4)], x5_[1 + (x5)], x6_[1 + (x6)], x7_[1 + (x7)];              \
        char k0[1 + MX_KNOWN_(L, 1, (x1) * (x2) * (x3) * (x4) * (x5) * (x6) * (x7))]; \
        char k1[1 + MX_KNOWN_(L, (x0), (x2) * (x3) * (x4) * (x5) * (x6) * (x7))];     \
        char k2[1 + MX_KNOWN_(L, (x0) * (x1), (x3) * (x4) * (x5) * (x6) * (x7))];     \
        char k3[1 + MX_KNOWN_(L, (x0) * (x1) * (x2), (x4) * (x5) * (x6) * (x7))];     \
        char k4[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3), (x5) * (x6) * (x7))];     \
        char k5[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4), (x6) * (x7))];     \
        char k6[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4) * (x5), (x7))];     \
        char k7[1 + MX_KNOWN_(L, (x0) * (x1) * (x2) * (x3) * (x4) * (x5) * (x6), 1)]; \
    };                                                                                \
    typedef struct name {                                                             \
        MX_DATA_##trait_##_(name, T) union {                                          \
            uint64_t stamp;                                                           \
            T *element;                                                               \
            struct name##_shape *shape;                                               \
        };                                                                            \
        MX_FAULT_MEMBERS_(R)                                                          \
        int64_t extent[(R) ? (R) : 1];                                                \
        mx_stride stride[(R) ? (R) : 1];                                              \
    } name;

#define MX_ACCESSOR_DYNAMIC_(name, T, R, L, K, ...) \
    MX_ACCESSOR_(name, T, R, L, MX_TRAIT_NONE, MX_SHAPE_CODE_(R, L, K, 0, 0, 0, 0), __VA_ARGS__)

#define MX_ACCESSOR_RANKS_(p, s, T, L, K)                             \
    MX_ACCESSOR_DYNAMIC_(p##0##s, T, 0, L, K, 1, 1, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##1##s, T, 1, L, K, 0, 1, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##2##s, T, 2, L, K, 0, 0, 1, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##3##s, T, 3, L, K, 0, 0, 0, 1, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##4##s, T, 4, L, K, 0, 0, 0, 0, 1, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##5##s, T, 5, L, K, 0, 0, 0, 0, 0, 1, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##6##s, T, 6, L, K, 0, 0, 0, 0, 0, 0, 1, 1) \
    MX_ACCESSOR_DYNAMIC_(p##7##s, T, 7, L, K, 0, 0, 0, 0, 0, 0, 0, 1) \
    MX_ACCESSOR_DYNAMIC_(p##8##s, T, 8, L, K, 0, 0, 0, 0, 0, 0, 0, 0)

#define MX_ACCESSOR_LAYOUTS_(p, T, K) \
    MX_ACCESSOR_RANKS_(p, , T, 0, K)  \
    MX_ACCESSOR_RANKS_(p, l, T, 1, K) \
    MX_ACCESSOR_RANKS_(p, r, T, 2, K) \
    MX_ACCESSOR_RANKS_(p, s, T, 3, K)

#define MX_ACCESSORS_(tag, T, K)            \
    MX_ACCESSOR_LAYOUTS_(mx_##tag##_, T, K) \
    MX_ACCESSOR_LAYOUTS_(mx_c##tag##_, const T, (K) + 8)

/* A compiler reads the accessors of a type in 0.05 to 0.15 s. The Python package names those that a
 * kernel for a GPU uses, where no header is compiled in advance. */
#ifndef MX_ACCESSOR_TYPES_
#define MX_ACCESSOR_TYPES_ MX_NUMBER_TYPES_
#endif
MX_ACCESSOR_TYPES_(MX_ACCESSORS_)

/* Accessors mx_TAG_0 .. mx_cTAG_8s for a struct T of plain data. */
#define MX_ACCESSORS(tag, T) MX_ACCESSORS_(tag, T, 0)

/* MX_ACCESSOR(name, T, rank, layout, trait, extents...) declares one accessor type, at file scope,
 * without semicolon:
 *
 *     MX_ACCESSOR(fe_block, double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 8, 3)               double[][8][3]
 *     MX_ACCESSOR(fe_table, const int, 2, MX_LAYOUT_TILED, MX_TRAIT_RANDOM_ACCESS)
 *
 * rank: a digit. extents: those of the last dimensions, if they are always the same: up to four,
 * each 1 to 4095. Then compilers compute their part of an offset. The extents of the dimensions
 * before them are known at run time. Mistakes are compile errors. */
#define MX_ACCESSOR(name, T, R, L, ...)                                                 \
    MX_ACCESSOR_N_(name, T, R, L, MX_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0), \
                   __VA_ARGS__, 0, 0, 0, 0, 0)
#define MX_ACCESSOR_N_(name, T, R, L, N, trait, a, b, c, d, ...)                                  \
    MX_STATIC_ASSERT(                                                                             \
        (N) <= (R) && ((a) > 0) + ((b) > 0) + ((c) > 0) + ((d) > 0) == (N) &&                     \
            ((a) | (b) | (c) | (d)) < 4096,                                                       \
        #name ": static extents are those of the last dimensions, at most four, each 1 to 4095"); \
    MX_STATIC_ASSERT(MX_TRAIT_FITS_(trait, T), #name ": a trait that its elements cannot have");  \
    MX_ACCESSOR_(name, T, R, L, trait,                                                            \
                 MX_SHAPE_CODE_(R, L, MX_KIND_OF_(T) + 8 * MX_CONST_(T),                          \
                                MX_X_(0, 4, N, a, b, c, d), MX_X_(1, 4, N, a, b, c, d),           \
                                MX_X_(2, 4, N, a, b, c, d), MX_X_(3, 4, N, a, b, c, d)),          \
                 MX_X_(0, R, N, a, b, c, d), MX_X_(1, R, N, a, b, c, d),                          \
                 MX_X_(2, R, N, a, b, c, d), MX_X_(3, R, N, a, b, c, d),                          \
                 MX_X_(4, R, N, a, b, c, d), MX_X_(5, R, N, a, b, c, d),                          \
                 MX_X_(6, R, N, a, b, c, d), MX_X_(7, R, N, a, b, c, d))
/* The static extent of dimension D when the last N of R dimensions have the extents a, b, c, d (0:
 * not given). */
#define MX_X_(D, R, N, a, b, c, d)                                                     \
    ((int64_t)((D) >= (R)) + ((D) + (N) == (R)) * (a) + ((D) + (N) == (R) + 1) * (b) + \
     ((D) + (N) == (R) + 2) * (c) + ((D) + (N) == (R) + 3) * (d))

/* Properties of an element type: its kind in mx_type (0: a struct of the user), whether it is
 * const, and whether it can have a trait. */
#ifdef __cplusplus
#define MX_KIND_OF_(T) mx_number_<T>::kind
#define MX_CONST_(T) mx_number_<T>::is_const
#else
/* clang-format off */
#define MX_KIND_(tag, T, K) T: K,
/* clang-format on */
#define MX_KIND_OF_(T) _Generic(*(T *)0, MX_NUMBER_TYPES_(MX_KIND_) default : 0)
#define MX_CONST_(T) _Generic((T *)0, const __typeof__(T) * : true, default : false)
#endif
#define MX_TRAIT_FITS_(trait, T)                                                    \
    ((trait) == MX_TRAIT_NONE || (trait) == MX_TRAIT_RESTRICT ||                    \
     (MX_KIND_OF_(T) != 0 && ((trait) != MX_TRAIT_RANDOM_ACCESS || MX_CONST_(T)) && \
      ((trait) != MX_TRAIT_ATOMIC || sizeof(T) >= 4)))

/* Mistakes. MX_IF_(operand, check, expression) is the expression, which names its operand many
 * times. An error in the operand, or else in the check, is the only one: gcc and clang skip the
 * rest of a _Generic whose first operand is wrong. In C++, which has no _Generic, each use of
 * the operand gives an error; kernel files are compiled as C too, and show one.
 *
 * For checks: MX_ACCESSOR_OF_(v) is v, and MX_POINTED_(p) is *p. If v is a pointer or a view, or p
 * is no pointer, they are a struct whose name says so. 5: the class of pointers. */
#ifdef __cplusplus
#define MX_IF_(operand, check, expression) (expression)
#else
struct mx_pointer_instead_of_accessor_ {
    char none;
};
struct mx_view_instead_of_accessor_ {
    char none;
};
struct mx_expected_the_address_of_an_accessor_ {
    char none;
};
/* clang-format off */
#define MX_IF_(operand, check, expression)              \
    _Generic((__typeof__(operand) *)0, default:         \
        _Generic((__typeof__(check) *)0, default: expression))
#define MX_IF_POINTER_(v, yes, no)                                                      \
    _Generic((char(*)[1 + __builtin_classify_type(*(__typeof__(v) *)0)])0,              \
        char(*)[1 + 5]: yes, default: no)
#define MX_ACCESSOR_OF_(v)                                                              \
    MX_IF_POINTER_(v, *(struct mx_pointer_instead_of_accessor_ *)0,                      \
        _Generic(v, mx_view: *(struct mx_view_instead_of_accessor_ *)0, default: v))
#define MX_POINTED_(p)                                                                  \
    MX_ACCESSOR_OF_(*MX_IF_POINTER_(p, p, (struct mx_expected_the_address_of_an_accessor_ *)0))
/* clang-format on */
#endif

/* mx_bind(ctx, view, &accessor) makes an accessor, for kernels launched on ctx (or,
 * with ctx NULL, for host code that indexes host memory with MX_AT). Rules, as Kokkos converts
 * views: same element type, constness may be added, same rank, static extents equal to the view's,
 * a space that ctx can access. An accessor of the instance's layout, l or r needs a view of that
 * layout with contiguous rows; a strided view with such strides is accepted. s accepts any strides.
 * An accessor of another layout needs a view of the same layout. Errors name the view and the
 * property that does not match: MX_ERR_TYPE, _RANK, _SPACE, _LAYOUT, _EXTENT, _STALE, and _CONST (a
 * read-only view needs a const accessor). The accessor is valid until the view is destroyed; a
 * launch checks this.
 *
 * mx_bind_origin(ctx, view, origin, &accessor): the same, with origin[d], within 32 bits, the first
 * index of dimension d: with -1, -1 the halo of a field is at MX_AT(v, -1, -1). It costs nothing.
 * MX_ERR_LAYOUT: the view is not left, right or strided. */
mx_err mx_bind_(mx_ctx ctx, mx_view view, const int64_t *origin, void *accessor, uint64_t code,
                size_t element_size, const char *expression, const char *file, int line,
                const char *func);
#define mx_bind(ctx, view, accessor) \
    MX_IF_(accessor, MX_POINTED_(accessor).shape, MX_BIND_(ctx, view, NULL, accessor, #accessor))
#define mx_bind_origin(ctx, view, origin, accessor) \
    MX_IF_(accessor, MX_POINTED_(accessor).shape, MX_BIND_(ctx, view, origin, accessor, #accessor))

/* mx_bind_none(&accessor): marks an accessor that the kernels launched with these arguments do not
 * use. Every accessor of an argument struct must be bound or marked so (launch.h). */
#define mx_bind_none(accessor)                    \
    MX_IF_(accessor, MX_POINTED_(accessor).shape, \
           (void)((accessor)->data = NULL, (accessor)->stamp = MX_STAMP_NONE_))
#define MX_STAMP_NONE_ 1u

#define MX_BIND_(ctx, view, origin, accessor, text)                                                \
    mx_bind_((ctx), (view), (origin), (accessor), (uint64_t)(sizeof((accessor)->shape->code) - 1), \
             sizeof(*(accessor)->data), text, __FILE__, __LINE__, __func__)

/* ---- MX_AT(v, i, j): an element, as an lvalue; indices are integers. MX_EXTENT(v, d): the extent of
 * dimension d, a digit from 0 to 7. ---- */
#define MX_STATIC_(member) (sizeof(member) - 1)
#define MX_STRIDE_(v, d) \
    (MX_STATIC_((v).shape->k##d) ? (int64_t)MX_STATIC_((v).shape->k##d) : (int64_t)(v).stride[d])
#define MX_EXTENT(v, d) MX_IF_(v, MX_ACCESSOR_OF_(v).shape, MX_EXTENT_(v, d))
#define MX_EXTENT_(v, d) \
    (MX_STATIC_((v).shape->x##d##_) ? (int64_t)MX_STATIC_((v).shape->x##d##_) : (v).extent[d])

/* The arguments layout, rank and dimension of mx_term_, which are known at compile time. */
#define MX_CODE_(v) MX_STATIC_((v).shape->code)
#define MX_TERM_ARGUMENTS_(v, d) (int)(MX_CODE_(v) >> 4 & 15), (int)(MX_CODE_(v) & 15), d
/* An index as int64_t. As in a[i] of C, a floating-point number is an error of the compiler. */
#define MX_INTEGER_(i) ((int64_t)((i) | (int64_t)0))

#ifdef MINX_BOUNDS_CHECK
#ifdef MX_GPU_CODE_
#define MX_COLD_ static __device__ __noinline__
#elif defined(MX_CHECKS_BODIES_)
#define MX_COLD_ MX_INLINE
#else
#define MX_COLD_ static __attribute__((noinline, cold, unused))
#endif
#ifdef MX_GPU_CODE_
#include <stdio.h>
#else
/* For host code outside kernels (an accessor bound without a context). No fence can report its
 * error: prints it and aborts. */
void mx_fault_stop_(uint64_t stamp, const char *expression, int dimension, int64_t index,
                    int64_t origin, int64_t extent, const char *file, int line);
#endif
/* The item that a thread is at: its indices, or those of its team in the league. NAME__item sets it.
 * On GPUs in shared memory, for the first 512 threads of a block and up to three dimensions. */
typedef struct mx_item_ {
    int32_t dims; /* 0: none */
    int64_t index[6];
} mx_item_;
#ifdef MX_GPU_CODE_
enum { MX_GPU_ITEM_BYTES_ = 512 * (3 * sizeof(int64_t) + sizeof(int32_t)) };
static __device__ __forceinline__ int64_t *mx_item_index_(int32_t **dims)
{
    __shared__ int64_t index[512][3];
    __shared__ int32_t count[512];
    static_assert(sizeof index + sizeof count == MX_GPU_ITEM_BYTES_, "");
    const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    *dims = t < 512 ? &count[t] : NULL;
    return t < 512 ? index[t] : NULL;
}
static __device__ __forceinline__ void mx_item_set_(int32_t dims, int64_t i0, int64_t i1,
                                                    int64_t i2, int64_t, int64_t, int64_t)
{
    const int64_t index[] = {i0, i1, i2};
    int32_t *count;
    int64_t *const now = mx_item_index_(&count);
    if (count == NULL) return;
    *count = dims > 3 ? 0 : dims;
    for (int d = 0; d < dims && dims <= 3; d++) now[d] = index[d];
}
static __device__ __forceinline__ void mx_item_none_() { mx_item_set_(0, 0, 0, 0, 0, 0, 0); }
static __device__ __forceinline__ mx_item_ mx_item_get_()
{
    int32_t *count;
    const int64_t *const now = mx_item_index_(&count);
    mx_item_ item = {count != NULL ? *count : 0, {0}};
    for (int d = 0; d < item.dims; d++) item.index[d] = now[d];
    return item;
}
#else
extern __thread mx_item_ mx_item_now_;
#if MX_INSTRUMENTED_ /* check=races notes it, too, until the next item or the end of the launch */
#define mx_item_set_ mx_races_item_
#define mx_item_none_() ((void)0)
#else
MX_INLINE void mx_item_set_(int32_t dims, int64_t i0, int64_t i1, int64_t i2, int64_t i3,
                            int64_t i4, int64_t i5)
{
    const int64_t index[] = {i0, i1, i2, i3, i4, i5};
    mx_item_now_.dims = dims;
    for (int d = 0; d < dims; d++) mx_item_now_.index[d] = index[d];
}
MX_INLINE void mx_item_none_(void) { mx_item_now_.dims = 0; }
#endif
MX_INLINE mx_item_ mx_item_get_(void) { return mx_item_now_; }
#endif

/* The term of an index that is out of bounds. It is so negative that the sum of all terms is
 * negative too. */
#define MX_FAULT_TERM_ (-((int64_t)1 << 59))
/* Records a fault, if it is the first. The item continues with offset 0, where every view has
 * memory, even an empty one. Dimension -1: the fault is no index, and `expression` says what it is;
 * generated kernels record divisions by zero so. MX_FAULT_BIN_: it is a bin of an array reduction. */
MX_COLD_ int64_t mx_fault_record_(mx_fault_ *fault, uint64_t stamp, const char *expression,
                                  int dimension, int64_t index, int64_t origin, int64_t extent,
                                  const char *file, int line)
{
#ifdef MX_GPU_CODE_
    if (fault == NULL) {
        printf("minx: %s:%d: MX_AT(%s, ...): accessor %s was %s\n", file, line, expression,
               expression, stamp == 0 ? "never bound" : "bound without a context");
        MX_GPU_TRAP_();
    }
    const uint64_t before = atomicAdd((unsigned long long *)&fault->count, 1ULL);
#else
    if (fault == NULL)
        mx_fault_stop_(stamp, expression, dimension, index, origin, extent, file, line);
    const uint64_t before = __atomic_fetch_add(&fault->count, 1, __ATOMIC_RELAXED);
#endif
    if (before == 0) {
        fault->dimension = dimension;
        fault->line = line;
        fault->index = index;
        fault->origin = origin;
        fault->extent = extent;
        fault->stamp = stamp;
        const mx_item_ item = mx_item_get_();
        fault->item_dims = item.dims;
        for (int d = 0; d < item.dims; d++) fault->item[d] = item.index[d];
        for (int c = 0; c < 63 && (c == 0 || expression[c - 1] != '\0'); c++)
            fault->expression[c] = expression[c];
        for (int c = 0; c < 127 && (c == 0 || file[c - 1] != '\0'); c++) fault->file[c] = file[c];
#ifdef MX_GPU_CODE_
        __threadfence_system();
#endif
    }
    return MX_FAULT_TERM_;
}
MX_INLINE int64_t mx_checked_term_(int layout, int rank, int d, int64_t index, int64_t stride,
                                   int64_t origin, int64_t extent, mx_fault_ *fault, uint64_t stamp,
                                   const char *expression, const char *file, int line)
{
    return (uint64_t)(index - origin) < (uint64_t)extent
               ? mx_term_(layout, rank, d, index - origin, stride)
               : mx_fault_record_(fault, stamp, expression, d, index, origin, extent, file, line);
}
MX_INLINE int64_t mx_offset_(int64_t offset) { return offset < 0 ? 0 : offset; }
#define MX_TERM_(v, d, i)                                                                       \
    mx_checked_term_(MX_TERM_ARGUMENTS_(v, d), MX_INTEGER_(i), MX_STRIDE_(v, d), (v).origin[d], \
                     MX_EXTENT_(v, d), (v).fault, (v).stamp, #v, __FILE__, __LINE__)
/* Rank 0 has no index: checks that the accessor is bound. */
#define MX_BOUND_(v) \
    mx_checked_term_(0, 0, 0, 0, 1, 0, (v).stamp != 0, (v).fault, (v).stamp, #v, __FILE__, __LINE__)
#define MX_OFFSET_(sum) mx_offset_(sum)
#else
/* In C a known stride is multiplied here, outside of any function: through a function call gcc does
 * not combine it with the element's size, and uses gathers instead of contiguous loads. */
#ifdef __cplusplus
#define MX_TERM_(v, d, i) mx_term_(MX_TERM_ARGUMENTS_(v, d), MX_INTEGER_(i), MX_STRIDE_(v, d))
#else
#define MX_TERM_(v, d, i)                                                        \
    __builtin_choose_expr(MX_STATIC_((v).shape->k##d),                           \
                          MX_INTEGER_(i) * (int64_t)MX_STATIC_((v).shape->k##d), \
                          mx_term_(MX_TERM_ARGUMENTS_(v, d), MX_INTEGER_(i), MX_STRIDE_(v, d)))
#endif
#define MX_BOUND_(v) 0
#define MX_OFFSET_(sum) (sum)
#endif

#define MX_SUM0_(v) MX_BOUND_(v)
#define MX_SUM1_(v, i) MX_TERM_(v, 0, i)
#define MX_SUM2_(v, i, j) MX_SUM1_(v, i) + MX_TERM_(v, 1, j)
#define MX_SUM3_(v, i, j, k) MX_SUM2_(v, i, j) + MX_TERM_(v, 2, k)
#define MX_SUM4_(v, i, j, k, l) MX_SUM3_(v, i, j, k) + MX_TERM_(v, 3, l)
#define MX_SUM5_(v, i, j, k, l, m) MX_SUM4_(v, i, j, k, l) + MX_TERM_(v, 4, m)
#define MX_SUM6_(v, i, j, k, l, m, n) MX_SUM5_(v, i, j, k, l, m) + MX_TERM_(v, 5, n)
#define MX_SUM7_(v, i, j, k, l, m, n, o) MX_SUM6_(v, i, j, k, l, m, n) + MX_TERM_(v, 6, o)
#define MX_SUM8_(v, i, j, k, l, m, n, o, p) MX_SUM7_(v, i, j, k, l, m, n, o) + MX_TERM_(v, 7, p)

#define MX_TENTH_(_0, _1, _2, _3, _4, _5, _6, _7, _8, name, ...) name
#define MX_FIRST_(v, ...) v
#define MX_ITEM_(R, ...) MX_ITEM_AT_(R, MX_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
/* Fails to compile with the wrong number of indices. In C this is MX_IF_ again: for an error in an
 * operand gcc names each macro through which it goes. minx_add_kernels has an option against that,
 * so kernel files need no check of operands. mx_operands_ is not defined. */
#ifdef __cplusplus
#define MX_ITEM_AT_(R, v, ...) \
    (((v).data +               \
      0 * (int64_t)sizeof((v).shape->is_rank_##R))[MX_OFFSET_(MX_SUM##R##_(__VA_ARGS__))])
#define MX_AT(...) MX_ITEM_(MX_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0), __VA_ARGS__)
#else
#if MX_INSTANCE_LAYOUT == 0
char mx_operands_(int none, ...);
#else
#define mx_operands_(...) char
#endif
/* clang-format off */
/* Not data[offset]: where data are const, clang would then say that the variable v is. */
#define MX_ITEM_AT_(R, v, ...) (*((v).data + MX_OFFSET_(MX_SUM##R##_(__VA_ARGS__))))
#define MX_AT(...)                                                                              \
    _Generic((__typeof__(mx_operands_(0, __VA_ARGS__)) *)0, default:                            \
        _Generic((__typeof__(MX_ACCESSOR_OF_(MX_FIRST_(__VA_ARGS__, 0)).shape                   \
                ->MX_TENTH_(__VA_ARGS__, is_rank_8, is_rank_7, is_rank_6, is_rank_5, is_rank_4, \
                            is_rank_3, is_rank_2, is_rank_1, is_rank_0, 0)) *)0, default:       \
            MX_ITEM_(MX_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0), __VA_ARGS__)))
/* clang-format on */
#endif

/* ---- MX_ROW(v, i): row i of an accessor of rank 2, or row (i, j) of one of rank 3 and so on, as an
 * accessor of rank 1: the last index varies.
 *
 *     const mx_f64_1s row = MX_ROW(a->x, n);
 *     MX_AT(row, 0) += ...
 *
 * It works with every layout with strides, in kernels and in drivers, and costs what MX_AT costs.
 * A pointer to the first element, p = &MX_AT(a->x, n, 0) and then p[k], has the next element of the
 * row in layout right only. The elements are numbers; their type gives the accessor's: mx_f64_1s,
 * or mx_cf64_1s where v is const. A row belongs into a local variable: what is known of its strides
 * at compile time stays known there. ---- */
#ifdef MINX_BOUNDS_CHECK
#define MX_ROW_FAULT_(v, d) (v).fault, {(v).origin[d]},
#else
#define MX_ROW_FAULT_(v, d)
#endif
/* The rank behind so many indices, and one dimension of it: the last. The layout must have
 * strides. */
#define MX_ROW_RANK_(...)                                                                       \
    MX_TENTH_(__VA_ARGS__, 0, is_rank_8, is_rank_7, is_rank_6, is_rank_5, is_rank_4, is_rank_3, \
              is_rank_2, is_rank_2)
#define MX_ROW_HAS_STRIDES_(v) ((MX_CODE_(v) >> 4 & 15) <= MX_LAYOUT_STRIDE)
#define MX_ROW_OF_(N, ...) MX_ROW_FROM_(N, MX_FIRST_(__VA_ARGS__, 0), __VA_ARGS__)
#define MX_ROW_DATA_(N, v, ...) (v).data + MX_OFFSET_(MX_SUM##N##_(__VA_ARGS__))
#ifdef __cplusplus
} /* extern "C" */
template <class T> struct mx_row_type_;
#define MX_ROW_TYPE_(tag, T, K)                \
    template <> struct mx_row_type_<T> {       \
        typedef mx_##tag##_1s type;            \
    };                                         \
    template <> struct mx_row_type_<const T> { \
        typedef mx_c##tag##_1s type;           \
    };
MX_ACCESSOR_TYPES_(MX_ROW_TYPE_)
template <bool has_strides, class T>
MX_INLINE typename mx_row_type_<T>::type mx_row_(T *data, uint64_t stamp, int64_t extent,
                                                 int64_t stride)
{
    MX_STATIC_ASSERT(has_strides, "MX_ROW: expected layout left, right or stride");
    typename mx_row_type_<T>::type row;
    row.data = data;
    row.stamp = stamp;
    row.extent[0] = extent;
    row.stride[0] = (mx_stride)stride;
    return row;
}
#ifdef MINX_BOUNDS_CHECK
template <class Row> MX_INLINE Row mx_row_fault_(Row row, mx_fault_ *fault, int64_t origin)
{
    row.fault = fault;
    row.origin[0] = origin;
    return row;
}
#define MX_ROW_CHECKED_(v, d, ...) mx_row_fault_(__VA_ARGS__, (v).fault, (v).origin[d])
#else
#define MX_ROW_CHECKED_(v, d, ...) __VA_ARGS__
#endif
#define MX_ROW_FROM_(N, v, ...)                                                        \
    MX_ROW_CHECKED_(v, N,                                                              \
                    (mx_row_<MX_ROW_HAS_STRIDES_(v)>(                                  \
                        MX_ROW_DATA_(N, v, __VA_ARGS__) +                              \
                            0 * (int64_t)sizeof((v).shape->MX_ROW_RANK_(__VA_ARGS__)), \
                        (v).stamp, MX_EXTENT_(v, N), MX_STRIDE_(v, N))))
#define MX_ROW(...) MX_ROW_OF_(MX_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1), __VA_ARGS__)
extern "C" {
#else
/* clang-format off */
#define MX_ROW_TYPE_(tag, T, K) T *: (mx_##tag##_1s *)0, const T *: (mx_c##tag##_1s *)0,
#define MX_ROW_FROM_(N, v, ...)                                                                 \
    (__typeof__(*__builtin_choose_expr(MX_ROW_HAS_STRIDES_(v),                                  \
        _Generic((v).element, MX_ACCESSOR_TYPES_(MX_ROW_TYPE_)                                  \
            default: (struct mx_row_of_what_is_no_number_ *)0),                                 \
        (struct mx_row_of_a_layout_without_strides_ *)0)))                                      \
    {MX_ROW_DATA_(N, v, __VA_ARGS__), {(v).stamp}, MX_ROW_FAULT_(v, N)                          \
     {MX_EXTENT_(v, N)}, {(mx_stride)MX_STRIDE_(v, N)}}
#define MX_ROW(...)                                                                             \
    _Generic((__typeof__(mx_operands_(0, __VA_ARGS__)) *)0, default:                            \
        _Generic((__typeof__(MX_ACCESSOR_OF_(MX_FIRST_(__VA_ARGS__, 0)).shape                   \
                ->MX_ROW_RANK_(__VA_ARGS__)) *)0, default:                                      \
            MX_ROW_OF_(MX_TENTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1), __VA_ARGS__)))
/* clang-format on */
#endif

#ifdef __cplusplus
}
#endif
