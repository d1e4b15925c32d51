#include "kernels.h"

#include <minx/kernel.h>
#include <minx/scan.h>
#include <minx/team.h>

MX_BODY void scale_body(const box_args *a, int i)
{
    MX_BODY_REQUIRE(a->shift[0] > 0, "item %d: scaled by %g", i, a->shift[0]);
    MX_AT(a->x, i) *= a->shift[0];
}
MX_FOR(1D, scale)

MX_BODY void find_body(const box_args *a, int i, int *v)
{
    const mx_f64_1s row = MX_ROW(a->position, i);
    if (MX_AT(row, 0) > 0) mx_first(v, i);
}
MX_REDUCE(1D, find, MX_FIRST)
MX_BODY void find_least_body(const box_args *a, int64_t i, mx_loc_f64 *v)
{
    mx_minloc_f64_update(v, MX_AT(a->x, i), i);
}
MX_REDUCE(1D_64, find_least, MX_MIN)

/* over n by 3 and n by 2, and n by n by 3: the last index stays inside of `shift` and `plane` */
MX_BODY void move_body(const box_args *a, int i, int d) { MX_AT(a->position, i, d) += a->shift[d]; }
MX_FOR(2D, move)
MX_BODY void slide_body(const box_args *a, int i, int d)
{
    MX_AT(a->position, i, d) += a->plane[d];
}
MX_FOR(2D, slide)

MX_BODY void distance_body(const box_args *a, int i, int d, double *sum)
{
    const double x = MX_AT(a->position, i, d) - a->shift[d];
    *sum += x * x;
}
MX_REDUCE(2D, distance, MX_SUM)

MX_BODY void extremes_body(const box_args *a, int i, int j, int d, summary *v)
{
    v->total += MX_AT(a->position, i, j) * a->shift[d];
    if (v->largest < d) v->largest = d;
}
MX_REDUCE_FIELDS(3D, extremes, SUMMARY)

MX_BODY void volume_body(const box_args *a, int64_t i, int64_t j, int64_t k, int64_t *sum)
{
    (void)a;
    *sum += i * j * k;
}
MX_REDUCE(3D_64, volume, MX_SUM)

MX_BODY void summarise_body(const box_args *a, int i, summary *v)
{
    v->total += MX_AT(a->x, i);
    if (v->largest < MX_AT(a->count, i)) v->largest = MX_AT(a->count, i);
}
MX_REDUCE_FIELDS(1D, summarise, SUMMARY)

MX_BODY void moments_init(moments *v)
{
    v->first = 0;
    v->second = 0;
}
MX_BODY void moments_join(moments *into, const moments *v)
{
    into->first += v->first;
    into->second += v->second;
}
MX_BODY void add_moments_body(const box_args *a, int i, moments *v)
{
    const double x = MX_AT(a->x, i);
    v->first += x;
    v->second += x * x;
}
MX_REDUCE_CUSTOM(1D, add_moments, moments_init, moments_join)

MX_BODY void find_hottest_body(const box_args *a, int i, mx_minmaxloc_f64 *v)
{
    mx_minmaxloc_f64_update(v, MX_AT(a->x, i), i);
}
MX_REDUCE_CUSTOM(1D, find_hottest, mx_minmaxloc_f64_init, mx_minmaxloc_f64_join)

MX_BODY void find_fullest_body(const box_args *a, int i, mx_loc_i32 *v)
{
    mx_maxloc_i32_update(v, MX_AT(a->count, i), i);
}
MX_REDUCE_CUSTOM(1D, find_fullest, mx_maxloc_i32_init, mx_maxloc_i32_join)

MX_BODY void histogram_body(const box_args *a, int i, histogram_array v)
{
    mx_array_add(v, MX_AT(a->count, i), 1);
}
MX_REDUCE_ARRAY(1D, histogram, MX_SUM)

MX_BODY void offsets_body(const box_args *a, int i, int32_t *sum, bool final)
{
    const int32_t count = MX_AT(a->count, i);
    if (final) MX_AT(a->count, i) = *sum;
    *sum += count;
}
MX_SCAN(1D, offsets, MX_SUM)

MX_BODY void sum_moments_body(const box_args *a, int i, moments *v, bool final)
{
    v->first += MX_AT(a->x, i);
    v->second += 1;
    if (final) MX_AT(a->x, i) = v->first / v->second;
}
MX_SCAN_CUSTOM(1D, sum_moments, moments_init, moments_join)

MX_BODY void rows_body(const box_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 0, mx_f64_1, row, 3);
    MX_TEAM_FOR (t, d, 0, 3) {
        MX_VECTOR_SINGLE (t) MX_AT(row, d) = a->shift[d];
    }
    mx_team_barrier(t);
    MX_TEAM_FOR (t, i, 0, 100) {
        double sum, largest;
        int32_t least;
        MX_VECTOR_SUM (t, d, 0, 3, sum) sum += MX_AT(row, d);
        MX_VECTOR_MAX (t, d, 0, 3, largest) {
            if (largest < MX_AT(row, d)) largest = MX_AT(row, d);
        }
        MX_VECTOR_MIN (t, d, 0, 3, least) {
            if (MX_AT(a->count, d) < least) least = MX_AT(a->count, d);
        }
        MX_VECTOR_SINGLE (t) MX_AT(a->x, i) = sum + largest + (double)least;
    }
}
MX_FOR(TEAM, rows)

MX_BODY void row_total_body(const box_args *a, mx_team *t, double *sum)
{
    double mine = 0;
    MX_TEAM_FOR (t, i, 0, 100) mine += MX_AT(a->x, i);
    mine = mx_team_sum(t, mine);
    MX_TEAM_SINGLE (t) *sum += mine;
}
MX_REDUCE(TEAM, row_total, MX_SUM)

MX_BODY void add_all_body(const spread_args *a, int i)
{
    MX_SCATTER(a->sum, 1, i % 8);
    MX_SCATTER(a->least, i, i % 8);
    if (i % 2 == 0)
        MX_SCATTER(a->sum, 0.5, i % 8);
    else
        MX_SCATTER(a->least, -i, i % 8);
}
MX_FOR(1D, add_all)
