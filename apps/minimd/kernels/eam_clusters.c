/* The embedded-atom method on lists of clusters: md_eam_clusters.h explains it. */
#include "md_eam_clusters.h"
#include "minx/kernel.h"
#include "minx/scan.h"
#include "minx/simd_rows.h"

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

/* A part of a list. The work is done in stages, each over all of its vectors: so a vector's chain
 * of dependent operations, some 150 cycles, runs beside those of many others. */
typedef struct md_eam_batch {
    int vectors;
    /* Of each vector and of each pair, as in md_eam_cluster_views: of the list, or `row` and
     * `column` */
    const int32_t *self, *other;
    int32_t row[MD_BATCH_VECTORS + 2];
    int32_t column[MD_BATCH + 2 * MX_PACK_WIDTH];
    /* the row of pair_knots for the two elements, and for them in the other order */
    int32_t knot[MD_BATCH];
    int32_t mirrored[MD_BATCH];
    double square[MD_BATCH + 2 * MX_PACK_WIDTH]; /* of the distance */
    double at[MD_BATCH];                         /* where in the interval, in units of the step */
    double result[MD_BATCH];                     /* densities; forces over the distance */
    double pushed[MD_BATCH];                     /* densities at the other atom */
    double dx[MD_BATCH], dy[MD_BATCH], dz[MD_BATCH], inverse[MD_BATCH];
    double derivative[MD_BATCH]; /* F'(rho) of the other atom */
} md_eam_batch;

MX_BODY void md_eam_load_places_body(const md_eam_cluster_args *a, int slot)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    const int known = atom < 0 ? 0 : atom;
    for (int d = 0; d < 3; d++) MX_AT(a->place, slot, d) = MX_LOAD(a->position, known, d);
    if (slot >= a->own_clusters * MD_CLUSTER) return;
    MX_AT(a->density, slot) = 0;
    for (int d = 0; d < 4; d++) MX_AT(a->sum, slot, d) = 0;
}
MX_FOR(1D, md_eam_load_places, MX_ITEMS_PLAIN)

/* ---- the list ---- */

/* The atoms of an entry that row `slot` has. Half lists: those of its own cluster only behind
 * it. */
MX_BODY unsigned md_wanted_atoms(const md_eam_list_args *a, int slot, int32_t entry)
{
    const bool half = a->half && md_entry_cluster(entry) == slot / MD_CLUSTER;
    return md_entry_atoms(entry) & (half ? 0xfeu << slot % MD_CLUSTER : 0xffu);
}

/* The entries of a row that part has. */
MX_BODY int md_first_entry(const md_eam_list_args *a, int part, int slot)
{
    return part == MD_EAM_OWN ? 0 : MX_AT(a->own_end, slot);
}
MX_BODY int md_end_entry(const md_eam_list_args *a, int part, int slot)
{
    return part == MD_EAM_OWN ? MX_AT(a->own_end, slot) : MX_AT(a->row_end, slot);
}

/* Of eight bits. */
MX_BODY int md_count_bits(unsigned bits)
{
    const unsigned twos = bits - (bits >> 1 & 0x55), fours = (twos & 0x33) + (twos >> 2 & 0x33);
    return (int)((fours + (fours >> 4)) & 15);
}

MX_BODY void md_eam_count_pairs_body(const md_eam_list_args *a, int n)
{
    const int part = n / a->own_clusters, c = n % a->own_clusters;
    int vectors = 0;
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s, end = md_end_entry(a, part, slot);
        int pairs = 0;
        for (int next = md_first_entry(a, part, slot); next < end; next++)
            pairs += md_count_bits(md_wanted_atoms(a, slot, MX_AT(a->near, slot, next)));
        vectors += (pairs + MX_PACK_WIDTH - 1) / MX_PACK_WIDTH;
    }
    MX_AT(a->count, n) = vectors;
}
MX_FOR(1D, md_eam_count_pairs, MX_ITEMS_PLAIN)

