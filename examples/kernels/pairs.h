/* Lennard-Jones forces from half lists. A pair is in one list only, so the item with this list adds
 * to the forces on both particles. Several items may add to the same particle. There are two
 * kernels:
 *
 *     pairs_atomic    adds by atomics; the forces must be zero before
 *     pairs_scatter   adds by a scatter view: a copy of the forces for each host thread, atomics on a GPU
 *
 * Each has two forms. Either an item is a particle, or the lanes of a thread share the list of a
 * particle (pairs_atomic_team, pairs_scatter_team). The second form is faster on GPUs. A team has
 * PAIRS_PARTICLES particles: launch pairs_teams(particles) teams.
 *
 * With the trait of random access, loads from the lists need not wait for earlier atomics.
 *
 * Units: the particles' diameter, and the depth of their potential, 4 (r^-12 - r^-6). */
#pragma once
#include "minx/kit/scatter.h"
#include "minx/minx.h"

MX_ACCESSOR(pairs_points, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, 3)
MX_ACCESSOR(pairs_lists, const int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(pairs_counts, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(pairs_forces, double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, 3)

MX_ARGS(pairs_atomic_args,
    (pairs_points, x)
    (pairs_lists, list)
    (pairs_counts, count)
    (pairs_forces, f),
    double cutoff2;
);
MX_DECLARE_FOR(1D, pairs_atomic, pairs_atomic_args)
MX_DECLARE_FOR(TEAM, pairs_atomic_team, pairs_atomic_args)

MX_ARGS(pairs_scatter_args,
    (pairs_points, x)
    (pairs_lists, list)
    (pairs_counts, count)
    (MX_SCATTER_OF(pairs_forces, MX_SUM), f, MX_SCATTER_ACCESSOR),
    double cutoff2;
);
MX_DECLARE_FOR(1D, pairs_scatter, pairs_scatter_args)
MX_DECLARE_FOR(TEAM, pairs_scatter_team, pairs_scatter_args)

/* The particles of a team, and the lanes of a thread. On a GPU each particle has a thread. */
enum { PAIRS_PARTICLES = 64, PAIRS_LANES = 4 };

static inline int64_t pairs_teams(int64_t particles)
{
    return (particles + PAIRS_PARTICLES - 1) / PAIRS_PARTICLES;
}
