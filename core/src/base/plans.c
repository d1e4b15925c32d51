/* The plans of a context's launches; launch.c makes and finds them. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

void mx_plans_clear(mx_ctx ctx)
{
    mx_core_ctx *const core = mx_core(ctx);
    for (uint64_t s = 0; s < core->plan_slots; s++) {
        free(core->plans[s].launch.args_copy);
        memset(&core->plans[s], 0, sizeof core->plans[s]);
    }
    core->plan_count = 0;
}
