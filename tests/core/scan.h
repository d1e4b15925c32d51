/* Kernels of the test of scans. */
#pragma once
#include "minx/minx.h"

/* x -> a x + b, in arithmetic modulo 2^32: composing is associative, but not commutative. */
typedef struct sc_map {
    uint32_t a, b;
} sc_map;
MX_ACCESSORS(map, sc_map)

MX_ARGS(sc_args,
    (mx_ci64_1, count)
    (mx_i64_1, before) (mx_i64_1, after)
    (mx_f64_1, real)
    (mx_map_1, maps)
    (mx_ci64_0, factor),
    int64_t origin; /* of the range */
    int64_t times;  /* factor, by a prologue */
    int64_t limit;  /* of counts that sc_limited takes */
    bool once;      /* only where `final` is true */
);

MX_DECLARE_SCAN(1D, sc_both, sc_args, int64_t)
MX_DECLARE_SCAN(1D_64, sc_both_64, sc_args, int64_t)
MX_DECLARE_SCAN(1D, sc_real, sc_args, double)
MX_DECLARE_SCAN(1D, sc_highest, sc_args, int64_t)
MX_DECLARE_SCAN(1D, sc_maps, sc_args, sc_map)
MX_DECLARE_SCAN(1D, sc_limited, sc_args, int64_t)

/* Prologues: times is read of factor, once. */
MX_DECLARE_SCAN(1D_64, sc_scaled, sc_args, int64_t)
MX_DECLARE_SCAN(1D, sc_scaled_maps, sc_args, sc_map)
