/* The embedded-atom method on lists of clusters: md_eam_clusters.h explains it. */
#include "md_eam_clusters.h"
#include "minx/kernel.h"
#include "minx/simd_rows.h"

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

/* Pairs of a cluster's atoms with others, in vectors: each vector has pairs of one atom. The work is done in stages, each over all
 * vectors: so a vector's chain of dependent operations, some 150 cycles, runs beside those of many others. */
typedef struct md_eam_batch {
    int vectors;
    int count[MX_PACK_WIDTH]; /* pairs of each atom */
    /* Of each vector: 4 * slot of its atom, where this atom's row begins; and the atom's pairs from this vector on. Eight are
     * written at once. */
    int32_t self[MD_BATCH_VECTORS + MX_PACK_WIDTH];
    int32_t left[MD_BATCH_VECTORS + MX_PACK_WIDTH];
    /* Of each pair: 4 * slot of the other atom; behind an atom's last pair its own. `found` is memory for it. */
    int32_t *other;
    int32_t found[MD_BATCH + MX_PACK_WIDTH];
    /* the row of pair_knots for the two elements, and for them in the other order */
    int32_t knot[MD_BATCH];
    int32_t mirrored[MD_BATCH];
    double square[MD_BATCH + MX_PACK_WIDTH]; /* of the distance */
    double at[MD_BATCH];                     /* where in the interval, in units of the step */
    double result[MD_BATCH];                 /* densities; forces over the distance */
    double pushed[MD_BATCH];                 /* densities at the other atom */
    double dx[MD_BATCH], dy[MD_BATCH], dz[MD_BATCH], inverse[MD_BATCH];
    double derivative[MD_BATCH]; /* F'(rho) of the other atom */
} md_eam_batch;

/* The next entry of a cluster's rows. Half lists: first entries of own atoms, then those of ghosts. */
typedef struct md_eam_cursor {
    int s, next;
    bool own, ghosts;
} md_eam_cursor;

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

/* Entries of atom s that are wanted. */
MX_BODY int md_first_entry(const md_eam_cluster_args *a, const md_eam_cursor *at, int c)
{
    return at->own || at->s == MD_CLUSTER ? 0 : MX_AT(a->own_end, c * MD_CLUSTER + at->s);
}
MX_BODY int md_end_entry(const md_eam_cluster_args *a, const md_eam_cursor *at, int c)
{
    const int slot = c * MD_CLUSTER + at->s;
    return at->ghosts ? MX_AT(a->row_end, slot) : MX_AT(a->own_end, slot);
}

MX_BODY md_eam_cursor md_begin_entries(const md_eam_cluster_args *a, int c, bool own, bool ghosts)
{
    md_eam_cursor at = {0, 0, own, ghosts};
    at.next = md_first_entry(a, &at, c);
    return at;
}

/* The vectors of an atom with so many pairs. */
MX_BODY void md_add_vectors(md_eam_batch *b, int slot, int count)
{
    const int vectors = (count + MX_PACK_WIDTH - 1) / MX_PACK_WIDTH;
    mx_pack_i32 lanes;
    for (int l = 0; l < MX_PACK_WIDTH; l++) lanes[l] = l;
    for (int v = 0; v < vectors; v += MX_PACK_WIDTH) {
        mx_pack_store(b->self + b->vectors + v, mx_pack_set_i32(4 * slot));
        mx_pack_store(b->left + b->vectors + v, count - v * MX_PACK_WIDTH - lanes * MX_PACK_WIDTH);
    }
    b->count[slot % MD_CLUSTER] = count;
    b->vectors += vectors;
}

/* Adds the pairs of atom s of cluster c that are within the cutoff, until its entries end or there is no more room. `behind`: in its
 * own cluster those with higher slots only. */
