#include "minx/kernel.h"

#include "md_kernels.h"

MX_BODY void md_find_bins_body(const md_bin_args *a, int i)
{
    const md_bins *const b = &a->bins;
    const int x = md_bin_along(b, 0, MX_AT(a->position, i, 0)),
              y = md_bin_along(b, 1, MX_AT(a->position, i, 1)),
              z = md_bin_along(b, 2, MX_AT(a->position, i, 2));
    MX_AT(a->bin, i) = (z * b->bins[1] + y) * b->bins[0] + x;
}
MX_FOR(1D, md_find_bins)

MX_BODY void md_find_places_body(const md_order_args *a, int i, int64_t *interior)
{
    const md_bins *const b = &a->bins;
    int at[3];
    bool inside = true;
    for (int d = 0; d < 3; d++) {
        const double x = MX_AT(a->position, i, d);
        at[d] = md_bin_along(b, d, x);
        inside = inside && x >= a->inner_low[d] && x < a->inner_high[d];
    }
    const int place = a->in_blocks ? md_place_in_blocks(b, at[0], at[1], at[2])
                                   : (at[2] * b->bins[1] + at[1]) * b->bins[0] + at[0];
    MX_AT(a->bin, i) = place + (inside ? 0 : a->places);
    *interior += inside ? 1 : 0;
}
MX_REDUCE(1D, md_find_places, MX_SUM)

MX_BODY void md_sort_vectors_body(const md_sort_vectors_args *a, int n)
{
    const int i = MX_AT(a->order, n);
    for (int d = 0; d < 3; d++) MX_AT(a->to, n, d) = MX_AT(a->from, i, d);
}
MX_FOR(1D, md_sort_vectors)

MX_BODY void md_sort_names_body(const md_sort_names_args *a, int n)
{
    const int i = MX_AT(a->order, n);
    MX_AT(a->type_spare, n) = MX_AT(a->type, i);
    MX_AT(a->id_spare, n) = MX_AT(a->id, i);
}
MX_FOR(1D, md_sort_names)
