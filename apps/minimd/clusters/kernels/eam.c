/* The embedded-atom method on lists of clusters: md_eam_clusters.h explains it. */
#include "clusters/kernels/md_part_rows.h"
#include "clusters/md_eam_clusters.h"
#include "minx/kernel.h"

#include <float.h>

MX_STATIC_ASSERT((int)MD_CLUSTER == (int)MX_PACK_WIDTH, "a cluster is a pack");

/* Vectors of a batch. A vector has MD_LANES pairs in MD_GROUPS groups. */
enum { MD_VECTORS = MD_BATCH / MD_LANES };

/* A few vectors of a list. The work is done in stages, each over all of them: so a vector's
 * chain of dependent operations, some 150 cycles, runs beside those of many others. The numbers
 * of a vector are aligned like registers, so that none is in two lines of the cache. */
typedef struct md_eam_batch {
    int vectors;
    const int32_t *self, *other; /* of md_eam_cluster_views, from the first vector on */
    /* the row of pair_knots for the two elements, and for them in the other order */
    int32_t knot[MD_VECTORS][MD_LANES];
    int32_t mirrored[MD_VECTORS][MD_LANES];
    mx_part_f64 square[MD_VECTORS];  /* of the distance; of the cutoff, where that is smaller */
    mx_part_f64 at[MD_VECTORS];      /* where in the interval, in units of the step */
    mx_part_f64 density[MD_VECTORS]; /* at the atom, from the other one */
    mx_part_f64 pushed[MD_VECTORS];  /* at the other one, from the atom */
    mx_part_f64 dx[MD_VECTORS], dy[MD_VECTORS], dz[MD_VECTORS], inverse[MD_VECTORS];
    mx_part_f64 derivative_i[MD_VECTORS]; /* F'(rho) of the group's atom, */
    mx_part_f64 derivative_j[MD_VECTORS]; /* and of the other one */
} md_eam_batch;

/* How far an atom has moved since the list was made. A position that is no number counts as moved
 * without limit. A maximum ignores NaN. */
MX_BODY double md_moved_square(const md_eam_cluster_args *a, int slot)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double before = MX_AT(a->point, slot / MD_CLUSTER, d, slot % MD_CLUSTER);
        const double moved = MX_AT(a->place, slot, d) - before;
        square += moved * moved;
    }
    return square <= DBL_MAX ? square : DBL_MAX;
}

MX_BODY void md_eam_load_places_body(const md_eam_cluster_args *a, int slot, double *moved)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    const int known = atom < 0 ? 0 : atom;
    for (int d = 0; d < 3; d++) MX_AT(a->place, slot, d) = MX_LOAD(a->position, known, d);
    if (atom >= 0) *moved = mx_max(*moved, md_moved_square(a, slot));
    if (slot >= a->local_clusters * MD_CLUSTER) return;
    MX_AT(a->density, slot) = 0;
    for (int d = 0; d < 4; d++) MX_AT(a->sum, slot, d) = 0;
}
MX_REDUCE(1D, md_eam_load_places, MX_MAX, MX_ITEMS_PLAIN)

/* ---- the list ---- */

/* The atoms of a cluster that were within the inner cutoff when the list was made. */
MX_BODY unsigned md_inner_atoms(const md_eam_list_args *a, int slot, int32_t entry)
{
    const double *const point = &MX_AT(a->point, md_entry_cluster(entry), 0, 0);
    const int c = slot / MD_CLUSTER, s = slot % MD_CLUSTER;
    const double x = MX_AT(a->point, c, 0, s), y = MX_AT(a->point, c, 1, s);
    const double z = MX_AT(a->point, c, 2, s);
    unsigned inner = 0;
    for (int first = 0; first < MD_CLUSTER; first += MD_LANES) {
        const mx_part_f64 dx = mx_part_load_f64(point + first) - x;
        const mx_part_f64 dy = mx_part_load_f64(point + MD_CLUSTER + first) - y;
        const mx_part_f64 dz = mx_part_load_f64(point + 2 * MD_CLUSTER + first) - z;
        inner |= mx_part_bits_f64(dx * dx + dy * dy + dz * dz <= a->inner_square) << first;
    }
    return inner;
}

