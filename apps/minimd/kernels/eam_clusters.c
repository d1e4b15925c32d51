/* The embedded-atom method on lists of clusters: md_eam_clusters.h explains it. */
#include "md_eam_clusters.h"
#include "minx/kernel.h"
#include "minx/simd_rows.h"

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

/* Slots near an atom, found in one go. */
enum { MD_NEAR_SLOTS = 256 };

typedef struct md_near_slots {
    int count;
    int32_t
        at[MD_NEAR_SLOTS + MD_CLUSTER]; /* 4 * slot: where its numbers begin in places and sums */
} md_near_slots;

/* An atom whose row is computed. */
typedef struct md_eam_row {
    int slot, element;
    double x, y, z, derivative;
    mx_pack_f64 density;
    mx_pack_f64 fx, fy, fz;
    mx_pack_f64 potential, virial;
} md_eam_row;

/* A vector of pairs of the row's atom. */
typedef struct md_eam_pairs {
    mx_mask_f64 inside;   /* lanes that have a pair */
    mx_pack_f64 other[4]; /* x, y, z, F'(rho) of the other atoms */
    mx_pack_f64 dx, dy, dz, square;
} md_eam_pairs;

/* An interval of the table of each pair, and where in it, in units of the step. */
typedef struct md_eam_place {
    int32_t row
        [MX_PACK_WIDTH]; /* element numbers of pair_knots: of the row's element with the others' */
    int32_t mirrored[MX_PACK_WIDTH]; /* of the others' with the row's */
    mx_pack_f64 at;
} md_eam_place;

MX_BODY void md_eam_load_places_body(const md_eam_cluster_args *a, int c)
{
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s;
        for (int d = 0; d < 3; d++) MX_AT(a->place, slot, d) = MX_AT(a->point, c, d, s);
        if (c >= a->own_clusters) continue;
        for (int d = 0; d < 4; d++) MX_AT(a->sum, slot, d) = 0;
    }
}
MX_FOR(1D, md_eam_load_places, MX_ITEMS_PLAIN)

/* ---- finding pairs ---- */

/* Slots near atom s of cluster c: of the entries of its row from `next` on that are within the cutoff, until the entries end or
 * there is no more room. `behind`: in its own cluster those of higher numbers only. Returns the next entry. */
MX_BODY int md_find_near_slots(const md_eam_cluster_args *a, int c, int s, int next, int end,
                               bool behind, md_near_slots *near)
{
    const int slot = c * MD_CLUSTER + s;
    const double x = MX_AT(a->point, c, 0, s), y = MX_AT(a->point, c, 1, s),
                 z = MX_AT(a->point, c, 2, s);
    mx_pack_i32 lanes;
    int count = 0;
    for (int l = 0; l < MX_PACK_WIDTH; l++) lanes[l] = 4 * l;
    for (; next < end && count <= MD_NEAR_SLOTS - MD_CLUSTER; next++) {
        const int32_t entry = MX_AT(a->near, slot, next);
        const int other = md_entry_cluster(entry);
        const unsigned wanted = behind && other == c ? 0xfeu << s : 0xffu;
        const double *const point = &MX_AT(a->point, other, 0, 0);
        const mx_pack_f64 dx = x - mx_pack_load(point);
        const mx_pack_f64 dy = y - mx_pack_load(point + MD_CLUSTER);
        const mx_pack_f64 dz = z - mx_pack_load(point + 2 * MD_CLUSTER);
        const mx_pack_f64 square = dx * dx + dy * dy + dz * dz;
        const unsigned inside = mx_mask_bits(square < a->tables.cutoff_square);
        count += mx_pack_compress(near->at + count, inside & md_entry_atoms(entry) & wanted,
                                  lanes + 4 * MD_CLUSTER * other);
    }
    /* lanes behind the last pair access the atom itself */
    mx_pack_store(near->at + count, mx_pack_set_i32(4 * slot));
    near->count = count;
    return next;
}

