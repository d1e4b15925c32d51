/* Layouts: the offset of the element of an index. All are separable: offset(i, j, ...) = f0(i) +
 * f1(j) + ..., a term for each dimension. For left, right and stride a term is index times stride.
 * For other layouts it is a function in a header of its own. MX_AT selects it at compile time by
 * the layout in the accessor's type, so left, right and stride have no extra cost.
 *
 * To add one: a header like layout_tiled.h, and a row: MX_LAYOUT_NAME, its name in messages, a
 * prefix, parameters. Functions:
 *   PREFIX_term_(rank, d, i, stride, parameters): what index i >= 0 of dimension d adds to the offset
 *   PREFIX_strides_(rank, extent, stride, parameters): rounds extents up so that every offset is below their product (an extent of 0
 *       stays 0), and sets the `stride` that PREFIX_term_ gets. false: the layout does not have this rank. Products may overflow.
 * Views of such a layout can only be bound to accessors (MX_ACCESSOR) of the same layout. They have
 * no subviews, origins or padding. */
#pragma once
#include "minx/detail/layout_morton.h"
#include "minx/detail/layout_tiled.h"

#ifdef __cplusplus
extern "C" {
#endif

/* TILED: tiles of 8 x 8 in the last two dimensions; TILED_LEFT: in the first two; rank 2 or more.
 * MORTON: rank 2 or 3. */
#define MX_LAYOUTS_(ROW)                                \
    ROW(TILED, "tiled", mx_tiled, false, 8, 8)          \
    ROW(TILED_LEFT, "tiled_left", mx_tiled, true, 8, 8) \
    ROW(MORTON, "morton", mx_morton, false)

#define MX_LAYOUT_ENUMERATOR_(NAME, name, prefix, ...) MX_LAYOUT_##NAME,
typedef enum mx_layout {
    MX_LAYOUT_DEFAULT, /* the context's own: right on hosts, left on GPUs and simt */
    MX_LAYOUT_LEFT,    /* the first index is contiguous (Fortran) */
    MX_LAYOUT_RIGHT,   /* the last index is contiguous (C) */
    MX_LAYOUT_STRIDE,  /* any strides */
    MX_LAYOUTS_(MX_LAYOUT_ENUMERATOR_) MX_LAYOUT_COUNT_
} mx_layout;
MX_STATIC_ASSERT(MX_LAYOUT_COUNT_ <= 16, "an accessor's type has 4 bits for its layout");

/* The name of a layout, "left" for example. */
const char *mx_layout_name(mx_layout layout);

/* The layout is a compile-time constant in every call, so the switch is removed. */
#define MX_LAYOUT_TERM_(NAME, name, prefix, ...) \
    case MX_LAYOUT_##NAME: return prefix##_term_(rank, d, i, stride, __VA_ARGS__);
MX_INLINE int64_t mx_term_(int layout, int rank, int d, int64_t i, int64_t stride)
{
    (void)rank;
    (void)d;
    switch (layout) {
        MX_LAYOUTS_(MX_LAYOUT_TERM_)
    default: return i * stride;
    }
}

#ifdef __cplusplus
}
#endif