MX_BODY void md_eam_count_vectors_body(const md_eam_list_args *a, int n, int32_t *sum, bool final)
{
    if (final) MX_AT(a->begin, n) = *sum;
    if (n < 2 * a->own_clusters) *sum += MX_AT(a->count, n);
}
MX_SCAN(1D, md_eam_count_vectors, MX_SUM, MX_ITEMS_PLAIN)

/* Stores so many pairs of a row, in full vectors; returns the vector behind. Behind the last pair
 * `pairs` has room for a vector. */
MX_BODY int md_store_pairs(const md_eam_list_args *a, int slot, int32_t *pairs, int count,
                           int vector)
{
    mx_pack_store(pairs + count, mx_pack_set_i32(4 * slot));
    for (int n = 0; n < count; n += MX_PACK_WIDTH, vector++) {
        MX_AT(a->self, vector) = 4 * slot;
        mx_pack_store(&MX_AT(a->other, vector, 0), mx_pack_load(pairs + n));
    }
    return vector;
}

MX_BODY void md_eam_fill_vectors_body(const md_eam_list_args *a, int n)
{
    const int part = n / a->own_clusters, c = n % a->own_clusters;
    int vector = MX_AT(a->begin, n);
    mx_pack_i32 lanes;
    for (int l = 0; l < MX_PACK_WIDTH; l++) lanes[l] = l;
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s, end = md_end_entry(a, part, slot);
        int32_t pairs[MD_BATCH + MX_PACK_WIDTH];
        int count = 0;
        for (int next = md_first_entry(a, part, slot); next < end; next++) {
            const int32_t entry = MX_AT(a->near, slot, next);
            const mx_pack_i32 others = (lanes + MD_CLUSTER * md_entry_cluster(entry)) * 4;
            count += mx_pack_compress(pairs + count, md_wanted_atoms(a, slot, entry), others);
            if (count <= MD_BATCH - MX_PACK_WIDTH) continue;
            /* there is no room for another entry: stores whole vectors */
            const int whole = count / MX_PACK_WIDTH * MX_PACK_WIDTH;
            const mx_pack_i32 rest = mx_pack_load(pairs + whole);
            vector = md_store_pairs(a, slot, pairs, whole, vector);
            mx_pack_store(pairs, rest);
            count -= whole;
        }
        vector = md_store_pairs(a, slot, pairs, count, vector);
    }
}
MX_FOR(1D, md_eam_fill_vectors, MX_ITEMS_PLAIN)

/* ---- finding pairs ---- */

/* The pairs of vectors `first` to before `end` of the list that are within the cutoff. Behind an
 * atom's last pair there is the atom itself, at the distance of the cutoff. */
MX_BODY void md_find_pairs(const md_eam_cluster_args *a, int first, int end, md_eam_batch *b)
{
    const double *const places = &MX_AT(a->place, 0, 0);
    const mx_pack_f64 outside = mx_pack_set_f64(a->tables.cutoff_square);
    int32_t before = -1;
    int count = 0;
    for (int v = first; v < end; v++) {
        const int32_t self = MX_AT(a->self, v);
        const int32_t *const others = &MX_AT(a->other, v, 0);
        const mx_pack_i32 other = mx_pack_load(others);
        mx_pack_f64 point[4];
        if (self != before) count = (count + MX_PACK_WIDTH - 1) / MX_PACK_WIDTH * MX_PACK_WIDTH;
        before = self;
        mx_pack_load_rows(places, others, point);
        const mx_pack_f64 dx = places[self] - point[0], dy = places[self + 1] - point[1],
                          dz = places[self + 2] - point[2];
        const mx_pack_f64 square = dx * dx + dy * dy + dz * dz;
        const unsigned inside = mx_mask_bits(square < outside) & mx_mask_bits(other != self);
        b->row[count / MX_PACK_WIDTH] = b->row[count / MX_PACK_WIDTH + 1] = self;
        (void)mx_pack_compress(b->square + count, inside, square);
        count += mx_pack_compress(b->column + count, inside, other);
        mx_pack_store(b->square + count, outside);
        mx_pack_store(b->column + count, mx_pack_set_i32(self));
    }
    b->vectors = (count + MX_PACK_WIDTH - 1) / MX_PACK_WIDTH;
    b->self = b->row;
    b->other = b->column;
}

