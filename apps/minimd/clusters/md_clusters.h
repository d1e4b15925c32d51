/* Lists of clusters: for each local atom, the groups of eight atoms that are near it.
 *
 * A cluster has eight atoms that are close together, with coordinates stored by component: x of all
 * eight, then y, then z. So the distances from one atom to a cluster are a few operations on
 * vectors of eight numbers, without gathers. GROMACS has clusters against clusters (Pall and Hess
 * 2013). Here a row of the list belongs to one atom: 12 vectors for an atom instead of 19, and 54
 * ns instead of 69 for miniMD's default problem on one Zen 5 core.
 *
 *     tiles      of columns        a column seen from the side
 *     +----+----+----+----+        |ooooooo o|oooo oooo|o ooo...|
 *     |    :    |    :    |        +---------+---------+--------+--> z
 *     +....:....+....:....+         cluster 0   1         2         the last one is padded
 *     |    :    |    :    |
 *     +----+----+----+----+
 *
 * The brick is divided along x and y into columns about as wide as a cube of eight atoms. The atoms
 * of a column, in the order of z, are cut into clusters. Ghosts have columns and clusters of their
 * own, behind those of local atoms. Clusters count column by column, and columns tile by tile.
 *
 * Full lists: atom i gets all its force from its row, so atoms are independent. Half lists
 * (Newton's third law): a pair of local atoms is in the row of the lower slot only, and the other
 * atom gets the opposite force. Clusters of ghosts are treated as in full lists. Tiles are at least
 * as wide as the list's cutoff, so the work on tile (x, y) writes to this tile, to (x + 1, y), and
 * to (x - 1, y + 1) to (x + 1, y + 1). Tiles with equal x modulo 3 and equal y modulo 2 have one of
 * six colours: no two of a colour write to the same tile. The colours are launched one after
 * another, so every sum has a fixed order: the same bits for any number of threads, without atomics
 * and without copies.
 *
 * precision=mixed: pairs are computed in single precision. Coordinates are in fixed point: 32-bit
 * integers, in units of a power of 2 that is 2^-28 to 2^-27 of the list's cutoff. They overflow: a
 * coordinate is the lower bits of its integer. Differences of near atoms are right nevertheless,
 * as these are closer than 8 cutoffs: they are exact in the integers, and rounded once to single
 * precision. So a distance has an error of some 1e-7 of itself, has the same size from either
 * side, and no box or cluster is too wide. (Coordinates from an origin of each cluster need twice
 * as many operations.) The forces of local atoms and those of ghosts are two sums in single
 * precision, which are added in double precision. The first one has some 80 terms, so its rounding
 * is as that of the terms. Energies and virials are sums in double precision.
 *
 * Rejected: 4 by 8 clusters (see above); copies of the forces for each thread (bits depend on the
 * number of threads); an approximate reciprocal with Newton's iteration instead of a division
 * (slower); mixed: sums of forces in double precision (a third slower: conversions, and stores twice
 * as long), and vectors of sixteen floats for two or four rows (no faster on Zen 4, whose units
 * have 256 bits; rows that share entries have a fourth more lanes). */
#pragma once
#include "kernels/md_kernels.h"

/* atoms of a cluster: a pack (minx/kit/simd.h) */
enum { MD_CLUSTER = 8 };
/* colours of tiles along x and y */
enum { MD_COLOURS_X = 3, MD_COLOURS_Y = 2, MD_COLOURS = MD_COLOURS_X * MD_COLOURS_Y };

MX_ACCESSOR(md_points, double, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 3, MD_CLUSTER)
MX_ACCESSOR(md_const_points, const double, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 3, MD_CLUSTER)
MX_ACCESSOR(md_fixed_points, int32_t, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 3, MD_CLUSTER)
MX_ACCESSOR(md_const_fixed_points, const int32_t, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 3, MD_CLUSTER)
MX_ACCESSOR(md_pushes_single, float, 3, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 3, MD_CLUSTER)
MX_ACCESSOR(md_slots, int32_t, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, MD_CLUSTER)
MX_ACCESSOR(md_const_slots, const int32_t, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, MD_CLUSTER)
MX_ACCESSOR(md_boxes, double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 6)
MX_ACCESSOR(md_const_boxes, const double, 2, MX_LAYOUT_RIGHT, MX_TRAIT_NONE, 6)

/* An entry of a row: a cluster, and which of its atoms are within the list's cutoff of the row's
 * atom; bit s is that of slot s. So the list has the same pairs as every other one. Forces between
 * other atoms of the cluster would be right, but runs whose lists are older than their skin allows
 * would then depend on the kind of list. */
