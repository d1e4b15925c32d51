/* Kernels of at.c: each writes to every element a number made of its indices. */
#pragma once
#include "minx/minx.h"

/* Every rank, over the elements counted by one number. Layouts: the instance's, any strides, left,
 * right. */
/* clang-format off */
#define AT_ARGS(R)                            \
    MX_ARGS(at_##R##_args,                    \
        (mx_i64_##R, own)                     \
        (mx_i64_##R##s, strided)              \
        (mx_i64_##R##l, left)                 \
        (mx_i64_##R##r, right)                \
        (mx_ci64_##R, read)                   \
        (mx_i64_1, copy)                      \
    );                                        \
    MX_DECLARE_FOR(1D, at_##R, at_##R##_args) \
    MX_DECLARE_FOR(1D, at_read_##R, at_##R##_args)
/* clang-format on */

AT_ARGS(0)
AT_ARGS(1)
AT_ARGS(2)
AT_ARGS(3)
AT_ARGS(4)
AT_ARGS(5)
AT_ARGS(6)
AT_ARGS(7)
AT_ARGS(8)

/* Kernels of 1 to 3 dimensions, with their own indices. */
MX_ARGS(at_grid_args, (mx_i32_1, line) (mx_i32_2, plane) (mx_i32_3, box));
MX_DECLARE_FOR(1D, at_line, at_grid_args)
MX_DECLARE_FOR(2D, at_plane, at_grid_args)
MX_DECLARE_FOR(3D, at_box, at_grid_args)

/* Every element type. */
typedef struct at_point {
    double x, y, z;
} at_point;
MX_ACCESSORS(at_point, at_point)
MX_ARGS(at_types_args,
    (mx_f64_2, f64)
    (mx_f32_2, f32)
    (mx_i32_2, i32)
    (mx_i64_2, i64)
    (mx_u8_2, u8)
    (mx_u32_2, u32)
    (mx_u64_2, u64)
    (mx_at_point_2, point)
    (mx_cat_point_2, cpoint)
);
MX_DECLARE_FOR(2D, at_types, at_types_args)

/* Static extents: the last one; both; the inner ones of rank 4. */
MX_ACCESSOR(at_n3, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 3)
MX_ACCESSOR(at_5x3, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 5, 3)
MX_ACCESSOR(at_nn2x4, double, 4, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 2, 4)
MX_ARGS(at_static_args, (at_n3, n3) (at_5x3, all) (at_nn2x4, inner));
MX_DECLARE_FOR(1D, at_static, at_static_args)

/* The sum of MX_ON_DEVICE. */
MX_ARGS(at_none_args, ,
    int unused;
);
MX_DECLARE_REDUCE(1D, at_on_device, at_none_args, int32_t)
