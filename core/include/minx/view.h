/* Views: multi-dimensional arrays with a label, an element type, a layout and a memory space.
 *
 * An mx_view is a handle. The record behind it (extents, strides, label) lives on the host, its
 * data in the view's space. Kernels compute with accessors (accessor.h), which mx_bind makes from
 * views. Handles are plain values: copying one does not change the number of owners. mx_view_retain
 * adds an owner, mx_view_destroy removes one, and the last owner frees the data. A handle or
 * accessor of a destroyed view is recognised by its generation: MX_ERR_STALE.
 *
 * docs/data.md explains how data get in and out. In short, mx_import and mx_export copy host arrays
 * on every backend.
 *
 * Thread safety: calls on different views may run on different threads; the table of views is
 * locked. */
#pragma once
#include "minx/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The highest rank of a view. */
enum { MX_MAX_RANK = 8 };

/* Element type: kind in the low byte, size in bytes above it. */
typedef uint32_t mx_type;
#define MX_TYPE_(kind, size) ((mx_type)((kind) | (unsigned)(size) << 8))
#define MX_F64 MX_TYPE_(1u, 8)
#define MX_F32 MX_TYPE_(2u, 4)
#define MX_I32 MX_TYPE_(3u, 4)
#define MX_I64 MX_TYPE_(4u, 8)
#define MX_U8 MX_TYPE_(5u, 1)
#define MX_U32 MX_TYPE_(6u, 4)
#define MX_U64 MX_TYPE_(7u, 8)
/* M(tag, type, kind) for each of them. */
#define MX_NUMBER_TYPES_(M) \
    M(f64, double, 1)       \
    M(f32, float, 2)        \
    M(i32, int32_t, 3)      \
    M(i64, int64_t, 4)      \
    M(u8, uint8_t, 5)       \
    M(u32, uint32_t, 6)     \
    M(u64, uint64_t, 7)
/* A struct of plain data of less than 16 MiB; two of the same size are the same type. */
#define MX_USER(T) MX_TYPE_(0u, sizeof(T) + 0 * sizeof(char[sizeof(T) < 1 << 24 ? 1 : -1]))
#define MX_TYPE_SIZE(type) ((size_t)((type) >> 8))
#define MX_TYPE_KIND(type) ((type)&0xffu)

/* The type as text: "f64", "i32", "user[24]"; "no type (0x301)". Valid until the second call after this one on
 * the same thread. */
const char *mx_type_name(mx_type type);

/* The handle of a view. MX_VIEW_NULL is the handle of none. */
typedef struct mx_view {
    uint32_t slot, generation;
} mx_view;
#define MX_VIEW_NULL ((mx_view){0, 0})

/* All fields may be left zero. */
typedef struct mx_view_options {
    mx_space space;     /* MX_SPACE_DEFAULT: the context's own */
    mx_layout layout;   /* MX_LAYOUT_DEFAULT: the context's own; any but MX_LAYOUT_STRIDE */
    bool uninitialized; /* false: the context's threads write zeros (first touch) */
    /* layouts left and right: columns or rows start at multiples of 64 bytes. No effect on rank 1,
     * and on element sizes that do not divide 64. */
    bool padding;
} mx_view_options;

/* Each function that creates a view is also a macro of the same name. The macro records the
 * caller's source line for mx_views_report. With the name in parentheses, the function is called
 * without the macro. */
void mx_source_line_(const char *file, int line);
#define MX_AT_SOURCE_LINE_(call) (mx_source_line_(__FILE__, __LINE__), call)

/* Allocates a view of `rank` (0 to 8) dimensions. extents: rank values, each >= 0 (NULL for rank
 * 0); label: not empty, at most 63 characters, copied. options NULL: all defaults. Asynchronous
 * where ctx is. On failure *view is null. Errors: MX_ERR_ARG, MX_ERR_EXTENT (too large),
 * MX_ERR_LAYOUT, MX_ERR_RANK (not possible with this layout), MX_ERR_TYPE, MX_ERR_SPACE (ctx cannot
 * access that space, or does not allocate in it: serial and openmp allocate in HOST and STAGING
 * only), MX_ERR_MEMORY. */
