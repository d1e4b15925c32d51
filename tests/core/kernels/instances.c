#include "minx/kernel.h"

#include "instances.h"

MX_BODY void in_step_body(const in_args *a, int i)
{
    MX_AT(a->x, i) = MX_AT(a->x, i) * a->factor + (uint64_t)i;
}
MX_FOR(1D, in_step)

MX_BODY void in_sum_body(const in_args *a, int i, uint64_t *sum) { *sum += MX_AT(a->x, i); }
MX_REDUCE(1D, in_sum, MX_SUM)