/* The entries of a row: those of local clusters, then those of ghosts. */
MX_BODY int md_first_entry(const md_eam_list_args *a, bool ghosts, int slot)
{
    return ghosts ? MX_AT(a->local_end, slot) : 0;
}
MX_BODY int md_end_entry(const md_eam_list_args *a, bool ghosts, int slot)
{
    return ghosts ? MX_AT(a->row_end, slot) : MX_AT(a->local_end, slot);
}

/* The number of a cluster's vectors in a part. */
MX_BODY int md_part_of(int local_clusters, bool ghosts, bool outer, int c)
{
    const int part = ghosts ? (outer ? MD_EAM_GHOSTS_OUTER : MD_EAM_GHOSTS)
                            : (outer ? MD_EAM_LOCAL_OUTER : MD_EAM_LOCAL);
    return part * local_clusters + c;
}

/* Of eight bits. */
MX_BODY int md_count_bits(unsigned bits)
{
    const unsigned twos = bits - (bits >> 1 & 0x55), fours = (twos & 0x33) + (twos >> 2 & 0x33);
    return (int)((fours + (fours >> 4)) & 15);
}

MX_BODY int md_groups_of(int pairs) { return (pairs + MD_GROUP - 1) / MD_GROUP; }
MX_BODY int md_vectors_of(int groups) { return (groups + MD_GROUPS - 1) / MD_GROUPS; }

MX_BODY void md_eam_count_pairs_body(const md_eam_list_args *a, int n, int64_t *width)
{
    const bool ghosts = n % 2 != 0;
    const int c = n / 2;
    int inner = 0, outer = 0;
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s, end = md_end_entry(a, ghosts, slot);
        int all_pairs = 0, inner_pairs = 0;
        for (int next = md_first_entry(a, ghosts, slot); next < end; next++) {
            const int32_t entry = MX_AT(a->near, slot, next);
            const unsigned wanted = md_entry_atoms(entry);
            all_pairs += md_count_bits(wanted);
            inner_pairs += md_count_bits(wanted & md_inner_atoms(a, slot, entry));
        }
        inner += md_groups_of(inner_pairs);
        outer += md_groups_of(all_pairs - inner_pairs);
    }
    MX_AT(a->count, md_part_of(a->local_clusters, ghosts, false, c)) = md_vectors_of(inner);
    MX_AT(a->count, md_part_of(a->local_clusters, ghosts, true, c)) = md_vectors_of(outer);
    *width = MD_LANES;
}
MX_REDUCE(1D, md_eam_count_pairs, MX_MAX, MX_ITEMS_PLAIN)

/* Pairs that wait until they are written, many vectors at once: so there are few branches that
 * depend on the number of pairs. */
enum { MD_WAITING = 64, MD_ROOM = MD_WAITING + MX_PACK_WIDTH };
typedef struct md_pair_stream {
    int vector, end;   /* the next one, and behind the last one */
    int count, groups; /* of pairs; of groups whose atom is known */
    int32_t pairs[MD_ROOM];
    int32_t self[MD_ROOM / MD_GROUP];
} md_pair_stream;

/* The stream of a cluster's vectors in a part. */
MX_BODY void md_begin_pairs(const md_eam_list_args *a, int part, md_pair_stream *stream)
{
    stream->vector = MX_AT(a->begin, part);
    stream->end = MX_AT(a->begin, part + 1);
    stream->count = stream->groups = 0;
}

/* Up to these pairs, groups that have none yet get this atom. */
MX_BODY void md_name_groups(int slot, int pairs, md_pair_stream *stream)
{
    for (; stream->groups * MD_GROUP < pairs; stream->groups++)
        stream->self[stream->groups] = 4 * slot;
}

