#include "minx/team.h"

#include "fork.h"

MX_BODY void fk_sum_body(const fk_args *a, int i, double *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, fk_sum, MX_SUM)

MX_BODY void fk_team_body(const fk_args *a, mx_team *t)
{
    MX_TEAM_SINGLE (t) MX_AT(a->x, t->league_rank) += 1;
}
MX_FOR(TEAM, fk_team)

MX_BODY void fk_count_body(const fk_calls *a, int i, int64_t *count)
{
#ifndef MX_GPU_CODE_ /* no function of the host can be called there */
    if (i == 0 && a->call != NULL) a->call();
#endif
    (void)a;
    (void)i;
    *count += 1;
}
MX_REDUCE(1D, fk_count, MX_SUM, MX_ITEMS_PLAIN)
