#include "minx/kernel.h"
#include "minx/team.h"

#include "bounds.h"

/* Notes this line of this file, for the test to compare. */
#define NOTE_LINE mx_atomic_store(&MX_AT(a->line), (int32_t)__LINE__)

MX_BODY void bounds_store_body(const bounds_args *a, int i)
{
    NOTE_LINE, MX_AT(a->x, i + a->shift) = 1;
}
MX_FOR(1D, bounds_store)

MX_BODY void bounds_box_body(const bounds_args *a, int i)
{
    NOTE_LINE, MX_AT(a->box, 1, i + a->shift, 2) = 1;
}
MX_FOR(1D, bounds_box)

MX_BODY void bounds_flat_body(const bounds_args *a, int i)
{
    double *reached = (NOTE_LINE, &MX_AT(a->flat, a->shift, 50 + i));
    MX_AT(a->offsets, i) = (int64_t)(reached - a->flat.data);
}
MX_FOR(1D, bounds_flat)

MX_BODY void bounds_cube_body(const bounds_args *a, int i, int j, int k)
{
    NOTE_LINE, MX_AT(a->box, i, j, k + (i == 2 && j == 7 && k == 3 ? a->shift : 0)) = 1;
}
MX_FOR(3D, bounds_cube)

MX_BODY void bounds_team_body(const bounds_args *a, mx_team *t)
{
    MX_TEAM_SINGLE (t) NOTE_LINE, MX_AT(a->x, t->league_rank + a->shift) = 1;
}
MX_FOR(TEAM, bounds_team)

MX_BODY void bounds_sum_body(const bounds_args *a, int i, double *sum)
{
    NOTE_LINE, *sum += MX_AT(a->x, i + a->shift);
}
MX_REDUCE(1D, bounds_sum, MX_SUM)

MX_BODY void bounds_bins_body(const bounds_args *a, int i, bounds_bins_array bins)
{
    NOTE_LINE, mx_array_add(bins, 0, MX_AT(a->x, i + a->shift));
}
MX_REDUCE_ARRAY(1D, bounds_bins, MX_SUM)

/* bin i + shift */
MX_BODY void bounds_bin_body(const bounds_args *a, int i, bounds_bin_array bins)
{
    NOTE_LINE, mx_array_add(bins, i + a->shift, 1);
}
MX_REDUCE_ARRAY(1D, bounds_bin, MX_SUM)

MX_BODY void bounds_top_body(const bounds_args *a, int i, bounds_top_array tops)
{
    NOTE_LINE, mx_atomic_max(mx_array_at(tops, i + a->shift), (int64_t)i);
}
MX_REDUCE_ARRAY(1D, bounds_top, MX_MAX)
