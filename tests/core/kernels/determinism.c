#include "minx/kernel.h"
#include "minx/team.h"

#include "determinism.h"

MX_BODY void dt_sum_1d_body(const dt_args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, dt_sum_1d, MX_SUM)

MX_BODY void dt_sum_2d_body(const dt_args *a, int i, int j, double *sum)
{
    *sum += MX_AT(a->x, i * a->columns + j);
}
MX_REDUCE(2D, dt_sum_2d, MX_SUM)

MX_BODY void dt_sum_3d_body(const dt_args *a, int i, int j, int k, double *sum)
{
    *sum += MX_AT(a->x, (i * a->columns + j) * a->planes + k);
}
MX_REDUCE(3D, dt_sum_3d, MX_SUM)

MX_BODY void dt_nested_body(const dt_args *a, int i, int j, double *sum)
{
    double s = 0;
    MX_SIMD_SUM(s)
    for (int k = 0; k < (int)a->planes; k++) s += MX_AT(a->x, (i * a->columns + j) * a->planes + k);
    *sum += s;
}
MX_REDUCE(2D, dt_nested, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void dt_fields_body(const dt_args *a, int i, int j, dt_value *v)
{
    const double x = MX_AT(a->x, i * a->columns + j);
    v->sum += x;
    v->small += (float)x;
    v->largest = x > v->largest ? x : v->largest;
}
MX_REDUCE_FIELDS(2D, dt_fields, DT_FIELDS)

MX_BODY void dt_custom_init(dt_custom *v)
{
    v->sum = v->squares = 0;
    v->count = 0;
}
MX_BODY void dt_custom_join(dt_custom *into, const dt_custom *v)
{
    into->sum += v->sum;
    into->squares += v->squares;
    into->count += v->count;
}
MX_BODY void dt_moments_body(const dt_args *a, int i, dt_custom *v)
{
    const double x = MX_AT(a->x, i);
    v->sum += x;
    v->squares += x * x;
    v->count++;
}
MX_REDUCE_CUSTOM(1D, dt_moments, dt_custom_init, dt_custom_join)

MX_BODY void dt_bins_body(const dt_args *a, int i, dt_bins_array bins)
{
    mx_array_add(bins, i % 7, MX_AT(a->x, i));
}
MX_REDUCE_ARRAY(1D, dt_bins, MX_SUM)

MX_BODY void dt_team_body(const dt_team_args *a, mx_team *t, double *sum)
{
    const int rows_of_team = 4, begin = t->league_rank * rows_of_team;
    MX_TEAM_FOR (t, r, begin, begin + rows_of_team) {
        const int columns = (int)a->columns;
        double s;
        MX_VECTOR_SUM (t, k, 0, columns, s) s += MX_AT(a->x, r * columns + k);
        MX_VECTOR_SINGLE (t) {
            MX_AT(a->rows, r) = s;
            *sum += s;
        }
    }
}
MX_REDUCE(TEAM, dt_team, MX_SUM)
