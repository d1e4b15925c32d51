/* Lennard-Jones forces from lists of clusters (md_clusters.h). One function computes all: the
 * kernels are its forms with and without half lists, several pairs of types, and energies. */
#include "clusters/md_clusters.h"
#include "kernels/md_precision.h"
#include "minx/kernel.h"
#include "minx/kit/simd_parts.h"

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

/* Parts of md_real. As doubles a part is MD_PIECES parts. */
#ifdef MD_MIXED
#define MD_SET mx_part_set_f32
#define MD_LOAD mx_part_load_f32
#define MD_SELECT mx_part_select_f32
#define MD_MASK_OF_BITS mx_part_mask_of_bits_f32
#define MD_STORE mx_part_store_f32
#define MD_SUM mx_part_sum_f32
#define MD_PIECE(part, n) mx_part_widen(part, n)
#define MD_PUSH push_single
enum { MD_PART = MX_PART_WIDTH_F32, MD_PIECES = MX_PARTS_OF_F32 };
typedef mx_part_f32 md_part;
typedef mx_part_mask_f32 md_mask;
typedef int32_t md_coordinate; /* in fixed point */
#else
#define MD_SET mx_part_set_f64
#define MD_LOAD mx_part_load_f64
#define MD_SELECT mx_part_select_f64
#define MD_MASK_OF_BITS mx_part_mask_of_bits_f64
#define MD_STORE mx_part_store_f64
#define MD_SUM mx_part_sum_f64
#define MD_PIECE(part, n) (part)
#define MD_PUSH push
enum { MD_PART = MX_PART_WIDTH_F64, MD_PIECES = 1 };
typedef mx_part_f64 md_part;
typedef mx_part_mask_f64 md_mask;
typedef double md_coordinate;
#endif

typedef struct md_row {
    md_coordinate x[3];
    int type;
    md_part fx, fy, fz; /* the force on the atom, spread over lanes */
    mx_part_f64 potential, virial, at_cutoff;
} md_row;

/* The length that is 1 in coordinates and distances. */
MX_BODY md_real md_unit(const md_cluster_args *a)
{
#ifdef MD_MIXED
    return (md_real)a->unit;
#else
    (void)a;
    return 1;
#endif
}

/* The force over the distance in units, and the energy, for pairs of one kind. */
MX_BODY md_part md_one_pair(const md_pair *p, md_real unit, md_part r2, bool energy,
                            md_part *potential)
{
    const md_real c6 = (md_real)(4 * p->epsilon * p->sigma6), c12 = c6 * (md_real)p->sigma6;
    const md_part s2 = 1 / (unit * unit) / r2, s6 = s2 * s2 * s2;
    if (energy) *potential = s6 * (c12 * s6 - c6);
    return s2 * s6 * (12 * c12 * unit * s6 - 6 * c6 * unit);
}

/* The same for pairs of several kinds; the cutoff is theirs too: *near gets it. */
MX_BODY md_part md_typed_pairs(const md_cluster_args *a, int type, int other, int first, md_part r2,
                               md_mask *near, md_part *potential, md_part *at_cutoff)
{
    const md_real unit = md_unit(a);
    md_part force = MD_SET(0), energy = force, cutoff_square = force;
    r2 = r2 * (unit * unit);
    for (int l = 0; l < MD_PART; l++) {
        const int k = type * a->lj.types + MX_AT(a->slot_type, other, first + l);
        const md_real epsilon = (md_real)MX_AT(a->pair, k, 0);
        const md_real sigma6 = (md_real)MX_AT(a->pair, k, 1);
        const md_real s2 = 1 / r2[l], s6 = sigma6 * s2 * s2 * s2;
        md_real f = 48 * epsilon * s6 * (s6 - (md_real)0.5) * s2;
        md_real e = 4 * epsilon * s6 * (s6 - 1);
        cutoff_square[l] = (md_real)MX_AT(a->pair, k, 2);
        if (a->lj.shifted) {
            const md_real r = (md_real)sqrt(r2[l]), at = (md_real)MX_AT(a->pair, k, 4);
            f -= at / r;
            e += (r - (md_real)MX_AT(a->pair, k, 3)) * at - (md_real)MX_AT(a->pair, k, 5);
        }
        force[l] = f * unit;
        energy[l] = e;
        (*at_cutoff)[l] = a->lj.shifted ? 0 : (md_real)MX_AT(a->pair, k, 5);
    }
    *near = r2 < cutoff_square;
    *potential = energy;
    return force;
}

#ifdef MD_MIXED
/* x - p[l], where differences wrap around as unsigned numbers do. */
MX_BODY md_part md_differences(int32_t x, const int32_t *p)
{
#if MX_PART_IS_VECTOR
    typedef uint32_t vector __attribute__((vector_size(4 * MX_PART_WIDTH_F32)));
    typedef vector memory __attribute__((aligned(4), may_alias));
    return __builtin_convertvector((md_mask)((uint32_t)x - *(const memory *)p), md_part);
#else
    md_part difference = MD_SET(0);
    for (int l = 0; l < MD_PART; l++)
        difference[l] = (float)(int32_t)((uint32_t)x - (uint32_t)p[l]);
    return difference;
#endif
}
#endif

