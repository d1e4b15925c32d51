/* The memory layer, lowest file first: view_table.c keeps the records of views, geometry.c computes
 * where elements are, host_memory.c allocates on the host, address.c finds the memory space of an
 * address, copy.c copies elements, view.c creates and destroys views, subview.c creates views of
 * parts, bind.c creates accessors. A file calls only the files before it, a backend through its
 * table, and tools through their hooks. */
#pragma once
#include "base/state.h"
#include "minx/detail/args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- view_table.c: the records of views ---- */

typedef struct mx_record {
    uint32_t generation; /* odd: live; see view_table.c */
    uint32_t next_free;
    uint32_t swaps; /* how often mx_view_swap exchanged its handle */
    int references;
    int parts; /* the references that are parts of this view */
    char label[64];
    mx_type type;
    int rank;
    mx_space space;
    int device; /* the device of the memory; -1: none */
    mx_layout layout;
    int64_t extent[MX_MAX_RANK];
    int64_t stride[MX_MAX_RANK];
    int64_t count; /* elements */
    int64_t span;  /* elements from the first to the last, with gaps */
    void *data;
    void (*release)(mx_space space,
                    void *data); /* frees the data; NULL: the view does not own it */
    bool padding;
    bool constant; /* read-only */
    /* only launches on the context with this id may use it; 0: any context */
    uint64_t reserved_for;
    bool unchecked;     /* a check against another backend does not compare its elements */
    double check_scale; /* at least this is taken for their largest magnitude */

    /* A part covers a range of indices in each dimension of its root, the view that has the
     * data. */
    mx_view root; /* null: this view is no part */
    int64_t root_begin[MX_MAX_RANK];
    int64_t root_end[MX_MAX_RANK];
    int root_dim[MX_MAX_RANK]; /* for each dimension of this view, the root's dimension */

    /* The source line that created it; file NULL: not known. */
    const char *file;
    int line;
} mx_record;

/* The record of a live view, or NULL. Valid until the view is destroyed. */
mx_record *mx_record_of(mx_view view);

/* The same, with MX_ERR_STALE where there is none. */
#define MX_EMPTY_HANDLE "does not exist (any more): the handle is empty. Was the view created?"
mx_err mx_record_find(mx_view view, mx_record **record);

/* Adds a complete record to the table. It then has one owner. */
mx_err mx_record_insert(const mx_record *described, mx_view *view);

/* Adds `owners` owners, `parts` of which are parts of the view. Returns a copy of the record, which
 * other threads cannot change. With 0, 0 it only makes the copy. */
mx_record mx_record_retain(mx_record *record, int owners, int parts);

/* Removes one owner. After the last one it removes the record from the table, and *last is a copy
 * of it. MX_ERR_STALE: only parts still own the view, and the caller is not a part. */
mx_err mx_record_release(mx_view view, bool part, mx_record *last);

/* MX_ERR_CONST if the view is read-only. */
mx_err mx_record_writable(const mx_record *record);

/* Sets a handle null. MX_ERR_ARG: view is NULL. */
mx_err mx_view_set_null(mx_view *view);

/* The contents of the stamp inside an accessor. */
typedef struct mx_stamp {
    uint32_t slot;
    uint32_t generation; /* the low 23 bits of generation + 2 * swaps, when it was bound */
    mx_space space;
    /* the layout that an instance must have; DEFAULT: any, STRIDE: a fixed one, the view's */
    mx_layout needs;
} mx_stamp;

/* The offset of an accessor's stamp from its beginning. */
enum { MX_STAMP_OFFSET = sizeof(void *) };

uint64_t mx_stamp_make(const mx_record *record, mx_view view, mx_layout needs);

/* The record of a live view to which an accessor with this stamp was bound before the view was
 * swapped; else NULL. */
const mx_record *mx_record_swapped(const mx_stamp *stamp);

/* The record of a live view to which an accessor with this stamp was bound, whether the view was
 * swapped since or not; else NULL. The accessor still means the memory of that view. */
const mx_record *mx_record_bound_to(const mx_stamp *stamp);

/* false: there is no stamp at this address. */
bool mx_stamp_read(const void *word, mx_stamp *stamp);

