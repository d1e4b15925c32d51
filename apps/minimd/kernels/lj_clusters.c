/* Lennard-Jones forces from lists of clusters (md_clusters.h). One function computes all: the kernels are its forms with and
 * without half lists, several pairs of types, and energies. */
#include "md_clusters.h"
#include "minx/kernel.h"
#include "minx/simd.h"

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

typedef struct md_row {
    double x, y, z;
    int type;
    mx_pack_f64 fx, fy, fz; /* the force on the atom, spread over lanes */
    mx_pack_f64 potential, virial, at_cutoff;
} md_row;

/* The force over the distance, and the energy, for pairs of one kind. */
MX_BODY mx_pack_f64 md_one_pair(const md_pair *p, mx_pack_f64 r2, bool energy,
                                mx_pack_f64 *potential)
{
    const double c6 = 4 * p->epsilon * p->sigma6, c12 = c6 * p->sigma6;
    const mx_pack_f64 s2 = 1.0 / r2, s6 = s2 * s2 * s2;
    if (energy) *potential = s6 * (c12 * s6 - c6);
    return s2 * s6 * (12 * c12 * s6 - 6 * c6);
}

/* The same for pairs of several kinds; the cutoff is theirs too: *near gets it. */
MX_BODY mx_pack_f64 md_typed_pairs(const md_cluster_args *a, int type, int other, mx_pack_f64 r2,
                                   mx_mask_f64 *near, mx_pack_f64 *potential,
                                   mx_pack_f64 *at_cutoff)
{
    mx_pack_f64 force = mx_pack_set_f64(0.0), energy = force, cutoff_square = force;
    for (int l = 0; l < MD_CLUSTER; l++) {
        const int k = type * a->types + MX_AT(a->slot_type, other, l);
        const double epsilon = MX_AT(a->pair, k, 0), sigma6 = MX_AT(a->pair, k, 1);
        const double s2 = 1 / r2[l], s6 = sigma6 * s2 * s2 * s2;
        double f = 48 * epsilon * s6 * (s6 - 0.5) * s2, e = 4 * epsilon * s6 * (s6 - 1);
        cutoff_square[l] = MX_AT(a->pair, k, 2);
        if (a->shifted) {
            const double r = sqrt(r2[l]);
            f -= MX_AT(a->pair, k, 4) / r;
            e += (r - MX_AT(a->pair, k, 3)) * MX_AT(a->pair, k, 4) - MX_AT(a->pair, k, 5);
        }
        force[l] = f;
        energy[l] = e;
        (*at_cutoff)[l] = a->shifted ? 0 : MX_AT(a->pair, k, 5);
    }
    *near = r2 < cutoff_square;
    *potential = energy;
    return force;
}

/* Adds what the atoms of an entry of the list do to the row's atom. share: of a pair's energy. */
MX_BODY void md_add_cluster(const md_cluster_args *a, md_row *row, int32_t entry, bool pushes,
                            bool one_pair, bool energy, double share)
{
    const int other = md_entry_cluster(entry);
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    const double *const point = &MX_AT(a->point, other, 0, 0);
    const mx_pack_f64 dx = row->x - mx_pack_load(point);
    const mx_pack_f64 dy = row->y - mx_pack_load(point + MD_CLUSTER);
    const mx_pack_f64 dz = row->z - mx_pack_load(point + 2 * MD_CLUSTER);
    const mx_pack_f64 r2 = dx * dx + dy * dy + dz * dz;
    mx_mask_f64 near = r2 < a->one.cutoff_square;
    mx_pack_f64 potential = zero, at_cutoff = mx_pack_set_f64(a->one.energy_shift), f;
    if (one_pair)
        f = md_one_pair(&a->one, r2, energy, &potential);
    else
        f = md_typed_pairs(a, row->type, other, r2, &near, &potential, &at_cutoff);
    near = near & mx_mask_of_bits_f64(md_entry_atoms(entry));
    f = mx_pack_select(near, f, zero);
    row->fx += f * dx;
    row->fy += f * dy;
    row->fz += f * dz;
    if (energy) {
        row->potential += share * mx_pack_select(near, potential, zero);
        row->virial += share * mx_pack_select(near, f * r2, zero);
        row->at_cutoff += share * mx_pack_select(near, at_cutoff, zero);
    }
    if (pushes) {
        double *const push = &MX_AT(a->push, other, 0, 0);
        mx_pack_store(push, mx_pack_load(push) - f * dx);
        mx_pack_store(push + MD_CLUSTER, mx_pack_load(push + MD_CLUSTER) - f * dy);
        mx_pack_store(push + 2 * MD_CLUSTER, mx_pack_load(push + 2 * MD_CLUSTER) - f * dz);
    }
}

/* The atom of slot s of cluster c, without forces. */
MX_BODY md_row md_begin_row(const md_cluster_args *a, int c, int s)
{
    md_row row;
    row.x = MX_AT(a->point, c, 0, s);
    row.y = MX_AT(a->point, c, 1, s);
    row.z = MX_AT(a->point, c, 2, s);
    row.type = MX_AT(a->slot_type, c, s);
    row.fx = row.fy = row.fz = mx_pack_set_f64(0.0);
    row.potential = row.virial = row.at_cutoff = row.fx;
    return row;
}

