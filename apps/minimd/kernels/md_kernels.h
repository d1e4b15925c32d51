/* The on-node work of miniMD.
 *
 * Atoms are numbers: a rank's local atoms are 0 to local - 1, its ghosts (images of atoms of other
 * ranks, or of its own across the periodic box) local to local + ghosts - 1. Components 0, 1, 2 are
 * x, y, z. Types count from 0 here, from 1 in files. */
#pragma once
#include "md_box.h"
#include "md_lattice.h"
#include "minx/minx.h"

/* Read by other items than their own, and not written by the same kernel. */
MX_ACCESSOR(md_positions, const double, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)
MX_ACCESSOR(md_types, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

/* All views of a run. Those of atoms have `capacity` elements (md_app), more than there are
 * atoms. */
typedef struct md_views {
    /* of atoms */
    mx_view position, velocity, force; /* f64 [capacity][3] */
    mx_view type;                      /* i32 [capacity] */
    mx_view id;             /* i64 [capacity]: from 1 to the number of atoms of all ranks */
    mx_view built_position; /* f64 [capacity][3], where lists are checked: as of the last list */
    /* of types */
    mx_view mass; /* f64 [types] */
    mx_view pair; /* f64 [types * types][MD_PAIR_NUMBERS]: see md_pair */
    /* of the embedded-atom method (md_eam_tables.h) */
    mx_view pair_knots, pair_slopes, embedding_knots;
    mx_view derivative; /* f64 [capacity]: F'(rho) */
    /* work space of reneighbouring */
    mx_view rank; /* i32 [capacity]: the rank that a local atom belongs to */
    mx_view bin;  /* i32 [capacity]: the bin of an atom; after binning: of local atoms and ghosts */
    mx_view bin_begin; /* i32 [bins + 1] */
    /* i32 [capacity]: the atoms of bin b are entries bin_begin(b) to before bin_begin(b + 1) */
    mx_view bin_atom;
    mx_view order;      /* i32 [capacity]: of a sort */
    mx_view type_spare; /* i32 [capacity] */
    mx_view id_spare;   /* i64 [capacity] */
    mx_view image_atom; /* i32 [images]: local atoms that are ghosts elsewhere */
    /* i32 [images]: the neighbour that each is for; then the order by neighbours */
    mx_view image_place;
    mx_view slot;       /* i32 [places]: the number of the neighbour at each place (md_around) */
    mx_view send;       /* i32 [images]: the same atoms, by neighbour */
    mx_view send_begin; /* i32 [neighbours + 1] */
} md_views;

/* ---- set-up (kernels/setup.c) ---- */

MX_ARGS_FROM(md_lattice_args, md_views,
    (mx_f64_2, position) (mx_f64_2, velocity)
    (mx_i32_1, type)
    (mx_i64_1, id),
    md_lattice lattice;
    int types;
);
/* atom m of row j of plane k: md_lattice_site(k, j, m) */
MX_DECLARE_FOR(3D, md_make_lattice, md_lattice_args)

MX_ARGS_FROM(md_scale_args, md_views,
    (mx_f64_2, velocity),
    double mean[3];
    double factor;
);
/* v = (v - mean) * factor */
MX_DECLARE_FOR(1D, md_scale_velocities, md_scale_args)

/* ---- the integrator (kernels/move.c) ---- */

MX_ARGS_FROM(md_move_args, md_views,
    (mx_f64_2, position) (mx_f64_2, velocity)
    (mx_cf64_2, force)
    (mx_ci32_1, type)
    (mx_cf64_1, mass),
    bool one_mass; /* all masses are equal */
    /* dt / 2, in units of velocity times mass over force; divided by the mass where there is one */
    double factor;
    double dt;
);
/* of local atoms: half a kick and a drift; half a kick; both, the end of one step and the start of
 * the next */
MX_DECLARE_FOR(1D, md_begin_step, md_move_args)
MX_DECLARE_FOR(1D, md_end_step, md_move_args)
MX_DECLARE_FOR(1D, md_between_steps, md_move_args)

MX_ARGS_FROM(md_moved_args, md_views, (mx_cf64_2, position) (mx_cf64_2, built_position));
/* the square of the largest distance of a local atom from where it was when the list was made */
MX_DECLARE_REDUCE(1D, md_moved, md_moved_args, double)

/* ---- sums (kernels/thermo.c) ---- */

#define MD_MOTION(FIELD)          \
    FIELD(double, mvv, MX_SUM)    \
    FIELD(double, mass, MX_SUM)   \
    FIELD(double, up_x, MX_SUM)   \
    FIELD(double, up_y, MX_SUM)   \
    FIELD(double, up_z, MX_SUM)   \
    FIELD(double, down_x, MX_SUM) \
    FIELD(double, down_y, MX_SUM) \
    FIELD(double, down_z, MX_SUM)
/* Sums over atoms of m v^2 and of m; and of m |v_x|, ... of the atoms that move to higher x, and of
 * those that move to lower x. The momentum is the difference of the two. It is near 0, so that only
 * they say how exact it is. */
MX_VALUE(md_motion, MD_MOTION)

MX_ARGS_FROM(md_motion_args, md_views, (mx_cf64_2, velocity) (mx_ci32_1, type) (mx_cf64_1, mass));
MX_DECLARE_REDUCE(1D, md_sum_motion, md_motion_args, md_motion)

/* ---- migration and borders (kernels/borders.c) ---- */

MX_ARGS_FROM(md_place_args, md_views,
    (mx_f64_2, position)
    (mx_i32_1, rank),
    md_box box;
);
#define MD_PLACED(FIELD)         \
    FIELD(int64_t, lost, MX_SUM) \
    FIELD(int64_t, far, MX_SUM)
/* lost: atoms whose positions are no numbers, or too far away to be wrapped. far: atoms that are now
 * in a brick that does not touch this one. */
MX_VALUE(md_placed, MD_PLACED)
/* wraps the positions of local atoms into the box, and finds the ranks that they belong to */
MX_DECLARE_REDUCE(1D, md_place_atoms, md_place_args, md_placed)

/* The bricks around this rank's: those up to `range` bricks away along each axis, numbered x
 * fastest: ((z + range[2]) * (2 range[1] + 1) + y + range[1]) * (2 range[0] + 1) + x + range[0].
 * The middle one is its own. */
typedef struct md_around {
    int range[3];
} md_around;
enum { MD_MAX_RANGE = 15 };
MX_INLINE int md_around_size(const md_around *a, int d) { return 2 * a->range[d] + 1; }
MX_INLINE int md_around_count(const md_around *a)
{
    return md_around_size(a, 0) * md_around_size(a, 1) * md_around_size(a, 2);
}

MX_ARGS_FROM(md_images_args, md_views,
    (md_positions, position)
    (mx_i32_1, image_atom)
    (mx_i32_1, image_place)
    (mx_ci32_1, slot),
    md_around around;
    /* along each axis: the brick k + 1 away needs atoms at above[k] and beyond, on the other side
     * atoms up to below[k] */
    double above[3][MD_MAX_RANGE], below[3][MD_MAX_RANGE];
    int64_t room; /* images that the views have room for; what is beyond is counted, not stored */
);
/* the images of local atoms that other bricks need: those within the cutoff of the brick, along
 * each axis. The total is their number */
MX_DECLARE_SCAN(1D, md_find_images, md_images_args, int64_t)

MX_ARGS_FROM(md_gather_args, md_views,
    (mx_ci32_1, image_place)
    (mx_ci32_1, image_atom)
    (mx_i32_1, send)
);
/* send(n) = image_atom(image_place(n)), once image_place is the order */
MX_DECLARE_FOR(1D, md_gather_images, md_gather_args)

/* ---- bins (kernels/bins.c) ---- */

/* Bins of local atoms and ghosts: boxes that fill this rank's brick and the list's cutoff around
 * it. Bin (x, y, z) has number (z * bins[1] + y) * bins[0] + x. */
typedef struct md_bins {
    double low[3];
    double inverse[3]; /* 1 / the side of a bin */
    int bins[3];
    int cutoff_bins[3]; /* the cutoff of the list along each axis, in bins, rounded up */
} md_bins;

MX_INLINE int md_bin_along(const md_bins *b, int d, double x)
{
    const double bin = (x - b->low[d]) * b->inverse[d];
    return bin < 0 ? 0 : bin < b->bins[d] ? (int)bin : b->bins[d] - 1;
}

MX_ARGS_FROM(md_bin_args, md_views,
    (md_positions, position)
    (mx_i32_1, bin),
    md_bins bins;
);
MX_DECLARE_FOR(1D, md_find_bins, md_bin_args)

/* The order in which atoms are sorted: that of bins, or that of blocks of 8 x 8 x 8 bins, and in a
 * block that of a Morton curve. Then the atoms of neighbouring threads fill a compact region, and
 * have many neighbours in common. */
enum { MD_BLOCK = 8 };
MX_INLINE int md_blocks_along(const md_bins *b, int d)
{
    return (b->bins[d] + MD_BLOCK - 1) / MD_BLOCK;
}
/* The bits of 0 to 7, each three places from the next. */
MX_INLINE int md_spread_bits(int n) { return (n & 1) | (n & 2) << 2 | (n & 4) << 4; }
MX_INLINE int md_place_in_blocks(const md_bins *b, int x, int y, int z)
{
    const int block =
        (z / MD_BLOCK * md_blocks_along(b, 1) + y / MD_BLOCK) * md_blocks_along(b, 0) +
        x / MD_BLOCK;
    return block * MD_BLOCK * MD_BLOCK * MD_BLOCK + md_spread_bits(x % MD_BLOCK) +
           2 * md_spread_bits(y % MD_BLOCK) + 4 * md_spread_bits(z % MD_BLOCK);
}

MX_ARGS_FROM(md_order_args, md_views,
    (md_positions, position)
    (mx_i32_1, bin),
    md_bins bins;
    bool in_blocks;
    int places;                         /* bins, or those of whole blocks */
    double inner_low[3], inner_high[3]; /* positions inside have no ghosts as neighbours */
);
/* places of local atoms in the order; of those that are not inside: behind all of these. The value:
 * the number of atoms inside */
MX_DECLARE_REDUCE(1D, md_find_places, md_order_args, int64_t)

MX_ARGS(md_sort_vectors_args, (mx_ci32_1, order) (mx_cf64_2, from) (mx_f64_2, to));
/* to(n) = from(order(n)) */
MX_DECLARE_FOR(1D, md_sort_vectors, md_sort_vectors_args)

MX_ARGS_FROM(md_sort_names_args, md_views,
    (mx_ci32_1, order)
    (mx_ci32_1, type)
    (mx_i32_1, type_spare)
    (mx_ci64_1, id)
    (mx_i64_1, id_spare)
);
/* the same for types and ids */
MX_DECLARE_FOR(1D, md_sort_names, md_sort_names_args)

/* ---- lists ---- */

#define MD_LIST_SIZE(FIELD)       \
    FIELD(int64_t, pairs, MX_SUM) \
    FIELD(int64_t, longest, MX_MAX)
/* The pairs of a list, and the maximum of entries of a row. */
MX_VALUE(md_list_size, MD_LIST_SIZE)

/* ---- forces ---- */

/* The parameters of two types. A row of md_views.pair has the same numbers, in this order; row ti *
 * types + tj. */
typedef struct md_pair {
    double epsilon;
    double sigma6;        /* sigma to the 6th */
    double cutoff_square; /* of the force */
    double cutoff;
    double force_shift;  /* the force at the cutoff; subtracted with shift=force */
    double energy_shift; /* the energy at the cutoff, likewise */
} md_pair;
enum { MD_PAIR_NUMBERS = 6 };

MX_INLINE md_pair md_pair_of_row(const mx_cf64_2 *pair, int row)
{
    const md_pair p = {MX_AT(*pair, row, 0), MX_AT(*pair, row, 1), MX_AT(*pair, row, 2),
                       MX_AT(*pair, row, 3), MX_AT(*pair, row, 4), MX_AT(*pair, row, 5)};
    return p;
}

/* Lennard-Jones parameters of all types, as kernels get them beside md_views.pair. */
typedef struct md_lj_pairs {
    md_pair one;   /* the parameters of all pairs, where one_pair */
    bool one_pair; /* all pairs have the same parameters: types are not read */
    bool shifted;
    int types;
} md_lj_pairs;

#define MD_ENERGY(FIELD)             \
    FIELD(double, potential, MX_SUM) \
    FIELD(double, virial, MX_SUM)    \
    FIELD(double, at_cutoff, MX_SUM)
/* The potential energy; the sum over pairs of r . f; and the sum over the pairs within the cutoff
 * of the energy at the cutoff, where it is not subtracted. Each pair is counted once. Units of the
 * deck. Potential minus at_cutoff is continuous: an atom that crosses the cutoff does not change
 * it. */
MX_VALUE(md_energy, MD_ENERGY)
