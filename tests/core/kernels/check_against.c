#include "minx/scan.h"
#include "minx/team.h"

#include "check_against.h"

MX_BODY void ca_good_body(const ca_args *a, int i, int j)
{
    MX_AT(a->x, i, j) += a->factor * MX_AT(a->y, i, j) + MX_AT(a->row, j);
}
MX_FOR(2D, ca_good)

MX_BODY void ca_good_sum_body(const ca_args *a, int i, int j, double *sum)
{
    *sum += 0.1 * MX_AT(a->y, i, j);
    MX_AT(a->x, i, j) = 0.1 * j;
}
MX_REDUCE(2D, ca_good_sum, MX_SUM)

MX_BODY void ca_good_fields_body(const ca_args *a, int i, int j, ca_value *v)
{
    const double y = 0.1 * MX_AT(a->y, i, j);
    v->mass += y;
    v->peak = (float)y > v->peak ? (float)y : v->peak;
}
MX_REDUCE_FIELDS(2D, ca_good_fields, CA_FIELDS)

MX_BODY void ca_good_bins_body(const ca_args *a, int i, ca_good_bins_array bins)
{
    mx_array_add(bins, i % 5, 0.1 * MX_AT(a->row, i));
}
MX_REDUCE_ARRAY(1D, ca_good_bins, MX_SUM)

MX_BODY void ca_carried_body(const ca_args *a, int i)
{
    MX_AT(a->row, i) = MX_AT(a->row, i - 1) + 1;
}
MX_FOR(1D, ca_carried, MX_ITEMS_PLAIN)

MX_BODY void ca_wrong_body(const ca_args *a, int i, int j)
{
    MX_AT(a->x, i, j) = MX_AT(a->y, i, j) + (i == 3 && j == 7 ? 1e-3 * CA_MISTAKE : 0);
}
MX_FOR(2D, ca_wrong)

MX_BODY void ca_wrong_mark_body(const ca_args *a, int i)
{
    MX_AT(a->marks, i) = i + (i >= 5 ? CA_MISTAKE : 0);
}
MX_FOR(1D, ca_wrong_mark)

MX_BODY void ca_wrong_sum_body(const ca_args *a, int i, int j, double *sum)
{
    *sum += MX_AT(a->y, i, j) + (i == 3 && j == 7 ? CA_MISTAKE : 0);
}
MX_REDUCE(2D, ca_wrong_sum, MX_SUM)

MX_BODY void ca_wrong_fields_body(const ca_args *a, int i, int j, ca_value *v)
{
    v->mass += MX_AT(a->y, i, j);
    v->peak = 1;
    v->wrong += i == 3 && j == 7 ? CA_MISTAKE : 0;
}
MX_REDUCE_FIELDS(2D, ca_wrong_fields, CA_FIELDS)

MX_BODY void ca_wrong_bins_body(const ca_args *a, int i, ca_wrong_bins_array bins)
{
    mx_array_add(bins, i % 5, MX_AT(a->row, i) + (i % 5 == 4 ? CA_MISTAKE : 0));
}
MX_REDUCE_ARRAY(1D, ca_wrong_bins, MX_SUM)

MX_BODY void ca_two_body(const ca_two_args *a, int i, int j)
{
    MX_AT(a->x, i, j) = MX_AT(a->same, i, j) + 100 * i + j;
}
MX_FOR(2D, ca_two)

MX_BODY void ca_fixed_body(const ca_fixed_args *a, int i, int j)
{
    MX_AT(a->x, i, j) = MX_AT(a->same, i, j) + 100 * i + j;
}
MX_FOR(2D, ca_fixed)

MX_BODY void ca_single_body(const ca_single_args *a, int i)
{
    MX_AT(a->x, i) = 2.0f + 2e-3f * CA_MISTAKE * (float)(i == 3);
}
MX_FOR(1D, ca_single)

MX_BODY void ca_team_size_body(const ca_team_args *a, mx_team *t)
{
    MX_TEAM_SINGLE (t) MX_AT(a->seen, t->league_rank) = t->size;
}
MX_FOR(TEAM, ca_team_size)

MX_BODY void mx_ca_lanes_body(const ca_team_args *a, mx_team *t)
{
    MX_TEAM_FOR (t, r, t->league_rank, t->league_rank + 1) {
        mx_atomic_add(&MX_AT(a->seen, r), 1);
    }
}
MX_FOR(TEAM, mx_ca_lanes)

MX_BODY void ca_fill_list_body(const ca_list_args *a, int i)
{
    const int slot = mx_atomic_fetch_add(&MX_AT(a->count), 1);
    MX_AT(a->list, slot) = i;
    MX_AT(a->place, i) = slot;
}
MX_FOR(1D, ca_fill_list, MX_ITEMS_PLAIN)

MX_BODY void ca_use_list_body(const ca_list_args *a, int i)
{
    MX_AT(a->twice, i) = 2 * MX_AT(a->list, i);
}
MX_FOR(1D, ca_use_list)

MX_BODY void ca_own_init(ca_own *v)
{
    v->peak = -1;
    v->where = -1;
    v->mass = 0;
    v->count = 0;
    v->least = INT32_MAX;
}
MX_BODY void ca_own_join(ca_own *into, const ca_own *v)
{
    if (v->peak > into->peak) {
        into->peak = v->peak;
        into->where = v->where;
    }
    into->mass += v->mass;
    into->count += v->count;
    into->least = v->least < into->least ? v->least : into->least;
}
/* The sum of many small numbers differs in its last bits. */
MX_BODY void ca_own_sum_body(const ca_args *a, int i, int j, ca_own *v)
{
    const bool last = i == 39 && j == 89;
    const int wrong = last && CA_MISTAKE ? (int)a->factor : CA_MEMBERS;
    ca_own one = {(float)(i + j) / 3, i * 90 + j, 0.1 * MX_AT(a->y, i, j), 1, i + j};
    if (wrong == CA_PEAK) one.peak *= 1.001f;
    if (wrong == CA_WHERE) one.where += 1;
    if (wrong == CA_MASS) one.mass += 1e-3;
    if (wrong == CA_COUNT) one.count += 1;
    ca_own_join(v, &one);
}
MX_REDUCE_CUSTOM(2D, ca_own_sum, ca_own_init, ca_own_join)

/* As the two halves of a double, both indices would be floats that agree to 1e-5. */
MX_BODY int64_t ca_place_of(int i) { return 9000000 + (i == 7 ? 50 * CA_MISTAKE : i); }
MX_BODY void ca_place_body(const ca_args *a, int i, mx_loc_f64 *v)
{
    mx_maxloc_f64_update(v, MX_AT(a->row, i) + (i == 7), ca_place_of(i));
}
MX_REDUCE(1D, ca_place, MX_MAX)
MX_BODY void ca_places_body(const ca_args *a, int i, mx_minmaxloc_f32 *v)
{
    mx_minmaxloc_f32_update(v, (float)MX_AT(a->row, i) + (i == 7), ca_place_of(i));
}
MX_REDUCE_CUSTOM(1D, ca_places, mx_minmaxloc_f32_init, mx_minmaxloc_f32_join)

MX_BODY void ca_zero(double *v) { *v = 0; }
MX_BODY void ca_add(double *into, const double *v) { *into += *v; }
MX_BODY void ca_own_scan_body(const ca_args *a, int i, double *v, bool final)
{
    (void) final;
    *v += MX_AT(a->row, i) + (i == 7 ? 1e-3 * CA_MISTAKE : 0);
}
MX_SCAN_CUSTOM(1D, ca_own_scan, ca_zero, ca_add)
