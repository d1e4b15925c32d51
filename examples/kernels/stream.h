/* Vectors: the five loops that measure memory bandwidth (copy, mul, add, triad, dot). All have the
 * same argument struct. */
#pragma once
#include "minx/minx.h"

/* No kernel here writes to them. With the trait of random access, the load of an item on a GPU need
 * not wait for another store. */
MX_ACCESSOR(stream_reals, const double, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(stream_args,
    (mx_f64_1, a)
    (stream_reals, b) (stream_reals, c),
    double s;
);

MX_DECLARE_FOR(1D, stream_copy, stream_args)           /* a = b */
MX_DECLARE_FOR(1D, stream_mul, stream_args)            /* a = s b */
MX_DECLARE_FOR(1D, stream_add, stream_args)            /* a = b + c */
MX_DECLARE_FOR(1D, stream_triad, stream_args)          /* a = b + s c */
MX_DECLARE_REDUCE(1D, stream_dot, stream_args, double) /* the sum of b c */
