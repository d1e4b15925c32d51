#include "part_rows.h"
#include "clusters/kernels/md_part_rows.h"
#include "minx/kernel.h"

/* An integer is right where both functions for it are right: 2 n - n. */
MX_BODY void pr_rows_at(const pr_args *a, int first)
{
    int32_t index[MD_LANES], whole[MD_LANES], sum[MD_GROUPS], shared[MD_GROUPS];
    mx_part_f64 row[4], spread[4];
    for (int l = 0; l < MD_LANES; l++) index[l] = MX_AT(a->index, first + l);
    md_load_rows(&MX_AT(a->from, 0), index, row);
    for (int d = 0; d < 4; d++) mx_part_store_f64(&MX_AT(a->loaded, d * a->n + first), row[d]);
    md_store_i32(whole, row[1]);
    mx_part_store_f64(&MX_AT(a->whole, first), 2.0 * md_trunc(row[1]));
    for (int l = 0; l < MD_LANES; l++) MX_AT(a->whole, first + l) -= whole[l];
    md_subtract_rows(&MX_AT(a->less, 0), index, row);
    for (int g = 0; g < MD_GROUPS; g++) {
        const int four = (first + g * MD_GROUP) / 4;
        sum[g] = 4 * four;
        shared[g] = MX_AT(a->index, 4 * four);
    }
    md_sum_rows(&MX_AT(a->sums, 0), sum, row);
    md_spread_rows(&MX_AT(a->from, 0), shared, spread);
    for (int d = 0; d < 4; d++) mx_part_store_f64(&MX_AT(a->spread, d * a->n + first), spread[d]);
    mx_part_store_f64(&MX_AT(a->root, first), md_rsqrt(row[2] * row[2] + 0.25));
}

/* One item is all vectors: rows that they share are added to one after another. */
MX_BODY void pr_rows_body(const pr_args *a, int item)
{
    for (int first = item; first < a->n; first += MD_LANES) pr_rows_at(a, first);
    for (int pack = item; pack < a->n / MX_PACK_WIDTH; pack++)
        MX_AT(a->counts, pack) =
            md_compress(&MX_AT(a->kept, 16 * pack), (unsigned)MX_AT(a->bits, pack),
                        mx_pack_load(&MX_AT(a->index, MX_PACK_WIDTH * pack)));
}
MX_FOR(1D, pr_rows, MX_ITEMS_PLAIN)