enum { MD_MAX_CLUSTERS = 1 << 23 };
MX_INLINE int32_t md_entry(int cluster, unsigned atoms) { return cluster << 8 | (int32_t)atoms; }
MX_INLINE int md_entry_cluster(int32_t entry) { return entry >> 8; }
MX_INLINE unsigned md_entry_atoms(int32_t entry) { return (unsigned)entry & 255; }

/* Where a vector of the host has fewer lanes than a cluster has atoms (minx/kit/simd_parts.h), an entry
 * for Lennard-Jones forces has a part of a cluster: `width` slots from slot `first` on. Bit s is
 * that of slot first + s. A part without near atoms has no entry. So with AVX2 a row of miniMD's
 * default problem has 18 entries of four slots, and not twice 12. */
MX_INLINE int32_t md_part_entry(int cluster, int first, unsigned atoms, int width)
{
    if (width == MD_CLUSTER) return md_entry(cluster, atoms);
    return md_entry(cluster, atoms << 4 | (unsigned)first);
}
MX_INLINE int md_entry_first(int32_t entry, int width)
{
    return width == MD_CLUSTER ? 0 : entry & 15;
}
MX_INLINE unsigned md_entry_part(int32_t entry, int width)
{
    return width == MD_CLUSTER ? md_entry_atoms(entry) : (unsigned)entry >> 4 & 15;
}

typedef struct md_cluster_grid {
    double low[2];     /* of the brick, along x and y */
    double inverse[2]; /* 1 / the width of a column */
    int columns[2];    /* of local atoms */
    int tiles[2];
    int tile;       /* columns along an edge of a tile */
    int margin[2];  /* columns of ghosts on each side of the brick */
    double bin_low; /* columns have bins along z, for the order of atoms in a column */
    double bin_inverse;
    int bins;
} md_cluster_grid;

/* The last tile along an axis may be narrower: then it has columns without atoms. */
MX_INLINE int md_local_columns(const md_cluster_grid *g)
{
    return g->tiles[0] * g->tiles[1] * g->tile * g->tile;
}
MX_INLINE int md_all_columns(const md_cluster_grid *g)
{
    return md_local_columns(g) +
           (g->columns[0] + 2 * g->margin[0]) * (g->columns[1] + 2 * g->margin[1]);
}

/* The column along an axis, at least `first` and at most `last`; larger for a larger x. */
MX_INLINE int md_column_along(const md_cluster_grid *g, int d, double x, int first, int last)
{
    const double column = floor((x - g->low[d]) * g->inverse[d]);
    return column <= first ? first : column >= last ? last : (int)column;
}

MX_INLINE int md_local_column(const md_cluster_grid *g, int x, int y)
{
    const int n = g->tile;
    return ((y / n * g->tiles[0] + x / n) * n + y % n) * n + x % n;
}

MX_INLINE int md_ghost_column(const md_cluster_grid *g, int x, int y)
{
    return md_local_columns(g) + (y + g->margin[1]) * (g->columns[0] + 2 * g->margin[0]) + x +
           g->margin[0];
}

/* Columns of a tile, and the first one of tile n of a colour. */
MX_INLINE int md_tile_columns(const md_cluster_grid *g) { return g->tile * g->tile; }
MX_INLINE int md_tile_column(const md_cluster_grid *g, const int *colour, int n)
{
    const int across = (g->tiles[0] - colour[0] + MD_COLOURS_X - 1) / MD_COLOURS_X;
    const int x = colour[0] + MD_COLOURS_X * (n % across);
    const int y = colour[1] + MD_COLOURS_Y * (n / across);
    return (y * g->tiles[0] + x) * md_tile_columns(g);
}

MX_INLINE int md_column_bin(const md_cluster_grid *g, double z)
{
    const double bin = (z - g->bin_low) * g->bin_inverse;
    return bin <= 0 ? 0 : bin >= g->bins - 1 ? g->bins - 1 : (int)bin;
}

/* All views of the clusters. Slot s of cluster c is (c, s); row c * MD_CLUSTER + s of the list
 * belongs to its atom. */
typedef struct md_cluster_views {
    mx_view position, force, type, pair, bin, bin_atom; /* as in md_views; the caller's */
    mx_view bin_begin;                                  /* i32 [columns * bins + 1] */
    mx_view first;       /* i32 [columns + 1]: the first cluster of a column */
    mx_view slot_atom;   /* i32 [clusters][8]: the atom; -1: none */
    mx_view slot_type;   /* i32 [clusters][8] */
    mx_view point;       /* f64 [clusters][3][8]: coordinates; far away where there is no atom */
    mx_view fixed;       /* i32 [clusters][3][8]: mixed: coordinates in fixed point */
    mx_view push;        /* f64 [local clusters][3][8]: forces, for half lists */
    mx_view push_single; /* f32 likewise: mixed */
    mx_view extent;      /* f64 [clusters][6]: lowest x, y, z and highest x, y, z of its atoms */
    mx_view local_end; /* i32 [rows]: entries of local clusters; those of ghosts are behind them */
    mx_view row_end;   /* i32 [rows]: all entries */
    mx_view near; /* i32 [rows][room]: entries, for clusters with an atom in the list's cutoff */
} md_cluster_views;