mx_err mx_view_create(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                      const mx_view_options *options, mx_view *view);
static inline mx_err mx_view_create_0d(mx_ctx ctx, const char *label, mx_type type, mx_view *view)
{
    return mx_view_create(ctx, label, type, 0, NULL, NULL, view);
}
static inline mx_err mx_view_create_1d(mx_ctx ctx, const char *label, mx_type type, int64_t n0,
                                       mx_view *view)
{
    const int64_t extents[] = {n0};
    return mx_view_create(ctx, label, type, 1, extents, NULL, view);
}
static inline mx_err mx_view_create_2d(mx_ctx ctx, const char *label, mx_type type, int64_t n0,
                                       int64_t n1, mx_view *view)
{
    const int64_t extents[] = {n0, n1};
    return mx_view_create(ctx, label, type, 2, extents, NULL, view);
}
static inline mx_err mx_view_create_3d(mx_ctx ctx, const char *label, mx_type type, int64_t n0,
                                       int64_t n1, int64_t n2, mx_view *view)
{
    const int64_t extents[] = {n0, n1, n2};
    return mx_view_create(ctx, label, type, 3, extents, NULL, view);
}

/* Creates a view of memory that the caller owns, in options->space (DEFAULT: the context's). ctx
 * must be able to access that space. minx never frees the memory. It must exist longer than the
 * view, its parts and all work on them (fence first).
 *   data     not NULL, aligned as the element type needs. Nothing is copied: use mx_import to copy a host array to a device
 *   strides  rank values in elements, inside the caller's memory; NULL: those of the layout and padding in the options. With
 *            strides, the layout is the context's if the strides follow it, else MX_LAYOUT_STRIDE
 * Errors as above. MX_ERR_SPACE also if the memory is not in that space, as the backend that
 * allocated it reports. MX_ERR_LAYOUT also if elements share memory, if dimensions interleave, or
 * if the strides do not follow the layout in the options. */
mx_err mx_view_wrap(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                    const int64_t *strides, const mx_view_options *options, void *data,
                    mx_view *view);

/* The indices of one dimension that a part of a view has. A part shares the data with its view, and
 * keeps the data until the part is destroyed too. */
typedef struct mx_slice {
    int64_t begin;
    int64_t end;
    bool drops; /* a single index: the part does not have this dimension */
} mx_slice;
/* The whole dimension. */
#define mx_all() ((mx_slice){0, MX_TO_END_, false})
/* One index of it; the part has one dimension less. */
#define mx_index(index) ((mx_slice){(index), (index), true})
/* The indices from begin to end - 1. */
#define mx_span(begin, end) ((mx_slice){(begin), (end), false})
#define MX_TO_END_ INT64_MAX
/* Expands to two arguments, the number of slices and the slices: mx_subview(u,
 * MX_SLICES(mx_index(3), mx_all()), &row) */
#define MX_SLICES_(...) ((const mx_slice[]){__VA_ARGS__})
#ifdef __cplusplus /* the array is a member: g++ takes no address of a temporary array */
struct mx_slices_ {
    mx_slice slice[MX_MAX_RANK];
};
#define MX_SLICES_BEGIN_(...) (mx_slices_{{__VA_ARGS__}}.slice)
#else
#define MX_SLICES_BEGIN_(...) MX_SLICES_(__VA_ARGS__)
#endif
#define MX_SLICES(...) \
    (int)(sizeof MX_SLICES_(__VA_ARGS__) / sizeof(mx_slice)), MX_SLICES_BEGIN_(__VA_ARGS__)

/* Creates a part of a view, from one slice for each dimension. The part keeps layout left or right
 * if its strides follow it. Otherwise it has MX_LAYOUT_STRIDE, for strided accessors. Its label
 * shows the indices in the view that owns the memory, for example "u[3,2:5,:]", cut to 63
 * characters. Errors: MX_ERR_RANK (count), MX_ERR_BOUNDS, MX_ERR_STALE, MX_ERR_LAYOUT (the view is
 * tiled or in Morton order). */
mx_err mx_subview(mx_view view, int count, const mx_slice *slices, mx_view *part);

/* Creates a read-only view of the same data; its parts are read-only too. It can only be bound to
 * const accessors, and cannot be the target of a copy, a fill, mx_write_element or a result
 * (MX_ERR_CONST). Its host data must not be written. The original view stays writable. */
mx_err mx_view_constant(mx_view view, mx_view *constant);

/* mx_err mx_view_resize(mx_ctx ctx, mx_view *view, const int64_t *extents) Replaces the caller's
 * view by a new one with other extents and the same other properties. Elements that both views have
 * are copied, ordered on ctx; the other elements are zero. The caller stops owning the old view;
 * its other owners and its parts keep its extents and data. Bind accessors again. On failure
 * nothing changes. Errors of mx_view_create, MX_ERR_SPACE, MX_ERR_CONST, and MX_ERR_LAYOUT for
 * layouts stride, tiled and Morton. */
#define mx_view_resize(ctx, view, extents) \
    MX_AT_SOURCE_LINE_(mx_view_replace_(ctx, view, extents, true))
