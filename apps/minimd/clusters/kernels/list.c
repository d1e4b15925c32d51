/* Clusters: their atoms, coordinates, and the list. md_clusters.h explains the method. */
#include "clusters/md_clusters.h"
#include "minx/kernel.h"
#include "minx/kit/simd_parts.h"
#include "minx/scan.h"

MX_BODY void md_find_cells_body(const md_cell_args *a, int i)
{
    const md_cluster_grid *const g = &a->grid;
    const bool local = i < a->local;
    int at[2];
    for (int d = 0; d < 2; d++) {
        const int margin = local ? 0 : g->margin[d];
        at[d] =
            md_column_along(g, d, MX_LOAD(a->position, i, d), -margin, g->columns[d] + margin - 1);
    }
    const int column = local ? md_local_column(g, at[0], at[1]) : md_ghost_column(g, at[0], at[1]);
    MX_AT(a->bin, i) = column * g->bins + md_column_bin(g, MX_LOAD(a->position, i, 2));
}
MX_FOR(1D, md_find_cells, MX_ITEMS_PLAIN)

MX_BODY void md_count_clusters_body(const md_count_args *a, int column, int32_t *sum, bool final)
{
    if (final) MX_AT(a->first, column) = *sum;
    if (column == md_all_columns(&a->grid)) return;
    const int bins = a->grid.bins;
    const int atoms = MX_AT(a->bin_begin, (column + 1) * bins) - MX_AT(a->bin_begin, column * bins);
    *sum += (atoms + MD_CLUSTER - 1) / MD_CLUSTER;
}
MX_SCAN(1D, md_count_clusters, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void md_number_vectors_body(const md_vector_args *a, int part, int64_t *sum, bool final)
{
    if (final) MX_AT(a->begin, part) = (int32_t)*sum;
    if (part < a->parts) *sum += MX_AT(a->count, part);
}
MX_SCAN(1D, md_number_vectors, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void md_fill_clusters_body(const md_fill_args *a, int column)
{
    const int bins = a->grid.bins;
    const int end = MX_AT(a->bin_begin, (column + 1) * bins);
    int from = MX_AT(a->bin_begin, column * bins);
    for (int c = MX_AT(a->first, column); c < MX_AT(a->first, column + 1); c++) {
        for (int s = 0; s < MD_CLUSTER; s++, from++) {
            const int atom = from < end ? MX_AT(a->bin_atom, from) : -1;
            MX_AT(a->slot_atom, c, s) = atom;
            MX_AT(a->slot_type, c, s) = atom < 0 ? 0 : MX_AT(a->type, atom);
        }
    }
}
MX_FOR(1D, md_fill_clusters, MX_ITEMS_PLAIN)

MX_BODY void md_load_points_body(const md_point_args *a, int c)
{
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int atom = MX_AT(a->slot_atom, c, s), known = atom < 0 ? 0 : atom;
        for (int d = 0; d < 3; d++) {
            const double x = MX_LOAD(a->position, known, d);
            MX_AT(a->point, c, d, s) = atom < 0 ? a->far : x;
        }
    }
    if (c >= a->push_rows) return;
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < MD_CLUSTER; s++) MX_AT(a->push, c, d, s) = 0;
}
MX_FOR(1D, md_load_points, MX_ITEMS_PLAIN)

MX_BODY void md_load_fixed_body(const md_fixed_args *a, int c)
{
    for (int s = 0; s < MD_CLUSTER; s++) {
        const int atom = MX_AT(a->slot_atom, c, s), known = atom < 0 ? 0 : atom;
        for (int d = 0; d < 3; d++) {
            const double units = MX_LOAD(a->position, known, d) * a->units_per_length;
            MX_AT(a->fixed, c, d, s) = (int32_t)(uint32_t)(int64_t)floor(units + 0.5);
        }
    }
    if (c >= a->push_rows) return;
    for (int d = 0; d < 3; d++)
        for (int s = 0; s < MD_CLUSTER; s++) MX_AT(a->push_single, c, d, s) = 0;
}
MX_FOR(1D, md_load_fixed, MX_ITEMS_PLAIN)

MX_BODY void md_measure_clusters_body(const md_point_args *a, int c)
{
    for (int d = 0; d < 3; d++) {
        double low = MX_AT(a->point, c, d, 0), high = low; /* slot 0 has an atom */
        for (int s = 1; s < MD_CLUSTER && MX_AT(a->slot_atom, c, s) >= 0; s++) {
            const double x = MX_AT(a->point, c, d, s);
            low = x < low ? x : low;
            high = high < x ? x : high;
        }
        MX_AT(a->extent, c, d) = low;
        MX_AT(a->extent, c, 3 + d) = high;
    }
}
MX_FOR(1D, md_measure_clusters, MX_ITEMS_PLAIN)

/* The rows of a cluster while its list is made. */
typedef struct md_rows {
    int cluster, atoms;
    double low[3], high[3];
    double x[3][MD_CLUSTER];
    int count[MD_CLUSTER];
} md_rows;

MX_BODY bool md_extents_near(const md_near_args *a, const md_rows *r, int other)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double below = r->low[d] - MX_AT(a->extent, other, 3 + d);
        const double above = MX_AT(a->extent, other, d) - r->high[d];
        const double gap = below > above ? below : above;
        square += gap > 0 ? gap * gap : 0;
    }
    return square <= a->cutoff * a->cutoff;
}

/* The atoms of a cluster that are near the atom of slot s, by bits. Of its own cluster not itself,
 * and in half lists only those behind it. */
