/* Kernels of layouts.c: they write an element, and where it is. */
#pragma once
#include "minx/minx.h"

#define LAYOUTS_EACH(M)     \
    M(tiled2, TILED, 2)     \
    M(tiled3, TILED, 3)     \
    M(left2, TILED_LEFT, 2) \
    M(left3, TILED_LEFT, 3) \
    M(morton2, MORTON, 2)   \
    M(morton3, MORTON, 3)

#define LAYOUTS_DECLARE(name, LAYOUT, R)                                         \
    MX_ACCESSOR(name, int32_t, R, MX_LAYOUT_##LAYOUT, MX_TRAIT_NONE)             \
    MX_ACCESSOR(c##name, const int32_t, R, MX_LAYOUT_##LAYOUT, MX_TRAIT_NONE)    \
    MX_ARGS(layouts_##name##_args, (name, x) (c##name, y) (mx_i64_##R, offset)); \
    MX_DECLARE_FOR(R##D, layouts_##name, layouts_##name##_args)                  \
    MX_DECLARE_REDUCE(R##D, layouts_sum_##name, layouts_##name##_args, int64_t)
LAYOUTS_EACH(LAYOUTS_DECLARE)

/* A tile's size known, in a view of tiles. */
MX_ACCESSOR(layouts_fixed, int32_t, 3, MX_LAYOUT_TILED, MX_TRAIT_NONE, 9, 20)
MX_ARGS(layouts_fixed_args, (layouts_fixed, x));
MX_DECLARE_FOR(3D, layouts_fixed_fill, layouts_fixed_args)