/* The entries of a cluster's rows that are left. */
typedef struct md_eam_entries {
    int next[MD_CLUSTER], end[MD_CLUSTER];
    bool left;
} md_eam_entries;

/* Those of own atoms, or those of ghosts; or both. */
MX_BODY md_eam_entries md_begin_entries(const md_eam_cluster_args *a, int c, bool own, bool ghosts)
{
    md_eam_entries e;
    e.left = false;
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s;
        e.next[s] = own ? 0 : MX_AT(a->own_end, slot);
        e.end[s] = ghosts ? MX_AT(a->row_end, slot) : MX_AT(a->own_end, slot);
        e.left |= e.next[s] < e.end[s];
    }
    return e;
}

/* Slots near each atom of cluster c. All are found before any is used: so the numbers that were just written, by vectors that
 * overlap, are in the cache when they are read. */
MX_BODY void md_find_near_cluster(const md_eam_cluster_args *a, int c, bool behind,
                                  md_eam_entries *e, md_near_slots *near)
{
    e->left = false;
    for (int s = 0; s < MD_CLUSTER; s++) {
        e->next[s] = md_find_near_slots(a, c, s, e->next[s], e->end[s], behind, &near[s]);
        e->left |= e->next[s] < e->end[s];
    }
}

MX_BODY md_eam_row md_begin_row(const md_eam_cluster_args *a, int slot, bool one)
{
    md_eam_row row;
    row.slot = slot;
    row.x = MX_AT(a->place, slot, 0);
    row.y = MX_AT(a->place, slot, 1);
    row.z = MX_AT(a->place, slot, 2);
    row.derivative = MX_AT(a->place, slot, 3);
    row.element =
        one ? 0 : a->tables.element[MX_AT(a->slot_type, slot / MD_CLUSTER, slot % MD_CLUSTER)];
    row.density = mx_pack_set_f64(0.0);
    row.fx = row.fy = row.fz = row.potential = row.virial = row.density;
    return row;
}

MX_BODY md_eam_pairs md_load_pairs(const md_eam_cluster_args *a, const md_eam_row *row,
                                   const int32_t *at, int count)
{
    md_eam_pairs p;
    mx_pack_load_rows(&MX_AT(a->place, 0, 0), at, p.other);
    p.inside = mx_mask_first_f64(count);
    p.dx = row->x - p.other[0];
    p.dy = row->y - p.other[1];
    p.dz = row->z - p.other[2];
    p.square = p.dx * p.dx + p.dy * p.dy + p.dz * p.dz;
    return p;
}

/* Beyond the last knot the last interval goes on as a straight line. */
MX_BODY md_eam_place md_find_place(const md_eam_cluster_args *a, const md_eam_row *row,
                                   const int32_t *at, mx_pack_f64 distance, bool one)
{
    const md_eam_tables *const t = &a->tables;
    const mx_pack_f64 scaled = distance * t->r_inverse;
    const mx_pack_i32 knot = mx_pack_to_i32(mx_pack_min(scaled, mx_pack_set_f64(t->r_knots - 1.0)));
    md_eam_place p;
    p.at = scaled - mx_pack_to_f64(knot);
    mx_pack_i32 row_of = knot * MD_PAIR_SPLINES, mirrored = row_of;
    for (int l = 0; l < MX_PACK_WIDTH && !one; l++) {
        const int slot = at[l] / 4,
                  type = MX_AT(a->slot_type, slot / MD_CLUSTER, slot % MD_CLUSTER);
        const int ei = row->element, ej = t->element[type], size = t->r_knots * MD_PAIR_SPLINES;
        row_of[l] += (ei * t->elements + ej) * size;
        mirrored[l] += (ej * t->elements + ei) * size;
    }
    mx_pack_store_index(p.row, row_of);
    if (!one) mx_pack_store_index(p.mirrored, mirrored);
    return p;
}

