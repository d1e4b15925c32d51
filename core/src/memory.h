/* The memory layer, lowest file first: view_table.c keeps the records of views, geometry.c computes where elements are,
 * host_memory.c allocates on the host, address.c tells whose memory an address is, copy.c moves elements, view.c makes and ends views, subview.c makes views of parts,
 * bind.c makes accessors. A file calls only those before it, a backend through its table, and tools through their hooks. */
#pragma once
#include "backend.h"
#include "minx/args.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- view_table.c: what is known of each view ---- */

typedef struct mx_record {
    uint32_t generation; /* odd: live; see view_table.c */
    uint32_t next_free;
    int references;
    int parts; /* of the references: those that parts of this view hold */
    char label[64];
    mx_type type;
    int rank;
    mx_space space;
    int device; /* that the memory belongs to; -1: none */
    mx_layout layout;
    int64_t extent[MX_MAX_RANK];
    int64_t stride[MX_MAX_RANK];
    int64_t count; /* elements */
    int64_t span;  /* elements from the first to behind the last */
    void *data;
    void (*release)(mx_space space, void *data); /* frees the data; NULL: it belongs to others */
    bool padding;
    bool constant;         /* only to be read */
    uint64_t reserved_for; /* the context (its id) whose launches alone may use it; 0: any */
    mx_check check;        /* how a check against another backend compares its elements */

    /* A part is a box in the indices of its root, the view that holds the data. */
    mx_view root; /* null: this view is no part */
    int64_t root_begin[MX_MAX_RANK];
    int64_t root_end[MX_MAX_RANK];
    int root_dim[MX_MAX_RANK]; /* the root's dimension that each of this view is of */

    /* The line of the program that made it; file NULL: not known. */
    const char *file;
    int line;
} mx_record;

/* The record of a live view, or NULL. Valid until the view is destroyed. */
mx_record *mx_record_of(mx_view view);

/* The same, with MX_ERR_STALE where there is none. */
mx_err mx_record_find(mx_view view, mx_record **record);

/* Puts a complete record into the table. It has one owner then. */
mx_err mx_record_insert(const mx_record *described, mx_view *view);

/* Adds owners, and says how many of them are parts. Returns a copy of the record as it is then, for other threads may be
 * changing it. 0, 0: only the copy. */
mx_record mx_record_retain(mx_record *record, int owners, int parts);

/* Takes one owner away. After the last one the record leaves the table, and *last is a copy of it.
 * MX_ERR_STALE: only parts own the view, and the caller is none. */
mx_err mx_record_release(mx_view view, bool part, mx_record *last);

/* MX_ERR_CONST if the view is only to be read. */
mx_err mx_record_writable(const mx_record *record);

/* Sets a handle null. MX_ERR_ARG: there is nowhere to put a view. */
mx_err mx_view_set_null(mx_view *view);

/* What the stamp inside an accessor says. */
typedef struct mx_stamp {
    uint32_t slot;
    uint32_t generation; /* its low 23 bits */
    mx_space space;
    mx_layout needs; /* of an instance, to use it; DEFAULT: any, STRIDE: the view's, fixed */
} mx_stamp;

/* The offset of an accessor's stamp from its beginning. */
enum { MX_STAMP_OFFSET = sizeof(void *) };

uint64_t mx_stamp_make(const mx_record *record, mx_view view, mx_layout needs);

/* false: there is no stamp at this address. */
bool mx_stamp_read(const void *word, mx_stamp *stamp);

/* Is it the mark of an accessor that no kernel uses (mx_bind_none)? */
bool mx_stamp_is_none(const void *word);

/* The view that a stamp names, and its record. A null view and NULL if it is gone. */
mx_view mx_view_of_stamp(const mx_stamp *stamp);
mx_record *mx_record_of_stamp(const mx_stamp *stamp);

/* ---- geometry.c: extents, strides and overlap ---- */

/* Sets count, and span by extents and strides. */
void mx_record_measure(mx_record *record);

/* MX_ERR_LAYOUT unless the layout is left, right or stride. */
mx_err mx_record_strided(const mx_record *record, const char *what);

/* Do the strides follow left or right, with padding behind the contiguous dimension only? Strides that static extents settle
 * must be exact. fixed: static extents, 0 where there is none; NULL: none at all. */
bool mx_strides_follow(const mx_record *record, const int64_t *fixed, mx_layout layout);

/* Sets strides, count and span by type, rank, extents, layout and padding. MX_ERR_RANK: not for this layout; MX_ERR_EXTENT: it
 * does not fit the address space. */
mx_err mx_record_lay_out(mx_record *record);

