#include "minx/kernel.h"

#include "rows/md_rows.h"

/* Bins along axis d that have atoms within the cutoff of bin `at`, cut at the edge. */
MX_BODY int first_bin(const md_bins *b, int d, int at) { return mx_max(at - b->cutoff_bins[d], 0); }
MX_BODY int last_bin(const md_bins *b, int d, int at)
{
    return mx_min(at + b->cutoff_bins[d], b->bins[d] - 1);
}

/* Candidates are tested four at a time: their loads are on their way at once, and do not wait for
 * stores of neighbours. Hosts store every candidate at index `found`, and advance `found` only if it
 * is a neighbour: a branch would be mispredicted for most neighbours. */
enum { TRIED = 4 };

/* Adds the atoms of entries n to end - 1 that are within the cutoff of atom i, which is at (x, y,
 * z). `found` are in the list. */
MX_BODY int add_neighbours(const md_list_args *a, int i, const double *x, int n, int end, int found)
{
    for (; n < end; n += TRIED) {
        int j[TRIED];
        double square[TRIED];
        MX_UNROLL(4)
        for (int e = 0; e < TRIED; e++) {
            j[e] = MX_LOAD(a->bin_atom, mx_min(n + e, end - 1));
            const double dx = x[0] - MX_LOAD(a->position, j[e], 0),
                         dy = x[1] - MX_LOAD(a->position, j[e], 1),
                         dz = x[2] - MX_LOAD(a->position, j[e], 2);
            square[e] = dx * dx + dy * dy + dz * dz;
        }
        MX_UNROLL(4)
        for (int e = 0; e < TRIED; e++) {
            /* a distance that is not a number counts as near, so that the energy shows it */
            const bool near = (n + e < end) & !(square[e] > a->cutoff_square) & (j[e] != i);
            if (MX_ON_DEVICE && !near) continue;
            if (found < a->room) MX_AT(a->neighbour, i, found) = j[e];
            found += near;
        }
    }
    return found;
}

/* Bins along x follow each other, so their atoms do too: one loop goes over them. */
MX_BODY void md_list_full_body(const md_list_args *a, int i, md_list_size *size)
{
    const md_bins *const b = &a->bins;
    const double x[3] = {MX_LOAD(a->position, i, 0), MX_LOAD(a->position, i, 1),
                         MX_LOAD(a->position, i, 2)};
    const int at_x = md_bin_along(b, 0, x[0]), at_y = md_bin_along(b, 1, x[1]),
              at_z = md_bin_along(b, 2, x[2]);
    int found = 0;
    for (int bz = first_bin(b, 2, at_z); bz <= last_bin(b, 2, at_z); bz++) {
        for (int by = first_bin(b, 1, at_y); by <= last_bin(b, 1, at_y); by++) {
            const int row = (bz * b->bins[1] + by) * b->bins[0];
            const int begin = MX_LOAD(a->bin_begin, row + first_bin(b, 0, at_x)),
                      end = MX_LOAD(a->bin_begin, row + last_bin(b, 0, at_x) + 1);
            found = add_neighbours(a, i, x, begin, end, found);
        }
    }
    if (found < a->room) MX_AT(a->neighbour, i, found) = -1;
    MX_AT(a->neighbour_count, i) = found;
    size->pairs += found;
    size->longest = mx_max(size->longest, (int64_t)found);
}
MX_REDUCE_FIELDS(1D, md_list_full, MD_LIST_SIZE, MX_ITEMS_PLAIN)
