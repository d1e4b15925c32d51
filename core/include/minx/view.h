/* Views: multi-dimensional arrays with a label, an element type, a layout and a memory space.
 *
 * An mx_view is a handle. The record behind it (extents, strides, label) lives on the host, its data in the view's space.
 * Kernels compute with accessors (accessor.h), which mx_bind makes from views. Handles are plain values: copying one
 * shares the view without counting; mx_view_retain counts one more owner, mx_view_destroy one less, and the last one
 * frees the data. A handle or accessor of a view that is gone is recognised by its generation: MX_ERR_STALE.
 *
 * How data get in and out: docs/data.md. In short, mx_import and mx_export copy arrays of the host on every backend.
 *
 * Thread safety: calls on different views may run on different threads; the table of views is locked. */
#pragma once
#include "minx/context.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/* A struct of plain data of less than 16 MiB; two of the same size are the same type. */
#define MX_USER(T) MX_TYPE_(0u, sizeof(T) + 0 * sizeof(char[sizeof(T) < 1 << 24 ? 1 : -1]))
#define MX_TYPE_SIZE(type) ((size_t)((type) >> 8))
#define MX_TYPE_KIND(type) ((type)&0xffu)

/* "f64", "i32", "user[24]"; the text lives until the next call but one on this thread. */
const char *mx_type_name(mx_type type);

typedef struct mx_view {
    uint32_t slot, generation;
} mx_view;
#define MX_VIEW_NULL ((mx_view){0, 0})

/* All fields may be left zero. */
typedef struct mx_view_options {
    mx_space space;     /* MX_SPACE_DEFAULT: the context's own */
    mx_layout layout;   /* MX_LAYOUT_DEFAULT: the context's own; any but MX_LAYOUT_STRIDE */
    bool uninitialized; /* else zero, by the context's threads, so that pages land near them */
    bool padding; /* left and right: rows or columns start aligned, each rounded up to 64 bytes */
} mx_view_options;

/* What makes a view is a macro of the function's name that also notes the program's line, for the report of what is left at
 * the end. In parentheses the name is the function itself. */
void mx_source_line_(const char *file, int line);
#define MX_AT_SOURCE_LINE_(call) (mx_source_line_(__FILE__, __LINE__), call)

/* Allocates a view of `rank` (0 to 8) dimensions. extents: rank values, each >= 0 (NULL for rank 0); label: not empty, at
 * most 63 characters, copied. options NULL: all defaults. Asynchronous on ctx where that is. On failure *view is null.
 * Errors: MX_ERR_ARG, MX_ERR_EXTENT (does not fit), MX_ERR_LAYOUT, MX_ERR_RANK (not for this layout), MX_ERR_SPACE (ctx cannot
 * reach that space), MX_ERR_MEMORY. */
mx_err mx_view_create(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                      const mx_view_options *options, mx_view *view);
#define mx_view_create_0d(ctx, label, type, view) \
    mx_view_create(ctx, label, type, 0, NULL, NULL, view)
#define mx_view_create_1d(ctx, label, type, n0, view) \
    mx_view_create(ctx, label, type, 1, (const int64_t[]){n0}, NULL, view)
#define mx_view_create_2d(ctx, label, type, n0, n1, view) \
    mx_view_create(ctx, label, type, 2, ((const int64_t[]){n0, n1}), NULL, view)
#define mx_view_create_3d(ctx, label, type, n0, n1, n2, view) \
    mx_view_create(ctx, label, type, 3, ((const int64_t[]){n0, n1, n2}), NULL, view)

/* A view of memory that belongs to someone else, in options->space (DEFAULT: the context's), which ctx must reach. It is never
 * freed by minx, and must outlive the view, its parts and what was asked of them (fence). data: not NULL, aligned as its
 * numbers need. Nothing is copied: an array of the host goes to a device by mx_import. strides: rank values in elements, which
 * span no more than there is, NULL for those of the layout and padding in the options. With strides, the layout is the
 * context's if they follow that, else stride.
 * Errors as above; MX_ERR_SPACE also where the memory is not in that space (its owner is asked); MX_ERR_LAYOUT also for strides
 * by which elements share memory or dimensions interleave, or that do not follow the layout that the options name. */
mx_err mx_view_wrap(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                    const int64_t *strides, const mx_view_options *options, void *data,
                    mx_view *view);

/* What a part of a view takes of one dimension. Parts share the data and keep it alive, whoever destroys the view. */
typedef struct mx_slice {
    int64_t begin, end;
    bool drops; /* one index: the dimension is gone */
} mx_slice;
/* The whole dimension. */
#define mx_all() ((mx_slice){0, MX_TO_END, false})
/* One index of it; the part has one dimension less. */
#define mx_index(index) ((mx_slice){(index), (index), true})
/* The indices from begin to before end. MX_TO_END as end: to the last one. */
#define mx_span(begin, end) ((mx_slice){(begin), (end), false})
#define MX_TO_END INT64_MAX
/* Stands for two arguments, the number of slices and the slices: mx_subview(u, MX_SLICES(mx_index(3), mx_all()), &row) */
#define MX_SLICES_(...) ((const mx_slice[]){__VA_ARGS__})
#define MX_SLICES(...) \
    (int)(sizeof MX_SLICES_(__VA_ARGS__) / sizeof(mx_slice)), MX_SLICES_(__VA_ARGS__)

