/* Kernels of ranges.c: each item counts its visit in a box that reaches one beyond the range on
 * every side. */
#pragma once
#include "minx/minx.h"

MX_ARGS(ranges_args,
    (mx_i32_1, hits), /* [0]: visits outside the box; then the box, the last index fastest */
    int64_t origin[3], extent[3]; /* of the box */
);

MX_DECLARE_FOR(1D, ranges_1d, ranges_args)
MX_DECLARE_FOR(2D, ranges_2d, ranges_args)
MX_DECLARE_FOR(3D, ranges_3d, ranges_args)
MX_DECLARE_FOR(1D_64, ranges_1d_64, ranges_args)
MX_DECLARE_FOR(2D_64, ranges_2d_64, ranges_args)
MX_DECLARE_FOR(3D_64, ranges_3d_64, ranges_args)
MX_DECLARE_FOR(1D, ranges_1d_nested, ranges_args)
MX_DECLARE_FOR(2D, ranges_2d_nested, ranges_args)
MX_DECLARE_FOR(3D, ranges_3d_nested, ranges_args)
MX_DECLARE_FOR(1D_64, ranges_1d_64_nested, ranges_args)
MX_DECLARE_FOR(2D_64, ranges_2d_64_nested, ranges_args)
MX_DECLARE_FOR(3D_64, ranges_3d_64_nested, ranges_args)

/* The same as a reduction: the number of items, next to the visits. */
MX_DECLARE_REDUCE(1D, ranges_count_1d, ranges_args, int64_t)
MX_DECLARE_REDUCE(2D, ranges_count_2d, ranges_args, int64_t)
MX_DECLARE_REDUCE(3D, ranges_count_3d, ranges_args, int64_t)
MX_DECLARE_REDUCE(1D_64, ranges_count_1d_64, ranges_args, int64_t)
MX_DECLARE_REDUCE(2D_64, ranges_count_2d_64, ranges_args, int64_t)
MX_DECLARE_REDUCE(3D_64, ranges_count_3d_64, ranges_args, int64_t)

/* Item (i, j, k) stores the sum of the six neighbours of element (i + shift, j + shift, k + shift)
 * of `from` in this element of `to`. */
MX_ARGS(ranges_neighbours_args,
    (mx_ci32_3, from)
    (mx_i32_3, to),
    int shift;
);
MX_DECLARE_FOR(3D, ranges_neighbours, ranges_neighbours_args)

/* Element (i, j, k) becomes 10000 i + 100 j + k. */
MX_ARGS(ranges_number_args, (mx_i32_3, numbers));
MX_DECLARE_FOR(3D, ranges_number, ranges_number_args)