/* Is it the mark of an accessor that no kernel uses (mx_bind_none)? */
bool mx_stamp_is_none(const void *word);

/* The view of a stamp; a null view if it was destroyed. */
mx_view mx_view_of_stamp(const mx_stamp *stamp);

/* The record of that view; NULL if it was destroyed. */
mx_record *mx_record_of_stamp(const mx_stamp *stamp);

/* bind.c: do kernels only read what the accessor at this offset of their arguments means? */
bool mx_accessor_is_const(const mx_args_table *table, size_t offset);

/* ---- geometry.c: extents, strides and overlap ---- */

/* The number of elements of the largest view of this type: its bytes fit the address space. */
#define MX_MAX_ELEMENTS(type) (PTRDIFF_MAX / (int64_t)MX_TYPE_SIZE(type))

/* *sum += a * b. false: the result is above the limit, and nothing changes. For sums and products
 * of numbers that programs give. */
bool mx_add_product(int64_t *sum, int64_t a, int64_t b, int64_t limit);

/* The product of extents. 0 if one of them is 0, where the others may have any product; else the
 * product fits the address space. */
int64_t mx_count_elements(int rank, const int64_t *extent);

/* MX_ERR_EXTENT: with these strides of the user, the record does not fit the address space. Else no
 * sum of products of its strides with indices, or with extents, overflows. Negative strides are not
 * looked at, nor those of dimensions with one element, whose only index is 0. */
mx_err mx_record_check_strides(const mx_record *record, const int64_t *strides);

/* Sets count, and span by extents and strides. */
void mx_record_measure(mx_record *record);

/* MX_ERR_LAYOUT unless the layout is left, right or stride. */
mx_err mx_record_strided(const mx_record *record, const char *what);

/* Do the strides follow left or right, with padding after the contiguous dimension only? Strides
 * that follow from static extents must be exact. fixed: static extents, 0 for a run-time one; NULL:
 * all are run-time. */
bool mx_strides_follow(const mx_record *record, const int64_t *fixed, mx_layout layout);

/* Sets strides, count and span by type, rank, extents, layout and padding. MX_ERR_RANK: not
 * possible with this layout; MX_ERR_EXTENT: larger than the address space. */
mx_err mx_record_lay_out(mx_record *record);

/* Sets the strides to those of the user, and the layout to stride unless they follow the record's
 * layout. requested: the layout in the user's options. MX_ERR_LAYOUT: elements would share memory,
 * or the strides do not follow that layout; MX_ERR_EXTENT: see mx_record_check_strides. */
mx_err mx_record_set_strides(mx_record *record, const int64_t *strides, mx_layout requested);

/* The view that holds the data of this one: its root, or the view itself. */
mx_view mx_record_root(mx_view view, const mx_record *record);

/* Are there elements of other views between the elements of this view? (Padding belongs to its
 * root.) */
bool mx_record_has_gaps(const mx_record *record);

/* Do the memory ranges of the two overlap? */
bool mx_records_overlap(const mx_record *a, const mx_record *b);

/* Does the record's memory range overlap these `size` bytes? */
bool mx_record_overlaps_memory(const mx_record *record, const void *memory, size_t size);

/* Do the two views share elements? Exact for parts of one root. For two roots: do their memory
 * ranges overlap? */
bool mx_views_overlap(mx_view a, mx_view b);

/* Can kernels of this context access the view's memory? */
static inline bool mx_ctx_can_access(mx_ctx ctx, const mx_record *record)
{
    return (ctx->backend->memory.accessible & MX_SPACE_BIT(record->space)) != 0 &&
           (record->device < 0 || record->device == ctx->device);
}

/* ---- address.c: the memory space of an address ---- */

/* Adds a backend to those that the functions below ask. */
void mx_memory_add_backend(const mx_backend *backend);

/* The space of the memory at an address, and its device (-1: none). MX_SPACE_HOST: no backend knows
 * it. */
mx_space mx_memory_space(const void *address, int *device);

/* Tells the backends that the last view of these bytes ends, and whether they are about to be freed. */
void mx_memory_leave(const void *data, size_t bytes, bool freed);