/* A part of a view, by one slice for each dimension. Keeps left or right where the strides still follow it, else has
 * MX_LAYOUT_STRIDE, for strided accessors. Its label tells the part in indices of the view that has the memory, "u[3,2:5,:]",
 * cut to 63 characters. Errors: MX_ERR_RANK (count), MX_ERR_BOUNDS, MX_ERR_STALE. */
mx_err mx_subview(mx_view view, int count, const mx_slice *slices, mx_view *part);

/* The same view, and parts of it, only to be read: takes const accessors only, and no copy, fill, element or result
 * (MX_ERR_CONST); its host data are not to be written. The view it is of may be. */
mx_err mx_view_constant(mx_view view, mx_view *constant);

/* mx_err mx_view_resize(mx_ctx ctx, mx_view *view, const int64_t *extents)
 * Puts a new view of other extents into the caller's handle, alike in all else. The elements that both have are copied, on
 * ctx; the rest is zero. The caller's share of the old view ends; other owners and parts keep its extents and data. Bind
 * accessors again. On failure nothing changes. Errors of mx_view_create, MX_ERR_SPACE, MX_ERR_CONST, and MX_ERR_LAYOUT for
 * layout stride. */
#define mx_view_resize(ctx, view, extents) \
    MX_AT_SOURCE_LINE_(mx_view_replace_(ctx, view, extents, true))
mx_err mx_view_replace_(mx_ctx ctx, mx_view *view, const int64_t *extents, bool keep);

/* mx_err mx_view_realloc(mx_ctx ctx, mx_view *view, const int64_t *extents)
 * The same without a copy: all elements are zero. */
#define mx_view_realloc(ctx, view, extents) \
    MX_AT_SOURCE_LINE_(mx_view_replace_(ctx, view, extents, false))

/* Adds an owner. MX_ERR_STALE: the view is gone. */
mx_err mx_view_retain(mx_view view);

/* Takes an owner away, and sets *view null. The last one frees the data, after all kernels that may use them. Accepts NULL and
 * a null view. MX_ERR_STALE: the view is gone. */
mx_err mx_view_destroy(mx_view *view);

/* What is known of a view. The label belongs to the view. */
typedef struct mx_view_info {
    const char *label;
    mx_type type;
    int rank;
    mx_space space;
    mx_layout layout;
    int64_t extent[MX_MAX_RANK];
    int64_t stride[MX_MAX_RANK]; /* in elements */
    int64_t count;               /* elements: the product of the extents */
    size_t bytes; /* from the first to behind the last element, padding and gaps included */
    void *data;   /* in the view's space */
    int references;
    bool constant; /* only to be read */
} mx_view_info;
mx_err mx_view_get_info(mx_view view, mx_view_info *info);

/* Where the element of an index (rank values, inside the extents) is, in elements from info->data; for any layout. */
int64_t mx_view_offset(const mx_view_info *info, const int64_t *index);

/* How a check of launches against another backend (mx_ctx_check_against) compares a view. */
typedef enum mx_check {
    MX_CHECK_EACH, /* every element with the one of the same index */
    MX_CHECK_ANY_ORDER, /* the elements, whatever their order: a list that items fill by mx_atomic_fetch_add */
    MX_CHECK_NOTHING /* not at all: values that depend on that order, such as places in the list */
} mx_check;

/* Marks a view, and with it its parts. MX_CHECK_EACH is how views begin. The kernels that read it later are checked with its
 * contents as the checked backend left them. MX_ERR_STALE, MX_ERR_ARG. */
mx_err mx_view_set_check(mx_view view, mx_check check);

/* The data of a view that the host can reach (MX_ERR_SPACE otherwise). Fence before reading what a kernel wrote. */
mx_err mx_view_host_data(mx_view view, void **data);

/* Makes a view of the same shape, layout and padding in host memory, all zero: contents are not copied. It ends by
 * mx_view_destroy. */
mx_err mx_mirror_create(mx_view source, mx_view *mirror);

/* The same; but where host code reaches the source, *mirror is the source itself, with one owner more. */
mx_err mx_mirror_view_create(mx_view source, mx_view *mirror);

/* Copies all elements. Type, rank, extents, layout and strides must be identical (MX_ERR_TYPE, _RANK, _EXTENT, _LAYOUT): a
 * copy is a plain copy of memory, nothing is converted or staged behind your back. ctx must be able to move between the
 * two spaces; and to reach both, MX_ERR_SPACE, where others own what lies between the destination's elements (subviews), which
 * is not touched (mx_remap needs one of them only). Views that share elements are MX_ERR_ARG unless they are the same (then nothing happens). Ordered on ctx
 * like a kernel: fence before reading on the host. */
