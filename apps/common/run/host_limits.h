/* What limits a rank on its host: memory and cores. Some limits are a process's own, others are
 * shared by ranks of the host: the machine's, and those of control groups. */
#pragma once
#include "cgroup.h"
#include "comm/comm.h"
#include "minx/context.h"

typedef struct app_limits {
    int count;
    app_limit limit[32];
} app_limits;

/* sums[i] = the sum of `mine` over the ranks of this host that have limit i too, this rank
 * included. Ranks may have different limits. MX_ERR_MEMORY, MX_ERR_COMM. Collective, agreed. */
mx_err app_limits_sum(app_comm comm, const app_limits *limits, double mine, double *sums);

/* To be called before memory is allocated. MX_ERR_MEMORY if a limit is lower than what its ranks
 * need: the memory of the host, of a control group, or of this process (ulimit -v, ulimit -d). The
 * message names the limit. A system promises memory that it does not have: without this check it
 * would kill the run where the memory is used. `bytes`: what this rank needs, rather too little
 * than too much; of `things`, a plural, the user can choose fewer. Memory of a device is not
 * checked: devices refuse what they do not have. Collective, agreed. */
mx_err app_memory_check(app_comm comm, mx_ctx ctx, double bytes, const char *things);