/* Writes the first pairs that wait. What is beyond the end is counted, not stored. */
MX_BODY void md_store_vectors(const md_eam_list_args *a, int vectors, md_pair_stream *stream)
{
    const int room = stream->end - stream->vector, stored = vectors < room ? vectors : room;
    for (int v = 0; v < stored; v++) {
        int32_t *const self = &MX_AT(a->self, stream->vector + v, 0);
        int32_t *const other = &MX_AT(a->other, stream->vector + v, 0);
        for (int g = 0; g < MD_GROUPS; g++) self[g] = stream->self[v * MD_GROUPS + g];
        for (int l = 0; l < MD_LANES; l++) other[l] = stream->pairs[v * MD_LANES + l];
    }
    stream->vector += vectors;
}

/* Adds the atoms of a cluster whose bits are 1. */
MX_BODY void md_add_pairs(const md_eam_list_args *a, int slot, unsigned atoms, mx_pack_i32 others,
                          md_pair_stream *stream)
{
    stream->count += md_compress(stream->pairs + stream->count, atoms, others);
    if (stream->count < MD_WAITING) return;
    md_name_groups(slot, MD_WAITING, stream);
    md_store_vectors(a, MD_WAITING / MD_LANES, stream);
    mx_pack_store(stream->pairs, mx_pack_load(stream->pairs + MD_WAITING));
    stream->count -= MD_WAITING;
    stream->groups = 0;
}

/* Behind an atom's last pair, the rest of a group or vector, of so many pairs, has the atom. */
MX_BODY void md_fill_up(int slot, int pairs, md_pair_stream *stream)
{
    mx_pack_store(stream->pairs + stream->count, mx_pack_set_i32(4 * slot));
    stream->count = (stream->count + pairs - 1) / pairs * pairs;
    md_name_groups(slot, stream->count, stream);
}

/* Behind the last atom of a cluster. */
MX_BODY void md_end_pairs(const md_eam_list_args *a, int slot, md_pair_stream *stream)
{
    md_fill_up(slot, MD_LANES, stream);
    md_store_vectors(a, stream->count / MD_LANES, stream);
}

MX_BODY void md_eam_fill_vectors_body(const md_eam_list_args *a, int n, int64_t *wrong)
{
    const bool ghosts = n % 2 != 0;
    const int c = n / 2;
    md_pair_stream inner, outer;
    mx_pack_i32 lanes;
    md_begin_pairs(a, md_part_of(a->local_clusters, ghosts, false, c), &inner);
    md_begin_pairs(a, md_part_of(a->local_clusters, ghosts, true, c), &outer);
    for (int l = 0; l < MX_PACK_WIDTH; l++) lanes[l] = l;
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int slot = c * MD_CLUSTER + s, end = md_end_entry(a, ghosts, slot);
        for (int next = md_first_entry(a, ghosts, slot); next < end; next++) {
            const int32_t entry = MX_AT(a->near, slot, next);
            const mx_pack_i32 others = (lanes + MD_CLUSTER * md_entry_cluster(entry)) * 4;
            const unsigned wanted = md_entry_atoms(entry);
            const unsigned near = md_inner_atoms(a, slot, entry);
            md_add_pairs(a, slot, wanted & near, others, &inner);
            md_add_pairs(a, slot, wanted & ~near, others, &outer);
        }
        md_fill_up(slot, MD_GROUP, &inner);
        md_fill_up(slot, MD_GROUP, &outer);
    }
    md_end_pairs(a, c * MD_CLUSTER, &inner);
    md_end_pairs(a, c * MD_CLUSTER, &outer);
    *wrong += (inner.vector != inner.end) + (outer.vector != outer.end);
}
MX_REDUCE(1D, md_eam_fill_vectors, MX_SUM, MX_ITEMS_PLAIN)

/* ---- stages that densities and forces share ---- */

/* Of an entry of `self` or `other`. Without a sign it is one shift. */
MX_BODY unsigned md_slot_of(int32_t entry) { return (unsigned)entry / 4; }

MX_BODY int md_element_of(const md_eam_cluster_args *a, int at)
{
    const int slot = (int)md_slot_of(at);
    return a->tables.element[MX_AT(a->slot_type, slot / MD_CLUSTER, slot % MD_CLUSTER)];
}

/* The intervals of vector v, whose pairs have these distances. Beyond the last knot
 * the row of that knot counts: f and r phi are constant there, and so are their slopes. */