MX_ARGS_FROM(md_cell_args, md_cluster_views,
    (md_positions, position)
    (mx_i32_1, bin),
    md_cluster_grid grid;
    int local;
);
/* over local atoms and ghosts: the bin, counted through all columns */
MX_DECLARE_FOR(1D, md_find_cells, md_cell_args)

MX_ARGS_FROM(md_count_args, md_cluster_views,
    (mx_ci32_1, bin_begin)
    (mx_i32_1, first),
    md_cluster_grid grid;
);
/* over columns and one more: first(column); the total is the number of clusters */
MX_DECLARE_SCAN(1D, md_count_clusters, md_count_args, int32_t)

MX_ARGS_FROM(md_fill_args, md_cluster_views,
    (mx_ci32_1, bin_begin)
    (mx_ci32_1, bin_atom)
    (mx_ci32_1, first)
    (mx_ci32_1, type)
    (md_slots, slot_atom)
    (md_slots, slot_type),
    md_cluster_grid grid;
);
/* over columns: slot_atom, slot_type */
MX_DECLARE_FOR(1D, md_fill_clusters, md_fill_args)

MX_ARGS_FROM(md_point_args, md_cluster_views,
    (md_positions, position)
    (md_const_slots, slot_atom)
    (md_points, point)
    (md_points, push)
    (md_boxes, extent),
    double far;    /* farther from everything than any cutoff */
    int push_rows; /* clusters whose push is set to 0 */
);
/* over clusters: the coordinates of atoms, and push = 0; the extents, from coordinates */
MX_DECLARE_FOR(1D, md_load_points, md_point_args)
MX_DECLARE_FOR(1D, md_measure_clusters, md_point_args)

MX_ARGS_FROM(md_fixed_args, md_cluster_views,
    (md_positions, position)
    (md_const_slots, slot_atom)
    (md_fixed_points, fixed)
    (md_pushes_single, push_single),
    double units_per_length; /* of fixed point */
    int push_rows;           /* as in md_point_args */
);
/* over clusters: fixed, and push_single = 0 */
MX_DECLARE_FOR(1D, md_load_fixed, md_fixed_args)

MX_ARGS_FROM(md_near_args, md_cluster_views,
    (mx_ci32_1, bin_begin)
    (mx_ci32_1, first)
    (md_const_slots, slot_atom)
    (md_const_points, point)
    (md_const_boxes, extent)
    (mx_i32_1, local_end)
    (mx_i32_1, row_end)
    (mx_i32_2, near),
    md_cluster_grid grid;
    double cutoff;
    bool half;
    bool whole; /* as in md_clusters */
    bool mixed;
    int room; /* of a row; what is beyond is counted, not stored */
);
/* Over local clusters: their rows. The value: the slots of all entries, which are the pairs that
 * are computed, and the maximum of entries of a row. */
MX_DECLARE_REDUCE(1D, md_find_near, md_near_args, md_list_size)

MX_ARGS(md_cluster_args,
    (md_const_points, point)       /* double; not bound where mixed */
    (md_const_fixed_points, fixed) /* mixed; not bound where double */
    (md_const_slots, slot_atom)
    (md_const_slots, slot_type)
    (mx_ci32_1, first)
    (mx_ci32_1, local_end)
    (mx_ci32_1, row_end)
    (mx_ci32_2, near)
    (mx_cf64_2, pair)
    (md_points, push)                 /* double; not bound where mixed */
    (md_pushes_single, push_single)   /* mixed; not bound where double */
    (mx_f64_2, force),
    md_cluster_grid grid;
    int colour[2];
    double unit; /* of fixed point */
    md_lj_pairs lj; /* one_pair: also that there is no shift; types are not read */
);
/* With local atoms. Over rows of a full list: the force on the row's atom. Over the tiles of a
 * colour, of a half list: adds to push. */