MX_BODY void md_find_pairs(const md_eam_cluster_args *a, int c, md_eam_cursor *at, int end,
                           bool behind, md_eam_batch *b)
{
    const int slot = c * MD_CLUSTER + at->s;
    const int room = MD_BATCH - b->vectors * MX_PACK_WIDTH - MX_PACK_WIDTH;
    const double x = MX_AT(a->point, c, 0, at->s), y = MX_AT(a->point, c, 1, at->s),
                 z = MX_AT(a->point, c, 2, at->s);
    int32_t *const pairs = b->other + b->vectors * MX_PACK_WIDTH;
    double *const squares = b->square + b->vectors * MX_PACK_WIDTH;
    mx_pack_i32 lanes;
    int next = at->next, count = 0;
    for (int l = 0; l < MX_PACK_WIDTH; l++) lanes[l] = l;
    for (; next < end && count <= room; next++) {
        const int32_t entry = MX_AT(a->near, slot, next);
        const int other = md_entry_cluster(entry);
        const unsigned wanted = behind && other == c ? 0xfeu << at->s : 0xffu;
        const double *const point = &MX_AT(a->point, other, 0, 0);
        const mx_pack_f64 dx = x - mx_pack_load(point);
        const mx_pack_f64 dy = y - mx_pack_load(point + MD_CLUSTER);
        const mx_pack_f64 dz = z - mx_pack_load(point + 2 * MD_CLUSTER);
        const mx_pack_f64 square = dx * dx + dy * dy + dz * dz;
        const unsigned inside = mx_mask_bits(square < a->tables.cutoff_square);
        const unsigned bits = inside & md_entry_atoms(entry) & wanted;
        (void)mx_pack_compress(squares + count, bits, square);
        count += mx_pack_compress(pairs + count, bits, lanes * 4 + 4 * MD_CLUSTER * other);
    }
    mx_pack_store(pairs + count, mx_pack_set_i32(4 * slot));
    mx_pack_store(squares + count, mx_pack_set_f64(a->tables.cutoff_square));
    md_add_vectors(b, slot, count);
    at->next = next;
}

/* Fills a batch, from *at on; false where the cluster has no more entries. */
MX_BODY bool md_fill_batch(const md_eam_cluster_args *a, int c, bool behind, md_eam_cursor *at,
                           md_eam_batch *b)
{
    b->vectors = 0;
    mx_pack_store(b->count, mx_pack_set_i32(0));
    while (at->s < MD_CLUSTER) {
        const int end = md_end_entry(a, at, c);
        md_find_pairs(a, c, at, end, behind, b);
        if (at->next < end) break;
        at->s++;
        at->next = md_first_entry(a, at, c);
    }
    return b->vectors > 0;
}

/* What densities found and forces need again: the pairs of own atoms, where they fit in one batch. */
MX_BODY void md_keep_batch(const md_eam_cluster_args *a, int c, const md_eam_cursor *at,
                           const md_eam_batch *b)
{
    mx_pack_store(&MX_AT(a->kept_count, c, 0), mx_pack_load(b->count));
    MX_AT(a->kept_all, c) = at->s == MD_CLUSTER;
}

MX_BODY bool md_load_batch(const md_eam_cluster_args *a, int c, md_eam_cursor *at, md_eam_batch *b)
{
    if (!MX_AT(a->kept_all, c)) return false;
    b->vectors = 0;
    b->other = &MX_AT(a->kept, c, 0);
    for (int s = 0; s < MD_CLUSTER; s++)
        md_add_vectors(b, c * MD_CLUSTER + s, MX_AT(a->kept_count, c, s));
    at->s = MD_CLUSTER;
    return b->vectors > 0;
}

/* ---- stages that densities and forces share ---- */

MX_BODY mx_mask_f64 md_pairs_of_vector(const md_eam_batch *b, int v)
{
    return mx_mask_first_f64(b->left[v]);
}

MX_BODY int md_element_of(const md_eam_cluster_args *a, int at)
{
    const int slot = at / 4;
    return a->tables.element[MX_AT(a->slot_type, slot / MD_CLUSTER, slot % MD_CLUSTER)];
}