/* The memory space that MX_SPACE_STAGING means for this context. */
static inline mx_space mx_staging_space(mx_ctx ctx)
{
    const bool pinned = (ctx->backend->memory.allocates_in & MX_SPACE_BIT(MX_SPACE_PINNED)) != 0;
    return pinned ? MX_SPACE_PINNED : MX_SPACE_HOST;
}

/* ---- copy.c ---- */

/* A copy or a fill, as a node of a graph. */
typedef struct mx_move {
    mx_view to;
    mx_view from;      /* null: a fill */
    bool plain;        /* mx_deep_copy rather than mx_remap */
    const void *value; /* of a fill */
} mx_move;

/* Can the context copy this memory now? MX_ERR_ARG: no context, or it records a graph;
 * MX_ERR_SPACE: it cannot copy this space. */
mx_err mx_record_copyable(mx_ctx ctx, const mx_record *record);

/* The same for copies that graphs record: MX_ERR_SPACE if ctx records one and its kernels cannot
 * access this memory. A graph runs later, when ordinary host memory may have been freed. */
mx_err mx_record_recordable(mx_ctx ctx, const mx_record *record);

/* MX_ERR_TYPE: the elements are numbers of another type. what: the call, for the message. type: of a
 * pointer of the caller; 0: not known. */
mx_err mx_record_check_type(const mx_record *record, const char *what, mx_type type);

/* Checks that the views have the same type, rank and extents, and that the destination is not
 * read-only. */
mx_err mx_records_check_shapes(const mx_record *to, const mx_record *from);

/* Do both name the same elements in the same places? */
bool mx_records_identical(const mx_record *a, const mx_record *b);

/* Describes a copy of all elements of `from` to `to`, which has the same shape. false: there are
 * none. */
bool mx_strided_describe(mx_strided *copy, const mx_record *to, const mx_record *from);

/* Copies all elements of `from` to `to`, which has the same shape. ctx can access both. */
mx_err mx_record_copy(mx_ctx ctx, const mx_record *to, const mx_record *from);

/* Copies the elements with 0 <= index < extent to a view, the first dimension by the index in
 * `gather` unless that is NULL. The layouts of both are left, right or stride. ctx can access
 * both. */
mx_err mx_strided_copy(mx_ctx ctx, const mx_record *to, const void *from,
                       const int64_t *from_stride, const int64_t *extent, const mx_strided *gather);

/* ---- view.c ---- */

/* MX_ERR_ARG: the calling thread runs the body of a kernel that has the view in its arguments, or as
 * its result. The launch then fails too. `call` names what must not change the view meanwhile. */
mx_err mx_view_not_in_use(mx_view view, const char *call);

/* ---- bind.c ---- */

/* Changes an accessor of view `from` to view `to`, which has the same shape. The origin stays. `at`
 * points to the accessor's first byte. MX_ERR_LAYOUT: it has an origin, which a shift cannot
 * express in the other's strides. */
mx_err mx_accessor_move(char *at, mx_ctx ctx, const mx_record *from, const mx_record *to,
                        mx_view view, mx_layout needs);

/* Checks every accessor of a kernel's arguments, by the table of their struct, against the context
 * that will run it. swapped_is_ok: their views may have been swapped since they were bound. */
mx_err mx_accessors_check(mx_ctx ctx, const char *kernel, const mx_args_table *table,
                          const void *args, bool swapped_is_ok);

/* Checks that the table names every accessor that is bound in these arguments of `size` bytes. */
mx_err mx_accessors_check_table(const char *kernel, const mx_args_table *table, const void *args,
                                size_t size);

/* Do the `size` bytes at `memory` overlap these arguments, or a view that has an accessor in them? */
bool mx_args_overlap(const void *args, size_t args_size, const void *memory, size_t size);

#ifdef MINX_BOUNDS_CHECK
/* Lets the accessors in a copy of a launch's arguments record faults in the context that runs it:
 * the context that they were bound for may have been destroyed. */
void mx_accessors_adopt(mx_ctx ctx, void *args, size_t size);
#endif

#ifdef __cplusplus
}
#endif