mx_err mx_view_replace_(mx_ctx ctx, mx_view *view, const int64_t *extents, bool keep);

/* mx_err mx_view_realloc(mx_ctx ctx, mx_view *view, const int64_t *extents)
 * The same without a copy: all elements are zero. */
#define mx_view_realloc(ctx, view, extents) \
    MX_AT_SOURCE_LINE_(mx_view_replace_(ctx, view, extents, false))

/* Exchanges two handles, as of the old and the new field at the end of a time step. An accessor has
 * the memory of the view to which it was bound, so after an exchange it has the other field's. After
 * mx_view_swap, a launch with an accessor that was bound before to one of the views is MX_ERR_STALE
 * (an assignment of handles, t = f; f = x; x = t, is not noticed): bind again. With MX_ARGS_FROM
 * (launch.h) that is one call; examples/kernels/heat_driver.c shows it. Labels, parts and copies of a
 * handle stay with the memory. Errors: MX_ERR_ARG (NULL), MX_ERR_STALE, MX_ERR_TYPE (types or ranks
 * differ). */
mx_err mx_view_swap(mx_view *a, mx_view *b);

/* Adds an owner. MX_ERR_STALE: the view was destroyed. */
mx_err mx_view_retain(mx_view view);

/* Removes an owner, and sets *view null. The last owner frees the data, after all kernels that may
 * use them. Accepts NULL and a null view. MX_ERR_STALE: the view was destroyed already. */
mx_err mx_view_destroy(mx_view *view);

/* The properties of a view. The view owns the label. */
typedef struct mx_view_info {
    const char *label;
    mx_type type;
    int rank;
    mx_space space;
    mx_layout layout;
    int64_t extent[MX_MAX_RANK];
    int64_t stride[MX_MAX_RANK]; /* in elements */
    int64_t count;               /* elements: the product of the extents */
    size_t bytes;                /* from the first to the last element, with padding and gaps */
    void *data;                  /* in the view's space */
    int references;              /* owners */
    bool constant;               /* read-only */
} mx_view_info;
mx_err mx_view_get_info(mx_view view, mx_view_info *info);

/* The offset of an element from info->data, in elements, for any layout. index: rank values, inside
 * the extents. */
int64_t mx_view_offset(const mx_view_info *info, const int64_t *index);

/* Excludes a view and its parts from the comparisons of mx_ctx_check_against. It is for values that
 * may differ between backends, such as a list in the order of atomics. When a later kernel that
 * reads the view is checked, both backends start from the contents that the checked backend left.
 * MX_ERR_STALE. */
mx_err mx_view_set_unchecked(mx_view view);

/* Sets the least magnitude to which a check relates differences. In a view and its parts a
 * difference may be `tolerance` times the largest number of the view, or times `scale` if that is
 * larger; for a kernel's result in the view: times the result, or `scale`. Use it for sums whose
 * terms can cancel, as forces in a crystal do: only rounding errors are left, which differ between
 * backends. A new view has 0. Errors: MX_ERR_STALE; MX_ERR_ARG: scale is negative or not finite. */
mx_err mx_view_set_check_scale(mx_view view, double scale);

/* Gives a pointer to the data of a view that host code can access (MX_ERR_SPACE otherwise). Fence
 * before host code reads the results of a kernel. */
mx_err mx_view_host_data(mx_view view, void **data);

/* Creates a mirror of a view: a new view of the same shape, layout and padding in host memory. All
 * its elements are zero: contents are not copied. The caller destroys it by mx_view_destroy. */
mx_err mx_mirror_create(mx_view source, mx_view *mirror);

/* Creates a mirror only if host code cannot access the source. Else *mirror is the source itself,
 * with one more owner. */
mx_err mx_mirror_if_needed(mx_view source, mx_view *mirror);

/* Copies all elements. Type, rank, extents, layout and strides must be identical (MX_ERR_TYPE,
 * _RANK, _EXTENT, _LAYOUT): it is a plain copy of memory, without conversion or staging. ctx must
 * be able to copy between the two spaces (MX_ERR_SPACE). If the destination is a part with elements
 * of other views between its own, these are not changed, and ctx must be able to access both spaces
 * (mx_remap needs access to one only). Views that share elements are MX_ERR_ARG, except a view and
 * itself, where nothing happens. Ordered on ctx like a kernel: fence before reading on the host. */
mx_err mx_deep_copy(mx_ctx ctx, mx_view destination, mx_view source);