mx_err mx_deep_copy(mx_ctx ctx, mx_view destination, mx_view source);

/* Copies element by element between views of equal type, rank and extents, whatever their layouts, strides, padding and memory
 * spaces. ctx must reach one of them (MX_ERR_SPACE); the other may be host memory. Where ctx reaches both, its own threads or
 * its device copy, ordered on ctx like a kernel. Else the elements go by way of staging memory, and the copy is done on return.
 * Otherwise as mx_deep_copy. */
mx_err mx_remap(mx_ctx ctx, mx_view destination, mx_view source);

/* mx_err mx_import(mx_ctx ctx, mx_view view, const T *array, const int64_t *strides)
 * mx_err mx_export(mx_ctx ctx, mx_view view, T *array, const int64_t *strides)
 *
 * Copies a whole array of the host into a view, and a view into an array. docs/data.md has examples.
 *   view     of any rank, layout and padding, or a part of one, in any space that ctx reaches
 *   array    in memory that host code reaches, with the view's extents and element type; NULL if there are no elements
 *   strides  rank values, in elements: where index d grows by one, the element is strides[d] further. NULL: C order, the last
 *            index contiguous. Import takes 0, the same elements again; export takes none by which elements share memory.
 * Done on return: the array may be used and freed, the view too. Staged where ctx does not reach the array: up to 8 MiB of
 * staging memory; for layouts beyond stride, as much as the view has elements.
 * Errors: MX_ERR_STALE, MX_ERR_ARG (no context, no array, ctx records a graph, array and view overlap), MX_ERR_TYPE (a pointer
 * to another number type), MX_ERR_SPACE (ctx cannot reach the view, or host code the array), MX_ERR_LAYOUT (strides),
 * MX_ERR_EXTENT (strides beyond the address space), MX_ERR_CONST (import), MX_ERR_MEMORY, and what mx_fence returns. */
mx_err mx_import_(mx_ctx ctx, mx_view view, const void *array, const int64_t *strides,
                  mx_type type);
mx_err mx_export_(mx_ctx ctx, mx_view view, void *array, const int64_t *strides, mx_type type);
#define mx_import(ctx, view, array, strides) \
    mx_import_((ctx), (view), (array), (strides), MX_ARRAY_TYPE_(array))
#define mx_export(ctx, view, array, strides) \
    mx_export_((ctx), (view), (array), (strides), MX_ARRAY_TYPE_(array))

/* The element type that a pointer names; 0: not known. */
#ifdef __cplusplus
#define MX_ARRAY_TYPE_(array) 0
#else
#define MX_POINTS_TO_(T, type) T * : type, const T * : type
#define MX_ARRAY_TYPE_(array)                                                      \
    _Generic((array), MX_POINTS_TO_(double, MX_F64), MX_POINTS_TO_(float, MX_F32), \
             MX_POINTS_TO_(int32_t, MX_I32), MX_POINTS_TO_(int64_t, MX_I64),       \
             MX_POINTS_TO_(uint8_t, MX_U8), MX_POINTS_TO_(uint32_t, MX_U32),       \
             MX_POINTS_TO_(uint64_t, MX_U64), default : 0)
#endif

/* Sets every element to the one at *value (of the view's element size), and its own padding. Ordered on ctx. On cuda elements of
 * views without gaps have at most 1024 bytes (MX_ERR_TYPE beyond), unless all bytes of the value are the same. */
mx_err mx_fill(mx_ctx ctx, mx_view view, const void *value);

/* Copies element number `index` of a view of rank 0 (index 0) or 1 to *value: for scalars that kernels left on a device.
 * Ordered on ctx; waits until the value is there. */
mx_err mx_read_element(mx_ctx ctx, mx_view view, int64_t index, void *value);

/* Copies *value to that element. Ordered on ctx; *value may change on return. */
mx_err mx_write_element(mx_ctx ctx, mx_view view, int64_t index, const void *value);

/* How many views still exist. */
int mx_views_alive(void);

/* Prints them on stderr, one a line: label, bytes, space, file and line that made it. mx_finalize does so in debug builds. */
void mx_views_report(void);

#define mx_view_create(...) MX_AT_SOURCE_LINE_(mx_view_create(__VA_ARGS__))
#define mx_view_wrap(...) MX_AT_SOURCE_LINE_(mx_view_wrap(__VA_ARGS__))
#define mx_subview(...) MX_AT_SOURCE_LINE_(mx_subview(__VA_ARGS__))
#define mx_view_constant(...) MX_AT_SOURCE_LINE_(mx_view_constant(__VA_ARGS__))
#define mx_mirror_create(...) MX_AT_SOURCE_LINE_(mx_mirror_create(__VA_ARGS__))
#define mx_mirror_view_create(...) MX_AT_SOURCE_LINE_(mx_mirror_view_create(__VA_ARGS__))

#ifdef __cplusplus
}
#endif
