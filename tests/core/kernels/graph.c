#include "minx/scan.h"
#include "minx/team.h"

#include "graph.h"

MX_BODY void gr_scale_body(const gr_args *a, int i)
{
    MX_AT(a->to, i) = a->factor * MX_AT(a->from, i) + 1;
}
MX_FOR(1D, gr_scale)

MX_BODY void gr_teams_body(const gr_args *a, mx_team *t)
{
    MX_TEAM_VECTOR_FOR(t, i, t->league_rank, t->league_rank + 1)
    MX_AT(a->to, i) = 2 * MX_AT(a->from, i);
}
MX_FOR(TEAM, gr_teams)

MX_BODY void gr_add_body(const gr_args *a, int i)
{
    MX_AT(a->to, i) = MX_AT(a->from, i) + MX_AT(a->more, i);
}
MX_FOR(1D, gr_add)

MX_BODY void gr_read_scale(gr_args *a) { a->factor = MX_AT(a->scale) % 7; }
MX_BODY void gr_by_scalar_body(const gr_args *a, int i) { MX_AT(a->to, i) += a->factor; }
MX_FOR(1D, gr_by_scalar, MX_ITEMS_SIMD, gr_read_scale)

MX_BODY void gr_sum_body(const gr_args *a, int i, int64_t *sum) { *sum += MX_AT(a->from, i); }
MX_REDUCE(1D, gr_sum, MX_SUM)

MX_BODY void gr_scan_body(const gr_args *a, int i, int64_t *sum, bool final)
{
    *sum += MX_AT(a->from, i) % 5;
    if (final) MX_AT(a->to, i) = *sum;
}
MX_SCAN(1D, gr_scan, MX_SUM)
