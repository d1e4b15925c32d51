/* Packing and unpacking of box halos: one launch for all neighbours and fields. An element is some
 * words of 32 bits, so one kernel moves elements of all types. A field of two dimensions is treated
 * as one of three, whose first extent is 1. */
#pragma once
#include "minx/minx.h"

enum { APP_BOX_HALO_SEGMENTS = 26, APP_BOX_HALO_ARRAYS = 8 };

/* The cells sent to, or received from, one neighbour, and the number of its first element in the
 * buffer. Its elements are ordered by field, then row-major by cell. */
typedef struct app_box_halo_segment {
    int start;
    int begin[3]; /* indices into the fields, ghosts counted */
    int extent[3];
} app_box_halo_segment;

/* The last index of a field: words of an element. */
typedef mx_u32_4s app_box_halo_fields[APP_BOX_HALO_ARRAYS];
#define APP_BOX_HALO_MEMBERS(ACCESSOR, m) \
    ACCESSOR(m[0])                        \
    ACCESSOR(m[1])                        \
    ACCESSOR(m[2])                        \
    ACCESSOR(m[3])                        \
    ACCESSOR(m[4])                        \
    ACCESSOR(m[5])                        \
    ACCESSOR(m[6])                        \
    ACCESSOR(m[7])
MX_ARGS(app_box_halo_args,
    (app_box_halo_fields, field, APP_BOX_HALO_MEMBERS)
    (mx_u32_1, buffer),
    int words; /* in an element */
    int segments;
    app_box_halo_segment segment[APP_BOX_HALO_SEGMENTS];
);

/* Over the elements of all segments. */
MX_DECLARE_FOR(1D, app_box_halo_pack, app_box_halo_args)
MX_DECLARE_FOR(1D, app_box_halo_unpack, app_box_halo_args)
