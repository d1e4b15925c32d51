/* Neighbour lists in one array, for Lennard-Jones forces: neighbour n of atom i is entry begin(i) +
 * n * step.
 *
 *     2d_right   begin(i) = i * room, step = 1          a row for each atom, one after the other
 *     2d_left    begin(i) = i, step = atoms             a column for each atom: the first neighbours of all atoms, then the second
 *     csr        begin(i) = all counts before, step = 1 no gaps; needs a pass that counts
 *
 * Full lists have each pair twice. Half lists have a pair of local atoms in the list of the first
 * one, which computes the force for both. A pair with a ghost is in the list of the local atom: on
 * both ranks without ghost_newton; with it on one of them, which sends the ghost's force back.
 * Which one follows from positions, which both ranks have when lists are made: the local atom whose
 * ghost has the larger z, or the same z and the larger y, and so on. Positions are then inside the
 * box, and images beyond it, so both ranks find the same.
 *
 * Several atoms of a half list may add to the same force: by a scatter view, which has a copy of
 * the forces for each thread of hosts, or by atomics. An item is an atom; or a team has
 * MD_TEAM_ATOMS atoms, and its lanes share a list. */
#pragma once
#include "kernels/md_kernels.h"
#include "minx/kit/scatter.h"

enum { MD_TEAM_ATOMS = 32 };

MX_ACCESSOR(md_list_begins, const int64_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(md_list_numbers, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct md_strided_views {
    mx_view position, type, pair, bin_begin, bin_atom; /* of md_views */
    mx_view begin;                                     /* i64 [local + 1] */
    mx_view count;                                     /* i32 [local] */
    /* i32 [entries]. With lists in rows, -1 follows the last neighbour of a row that is not full, so
     * that all backends store the same. */
    mx_view entry;
} md_strided_views;

MX_ARGS_FROM(md_begin_args, md_strided_views,
    (mx_ci32_1, count)
    (mx_i64_1, begin),
    int64_t stride; /* begin(i) = i * stride; 0: the sum of counts before i */
    int local;
);
/* over local atoms and one more; the total is that of counts */
MX_DECLARE_SCAN(1D, md_strided_begins, md_begin_args, int64_t)

MX_ARGS_FROM(md_search_args, md_strided_views,
    (md_positions, position)
    (mx_ci32_1, bin_begin)
    (mx_ci32_1, bin_atom)
    (md_list_begins, begin)
    (mx_i32_1, count)
    (mx_i32_1, entry),
    md_bins bins;
    double cutoff_square;
    int64_t step;
    int local;
    /* of each row: what is beyond is counted, not stored; -1: count(i), of an earlier search */
    int room;
    bool half, ghost_newton;
);
MX_DECLARE_REDUCE(1D, md_strided_search, md_search_args, md_list_size)

MX_ARGS(md_strided_args,
    (md_positions, position)
    (md_types, type)
    (mx_cf64_2, pair)
    (md_list_begins, begin)
    (md_list_numbers, count)
    (md_list_numbers, entry)
    (mx_f64_2, force)                                             /* full lists, and atomics */
    (MX_SCATTER_OF(mx_f64_2, MX_SUM), push, MX_SCATTER_ACCESSOR), /* scatter views */
    int64_t step;
    int local;
    bool ghost_newton;
    md_lj_pairs lj;
);
/* over local atoms, or over teams of MD_TEAM_ATOMS. Full lists: the force. Half lists: adds to
 * forces that are 0. */
MX_DECLARE_FOR(1D, md_strided_full, md_strided_args)
MX_DECLARE_FOR(1D, md_strided_scatter, md_strided_args)
MX_DECLARE_FOR(1D, md_strided_atomic, md_strided_args)
MX_DECLARE_FOR(TEAM, md_strided_full_team, md_strided_args)
MX_DECLARE_FOR(TEAM, md_strided_scatter_team, md_strided_args)
MX_DECLARE_FOR(TEAM, md_strided_atomic_team, md_strided_args)
MX_DECLARE_REDUCE(1D, md_strided_full_energy, md_strided_args, md_energy)
MX_DECLARE_REDUCE(1D, md_strided_scatter_energy, md_strided_args, md_energy)
MX_DECLARE_REDUCE(1D, md_strided_atomic_energy, md_strided_args, md_energy)
MX_DECLARE_REDUCE(TEAM, md_strided_full_team_energy, md_strided_args, md_energy)
MX_DECLARE_REDUCE(TEAM, md_strided_scatter_team_energy, md_strided_args, md_energy)
MX_DECLARE_REDUCE(TEAM, md_strided_atomic_team_energy, md_strided_args, md_energy)

/* ---- list.c ---- */

typedef enum md_strided_form { MD_STRIDED_RIGHT, MD_STRIDED_LEFT, MD_STRIDED_CSR } md_strided_form;

/* All zero at first, but for the settings. */
typedef struct md_strided {
    md_strided_form form; /* settings */
    bool half, ghost_newton, atomic, team;
    md_strided_views views;
    mx_scatter push;
    int64_t push_rows; /* for which there is a scatter view */
    int local, room;
    int64_t step, pairs;
    md_strided_args args;
} md_strided;

/* Makes the list of local atoms, whose bins with ghosts are views->bin_begin and bin_atom. Grows as
 * needed. */
mx_err md_strided_build(mx_ctx ctx, const md_views *views, const md_bins *bins, double cutoff,
                        int local, md_strided *f);
/* Forces on local atoms, and with ghost_newton those that ghosts are to send back; energy may be
 * NULL. */
mx_err md_strided_lj(mx_ctx ctx, const md_views *views, const md_lj_pairs *lj, md_strided *f,
                     md_energy *energy);
void md_strided_destroy(md_strided *f);