/* The intervals of vector v, whose pairs have these distances. Beyond the last knot the last interval goes on as a straight line. */
MX_BODY void md_find_intervals(const md_eam_cluster_args *a, md_eam_batch *b, int v,
                               mx_pack_f64 distance, bool one)
{
    const md_eam_tables *const t = &a->tables;
    const int first = v * MX_PACK_WIDTH;
    const mx_pack_f64 scaled = distance * t->r_inverse;
    const mx_pack_i32 knot = mx_pack_to_i32(mx_pack_min(scaled, mx_pack_set_f64(t->r_knots - 1.0)));
    mx_pack_i32 row = knot * MD_PAIR_SPLINES, mirrored = row;
    for (int l = 0; l < MX_PACK_WIDTH && !one; l++) {
        const int ei = md_element_of(a, b->self[v]), ej = md_element_of(a, b->other[first + l]);
        row[l] += (ei * t->elements + ej) * t->r_knots * MD_PAIR_SPLINES;
        mirrored[l] += (ej * t->elements + ei) * t->r_knots * MD_PAIR_SPLINES;
    }
    mx_pack_store(b->at + first, scaled - mx_pack_to_f64(knot));
    mx_pack_store(b->knot + first, row);
    if (!one) mx_pack_store(b->mirrored + first, mirrored);
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

MX_BODY void md_find_distances(const md_eam_cluster_args *a, md_eam_batch *b, bool one)
{
    for (int v = 0; v < b->vectors; v++) {
        const mx_pack_f64 square = mx_pack_load(b->square + v * MX_PACK_WIDTH);
        md_find_intervals(a, b, v, square * mx_pack_rsqrt(square), one);
    }
}

MX_BODY void md_look_up_densities(const md_eam_cluster_args *a, md_eam_batch *b, bool pushes,
                                  bool one)
{
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    const double *const knots = &MX_AT(a->pair_knots, 0, 0);
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const mx_mask_f64 inside = md_pairs_of_vector(b, v);
        const mx_pack_f64 at = mx_pack_load(b->at + first);
        mx_pack_f64 spline[4];
        mx_pack_load_rows(knots, b->knot + first, spline);
        mx_pack_store(b->result + first, mx_pack_select(inside, md_cubic(spline, at), zero));
        if (one || !pushes) continue;
        mx_pack_load_rows(knots, b->mirrored + first, spline);
        mx_pack_store(b->pushed + first, mx_pack_select(inside, md_cubic(spline, at), zero));
    }
}

MX_BODY void md_add_densities(const md_eam_cluster_args *a, const md_eam_batch *b, bool pushes,
                              bool one)
{
    double *const density = &MX_AT(a->sum, 0, 3);
    const double *const pushed = one ? b->result : b->pushed;
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        density[b->self[v]] += mx_pack_sum(mx_pack_load(b->result + first));
        for (int l = first; l < first + MX_PACK_WIDTH && pushes; l++)
            density[b->other[l]] += pushed[l];
    }
}