MX_BODY void md_find_intervals(const md_eam_cluster_args *a, md_eam_batch *b, int v,
                               mx_part_f64 distance, bool one)
{
    const md_eam_tables *const t = &a->tables;
    const mx_part_f64 scaled = distance * t->r_inverse;
    const mx_part_f64 last = mx_part_set_f64(t->r_knots - 1.0);
    const mx_part_f64 knot = md_trunc(mx_part_select_f64(scaled < last, scaled, last));
    b->at[v] = scaled - knot;
    md_store_i32(b->knot[v], knot * (double)MD_PAIR_SPLINES);
    for (int l = 0; l < MD_LANES && !one; l++) {
        const int ei = md_element_of(a, b->self[v * MD_GROUPS + l / MD_GROUP]),
                  ej = md_element_of(a, b->other[v * MD_LANES + l]);
        b->mirrored[v][l] = b->knot[v][l] + (ej * t->elements + ei) * t->r_knots * MD_PAIR_SPLINES;
        b->knot[v][l] += (ei * t->elements + ej) * t->r_knots * MD_PAIR_SPLINES;
    }
}

/* Pairs beyond the cutoff, and lanes without a pair, have the distance of the cutoff: their results
 * are set to 0. */
MX_BODY void md_find_squares(const md_eam_cluster_args *a, md_eam_batch *b, bool forces)
{
    const double *const places = &MX_AT(a->place, 0, 0);
    const mx_part_f64 zero = mx_part_set_f64(0.0);
    const mx_part_f64 cutoff_square = mx_part_set_f64(a->tables.cutoff_square);
    for (int v = 0; v < b->vectors; v++) {
        mx_part_f64 self[4], other[4];
        md_spread_rows(places, b->self + v * MD_GROUPS, self);
        md_load_rows(places, b->other + v * MD_LANES, other);
        const mx_part_f64 dx = self[0] - other[0], dy = self[1] - other[1], dz = self[2] - other[2];
        const mx_part_f64 square = dx * dx + dy * dy + dz * dz;
        const mx_part_mask_f64 pair = (square > zero) & (square < cutoff_square);
        b->square[v] = mx_part_select_f64(pair, square, cutoff_square);
        if (!forces) continue;
        b->dx[v] = dx;
        b->dy[v] = dy;
        b->dz[v] = dz;
        b->derivative_i[v] = self[3];
        b->derivative_j[v] = other[3];
    }
}

MX_BODY void md_find_distances(const md_eam_cluster_args *a, md_eam_batch *b, bool forces, bool one)
{
    for (int v = 0; v < b->vectors; v++) {
        const mx_part_f64 inverse = md_rsqrt(b->square[v]);
        if (forces) b->inverse[v] = inverse;
        md_find_intervals(a, b, v, b->square[v] * inverse, one);
    }
}

/* Results, where there is a pair within the cutoff. */
MX_BODY mx_part_f64 md_of_pairs(const md_eam_cluster_args *a, const md_eam_batch *b, int v,
                                mx_part_f64 result)
{
    const mx_part_f64 zero = mx_part_set_f64(0.0);
    return mx_part_select_f64(b->square[v] < a->tables.cutoff_square, result, zero);
}

/* Of a cubic polynomial, at p. */
MX_BODY mx_part_f64 md_cubic(const mx_part_f64 *c, mx_part_f64 p)
{
    return ((c[0] * p + c[1]) * p + c[2]) * p + c[3];
}

/* ---- densities ---- */

MX_BODY void md_look_up_densities(const md_eam_cluster_args *a, md_eam_batch *b, bool pushes,
                                  bool one)
{
    const double *const knots = &MX_AT(a->pair_knots, 0, 0);
    for (int v = 0; v < b->vectors; v++) {
        mx_part_f64 spline[4];
        md_load_rows(knots, b->knot[v], spline);
        b->density[v] = md_of_pairs(a, b, v, md_cubic(spline, b->at[v]));
        if (one || !pushes) continue;
        md_load_rows(knots, b->mirrored[v], spline);
        b->pushed[v] = md_of_pairs(a, b, v, md_cubic(spline, b->at[v]));
    }
}

