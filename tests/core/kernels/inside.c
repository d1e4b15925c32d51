#include "minx/scan.h"
#include "minx/team.h"

#include "inside.h"

#ifdef MX_GPU_CODE_ /* no function of the host can be called there */
#define CALL(a, i) (void)0
#else
#define CALL(a, i) \
    if ((i) == 3 && (a)->call != NULL) (a)->call()
#endif

MX_BODY void bd_for_body(const bd_args *a, int i)
{
    CALL(a, i);
    MX_AT(a->y, i) += MX_AT(a->x, i);
}
MX_FOR(1D, bd_for, MX_ITEMS_PLAIN)

MX_BODY void bd_sum_body(const bd_args *a, int i, double *sum)
{
    CALL(a, i);
    *sum += MX_AT(a->x, i);
}
MX_REDUCE(1D, bd_sum, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void bd_scan_body(const bd_args *a, int i, double *sum, bool final)
{
    CALL(a, i);
    *sum += MX_AT(a->x, i);
    if (final) MX_AT(a->y, i) = *sum;
}
MX_SCAN(1D, bd_scan, MX_SUM)

MX_BODY void bd_team_body(const bd_args *a, mx_team *t)
{
    MX_TEAM_SINGLE (t) {
        CALL(a, t->league_rank);
        MX_AT(a->y, t->league_rank) += MX_AT(a->x, t->league_rank);
    }
}
MX_FOR(TEAM, bd_team)
