/* Packing and unpacking: one launch for all neighbours and fields. */
#pragma once
#include "minx/minx.h"

enum { APP_HALO_SEGMENTS_2D = 8, APP_HALO_SEGMENTS_3D = 26, APP_HALO_FIELDS = 8 };

/* The cells for, or of, one neighbour, and where their values begin in the buffer. Its values are ordered by field, then
 * row-major by cell. */
typedef struct app_halo_segment {
    int start;
    int begin[3],
        extent[3]; /* indices into the fields, ghosts counted; dimension 2 is {0, 1} in 2-D */
} app_halo_segment;

typedef struct app_halo_2d_args {
    mx_f64_2 field[APP_HALO_FIELDS];
    mx_f64_1 buffer;
    int segments;
    app_halo_segment segment[APP_HALO_SEGMENTS_2D];
} app_halo_2d_args;
MX_ARGS(app_halo_2d_args, buffer, field[0], field[1], field[2], field[3], field[4], field[5],
        field[6], field[7])

typedef struct app_halo_3d_args {
    mx_f64_3 field[APP_HALO_FIELDS];
    mx_f64_1 buffer;
    int segments;
    app_halo_segment segment[APP_HALO_SEGMENTS_3D];
} app_halo_3d_args;
MX_ARGS(app_halo_3d_args, buffer, field[0], field[1], field[2], field[3], field[4], field[5],
        field[6], field[7])

MX_DECLARE_FOR(1D, app_halo_pack_2d, app_halo_2d_args)
MX_DECLARE_FOR(1D, app_halo_unpack_2d, app_halo_2d_args)
MX_DECLARE_FOR(1D, app_halo_pack_3d, app_halo_3d_args)
MX_DECLARE_FOR(1D, app_halo_unpack_3d, app_halo_3d_args)