/* Copies element by element between views of equal type, rank and extents, whatever their layouts,
 * strides, padding and memory spaces. ctx must be able to access one of them (MX_ERR_SPACE); the
 * other may be host memory. If ctx can access both, its own threads or its device copy, ordered on
 * ctx like a kernel. Otherwise the elements go through staging memory, and the copy is done on
 * return. All else as mx_deep_copy. */
mx_err mx_remap(mx_ctx ctx, mx_view destination, mx_view source);

/* mx_err mx_import(mx_ctx ctx, mx_view view, const T *array, const int64_t *strides)
 * mx_err mx_export(mx_ctx ctx, mx_view view, T *array, const int64_t *strides)
 *
 * Copies a whole array of the host into a view, and a view into an array. docs/data.md has
 * examples.
 *   view     of any rank, layout and padding, or a part of one, in any space that ctx can access
 *   array    in memory that host code can access, with the view's extents and element type; NULL if there are no elements
 *   strides  rank values, in elements: the distance in the array when index d grows by one. NULL: C order, the last index
 *            contiguous. mx_import allows 0, which repeats elements; mx_export allows no strides that make elements share memory
 * Done on return: both array and view may then be used and freed. If ctx cannot access the array,
 * the copy uses up to 8 MiB of staging memory; for layouts without strides (tiled, Morton), as much
 * as the whole view. Errors: MX_ERR_STALE, MX_ERR_ARG (no context, no array, ctx records a graph,
 * array and view overlap), MX_ERR_TYPE (a pointer to another number type), MX_ERR_SPACE (ctx cannot
 * access the view, or host code the array), MX_ERR_LAYOUT (strides), MX_ERR_EXTENT (strides beyond
 * the address space), MX_ERR_CONST (import), MX_ERR_MEMORY, and what mx_fence returns. */
mx_err mx_import_(mx_ctx ctx, mx_view view, const void *array, const int64_t *strides,
                  mx_type type);
mx_err mx_export_(mx_ctx ctx, mx_view view, void *array, const int64_t *strides, mx_type type);
#define mx_import(ctx, view, array, strides) \
    mx_import_((ctx), (view), (array), (strides), MX_ARRAY_TYPE_(array))
#define mx_export(ctx, view, array, strides) \
    mx_export_((ctx), (view), (array), (strides), MX_ARRAY_TYPE_(array))

/* The element type of a pointer: one of MX_NUMBER_TYPES_, else one of these, else 0, not known.
 * int64_t is long on some systems and long long on others, and _Generic must not have a type twice. */
#define MX_OTHER_TYPES_(M)                     \
    M(long long, MX_I64)                       \
    M(unsigned long long, MX_U64)              \
    M(short, MX_USER(short))                   \
    M(unsigned short, MX_USER(unsigned short)) \
    M(long double, MX_USER(long double))
#ifdef __cplusplus
extern "C++" {
template <class T> struct mx_number_ {
    static const int kind = 0;
    static const bool is_const = false;
    static const mx_type type = 0;
};
#define MX_NUMBER_(tag, T, K)                                         \
    template <> struct mx_number_<T> {                                \
        static const int kind = K;                                    \
        static const bool is_const = false;                           \
        static const mx_type type = MX_TYPE_((unsigned)K, sizeof(T)); \
    };
MX_NUMBER_TYPES_(MX_NUMBER_)
template <class T> struct mx_number_<const T> {
    static const int kind = mx_number_<T>::kind;
    static const bool is_const = true;
};
template <class T> struct mx_pointed_ {
    static const mx_type type = mx_number_<T>::type;
};
#define MX_POINTED_(T, t)               \
    template <> struct mx_pointed_<T> { \
        static const mx_type type = t;  \
    };
MX_OTHER_TYPES_(MX_POINTED_)
template <class T> inline mx_type mx_array_type_(const T *) { return mx_pointed_<T>::type; }
inline mx_type mx_array_type_(const void *) { return 0; }
}
#define MX_ARRAY_TYPE_(array) mx_array_type_(array)
#else
/* clang-format off */
#define MX_POINTS_TO_(T, type) T *: type, const T *: type,
/* clang-format on */
#define MX_POINTS_TO_NUMBER_(tag, T, K) MX_POINTS_TO_(T, MX_TYPE_((unsigned)K, sizeof(T)))
#define MX_ARRAY_TYPE_(array)                                        \
    _Generic((array), MX_NUMBER_TYPES_(MX_POINTS_TO_NUMBER_) default \
             : _Generic((array), MX_OTHER_TYPES_(MX_POINTS_TO_) default : 0))
#endif