/* Forces need them again. */
MX_BODY void md_keep_pairs(const md_eam_cluster_args *a, int first, const md_eam_batch *b)
{
    for (int v = 0; v < b->vectors; v++) {
        MX_AT(a->found_self, first + v) = b->row[v];
        mx_pack_store(&MX_AT(a->found, first + v, 0), mx_pack_load(b->column + v * MX_PACK_WIDTH));
    }
}

/* ---- stages that densities and forces share ---- */

/* Of an entry of `self` or `other`. Without a sign it is one shift. */
MX_BODY unsigned md_slot_of(int32_t entry) { return (unsigned)entry / 4; }

MX_BODY int md_element_of(const md_eam_cluster_args *a, int at)
{
    const int slot = (int)md_slot_of(at);
    return a->tables.element[MX_AT(a->slot_type, slot / MD_CLUSTER, slot % MD_CLUSTER)];
}

/* The intervals of vector v, whose pairs have these distances. Beyond the last knot the last
 * interval goes on as a straight line. */
MX_BODY void md_find_intervals(const md_eam_cluster_args *a, md_eam_batch *b, int v,
                               mx_pack_f64 distance, bool one)
{
    const md_eam_tables *const t = &a->tables;
    const int first = v * MX_PACK_WIDTH;
    const mx_pack_f64 scaled = distance * t->r_inverse;
    /* NaN: the last one */
    const mx_pack_i32 knot = mx_pack_to_i32(mx_pack_min(mx_pack_set_f64(t->r_knots - 1.0), scaled));
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
    const mx_pack_f64 cutoff_square = mx_pack_set_f64(a->tables.cutoff_square);
    const double *const knots = &MX_AT(a->pair_knots, 0, 0);
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const mx_mask_f64 inside = mx_pack_load(b->square + first) < cutoff_square;
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
    double *const density = &MX_AT(a->density, 0);
    const double *const pushed = one ? b->result : b->pushed;
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        density[md_slot_of(b->self[v])] += mx_pack_sum(mx_pack_load(b->result + first));
        for (int l = first; l < first + MX_PACK_WIDTH && pushes; l++)
            density[md_slot_of(b->other[l])] += pushed[l];
    }
}

MX_BODY void md_do_densities(const md_eam_cluster_args *a, int part, int first, int end,
                             bool pushes, bool one)
{
    const int from = part * a->own_clusters, stop = MX_AT(a->begin, from + end);
    md_eam_batch b;
    int v = MX_AT(a->begin, from + first), kept = v;
    MX_AT(a->found_count, from + first) = -kept;
    for (; v < stop; v += MD_BATCH_VECTORS) {
        md_find_pairs(a, v, v + MD_BATCH_VECTORS < stop ? v + MD_BATCH_VECTORS : stop, &b);
        md_keep_pairs(a, kept, &b);
        md_find_distances(a, &b, one);
        md_look_up_densities(a, &b, pushes, one);
        md_add_densities(a, &b, pushes, one);
        kept += b.vectors;
    }
    MX_AT(a->found_count, from + first) += kept;
}

/* ---- embedding ---- */

