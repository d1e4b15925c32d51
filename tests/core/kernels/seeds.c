#include "minx/team.h"

#include "seeds.h"

MX_BODY void seeds_axpy_body(const seeds_axpy_args *a, int i)
{
    MX_AT(a->y, i) += a->a * MX_AT(a->x, i);
}
MX_FOR(1D, seeds_axpy)

MX_BODY void seeds_dot_body(const seeds_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->y, i);
}
MX_REDUCE(1D, seeds_dot, MX_SUM)

MX_BODY void seeds_squares_body(const seeds_dot_args *a, int i, double *sum)
{
    *sum += MX_AT(a->x, i) * MX_AT(a->x, i);
}
MX_REDUCE(1D, seeds_squares, MX_SUM)

MX_BODY void seeds_no_top(seeds_top *v)
{
    v->value = -INFINITY;
    v->count = 0;
}
MX_BODY void seeds_join_tops(seeds_top *into, const seeds_top *v)
{
    if (v->value > into->value)
        *into = *v;
    else if (v->value == into->value)
        into->count += v->count;
}
MX_BODY void seeds_max_plus_body(const seeds_dot_args *a, int i, seeds_top *top)
{
    const seeds_top mine = {MX_AT(a->x, i) + MX_AT(a->y, i), 1};
    seeds_join_tops(top, &mine);
}
MX_REDUCE_CUSTOM(1D, seeds_max_plus, seeds_no_top, seeds_join_tops)

MX_BODY void seeds_spmv_body(const seeds_matrix_args *a, int r)
{
    const int begin = MX_LOAD(a->begin, r), end = MX_LOAD(a->begin, r + 1);
    double sum = 0;
    MX_SIMD_SUM(sum)
    for (int k = begin; k < end; k++)
        sum += MX_LOAD(a->value, k) * MX_LOAD(a->x, MX_LOAD(a->column, k));
    MX_AT(a->y, r) = sum;
}
MX_FOR(1D, seeds_spmv, MX_ITEMS_PLAIN)

MX_BODY void seeds_spmv_team_body(const seeds_matrix_args *a, mx_team *t)
{
    const int first = t->league_rank * a->rows_a_team, last = first + a->rows_a_team;
    const int end = last < a->rows ? last : a->rows;
    MX_TEAM_FOR (t, r, first, end) {
        const int k0 = MX_LOAD(a->begin, r), k1 = MX_LOAD(a->begin, r + 1);
        double sum;
        MX_VECTOR_SUM (t, k, k0, k1, sum)
            sum += MX_LOAD(a->value, k) * MX_LOAD(a->x, MX_LOAD(a->column, k));
        MX_VECTOR_SINGLE (t) MX_AT(a->y, r) = sum;
    }
}
MX_FOR(TEAM, seeds_spmv_team)
