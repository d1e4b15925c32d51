/* Kernels of accessors.c: declared accessors with static extents, and origins. */
#pragma once
#include "minx/minx.h"

typedef struct accessors_pair {
    float x, y;
} accessors_pair;
MX_ACCESSOR(accessors_right, double, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 4, 3)
MX_ACCESSOR(accessors_left, const double, 3, MX_LAYOUT_LEFT, MX_TRAIT_NONE, 7, 4, 3)
MX_ACCESSOR(accessors_pairs, accessors_pair, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 5)
MX_ACCESSOR(accessors_long, const uint8_t, 5, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 1, 2, 3, 4095)

/* Where elements are, in elements from the first one. */
MX_ARGS(accessors_where_args,
    (accessors_right, right)
    (accessors_left, left)
    (accessors_pairs, pairs)
    (accessors_long, five)
    (mx_i64_2r, where) /* an item's index, and one column for each of them */
);
MX_DECLARE_FOR(1D, accessors_where, accessors_where_args)

/* A field with a halo, in each layout. */
MX_ARGS(accessors_halo_args,
    (mx_i64_2, own)
    (mx_i64_2s, strided)
    (mx_i64_2l, left)
    (mx_i64_2r, right)
    (mx_i64_1, line)
    (mx_ci64_2, field)
    (mx_i64_2, sums)
);
MX_DECLARE_FOR(2D, accessors_halo, accessors_halo_args)
MX_DECLARE_FOR(2D, accessors_sums, accessors_halo_args)

MX_ACCESSOR(accessors_block, int64_t, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 4)
MX_ARGS(accessors_block_args, (accessors_block, block));
MX_DECLARE_FOR(3D, accessors_fill, accessors_block_args)

/* Views that are thin where MX_AT takes another stride than theirs. */
MX_ACCESSOR(accessors_sheet, int64_t, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 1, 3)
MX_ARGS(accessors_thin_args, (mx_i64_2, line) (mx_i64_2s, wide) (accessors_sheet, sheet));
MX_DECLARE_FOR(2D, accessors_lines, accessors_thin_args)
MX_DECLARE_FOR(3D, accessors_sheets, accessors_thin_args)
