#include "minx/team.h"

#include "affinity.h"

#ifdef MX_GPU_CODE_ /* the threads of a GPU are on no core of the host */
#define RECORD(launch) ((void)(launch))
#else
#define RECORD(launch) af_record(launch)
#endif

MX_BODY void af_where_body(const af_args *a, int i)
{
    (void)i;
    RECORD(a->launch);
}
MX_FOR(1D, af_where, MX_ITEMS_PLAIN)

MX_BODY void af_team_body(const af_args *a, mx_team *t)
{
    (void)t;
    RECORD(a->launch);
}
MX_FOR(TEAM, af_team)