/* mx_err mx_fill(mx_ctx ctx, mx_view view, number)
 * mx_err mx_fill(mx_ctx ctx, mx_view view, const T *value)
 * mx_err mx_read_element(mx_ctx ctx, mx_view view, int64_t index, T *value)
 * mx_err mx_write_element(mx_ctx ctx, mx_view view, int64_t index, const T *value)
 *
 * mx_fill sets every element of the view, and its padding, to the number, which becomes one of the
 * view's type (MX_ERR_TYPE: that type, an integer, does not have it, or the elements are structs), or
 * to *value. On cuda the elements of views
 * without gaps have at most 1024 bytes (else MX_ERR_TYPE), unless all bytes of the value are equal.
 *
 * The others are for scalars that kernels leave on a device: they copy element number `index` of a
 * view of rank 0 (index 0) or 1 to *value, and *value to that element. mx_read_element waits until
 * the value is there.
 *
 * *value has the view's element size. A pointer to another type of number is MX_ERR_TYPE. Not
 * checked: pointers to void, char and structs. Cast bytes to a void pointer. All are ordered on ctx;
 * the caller may reuse *value after the call. */
mx_err mx_fill_(mx_ctx ctx, mx_view view, const void *value, mx_type type);
mx_err mx_fill_number_(mx_ctx ctx, mx_view view, long double number, mx_type none);
mx_err mx_read_element_(mx_ctx ctx, mx_view view, int64_t index, void *value, mx_type type);
mx_err mx_write_element_(mx_ctx ctx, mx_view view, int64_t index, const void *value, mx_type type);
#ifdef __cplusplus
extern "C++" {
template <class T> inline mx_err mx_fill_any_(mx_ctx ctx, mx_view view, T *value)
{
    return mx_fill_(ctx, view, value, mx_array_type_(value));
}
template <class T> inline mx_err mx_fill_any_(mx_ctx ctx, mx_view view, T number)
{
    return mx_fill_number_(ctx, view, number, 0);
}
}
#define mx_fill(ctx, view, ...) mx_fill_any_((ctx), (view), (__VA_ARGS__))
#else /* 5: the class of pointers */
#define mx_fill(ctx, view, ...)                                                                  \
    __builtin_choose_expr(__builtin_classify_type(__VA_ARGS__) == 5, mx_fill_, mx_fill_number_)( \
        (ctx), (view), (__VA_ARGS__), MX_ARRAY_TYPE_((__VA_ARGS__)))
#endif
#define mx_read_element(ctx, view, index, value) \
    mx_read_element_((ctx), (view), (index), (value), MX_ARRAY_TYPE_(value))
#define mx_write_element(ctx, view, index, ...) \
    mx_write_element_((ctx), (view), (index), (__VA_ARGS__), MX_ARRAY_TYPE_((__VA_ARGS__)))

/* Prints a view, for debugging: a line with label, type, extents, layout and memory space, then its
 * first `max_count` elements, row by row. Waits for the kernels on ctx. Elements that are structs are
 * printed as "?". Errors: MX_ERR_ARG (no file), MX_ERR_MEMORY, and those of mx_export. */
mx_err mx_view_print(mx_ctx ctx, mx_view view, int64_t max_count, FILE *out);

/* How many views still exist. */
int mx_views_alive(void);

/* Prints them on stderr, one on each line: label, bytes, space, and the file and line that created
 * it. mx_finalize calls this. */
void mx_views_report(void);

#define mx_view_create(...) MX_AT_SOURCE_LINE_(mx_view_create(__VA_ARGS__))
#define mx_view_create_0d(...) MX_AT_SOURCE_LINE_(mx_view_create_0d(__VA_ARGS__))
#define mx_view_create_1d(...) MX_AT_SOURCE_LINE_(mx_view_create_1d(__VA_ARGS__))
#define mx_view_create_2d(...) MX_AT_SOURCE_LINE_(mx_view_create_2d(__VA_ARGS__))
#define mx_view_create_3d(...) MX_AT_SOURCE_LINE_(mx_view_create_3d(__VA_ARGS__))
#define mx_view_wrap(...) MX_AT_SOURCE_LINE_(mx_view_wrap(__VA_ARGS__))
#define mx_subview(...) MX_AT_SOURCE_LINE_(mx_subview(__VA_ARGS__))
#define mx_view_constant(...) MX_AT_SOURCE_LINE_(mx_view_constant(__VA_ARGS__))
#define mx_mirror_create(...) MX_AT_SOURCE_LINE_(mx_mirror_create(__VA_ARGS__))
#define mx_mirror_if_needed(...) MX_AT_SOURCE_LINE_(mx_mirror_if_needed(__VA_ARGS__))

#ifdef __cplusplus
}
#endif