/* The distances of the row's atom from those of a cluster, from slot `first` on, along axis d. */
MX_BODY md_part md_distances(const md_cluster_args *a, const md_row *row, int other, int first,
                             int d)
{
#ifdef MD_MIXED
    return md_differences(row->x[d], &MX_AT(a->fixed, other, d, first));
#else
    return row->x[d] - MD_LOAD(&MX_AT(a->point, other, d, first));
#endif
}

/* Adds what the atoms of an entry of the list do to the row's atom. `pushes` (half lists): those
 * atoms get the opposite. */
MX_BODY void md_add_entry(const md_cluster_args *a, md_row *row, int32_t entry, bool pushes,
                          bool one_pair, bool energy)
{
    const int other = md_entry_cluster(entry), first = md_entry_first(entry, MD_PART);
    const double share = pushes ? 1 : 0.5; /* of a pair's energy */
    const md_part zero = MD_SET(0);
    const md_real unit = md_unit(a), cutoff_square = (md_real)a->lj.one.cutoff_square;
    const md_part dx = md_distances(a, row, other, first, 0);
    const md_part dy = md_distances(a, row, other, first, 1);
    const md_part dz = md_distances(a, row, other, first, 2);
    const md_part r2 = dx * dx + dy * dy + dz * dz;
    md_mask near = r2 < cutoff_square / (unit * unit);
    md_part potential = zero, at_cutoff = MD_SET((md_real)a->lj.one.energy_shift), f;
    if (one_pair)
        f = md_one_pair(&a->lj.one, unit, r2, energy, &potential);
    else
        f = md_typed_pairs(a, row->type, other, first, r2, &near, &potential, &at_cutoff);
    near = near & MD_MASK_OF_BITS(md_entry_part(entry, MD_PART));
    f = MD_SELECT(near, f, zero);
    const md_part fx = f * dx, fy = f * dy, fz = f * dz;
    row->fx += fx;
    row->fy += fy;
    row->fz += fz;
    if (pushes) {
        md_real *const push = &MX_AT(a->MD_PUSH, other, 0, first);
        MD_STORE(push, MD_LOAD(push) - fx);
        MD_STORE(push + MD_CLUSTER, MD_LOAD(push + MD_CLUSTER) - fy);
        MD_STORE(push + 2 * MD_CLUSTER, MD_LOAD(push + 2 * MD_CLUSTER) - fz);
    }
    for (int n = 0; n < MD_PIECES && energy; n++) {
        row->potential += share * MD_PIECE(MD_SELECT(near, potential, zero), n);
        row->virial += share * MD_PIECE(MD_SELECT(near, f * r2 * unit, zero), n);
        row->at_cutoff += share * MD_PIECE(MD_SELECT(near, at_cutoff, zero), n);
    }
}

/* The atom of slot s of cluster c, without forces. */
MX_BODY md_row md_begin_row(const md_cluster_args *a, int c, int s)
{
    md_row row;
    for (int d = 0; d < 3; d++) {
#ifdef MD_MIXED
        row.x[d] = MX_AT(a->fixed, c, d, s);
#else
        row.x[d] = MX_AT(a->point, c, d, s);
#endif
    }
    row.type = MX_AT(a->slot_type, c, s);
    row.fx = row.fy = row.fz = MD_SET(0);
    row.potential = row.virial = row.at_cutoff = mx_part_set_f64(0.0);
    return row;
}

/* What local atoms do to it. */
MX_BODY md_row md_sum_local(const md_cluster_args *a, int c, int s, bool half, bool one_pair,
                            bool energy)
{
    const int index = c * MD_CLUSTER + s, end = MX_AT(a->local_end, index);
    md_row row = md_begin_row(a, c, s);
    for (int n = 0; n < end; n++)
        md_add_entry(a, &row, MX_AT(a->near, index, n), half, one_pair, energy);
    return row;
}

MX_BODY void md_add_energy(const md_row *row, md_energy *sum)
{
    sum->potential += mx_part_sum_f64(row->potential);
    sum->virial += mx_part_sum_f64(row->virial);
    sum->at_cutoff += mx_part_sum_f64(row->at_cutoff);
}

/* ---- full lists: an item is a row ---- */

MX_BODY void md_do_row(const md_cluster_args *a, int index, bool one_pair, bool energy,
                       md_energy *sum)
{
    const int c = index / MD_CLUSTER, s = index % MD_CLUSTER, atom = MX_AT(a->slot_atom, c, s);
    if (atom < 0) return;
    const md_row row = md_sum_local(a, c, s, false, one_pair, energy);
    MX_AT(a->force, atom, 0) = MD_SUM(row.fx);
    MX_AT(a->force, atom, 1) = MD_SUM(row.fy);
    MX_AT(a->force, atom, 2) = MD_SUM(row.fz);
    if (energy) md_add_energy(&row, sum);
}

