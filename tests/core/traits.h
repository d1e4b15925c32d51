/* Kernels of traits.c: one text for accessors of every trait. */
#pragma once
#include "minx/minx.h"

/* Gather, twice a value, and back to its place; for each type of element: tag, type. */
#define TRAITS_TYPES(M) \
    M(f64, double)      \
    M(f32, float)       \
    M(i32, int32_t)     \
    M(i64, int64_t)     \
    M(u8, uint8_t)      \
    M(u32, uint32_t)    \
    M(u64, uint64_t)
/* clang-format off */
#define TRAITS_DECLARE(tag, T)                                                              \
    MX_ACCESSOR(traits_random_##tag, const T, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS) \
    MX_ACCESSOR(traits_restrict_##tag, T, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RESTRICT)          \
    MX_ARGS(traits_##tag##_args,                                                            \
        (traits_random_##tag, x)                                                            \
        (mx_##tag##_2, y)                                                                   \
        (traits_restrict_##tag, z)                                                          \
        (mx_##tag##_1, w)                                                                   \
        (mx_##tag##_0, three)                                                               \
        (mx_ci32_1, index)                                                                  \
    );                                                                                      \
    MX_DECLARE_FOR(1D, traits_##tag, traits_##tag##_args)
/* clang-format on */
TRAITS_TYPES(TRAITS_DECLARE)

/* Many items at few elements. */
#define TRAITS_NUMBERS(M) \
    M(f64, double)        \
    M(f32, float)         \
    M(i32, int32_t)       \
    M(i64, int64_t)       \
    M(u32, uint32_t)      \
    M(u64, uint64_t)
/* clang-format off */
#define TRAITS_ATOMIC(tag, T)                                                                  \
    MX_ACCESSOR(traits_atomic_##tag, T, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_ATOMIC)                 \
    MX_ARGS(traits_atomic_##tag##_args,                                                        \
        (traits_atomic_##tag, bins) (traits_atomic_##tag, largest) (traits_atomic_##tag, flag) \
    );                                                                                         \
    MX_DECLARE_FOR(1D, traits_count_##tag, traits_atomic_##tag##_args)
/* clang-format on */
TRAITS_NUMBERS(TRAITS_ATOMIC)

/* A field in tiles, read at random; and structs through a restrict accessor. */
typedef struct traits_point {
    double x, y, z;
} traits_point;
MX_ACCESSOR(traits_tiles, const double, 2, MX_LAYOUT_TILED, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(traits_points, traits_point, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RESTRICT)
MX_ACCESSOR(traits_tiles_out, double, 2, MX_LAYOUT_TILED, MX_TRAIT_NONE)
MX_ARGS(traits_mix_args, (traits_tiles, tiles) (traits_tiles_out, out) (traits_points, points));
MX_DECLARE_FOR(2D, traits_fill, traits_mix_args)
MX_DECLARE_FOR(1D, traits_mix, traits_mix_args)

/* Several elements of a row at once. */
MX_ACCESSOR(traits_rows, double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE)
MX_ACCESSOR(traits_random_rows, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_RANDOM_ACCESS)
MX_ARGS(traits_rows_args, (traits_random_rows, from) (traits_rows, to));
MX_DECLARE_FOR(2D, traits_by_four, traits_rows_args)