MX_BODY void md_do_densities(const md_eam_cluster_args *a, int c, md_eam_cursor *at, bool pushes,
                             bool one)
{
    md_eam_batch b;
    bool keeps = at->own;
    if (keeps) MX_AT(a->kept_all, c) = false;
    b.other = keeps ? &MX_AT(a->kept, c, 0) : b.found;
    while (md_fill_batch(a, c, pushes, at, &b)) {
        if (keeps) md_keep_batch(a, c, at, &b);
        md_find_distances(a, &b, one);
        md_look_up_densities(a, &b, pushes, one);
        md_add_densities(a, &b, pushes, one);
        keeps = false;
        b.other = b.found;
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

MX_BODY void md_find_vectors(const md_eam_cluster_args *a, md_eam_batch *b, bool one)
{
    const double *const places = &MX_AT(a->place, 0, 0);
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const double *const self = places + b->self[v];
        mx_pack_f64 other[4];
        mx_pack_load_rows(places, b->other + first, other);
        const mx_pack_f64 dx = self[0] - other[0], dy = self[1] - other[1], dz = self[2] - other[2];
        const mx_pack_f64 square = dx * dx + dy * dy + dz * dz;
        const mx_pack_f64 inverse = mx_pack_rsqrt(square);
        mx_pack_store(b->square + first, square);
        mx_pack_store(b->dx + first, dx);
        mx_pack_store(b->dy + first, dy);
        mx_pack_store(b->dz + first, dz);
        mx_pack_store(b->inverse + first, inverse);
        mx_pack_store(b->derivative + first, other[3]);
        md_find_intervals(a, b, v, square * inverse, one);
    }
}

/* The force over the distance on the atom of vector v. *phi: the pair potential. */
MX_BODY mx_pack_f64 md_eam_pair_forces(const md_eam_cluster_args *a, const md_eam_batch *b, int v,
                                       bool one, mx_pack_f64 *phi)
{
    const int first = v * MX_PACK_WIDTH;
    const double scale = a->tables.r_inverse;
    const double *const knots = &MX_AT(a->pair_knots, 0, 0);
    const mx_pack_f64 at = mx_pack_load(b->at + first);
    const mx_pack_f64 inverse = mx_pack_load(b->inverse + first);
    const double derivative_i = (&MX_AT(a->place, 0, 3))[b->self[v]];
    const mx_pack_f64 derivative_j = mx_pack_load(b->derivative + first);
    mx_pack_f64 spline[4];
    mx_pack_load_rows(knots, b->knot + first, spline);
    const mx_pack_f64 slope_j = md_cubic_slope(spline, at);
    if (!one) mx_pack_load_rows(knots, b->mirrored + first, spline);
    const mx_pack_f64 slope_i = one ? slope_j : md_cubic_slope(spline, at);
    mx_pack_load_rows(knots + MD_SPLINE, b->knot + first, spline);
    *phi = md_cubic(spline, at) * inverse;
    const mx_pack_f64 phi_slope = md_cubic_slope(spline, at);
    /* phi' = ((r phi)' - phi) / r; slopes are in units of the step */
    const mx_pack_f64 embedded = derivative_i * slope_j + derivative_j * slope_i;
    return -(embedded * scale + (phi_slope * scale - *phi) * inverse) * inverse;
}

/* share: of a pair's energy. */
MX_BODY void md_look_up_forces(const md_eam_cluster_args *a, md_eam_batch *b, bool one, bool energy,
                               double share, md_energy *sum)
{
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    mx_pack_f64 potential = zero, virial = zero;
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const mx_mask_f64 inside = md_pairs_of_vector(b, v);
        mx_pack_f64 phi, f = md_eam_pair_forces(a, b, v, one, &phi);
        f = mx_pack_select(inside, f, zero);
        mx_pack_store(b->result + first, f);
        if (!energy) continue;
        potential += mx_pack_select(inside, phi, zero);
        virial += f * mx_pack_load(b->square + first);
    }
    if (!energy) return;
    sum->potential += share * mx_pack_sum(potential);
    sum->virial += share * mx_pack_sum(virial);
}

MX_BODY void md_add_forces(const md_eam_cluster_args *a, const md_eam_batch *b, bool pushes)
{
    double *const sums = &MX_AT(a->sum, 0, 0);
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const mx_pack_f64 f = mx_pack_load(b->result + first);
        const mx_pack_f64 force[4] = {f * mx_pack_load(b->dx + first),
                                      f * mx_pack_load(b->dy + first),
                                      f * mx_pack_load(b->dz + first), zero};
        mx_pack_sum_rows(sums + b->self[v], force);
        if (pushes) mx_pack_subtract_rows(sums, b->other + first, force);
    }
}

MX_BODY void md_do_forces(const md_eam_cluster_args *a, int c, md_eam_cursor *at, bool pushes,
                          bool one, bool energy, md_energy *sum)
{
    md_eam_batch b;
    bool found = at->own && md_load_batch(a, c, at, &b);
    if (!found) b.other = b.found;
    while (found || md_fill_batch(a, c, pushes, at, &b)) {
        md_find_vectors(a, &b, one);
        md_look_up_forces(a, &b, one, energy, pushes ? 1 : 0.5, sum);
        md_add_forces(a, &b, pushes);
        found = false;
        b.other = b.found;
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
            md_eam_cursor at = md_begin_entries(a, c, phase == 0 || !half, phase == 1);
            if (one)
                md_do_densities(a, c, &at, phase == 0, true);
            else
                md_do_densities(a, c, &at, phase == 0, false);
        }
    }
}

MX_BODY void md_forces_of(const md_eam_cluster_args *a, int first, int end, bool half, bool energy,
                          md_energy *sum)
{
    const bool one = a->tables.elements == 1;
    for (int c = first; c < end; c++) {
        for (int phase = half ? 0 : 1; phase < 2; phase++) {
            md_eam_cursor at = md_begin_entries(a, c, phase == 0 || !half, phase == 1);
            if (one)
                md_do_forces(a, c, &at, phase == 0, true, energy, sum);
            else
                md_do_forces(a, c, &at, phase == 0, false, energy, sum);
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