/* ---- half lists: an item is a tile of the colour ---- */

MX_BODY void md_do_cluster(const md_cluster_args *a, int c, bool one_pair, bool energy,
                           md_energy *sum)
{
    md_real f[3][MD_CLUSTER];
    for (int s = 0; s < MD_CLUSTER; s++) {
        f[0][s] = f[1][s] = f[2][s] = 0;
        if (MX_AT(a->slot_atom, c, s) < 0) continue;
        const md_row row = md_sum_local(a, c, s, true, one_pair, energy);
        const md_real of_row[3] = {MD_SUM(row.fx), MD_SUM(row.fy), MD_SUM(row.fz)};
        for (int d = 0; d < 3; d++) {
            if (MX_ON_DEVICE) /* s is no constant, so f would be in memory, not in registers */
                MX_AT(a->MD_PUSH, c, d, s) += of_row[d];
            else
                f[d][s] = of_row[d];
        }
        if (energy) md_add_energy(&row, sum);
    }
    for (int d = 0; d < 3 && !MX_ON_DEVICE; d++)
        for (int s = 0; s < MD_CLUSTER; s++) MX_AT(a->MD_PUSH, c, d, s) += f[d][s];
}

MX_BODY void md_do_tile(const md_cluster_args *a, int n, bool one_pair, bool energy, md_energy *sum)
{
    const int column = md_tile_column(&a->grid, a->colour, n);
    const int end = MX_AT(a->first, column + md_tile_columns(&a->grid));
    for (int c = MX_AT(a->first, column); c < end; c++) md_do_cluster(a, c, one_pair, energy, sum);
}

MX_BODY void md_store_cluster(const md_cluster_args *a, int c)
{
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int atom = MX_AT(a->slot_atom, c, s);
        for (int d = 0; d < 3 && atom >= 0; d++)
            MX_AT(a->force, atom, d) = MX_AT(a->MD_PUSH, c, d, s);
    }
}

/* ---- ghosts: an item is a row ---- */

MX_BODY void md_do_ghosts(const md_cluster_args *a, int index, bool one_pair, bool energy,
                          md_energy *sum)
{
    const int c = index / MD_CLUSTER, s = index % MD_CLUSTER, end = MX_AT(a->row_end, index);
    int n = MX_AT(a->local_end, index);
    if (n == end) return;
    const int atom = MX_AT(a->slot_atom, c, s);
    md_row row = md_begin_row(a, c, s);
    for (; n < end; n++) md_add_entry(a, &row, MX_AT(a->near, index, n), false, one_pair, energy);
    MX_AT(a->force, atom, 0) += MD_SUM(row.fx);
    MX_AT(a->force, atom, 1) += MD_SUM(row.fy);
    MX_AT(a->force, atom, 2) += MD_SUM(row.fz);
    if (energy) md_add_energy(&row, sum);
}

/* ---- the kernels: without and with energy ---- */

#define CLUSTER_KERNELS(name, do_item) NAMED_CLUSTER_KERNELS(name, do_item) /* expands MD_FORM */
#define NAMED_CLUSTER_KERNELS(name, do_item)                                         \
    MX_BODY void name##_body(const md_cluster_args *a, int i)                        \
    {                                                                                \
        if (a->lj.one_pair)                                                          \
            do_item(a, i, true, false, NULL);                                        \
        else                                                                         \
            do_item(a, i, false, false, NULL);                                       \
    }                                                                                \
    MX_FOR(1D, name, MX_ITEMS_PLAIN)                                                 \
    MX_BODY void name##_energy_body(const md_cluster_args *a, int i, md_energy *sum) \
    {                                                                                \
        if (a->lj.one_pair)                                                          \
            do_item(a, i, true, true, sum);                                          \
        else                                                                         \
            do_item(a, i, false, true, sum);                                         \
    }                                                                                \
    MX_REDUCE_FIELDS(1D, name##_energy, MD_ENERGY, MX_ITEMS_PLAIN)
CLUSTER_KERNELS(MD_FORM(md_lj_rows), md_do_row)
CLUSTER_KERNELS(MD_FORM(md_lj_tiles), md_do_tile)
CLUSTER_KERNELS(MD_FORM(md_lj_ghosts), md_do_ghosts)

#define STORE_KERNEL(name) NAMED_STORE_KERNEL(name)
#define NAMED_STORE_KERNEL(name)                                                          \
    MX_BODY void name##_body(const md_cluster_args *a, int c) { md_store_cluster(a, c); } \
    MX_FOR(1D, name, MX_ITEMS_PLAIN)
STORE_KERNEL(MD_FORM(md_store_pushes))