MX_BODY double md_sum_group(mx_part_f64 a, int group)
{
    const int first = group * MD_GROUP;
    double sum = 0;
    for (int l = first; l < first + MD_GROUP; l += 2) sum += a[l] + a[l + 1];
    return sum;
}

MX_BODY void md_add_densities(const md_eam_cluster_args *a, const md_eam_batch *b, bool pushes,
                              bool one)
{
    double *const density = &MX_AT(a->density, 0);
    const mx_part_f64 *const pushed = one ? b->density : b->pushed;
    for (int v = 0; v < b->vectors; v++) {
        for (int g = 0; g < MD_GROUPS; g++)
            density[md_slot_of(b->self[v * MD_GROUPS + g])] += md_sum_group(b->density[v], g);
        for (int l = 0; l < MD_LANES && pushes; l++)
            density[md_slot_of(b->other[v * MD_LANES + l])] += pushed[v][l];
    }
}

/* The vectors of a part from v to before end. */
MX_BODY void md_begin_batch(const md_eam_cluster_args *a, md_eam_batch *b, int v, int end)
{
    b->vectors = end - v < MD_VECTORS ? end - v : MD_VECTORS;
    b->self = &MX_AT(a->self, v, 0);
    b->other = &MX_AT(a->other, v, 0);
}

