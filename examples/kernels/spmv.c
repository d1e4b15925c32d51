#include "spmv.h"
#include "minx/team.h"

MX_BODY void spmv_body(const spmv_args *a, int r)
{
    const int k0 = MX_LOAD(a->begin, r), k1 = MX_LOAD(a->begin, r + 1);
    double sum = 0;
    for (int k = k0; k < k1; k++)
        sum += MX_LOAD(a->value, k) * MX_LOAD(a->x, MX_LOAD(a->column, k));
    MX_AT(a->y, r) = sum;
}
MX_FOR(1D, spmv, MX_ITEMS_PLAIN)

MX_BODY void spmv_team_body(const spmv_args *a, mx_team *t)
{
    const int r0 = t->league_rank * a->rows_per_team;
    const int r1 = r0 + a->rows_per_team < a->rows ? r0 + a->rows_per_team : a->rows;
    MX_TEAM_FOR (t, r, r0, r1) {
        const int k0 = MX_LOAD(a->begin, r), k1 = MX_LOAD(a->begin, r + 1);
        double sum;
        MX_VECTOR_SUM (t, k, k0, k1, sum)
            sum += MX_LOAD(a->value, k) * MX_LOAD(a->x, MX_LOAD(a->column, k));
        MX_VECTOR_SINGLE (t) MX_AT(a->y, r) = sum;
    }
}
MX_FOR(TEAM, spmv_team, MX_ITEMS_SIMD)