/* Of a cubic polynomial, at p. */
MX_BODY mx_pack_f64 md_cubic(const mx_pack_f64 *c, mx_pack_f64 p)
{
    return ((c[0] * p + c[1]) * p + c[2]) * p + c[3];
}

MX_BODY mx_pack_f64 md_cubic_slope(const mx_pack_f64 *c, mx_pack_f64 p)
{
    return (3.0 * c[0] * p + 2.0 * c[1]) * p + c[2];
}

/* ---- densities ---- */

/* The first `pushes` pairs are in this row only. */
MX_BODY void md_add_densities(const md_eam_cluster_args *a, md_eam_row *row,
                              const md_near_slots *near, bool pushes, bool one)
{
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    double *const density = &MX_AT(a->sum, 0, 3);
    for (int n = 0; n < near->count; n += MX_PACK_WIDTH) {
        const int32_t *const at = near->at + n;
        const md_eam_pairs p = md_load_pairs(a, row, at, near->count - n);
        const md_eam_place place = md_find_place(a, row, at, mx_pack_sqrt(p.square), one);
        const double *const knots = &MX_AT(a->pair_knots, 0, 0);
        mx_pack_f64 spline[4], f;
        mx_pack_load_rows(knots, place.row, spline);
        f = mx_pack_select(p.inside, md_cubic(spline, place.at), zero);
        row->density += f;
        if (!pushes) continue;
        if (!one) {
            mx_pack_load_rows(knots, place.mirrored, spline);
            f = mx_pack_select(p.inside, md_cubic(spline, place.at), zero);
        }
        for (int l = 0; l < MX_PACK_WIDTH; l++) density[at[l]] += f[l];
    }
}

MX_BODY void md_do_densities(const md_eam_cluster_args *a, int c, md_eam_entries *e, bool pushes,
                             bool one)
{
    md_near_slots near[MD_CLUSTER];
    while (e->left) {
        md_find_near_cluster(a, c, pushes, e, near);
        for (int s = 0; s < MD_CLUSTER; s++) {
            if (near[s].count == 0) continue;
            md_eam_row row = md_begin_row(a, c * MD_CLUSTER + s, one);
            md_add_densities(a, &row, &near[s], pushes, one);
            MX_AT(a->sum, row.slot, 3) += mx_pack_sum(row.density);
        }
    }
}

/* ---- embedding ---- */

MX_BODY double md_embed_slot(const md_eam_cluster_args *a, int slot, bool energy)
{
    const md_eam_tables *const t = &a->tables;
    const int c = slot / MD_CLUSTER, s = slot % MD_CLUSTER, atom = MX_AT(a->slot_atom, c, s);
    if (atom < 0) return 0;
    const double scaled = MX_AT(a->sum, slot, 3) * t->rho_inverse;
    int knot = scaled < t->rho_knots - 1 ? (int)scaled : t->rho_knots - 1; /* NaN: the last one */
    knot = knot > 0 ? knot : 0;
    const double at = scaled - knot;
    const int row = t->element[MX_AT(a->slot_type, c, s)] * t->rho_knots + knot;
    const double *const k = &MX_AT(a->embedding_knots, row, 0);
    const double derivative = ((3 * k[0] * at + 2 * k[1]) * at + k[2]) * t->rho_inverse;
    MX_AT(a->place, slot, 3) = derivative;
    MX_AT(a->derivative, atom) = derivative;
    return energy ? ((k[0] * at + k[1]) * at + k[2]) * at + k[3] : 0;
}

MX_BODY void md_eam_embed_slots_body(const md_eam_cluster_args *a, int slot)
{
    (void)md_embed_slot(a, slot, false);
}
MX_FOR(1D, md_eam_embed_slots, MX_ITEMS_PLAIN)