/* Sets the strides to those of the user, and the layout to stride unless they follow it. asked: the layout that the user asked
 * for. MX_ERR_LAYOUT: elements would share memory, or the strides do not follow that layout. */
mx_err mx_record_take_strides(mx_record *record, const int64_t *strides, mx_layout asked);

/* The view that holds the data of this one: its root, or the view itself. */
mx_view mx_record_root(mx_view view, const mx_record *record);

/* Do others own elements between those of this view? (Padding of a root is its own.) */
bool mx_record_has_gaps(const mx_record *record);

/* Do the memory ranges of the two meet? */
bool mx_records_meet(const mx_record *a, const mx_record *b);

/* Are there elements in both views? Exact for parts of one root. Of two roots: do their memory ranges meet? */
bool mx_views_overlap(mx_view a, mx_view b);

/* Can kernels of this context touch the view's memory? */
static inline bool mx_ctx_can_access(mx_ctx ctx, const mx_record *record)
{
    return (ctx->backend->memory.accessible & MX_SPACE_BIT(record->space)) != 0 &&
           (record->device < 0 || record->device == ctx->device);
}

/* ---- address.c: whose memory an address is ---- */

/* From now on the backend is asked for its memory. */
void mx_memory_ask(const mx_backend *backend);

/* The space of the memory at an address, and its device (-1: none). MX_SPACE_HOST: no backend knows it. */
mx_space mx_memory_space(const void *address, int *device);

/* What MX_SPACE_STAGING stands for. */
static inline mx_space mx_staging_space(mx_ctx ctx)
{
    const bool pinned = (ctx->backend->memory.allocates_in & MX_SPACE_BIT(MX_SPACE_PINNED)) != 0;
    return pinned ? MX_SPACE_PINNED : MX_SPACE_HOST;
}

/* ---- copy.c ---- */

/* A copy or a fill, as graphs keep it to run it again. */
typedef struct mx_move {
    mx_view to;
    mx_view from;      /* null: a fill */
    bool plain;        /* mx_deep_copy rather than mx_remap */
    const void *value; /* of a fill */
} mx_move;

/* Can the context move this memory, now? MX_ERR_ARG: no context, or one that records a graph; MX_ERR_SPACE: no. */
mx_err mx_record_movable(mx_ctx ctx, const mx_record *record);

/* The same for copies that graphs record: MX_ERR_SPACE where ctx records one and its kernels cannot access this memory, for
 * a graph runs later, when ordinary memory of the host may be gone. */
mx_err mx_record_recordable(mx_ctx ctx, const mx_record *record);

/* Do the views have the same type, rank and extents, and may the destination be written? If not, the error says so. */
mx_err mx_records_alike(const mx_record *to, const mx_record *from);

/* Do both name the same elements in the same places? */
bool mx_records_same(const mx_record *a, const mx_record *b);

/* Describes a copy of all elements of `from` to `to`, which has the same shape. false: there are none. */
bool mx_strided_describe(mx_strided *copy, const mx_record *to, const mx_record *from);

/* Copies all elements of `from` to `to`, which has the same shape. ctx can access both. */
mx_err mx_record_copy(mx_ctx ctx, const mx_record *to, const mx_record *from);

/* Copies the elements with 0 <= index < extent to a view, the first dimension by the index in `gather` unless that is NULL.
 * The layouts of both are left, right or stride. ctx can access both. */
mx_err mx_strided_copy(mx_ctx ctx, const mx_record *to, const void *from,
                       const int64_t *from_stride, const int64_t *extent, const mx_strided *gather);

/* ---- bind.c ---- */

/* Makes an accessor of `from` one of `to`, which has the same shape, with the same origin. `at` points to the accessor's first
 * byte. MX_ERR_LAYOUT: it has an origin, which a shift cannot express in the other's strides. */
mx_err mx_accessor_move(char *at, mx_ctx ctx, const mx_record *from, const mx_record *to,
                        mx_view view, mx_layout needs);

/* Checks every accessor of a kernel's arguments, by the table of their struct, against the context that will run it. */
mx_err mx_accessors_check(mx_ctx ctx, const char *kernel, const mx_args_table *table,
                          const void *args);

/* Checks that the table names every accessor that is bound in these arguments of `size` bytes. */
mx_err mx_accessors_check_table(const char *kernel, const mx_args_table *table, const void *args,
                                size_t size);

#ifdef MINX_BOUNDS_CHECK
/* Makes the accessors in a copy of a launch's arguments note faults with the context that runs it: theirs may be gone. */
void mx_accessors_adopt(mx_ctx ctx, void *args, size_t size);
#endif

#ifdef __cplusplus
}
#endif
