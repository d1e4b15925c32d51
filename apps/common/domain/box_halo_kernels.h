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

typedef struct app_box_halo_args {
    mx_u32_4s field[APP_BOX_HALO_ARRAYS]; /* the last index: words of an element */
    mx_u32_1 buffer;
    int words; /* in an element */
    int segments;
    app_box_halo_segment segment[APP_BOX_HALO_SEGMENTS];
} app_box_halo_args;
MX_ARGS(app_box_halo_args, buffer, field[0], field[1], field[2], field[3], field[4], field[5],
        field[6], field[7])

/* Over the elements of all segments. */
MX_DECLARE_FOR(1D, app_box_halo_pack, app_box_halo_args)
MX_DECLARE_FOR(1D, app_box_halo_unpack, app_box_halo_args)