MX_BODY void md_eam_embed_slots_energy_body(const md_eam_cluster_args *a, int slot, double *sum)
{
    *sum += md_embed_slot(a, slot, true);
}
MX_REDUCE(1D, md_eam_embed_slots_energy, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void md_eam_load_derivatives_body(const md_eam_cluster_args *a, int slot)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    if (atom >= 0) MX_AT(a->place, slot, 3) = MX_AT(a->derivative, atom);
}
MX_FOR(1D, md_eam_load_derivatives, MX_ITEMS_PLAIN)

/* ---- forces ---- */

/* The force over the distance on the row's atom, and phi. */
MX_BODY mx_pack_f64 md_eam_pair_forces(const md_eam_cluster_args *a, const md_eam_row *row,
                                       const int32_t *at, const md_eam_pairs *p, bool one,
                                       mx_pack_f64 *phi)
{
    const double scale = a->tables.r_inverse;
    const double *const knots = &MX_AT(a->pair_knots, 0, 0);
    const mx_pack_f64 distance = mx_pack_sqrt(p->square), inverse = 1.0 / distance;
    const md_eam_place place = md_find_place(a, row, at, distance, one);
    mx_pack_f64 spline[4];
    mx_pack_load_rows(knots, place.row, spline);
    const mx_pack_f64 slope_j = md_cubic_slope(spline, place.at);
    if (!one) mx_pack_load_rows(knots, place.mirrored, spline);
    const mx_pack_f64 slope_i = one ? slope_j : md_cubic_slope(spline, place.at);
    mx_pack_load_rows(knots + MD_SPLINE, place.row, spline);
    *phi = md_cubic(spline, place.at) * inverse;
    const mx_pack_f64 phi_slope = md_cubic_slope(spline, place.at);
    /* phi' = ((r phi)' - phi) / r; slopes are in units of the step */
    const mx_pack_f64 embedded = row->derivative * slope_j + p->other[3] * slope_i;
    const mx_pack_f64 all = embedded * scale + (phi_slope * scale - *phi) * inverse;
    return -all * inverse;
}

MX_BODY void md_add_forces(const md_eam_cluster_args *a, md_eam_row *row, const md_near_slots *near,
                           bool pushes, bool one, bool energy)
{
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    const double share = pushes ? 1 : 0.5;
    for (int n = 0; n < near->count; n += MX_PACK_WIDTH) {
        const int32_t *const at = near->at + n;
        const md_eam_pairs p = md_load_pairs(a, row, at, near->count - n);
        mx_pack_f64 phi, f = md_eam_pair_forces(a, row, at, &p, one, &phi);
        f = mx_pack_select(p.inside, f, zero);
        const mx_pack_f64 push[4] = {-f * p.dx, -f * p.dy, -f * p.dz, zero};
        row->fx -= push[0];
        row->fy -= push[1];
        row->fz -= push[2];
        if (energy) {
            row->potential += share * mx_pack_select(p.inside, phi, zero);
            row->virial += share * mx_pack_select(p.inside, f * p.square, zero);
        }
        if (pushes) mx_pack_add_rows(&MX_AT(a->sum, 0, 0), at, push);
    }
}

MX_BODY void md_do_forces(const md_eam_cluster_args *a, int c, md_eam_entries *e, bool pushes,
                          bool one, bool energy, md_energy *sum)
{
    md_near_slots near[MD_CLUSTER];
    while (e->left) {
        md_find_near_cluster(a, c, pushes, e, near);
        for (int s = 0; s < MD_CLUSTER; s++) {
            if (near[s].count == 0) continue;
            md_eam_row row = md_begin_row(a, c * MD_CLUSTER + s, one);
            md_add_forces(a, &row, &near[s], pushes, one, energy);
            MX_AT(a->sum, row.slot, 0) += mx_pack_sum(row.fx);
            MX_AT(a->sum, row.slot, 1) += mx_pack_sum(row.fy);
            MX_AT(a->sum, row.slot, 2) += mx_pack_sum(row.fz);
            if (!energy) continue;
            sum->potential += mx_pack_sum(row.potential);
            sum->virial += mx_pack_sum(row.virial);
        }
    }
}