/* What own atoms do to it: those of its own cluster, then the others. */
MX_BODY md_row md_sum_own(const md_cluster_args *a, int c, int s, bool half, bool one_pair,
                          bool energy)
{
    const int index = c * MD_CLUSTER + s, end = MX_AT(a->own_end, index);
    md_row row = md_begin_row(a, c, s);
    md_add_cluster(a, &row, MX_AT(a->near, index, 0), false, one_pair, energy, 0.5);
    for (int n = 1; n < end; n++)
        md_add_cluster(a, &row, MX_AT(a->near, index, n), half, one_pair, energy, half ? 1.0 : 0.5);
    return row;
}

MX_BODY void md_add_energy(const md_row *row, md_energy *sum)
{
    sum->potential += mx_pack_sum(row->potential);
    sum->virial += mx_pack_sum(row->virial);
    sum->at_cutoff += mx_pack_sum(row->at_cutoff);
}

/* ---- full lists: an item is a row ---- */

MX_BODY void md_do_row(const md_cluster_args *a, int index, bool one_pair, bool energy,
                       md_energy *sum)
{
    const int c = index / MD_CLUSTER, s = index % MD_CLUSTER, atom = MX_AT(a->slot_atom, c, s);
    if (atom < 0) return;
    const md_row row = md_sum_own(a, c, s, false, one_pair, energy);
    MX_AT(a->force, atom, 0) = mx_pack_sum(row.fx);
    MX_AT(a->force, atom, 1) = mx_pack_sum(row.fy);
    MX_AT(a->force, atom, 2) = mx_pack_sum(row.fz);
    if (energy) md_add_energy(&row, sum);
}

/* ---- half lists: an item is a tile of the colour ---- */

MX_BODY void md_do_cluster(const md_cluster_args *a, int c, bool one_pair, bool energy,
                           md_energy *sum)
{
    double f[3][MD_CLUSTER];
    for (int s = 0; s < MD_CLUSTER; s++) {
        f[0][s] = f[1][s] = f[2][s] = 0;
        if (MX_AT(a->slot_atom, c, s) < 0) continue;
        const md_row row = md_sum_own(a, c, s, true, one_pair, energy);
        f[0][s] = mx_pack_sum(row.fx);
        f[1][s] = mx_pack_sum(row.fy);
        f[2][s] = mx_pack_sum(row.fz);
        if (energy) md_add_energy(&row, sum);
    }
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < MD_CLUSTER; s++) MX_AT(a->push, c, d, s) += f[d][s];
}

MX_BODY void md_do_tile(const md_cluster_args *a, int n, bool one_pair, bool energy, md_energy *sum)
{
    const int column = md_tile_column(&a->grid, a->colour, n);
    const int end = MX_AT(a->first, column + md_tile_columns(&a->grid));
    for (int c = MX_AT(a->first, column); c < end; c++) md_do_cluster(a, c, one_pair, energy, sum);
}

MX_BODY void md_store_pushes_body(const md_cluster_args *a, int c)
{
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int atom = MX_AT(a->slot_atom, c, s);
        for (int d = 0; d < 3 && atom >= 0; d++) MX_AT(a->force, atom, d) = MX_AT(a->push, c, d, s);
    }
}
MX_FOR(1D, md_store_pushes, MX_ITEMS_PLAIN)

/* ---- ghosts: an item is a row ---- */

MX_BODY void md_do_ghosts(const md_cluster_args *a, int index, bool one_pair, bool energy,
                          md_energy *sum)
{
    const int c = index / MD_CLUSTER, s = index % MD_CLUSTER, end = MX_AT(a->row_end, index);
    int n = MX_AT(a->own_end, index);
    if (n == end) return;
    const int atom = MX_AT(a->slot_atom, c, s);
    md_row row = md_begin_row(a, c, s);
    for (; n < end; n++)
        md_add_cluster(a, &row, MX_AT(a->near, index, n), false, one_pair, energy, 0.5);
    MX_AT(a->force, atom, 0) += mx_pack_sum(row.fx);
    MX_AT(a->force, atom, 1) += mx_pack_sum(row.fy);
    MX_AT(a->force, atom, 2) += mx_pack_sum(row.fz);
    if (energy) md_add_energy(&row, sum);
}

/* ---- the kernels: without and with energy ---- */

#define KERNELS(name, do_item)                                                       \
    MX_BODY void name##_body(const md_cluster_args *a, int i)                        \
    {                                                                                \
        if (a->one_pair)                                                             \
            do_item(a, i, true, false, NULL);                                        \
        else                                                                         \
            do_item(a, i, false, false, NULL);                                       \
    }                                                                                \
    MX_FOR(1D, name, MX_ITEMS_PLAIN)                                                 \
    MX_BODY void name##_energy_body(const md_cluster_args *a, int i, md_energy *sum) \
    {                                                                                \
        if (a->one_pair)                                                             \
            do_item(a, i, true, true, sum);                                          \
        else                                                                         \
            do_item(a, i, false, true, sum);                                         \
    }                                                                                \
    MX_REDUCE_FIELDS(1D, name##_energy, MD_ENERGY, MX_ITEMS_PLAIN)
KERNELS(md_lj_rows, md_do_row)
KERNELS(md_lj_tiles, md_do_tile)
KERNELS(md_lj_ghosts, md_do_ghosts)