MX_BODY double md_embed_slot(const md_eam_cluster_args *a, int slot, bool energy)
{
    const md_eam_tables *const t = &a->tables;
    const int c = slot / MD_CLUSTER, s = slot % MD_CLUSTER, atom = MX_AT(a->slot_atom, c, s);
    if (atom < 0) return 0;
    const double scaled = MX_AT(a->density, slot) * t->rho_inverse;
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

/* Where there is no pair, an atom is its own neighbour, at the distance of the cutoff; its force is
 * 0, as dx, dy and dz. */
MX_BODY void md_find_vectors(const md_eam_cluster_args *a, md_eam_batch *b, bool one)
{
    const double *const places = &MX_AT(a->place, 0, 0);
    const mx_pack_f64 zero = mx_pack_set_f64(0.0);
    const mx_pack_f64 cutoff_square = mx_pack_set_f64(a->tables.cutoff_square);
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const double *const self = places + b->self[v];
        mx_pack_f64 other[4];
        mx_pack_load_rows(places, b->other + first, other);
        const mx_pack_f64 dx = self[0] - other[0], dy = self[1] - other[1], dz = self[2] - other[2];
        mx_pack_store(b->square + first, dx * dx + dy * dy + dz * dz);
        mx_pack_store(b->dx + first, dx);
        mx_pack_store(b->dy + first, dy);
        mx_pack_store(b->dz + first, dz);
        mx_pack_store(b->derivative + first, other[3]);
    }
    for (int v = 0; v < b->vectors; v++) {
        const int first = v * MX_PACK_WIDTH;
        const mx_pack_f64 found = mx_pack_load(b->square + first);
        const mx_pack_f64 square = mx_pack_select(found > zero, found, cutoff_square);
        const mx_pack_f64 inverse = mx_pack_rsqrt(square);
        mx_pack_store(b->inverse + first, inverse);
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
        mx_pack_f64 phi;
        const mx_pack_f64 f = md_eam_pair_forces(a, b, v, one, &phi);
        mx_pack_store(b->result + first, f);
        if (!energy) continue;
        const mx_pack_f64 square = mx_pack_load(b->square + first);
        potential += mx_pack_select(square > zero, phi, zero);
        virial += f * square;
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

MX_BODY void md_do_forces(const md_eam_cluster_args *a, int part, int first, bool pushes, bool one,
                          bool energy, md_energy *sum)
{
    const int n = part * a->own_clusters + first,
              end = MX_AT(a->begin, n) + MX_AT(a->found_count, n);
    md_eam_batch b;
    for (int v = MX_AT(a->begin, n); v < end; v += MD_BATCH_VECTORS) {
        b.vectors = v + MD_BATCH_VECTORS < end ? MD_BATCH_VECTORS : end - v;
        b.self = &MX_AT(a->found_self, v);
        b.other = &MX_AT(a->found, v, 0);
        md_find_vectors(a, &b, one);
        md_look_up_forces(a, &b, one, energy, pushes ? 1 : 0.5, sum);
        md_add_forces(a, &b, pushes);
    }
}

MX_BODY void md_eam_store_forces_body(const md_eam_cluster_args *a, int slot)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    for (int d = 0; d < 3 && atom >= 0; d++) MX_AT(a->force, atom, d) = MX_AT(a->sum, slot, d);
}
MX_FOR(1D, md_eam_store_forces, MX_ITEMS_PLAIN)

/* ---- the kernels: over clusters and tiles, for one element and several ---- */

/* The rows of clusters `first` to before `end`. Half lists: pairs with ghosts belong to both of
 * their atoms. */
MX_BODY void md_densities_of(const md_eam_cluster_args *a, int first, int end, bool half)
{
    const bool one = a->tables.elements == 1;
    for (int part = 0; part < 2 && first < end; part++) {
        if (one)
            md_do_densities(a, part, first, end, half && part == MD_EAM_OWN, true);
        else
            md_do_densities(a, part, first, end, half && part == MD_EAM_OWN, false);
    }
}

MX_BODY void md_forces_of(const md_eam_cluster_args *a, int first, int end, bool half, bool energy,
                          md_energy *sum)
{
    const bool one = a->tables.elements == 1;
    for (int part = 0; part < 2 && first < end; part++) {
        if (one)
            md_do_forces(a, part, first, half && part == MD_EAM_OWN, true, energy, sum);
        else
            md_do_forces(a, part, first, half && part == MD_EAM_OWN, false, energy, sum);
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
