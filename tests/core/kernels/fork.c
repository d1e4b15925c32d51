#include "minx/team.h"

#include "fork.h"

MX_BODY void fk_sum_body(const fk_args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, fk_sum, MX_SUM)

MX_BODY void fk_team_body(const fk_args *a, mx_team *t)
{
    MX_TEAM_SINGLE (t) MX_AT(a->x, t->league_rank) += 1;
}
MX_FOR(TEAM, fk_team)
