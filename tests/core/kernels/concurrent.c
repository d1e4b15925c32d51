#include "minx/team.h"

#include "concurrent.h"

MX_BODY void cc_scale_body(const cc_args *a, int i)
{
    MX_AT(a->x, i) = a->factor * MX_AT(a->shared, i);
}
MX_FOR(1D, cc_scale)

MX_BODY void cc_sum_body(const cc_args *a, int i, int64_t *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, cc_sum, MX_SUM)

MX_BODY void cc_overflow_body(const cc_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 0, mx_i64_1, more, 100);
    MX_TEAM_SINGLE (t) MX_AT(more, 0) = a->factor;
}
MX_FOR(TEAM, cc_overflow)
