/* Kernels of the cases on particles: forces between pairs of them, with either layout, and
 * histograms by a scatter view.
 *
 * Lennard-Jones particles with a density of 0.8442, in units of their diameter and well depth. They
 * are near the sites of a face-centred cubic lattice (four for each cell), moved by at most a fifth
 * of a diameter along each axis, and numbered cell by cell in a cube of `side` cells along each
 * edge. A particle's list has all particles within BENCH_LIST_CUTOFF; half of these are within
 * BENCH_CUTOFF. */
#pragma once
#include "minx/kit/scatter.h"
#include "minx/minx.h"

enum { BENCH_NEIGHBOURS = 96 }; /* the capacity of a list; about 75 are in use inside of the cube */
#define BENCH_FORCE_BYTES (75 * 4 + 4 + 48)
#define BENCH_CELL 1.6796 /* a side of a lattice cell: the cube root of 4 / 0.8442 */
#define BENCH_LIST_CUTOFF 2.8
#define BENCH_CUTOFF 2.2

/* x(i, c): where particle i is. */
MX_ARGS(bench_set_points_args,
    (mx_f64_2s, x),
    int side;
);
MX_DECLARE_FOR(1D, bench_set_points, bench_set_points_args)

/* list(i, k): neighbour number k of particle i, ascending; count(i) of them. */
MX_ARGS(bench_set_lists_args,
    (mx_cf64_2s, x)
    (mx_i32_2s, list)
    (mx_i32_1, count),
    int particles, side;
);
MX_DECLARE_FOR(1D, bench_set_lists, bench_set_lists_args)

/* f(i) = the sum of the forces that the particles in its list put on particle i */
/* clang-format off */
#define BENCH_FORCE(name, LAYOUT)                                                                 \
    MX_ACCESSOR(name##_points, const double, 2, LAYOUT, MX_TRAIT_RANDOM_ACCESS, 3)                \
    MX_ACCESSOR(name##_forces, double, 2, LAYOUT, MX_TRAIT_NONE, 3)                               \
    MX_ACCESSOR(name##_lists, const int32_t, 2, LAYOUT, MX_TRAIT_RANDOM_ACCESS, BENCH_NEIGHBOURS) \
    MX_ARGS(name##_args,                                                                          \
        (name##_points, x)                                                                        \
        (name##_forces, f)                                                                        \
        (name##_lists, list)                                                                      \
        (mx_ci32_1, count),                                                                       \
        double cutoff2;                                                                           \
    );                                                                                            \
    MX_DECLARE_FOR(1D, name, name##_args)
/* clang-format on */
BENCH_FORCE(bench_force, MX_LAYOUT_DEFAULT)
BENCH_FORCE(bench_force_l, MX_LAYOUT_LEFT)
BENCH_FORCE(bench_force_r, MX_LAYOUT_RIGHT)

/* f(i, c) += s x(i, c), and the sum of x(i, c)^2: launches over two dimensions, of which one has
 * three indices */
MX_ARGS(bench_push_args,
    (bench_force_forces, f)
    (bench_force_points, x),
    double s;
);
MX_DECLARE_FOR(2D, bench_push, bench_push_args)

MX_ARGS(bench_square_args, (bench_force_points, x));
MX_DECLARE_REDUCE(2D, bench_square, bench_square_args, double)

/* bins(index(i)) += 1, by a scatter view */
MX_ARGS(bench_scatter_args,
    (MX_SCATTER_OF(mx_i64_1, MX_SUM), bins, MX_SCATTER_ACCESSOR)
    (mx_ci32_1, index)
);
MX_DECLARE_FOR(1D, bench_scatter, bench_scatter_args)

/* index(i) = 2 i or one more, without a pattern */
MX_ARGS(bench_set_halves_args, (mx_i32_1, index));
MX_DECLARE_FOR(1D, bench_set_halves, bench_set_halves_args)

/* keys(i) = bits without a pattern */
MX_ARGS(bench_set_keys_args, (mx_i64_1, keys));
MX_DECLARE_FOR(1D, bench_set_keys, bench_set_keys_args)