MX_BODY void md_eam_store_forces_body(const md_eam_cluster_args *a, int slot)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    for (int d = 0; d < 3 && atom >= 0; d++) MX_AT(a->force, atom, d) = MX_AT(a->sum, slot, d);
}
MX_FOR(1D, md_eam_store_forces, MX_ITEMS_PLAIN)

/* ---- the kernels: over clusters and tiles, for one element and several ---- */

/* The atoms of clusters `first` to before `end`. Half lists: first pairs of own atoms, then those with ghosts. */
MX_BODY void md_densities_of(const md_eam_cluster_args *a, int first, int end, bool half)
{
    const bool one = a->tables.elements == 1;
    for (int c = first; c < end; c++) {
        for (int phase = half ? 0 : 1; phase < 2; phase++) {
            md_eam_entries e = md_begin_entries(a, c, phase == 0 || !half, phase == 1);
            if (one)
                md_do_densities(a, c, &e, phase == 0, true);
            else
                md_do_densities(a, c, &e, phase == 0, false);
        }
    }
}

MX_BODY void md_forces_of(const md_eam_cluster_args *a, int first, int end, bool half, bool energy,
                          md_energy *sum)
{
    const bool one = a->tables.elements == 1;
    for (int c = first; c < end; c++) {
        for (int phase = half ? 0 : 1; phase < 2; phase++) {
            md_eam_entries e = md_begin_entries(a, c, phase == 0 || !half, phase == 1);
            if (one)
                md_do_forces(a, c, &e, phase == 0, true, energy, sum);
            else
                md_do_forces(a, c, &e, phase == 0, false, energy, sum);
        }
    }
}

MX_BODY void md_eam_cluster_densities_body(const md_eam_cluster_args *a, int c)
{
    md_densities_of(a, c, c + 1, false);
}
MX_FOR(1D, md_eam_cluster_densities, MX_ITEMS_PLAIN)

MX_BODY void md_eam_tile_densities_body(const md_eam_cluster_args *a, int n)
{
    const int column = md_tile_column(&a->grid, a->colour, n);
    md_densities_of(a, MX_AT(a->first, column), MX_AT(a->first, column + md_tile_columns(&a->grid)),
                    true);
}
MX_FOR(1D, md_eam_tile_densities, MX_ITEMS_PLAIN)

MX_BODY void md_eam_cluster_forces_body(const md_eam_cluster_args *a, int c)
{
    md_forces_of(a, c, c + 1, false, false, NULL);
}
MX_FOR(1D, md_eam_cluster_forces, MX_ITEMS_PLAIN)

MX_BODY void md_eam_cluster_forces_energy_body(const md_eam_cluster_args *a, int c, md_energy *sum)
{
    md_forces_of(a, c, c + 1, false, true, sum);
}
MX_REDUCE_FIELDS(1D, md_eam_cluster_forces_energy, MD_ENERGY, MX_ITEMS_PLAIN)

MX_BODY void md_eam_tile_forces_body(const md_eam_cluster_args *a, int n)
{
    const int column = md_tile_column(&a->grid, a->colour, n);
    md_forces_of(a, MX_AT(a->first, column), MX_AT(a->first, column + md_tile_columns(&a->grid)),
                 true, false, NULL);
}
MX_FOR(1D, md_eam_tile_forces, MX_ITEMS_PLAIN)

MX_BODY void md_eam_tile_forces_energy_body(const md_eam_cluster_args *a, int n, md_energy *sum)
{
    const int column = md_tile_column(&a->grid, a->colour, n);
    md_forces_of(a, MX_AT(a->first, column), MX_AT(a->first, column + md_tile_columns(&a->grid)),
                 true, true, sum);
}
MX_REDUCE_FIELDS(1D, md_eam_tile_forces_energy, MD_ENERGY, MX_ITEMS_PLAIN)