MX_BODY void md_do_densities(const md_eam_cluster_args *a, int part, int first, int end,
                             bool pushes, bool one)
{
    const int from = part * a->local_clusters, stop = MX_AT(a->begin, from + end);
    md_eam_batch b;
    for (int v = MX_AT(a->begin, from + first); v < stop; v += MD_VECTORS) {
        md_begin_batch(a, &b, v, stop);
        md_find_squares(a, &b, false);
        md_find_distances(a, &b, false, one);
        md_look_up_densities(a, &b, pushes, one);
        md_add_densities(a, &b, pushes, one);
    }
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

/* The force over the distance on the atom of vector v. */
MX_BODY mx_part_f64 md_eam_pair_forces(const md_eam_cluster_args *a, const md_eam_batch *b, int v,
                                       bool one)
{
    const double *const slopes = &MX_AT(a->pair_slopes, 0, 0);
    const mx_part_f64 at = b->at[v], inverse = b->inverse[v];
    mx_part_f64 c[4], embedded;
    md_load_rows(slopes, b->knot[v], c);
    const mx_part_f64 slope_j = (c[0] * at + c[1]) * at + c[2];
    if (one) {
        embedded = (b->derivative_i[v] + b->derivative_j[v]) * slope_j;
    } else {
        md_load_rows(slopes, b->mirrored[v], c);
        embedded =
            b->derivative_i[v] * slope_j + b->derivative_j[v] * ((c[0] * at + c[1]) * at + c[2]);
    }
    md_load_rows(slopes + MD_SPLINE, b->knot[v], c);
    const mx_part_f64 all = embedded + md_cubic(c, at) * (inverse * inverse);
    return md_of_pairs(a, b, v, -all * inverse);
}

/* The pair potential of vector v. */
MX_BODY mx_part_f64 md_eam_pair_potential(const md_eam_cluster_args *a, const md_eam_batch *b,
                                          int v)
{
    mx_part_f64 spline[4];
    md_load_rows(&MX_AT(a->pair_knots, 0, MD_SPLINE), b->knot[v], spline);
    return md_of_pairs(a, b, v, md_cubic(spline, b->at[v]) * b->inverse[v]);
}

/* f: over the distance. */
MX_BODY void md_add_forces(const md_eam_cluster_args *a, const md_eam_batch *b, int v,
                           mx_part_f64 f, bool pushes)
{
    double *const sums = &MX_AT(a->sum, 0, 0);
    const mx_part_f64 force[4] = {f * b->dx[v], f * b->dy[v], f * b->dz[v], mx_part_set_f64(0.0)};
    md_sum_rows(sums, b->self + v * MD_GROUPS, force);
    if (pushes) md_subtract_rows(sums, b->other + v * MD_LANES, force);
}

/* A pair that does not push gives half of its energy. */
MX_BODY void md_look_up_forces(const md_eam_cluster_args *a, const md_eam_batch *b, bool pushes,
                               bool one, bool energy, md_energy *sum)
{
    const double share = pushes ? 1 : 0.5;
    mx_part_f64 potential = mx_part_set_f64(0.0), virial = potential;
    for (int v = 0; v < b->vectors; v++) {
        const mx_part_f64 f = md_eam_pair_forces(a, b, v, one);
        md_add_forces(a, b, v, f, pushes);
        if (!energy) continue;
        potential += md_eam_pair_potential(a, b, v);
        virial += f * b->square[v];
    }
    if (!energy) return;
    sum->potential += share * mx_part_sum_f64(potential);
    sum->virial += share * mx_part_sum_f64(virial);
}

MX_BODY void md_do_forces(const md_eam_cluster_args *a, int part, int first, int end, bool pushes,
                          bool one, bool energy, md_energy *sum)
{
    const int from = part * a->local_clusters, stop = MX_AT(a->begin, from + end);
    md_eam_batch b;
    for (int v = MX_AT(a->begin, from + first); v < stop; v += MD_VECTORS) {
        md_begin_batch(a, &b, v, stop);
        md_find_squares(a, &b, true);
        md_find_distances(a, &b, true, one);
        md_look_up_forces(a, &b, pushes, one, energy, sum);
    }
}

MX_BODY void md_eam_store_forces_body(const md_eam_cluster_args *a, int slot)
{
    const int atom = MX_AT(a->slot_atom, slot / MD_CLUSTER, slot % MD_CLUSTER);
    for (int d = 0; d < 3 && atom >= 0; d++) MX_AT(a->force, atom, d) = MX_AT(a->sum, slot, d);
}
MX_FOR(1D, md_eam_store_forces, MX_ITEMS_PLAIN)

/* ---- the kernels: over clusters and tiles, for one element and several ---- */

/* Half lists: pairs with ghosts belong to both of their atoms. */
MX_BODY bool md_part_pushes(int part, bool half) { return half && part < MD_EAM_GHOSTS; }

/* Outer pairs are left out while none of them can be within the cutoff. */
MX_BODY int md_part_step(const md_eam_cluster_args *a)
{
    return MX_AT(a->moved, 0) <= a->allowed_square ? 2 : 1;
}

/* The rows of clusters `first` to before `end`. */
MX_BODY void md_densities_of(const md_eam_cluster_args *a, int first, int end, bool half)
{
    const bool one = a->tables.elements == 1;
    for (int part = 0; part < MD_EAM_PARTS && first < end; part += md_part_step(a)) {
        if (one)
            md_do_densities(a, part, first, end, md_part_pushes(part, half), true);
        else
            md_do_densities(a, part, first, end, md_part_pushes(part, half), false);
    }
}

MX_BODY void md_forces_of(const md_eam_cluster_args *a, int first, int end, bool half, bool energy,
                          md_energy *sum)
{
    const bool one = a->tables.elements == 1;
    for (int part = 0; part < MD_EAM_PARTS && first < end; part += md_part_step(a)) {
        const bool pushes = md_part_pushes(part, half);
        if (one)
            md_do_forces(a, part, first, end, pushes, true, energy, sum);
        else
            md_do_forces(a, part, first, end, pushes, false, energy, sum);
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

/* ---- atoms at one place ---- */

MX_BODY void md_eam_count_touching_body(const md_eam_cluster_args *a, int n, int64_t *touching)
{
    for (int v = MX_AT(a->begin, n); v < MX_AT(a->begin, n + 1); v++) {
        for (int l = 0; l < MD_LANES; l++) {
            const int self = (int)md_slot_of(MX_AT(a->self, v, l / MD_GROUP));
            const int other = (int)md_slot_of(MX_AT(a->other, v, l));
            double square = 0;
            for (int d = 0; d < 3; d++) {
                const double along = MX_AT(a->place, self, d) - MX_AT(a->place, other, d);
                square += along * along;
            }
            *touching += self != other && square == 0;
        }
    }
}
MX_REDUCE(1D, md_eam_count_touching, MX_SUM, MX_ITEMS_PLAIN)