MX_DECLARE_FOR(1D, md_lj_rows, md_cluster_args)
MX_DECLARE_FOR(1D, md_lj_rows_mixed, md_cluster_args)
MX_DECLARE_REDUCE(1D, md_lj_rows_energy, md_cluster_args, md_energy)
MX_DECLARE_REDUCE(1D, md_lj_rows_mixed_energy, md_cluster_args, md_energy)
MX_DECLARE_FOR(1D, md_lj_tiles, md_cluster_args)
MX_DECLARE_FOR(1D, md_lj_tiles_mixed, md_cluster_args)
MX_DECLARE_REDUCE(1D, md_lj_tiles_energy, md_cluster_args, md_energy)
MX_DECLARE_REDUCE(1D, md_lj_tiles_mixed_energy, md_cluster_args, md_energy)
/* over local clusters: the force on their atoms is push */
MX_DECLARE_FOR(1D, md_store_pushes, md_cluster_args)
MX_DECLARE_FOR(1D, md_store_pushes_mixed, md_cluster_args)
/* With ghosts, over rows: adds to the force on the row's atom. */
MX_DECLARE_FOR(1D, md_lj_ghosts, md_cluster_args)
MX_DECLARE_FOR(1D, md_lj_ghosts_mixed, md_cluster_args)
MX_DECLARE_REDUCE(1D, md_lj_ghosts_energy, md_cluster_args, md_energy)
MX_DECLARE_REDUCE(1D, md_lj_ghosts_mixed_energy, md_cluster_args, md_energy)

/* Lists of vectors, which other forces make. A part is a cluster, or a part of one. */
typedef struct md_vector_views {
    mx_view count; /* i32 [parts] */
    mx_view begin; /* i32 [parts + 1]: the first vector of a part; the number of all vectors */
} md_vector_views;

MX_ARGS_FROM(md_vector_args, md_vector_views,
    (mx_ci32_1, count)
    (mx_i32_1, begin),
    int parts;
);
/* over parts and one more: begin; the total is the number of vectors */
MX_DECLARE_SCAN(1D, md_number_vectors, md_vector_args, int64_t)

/* ---- list.c ---- */

/* The atoms that a list is made of. Views as in md_views; local atoms are 0 to local - 1, ghosts
 * local to local + ghosts - 1. */
typedef struct md_cluster_atoms {
    mx_view position, force, type, pair;
    mx_view bin, bin_atom; /* work space */
    bool pushes;           /* half lists: `push` is needed */
    int local, ghosts;
    double low[3], high[3]; /* the brick: local atoms are inside, ghosts within the cutoff of it */
    double cutoff;          /* of the list */
} md_cluster_atoms;

/* All zero at first, but for settings. */
typedef struct md_clusters {
    md_cluster_grid grid;
    md_cluster_views views;
    int local_clusters, clusters;
    int push_rows;
    int room; /* of a row */
    bool half;
    bool mixed; /* a setting: pairs in single precision; Lennard-Jones only */
    bool whole; /* a setting: an entry has all near atoms of a cluster; not for Lennard-Jones */
    md_list_size size;
    md_point_args load;
    md_fixed_args load_mixed;
    md_cluster_args args;
} md_clusters;

/* Makes the list. Waits for the context. Rows that are too short are made longer. */
mx_err md_clusters_build(mx_ctx ctx, const md_cluster_atoms *atoms, bool half, md_clusters *c);

/* The order of local atoms by clusters, for sorting them: `order` (i32) gets their numbers. */
mx_err md_clusters_order(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c, mx_view order);

/* Lennard-Jones forces on local atoms at their present positions: first those from local atoms,
 * then those from ghosts, which may arrive in between. `energy` may be NULL; else
 * md_clusters_lj_local sets it, and md_clusters_lj_ghosts adds to it (a pair with a ghost gives
 * half). `lj`: parameters, as for the other lists. */
mx_err md_clusters_lj_local(mx_ctx ctx, md_clusters *c, const md_lj_pairs *lj, md_energy *energy);
mx_err md_clusters_lj_ghosts(mx_ctx ctx, md_clusters *c, md_energy *energy);

/* Binds again, after views of atoms were replaced. */
mx_err md_clusters_bind(mx_ctx ctx, const md_cluster_atoms *atoms, md_clusters *c);

void md_clusters_destroy(md_clusters *c);

/* ---- for forces of other kinds ---- */

/* Makes a view of at least extents[0] rows. What it had is lost, unless it was large enough. */
mx_err md_fit_view(mx_ctx ctx, const char *label, mx_type type, int rank, const int64_t *extents,
                   mx_layout layout, mx_view *view);
/* From count(n) of so many parts: begin(n), and the number of all vectors. Waits for the context.
 * MX_ERR_EXTENT: a vector's number would not fit in 32 bits; `begin` is useless then. */
mx_err md_vectors_begin(mx_ctx ctx, const md_vector_views *v, int64_t parts, int64_t *vectors);
/* The tiles of colour number `number`, which goes to `colour`. */
mx_range_1 md_tiles(mx_ctx ctx, const md_cluster_grid *grid, int number, int *colour);
void md_add_energies(const md_energy *share, md_energy *energy);
