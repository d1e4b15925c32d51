/* Kernels of traps.c. */
#include "traps.h"

#include "minx/kernel.h"
#include "minx/team.h"

MX_BODY void traps_step_body(const traps_step_args *a, int i)
{
    MX_AT(a->fresh, i) = MX_AT(a->old, i) + 1;
}
MX_FOR(1D, traps_step)

MX_BODY double traps_total(const mx_f64_1s *row)
{
    double total = 0;
    for (int k = 0; k < MX_EXTENT(*row, 0); k++) total += MX_AT(*row, k);
    return total;
}
MX_BODY void traps_rows_body(const traps_rows_args *a, int i)
{
    const mx_f64_1s x = MX_ROW(a->x, i), b = MX_ROW(a->b, i, 3);
    const mx_cf64_1s y = MX_ROW(a->y, i, 1);
    MX_AT(x, 2) = 1000 * i;
    MX_AT(a->sum, i) = traps_total(&x) + traps_total(&b);
    for (int k = 0; k < MX_EXTENT(y, 0); k++) MX_AT(a->sum, i) += MX_AT(y, k);
}
MX_FOR(1D, traps_rows, MX_ITEMS_PLAIN)

MX_BODY void traps_first_body(const traps_search_args *a, int i, int *first)
{
    if (MX_AT(a->x, i) < a->below) mx_first(first, i);
}
MX_REDUCE(1D, traps_first, MX_FIRST)
MX_BODY void traps_first_64_body(const traps_search_args *a, int64_t i, int64_t *first)
{
    if (MX_AT(a->x, i) < a->below) mx_first(first, i);
}
MX_REDUCE(1D_64, traps_first_64, MX_FIRST, MX_ITEMS_PLAIN)

MX_BODY void traps_lowest_body(const traps_search_args *a, int i, mx_loc_f64 *low)
{
    mx_minloc_f64_update(low, MX_AT(a->x, i), i);
}
MX_REDUCE(1D, traps_lowest, MX_MIN)
MX_BODY void traps_highest_body(const traps_search_args *a, int i, mx_loc_f32 *high)
{
    mx_maxloc_f32_update(high, (float)MX_AT(a->x, i), i);
}
MX_REDUCE(1D, traps_highest, MX_MAX)

MX_BODY void traps_fields_body(const traps_search_args *a, int i, traps_found *v)
{
    v->count += 1;
    mx_minloc_f64_update(&v->low, MX_AT(a->x, i), i);
    mx_maxloc_i32_update(&v->high, (int32_t)MX_AT(a->x, i), i);
}
MX_REDUCE_FIELDS(1D, traps_fields, TRAPS_FIELDS)

MX_BODY void traps_require_body(const traps_require_args *a, int i, int j)
{
    MX_BODY_REQUIRE(MX_AT(a->x, i, j) >= 0, "density %g in cell (%d, %d)", MX_AT(a->x, i, j), i, j);
    MX_AT(a->y, i, j) = sqrt(MX_AT(a->x, i, j));
}
MX_FOR(2D, traps_require)
MX_BODY void traps_require_sum_body(const traps_require_args *a, int i, int j, double *sum)
{
    MX_BODY_REQUIRE(MX_AT(a->x, i, j) >= 0, "negative");
    *sum += sqrt(MX_AT(a->x, i, j));
}
MX_REDUCE(2D, traps_require_sum, MX_SUM)
MX_BODY void traps_require_team_body(const traps_require_args *a, mx_team *t)
{
    MX_BODY_REQUIRE(MX_AT(a->x, t->league_rank, 0) >= 0, "row %d", t->league_rank);
    MX_TEAM_SINGLE (t) MX_AT(a->y, t->league_rank, 0) = sqrt(MX_AT(a->x, t->league_rank, 0));
}
MX_FOR(TEAM, traps_require_team)
