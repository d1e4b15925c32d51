/* Views: multi-dimensional arrays with a label, an element type, a layout and a memory space.
 *
 * An mx_view is a handle. The record behind it (extents, strides, label) lives on the host, its data in the view's space.
 * Kernels compute with accessors (accessor.h), which mx_bind makes from views. Handles are plain values: copying one
 * shares the view without counting; mx_view_retain counts one more owner, mx_view_destroy one less, and the last one
 * frees the data. A handle or accessor of a view that is gone is recognised by its generation: MX_ERR_STALE.
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
#define MX_USER(T) \
    MX_TYPE_(0u, sizeof(T)) /* a struct of plain data; two of the same size are the same type */
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
    mx_space space;   /* MX_SPACE_DEFAULT: the context's own */
    mx_layout layout; /* MX_LAYOUT_DEFAULT: the context's own */
    bool
        uninitialized; /* leave the contents undefined; else zero, by the context's threads, so that pages land near them */
    bool
        padding; /* round the contiguous extent up to 64 bytes, so that each row or column starts aligned */
} mx_view_options;

/* Allocates a view of `rank` (0 to 8) dimensions. extents: rank values, each >= 0 (NULL for rank 0); label: not empty, at
 * most 63 characters, copied. options NULL: all defaults. Asynchronous on ctx where that is. On failure *view is null.
 * Errors: MX_ERR_ARG, MX_ERR_EXTENT (does not fit), MX_ERR_SPACE (ctx cannot reach that space), MX_ERR_MEMORY. */
mx_err mx_view_create(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                      const mx_view_options *options, mx_view *view);
mx_err mx_view_create_0d(mx_ctx ctx, const char *label, mx_type type, mx_view *view);
mx_err mx_view_create_1d(mx_ctx ctx, const char *label, mx_type type, int64_t n0, mx_view *view);
mx_err mx_view_create_2d(mx_ctx ctx, const char *label, mx_type type, int64_t n0, int64_t n1,
                         mx_view *view);
mx_err mx_view_create_3d(mx_ctx ctx, const char *label, mx_type type, int64_t n0, int64_t n1,
                         int64_t n2, mx_view *view);

/* One owner more; one owner less (the last one frees, after all kernels that may use the data). Destroy sets *view null
 * and accepts NULL and a null view; a stale handle is MX_ERR_STALE. */
mx_err mx_view_retain(mx_view view);
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
    size_t bytes;                /* from the first to behind the last element, padding included */
    void *data;                  /* in the view's space */
    int references;
} mx_view_info;
mx_err mx_view_get_info(mx_view view, mx_view_info *info);

/* The data of a view that the host can reach (MX_ERR_SPACE otherwise). Fence before reading what a kernel wrote. */
mx_err mx_view_host_data(mx_view view, void **data);

/* A view of the same shape, layout and padding in host memory: a new one; or, when the host reaches the source already,
 * one more reference to it. Both end by mx_view_destroy. Contents are not copied. */
mx_err mx_mirror_create(mx_view source, mx_view *mirror);
mx_err mx_mirror_view_create(mx_view source, mx_view *mirror);

/* Copies all elements. Type, rank, extents, layout and strides must be identical (MX_ERR_TYPE, _RANK, _EXTENT, _LAYOUT): a
 * copy is a plain copy of memory, nothing is converted or staged behind your back. ctx must be able to move between the
 * two spaces. Overlapping views are MX_ERR_ARG unless they are the same (then nothing happens). Ordered on ctx like a
 * kernel: fence before reading on the host. */
mx_err mx_deep_copy(mx_ctx ctx, mx_view destination, mx_view source);

/* Sets every element to the one at *value (of the view's element size), padding included. Ordered on ctx. On cuda elements
 * may have up to 1024 bytes (MX_ERR_TYPE beyond), unless all bytes of the value are the same. */
mx_err mx_fill(mx_ctx ctx, mx_view view, const void *value);

/* Element number `index` of a view of rank 0 (index 0) or 1 between the host and the view's space: for scalars that
 * kernels left on a device. Ordered on ctx; reading waits until the value is there. */
mx_err mx_read_element(mx_ctx ctx, mx_view view, int64_t index, void *value);
mx_err mx_write_element(mx_ctx ctx, mx_view view, int64_t index, const void *value);

/* Views that still exist: for leak reports at the end of a program. Prints one line each (label, bytes, space). */
int mx_views_alive(void);
void mx_views_report(void);

#ifdef __cplusplus
}
#endif