MX_BODY unsigned md_near_atoms(const md_near_args *a, const md_rows *r, int other, int s)
{
    const double cutoff_square = a->cutoff * a->cutoff;
    unsigned near = 0;
    for (int first = 0; first < MD_CLUSTER; first += MX_PART_WIDTH_F64) {
        const double *const point = &MX_AT(a->point, other, 0, first);
        const mx_part_f64 dx = mx_part_load_f64(point) - r->x[0][s];
        const mx_part_f64 dy = mx_part_load_f64(point + MD_CLUSTER) - r->x[1][s];
        const mx_part_f64 dz = mx_part_load_f64(point + 2 * MD_CLUSTER) - r->x[2][s];
        near |= mx_part_bits_f64(dx * dx + dy * dy + dz * dz <= cutoff_square) << first;
    }
    if (other != r->cluster) return near;
    return near & (a->half ? 0xfeu << s : ~(1u << s));
}

/* Adds a cluster to the rows of the atoms that are near one of its atoms: an entry for each part of
 * `width` slots that has such atoms. */
MX_BODY void md_add_parts(const md_near_args *a, md_rows *r, int other, int width)
{
    for (int s = 0; s < r->atoms; s++) {
        const unsigned near = md_near_atoms(a, r, other, s);
        for (int first = 0; first < MD_CLUSTER; first += width) {
            const unsigned atoms = near >> first & ((1u << width) - 1);
            if (r->count[s] < a->room)
                MX_AT(a->near, r->cluster * MD_CLUSTER + s, r->count[s]) =
                    md_part_entry(other, first, atoms, width);
            r->count[s] += atoms != 0;
        }
    }
}

/* The slots of an entry are those that the kernel of the forces computes at once. */
MX_BODY int md_entry_width(const md_near_args *a)
{
    if (a->whole) return MD_CLUSTER;
    return a->mixed ? MX_PART_WIDTH_F32 : MX_PART_WIDTH_F64;
}

/* The width is a constant in each call. */
MX_BODY void md_add_near(const md_near_args *a, md_rows *r, int other)
{
    const int width = md_entry_width(a);
    if (width == MX_PART_WIDTH_F64)
        md_add_parts(a, r, other, MX_PART_WIDTH_F64);
    else if (width == MX_PART_WIDTH_F32)
        md_add_parts(a, r, other, MX_PART_WIDTH_F32);
    else
        md_add_parts(a, r, other, MD_CLUSTER);
}

/* The clusters of a column that may be near, by z: with the atoms that the bins from `low` to
 * `high` have. */
MX_BODY void md_search_column(const md_near_args *a, md_rows *r, int column, int low, int high)
{
    const int begin = MX_AT(a->bin_begin, column * a->grid.bins), first = MX_AT(a->first, column);
    const int from = MX_AT(a->bin_begin, column * a->grid.bins + low) - begin;
    const int to = MX_AT(a->bin_begin, column * a->grid.bins + high + 1) - begin;
    const int end = first + (to + MD_CLUSTER - 1) / MD_CLUSTER;
    int c = first + from / MD_CLUSTER;
    if (a->half && column < md_local_columns(&a->grid) && c <= r->cluster) c = r->cluster + 1;
    for (; c < end; c++)
        if (c != r->cluster && md_extents_near(a, r, c)) md_add_near(a, r, c);
}

MX_BODY void md_search_columns(const md_near_args *a, md_rows *r, bool ghosts)
{
    const md_cluster_grid *const g = &a->grid;
    int first[2], last[2];
    for (int d = 0; d < 2; d++) {
        const int margin = ghosts ? g->margin[d] : 0, end = g->columns[d] + margin - 1;
        first[d] = md_column_along(g, d, r->low[d] - a->cutoff, -margin, end);
        last[d] = md_column_along(g, d, r->high[d] + a->cutoff, -margin, end);
    }
    const int low = md_column_bin(g, r->low[2] - a->cutoff);
    const int high = md_column_bin(g, r->high[2] + a->cutoff);
    for (int y = first[1]; y <= last[1]; y++) {
        for (int x = first[0]; x <= last[0]; x++) {
            const int column = ghosts ? md_ghost_column(g, x, y) : md_local_column(g, x, y);
            md_search_column(a, r, column, low, high);
        }
    }
}

MX_BODY void md_find_near_body(const md_near_args *a, int c, md_list_size *size)
{
    md_rows r;
    r.cluster = c;
    r.atoms = 0;
    for (int s = 0; s < MD_CLUSTER; s++) {
        r.count[s] = 0;
        r.atoms += MX_AT(a->slot_atom, c, s) >= 0;
        for (int d = 0; d < 3; d++) r.x[d][s] = MX_AT(a->point, c, d, s);
    }
    for (int d = 0; d < 3; d++) {
        r.low[d] = MX_AT(a->extent, c, d);
        r.high[d] = MX_AT(a->extent, c, 3 + d);
    }
    md_add_near(a, &r, c);
    md_search_columns(a, &r, false);
    for (int s = 0; s < MD_CLUSTER; s++) MX_AT(a->local_end, c * MD_CLUSTER + s) = r.count[s];
    md_search_columns(a, &r, true);
    for (int s = 0; s < MD_CLUSTER; s++) {
        MX_AT(a->row_end, c * MD_CLUSTER + s) = r.count[s];
        size->pairs += r.count[s] * md_entry_width(a);
        size->longest = size->longest < r.count[s] ? r.count[s] : size->longest;
    }
}
MX_REDUCE_FIELDS(1D, md_find_near, MD_LIST_SIZE, MX_ITEMS_PLAIN)
