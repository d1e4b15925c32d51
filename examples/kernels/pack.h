/* Packs the positions of some particles into a message, and unpacks a message:
 *
 *     buffer(k, c) = x(index(k), c)           x(index(k), c) = buffer(k, c)         c = 0, 1, 2
 *
 * There are two forms: an item is a component (k, c), over a range of n x 3; or an item is a
 * particle, with a loop over its components. To unpack, all indices must differ, because two items
 * must not write the same element. */
#pragma once
#include "minx/minx.h"

/* The second extent is the constant 3, so the compiler can simplify the computation of offsets.
 * With the trait of random access, a load on a GPU need not wait for the store of another
 * component. */
MX_ACCESSOR(pack_points, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 3)
MX_ACCESSOR(pack_const_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, 3)
MX_ACCESSOR(pack_indices, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(pack_args, (pack_points, buffer) (pack_const_points, x) (pack_indices, index));
MX_DECLARE_FOR(2D, pack_components, pack_args)
MX_DECLARE_FOR(1D, pack_particles, pack_args)

MX_ARGS(unpack_args, (pack_points, x) (pack_const_points, buffer) (pack_indices, index));
MX_DECLARE_FOR(2D, unpack_components, unpack_args)
MX_DECLARE_FOR(1D, unpack_particles, unpack_args)
