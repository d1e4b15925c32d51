#include "minx/kernel.h"

#include "reduction_wait.h"

/* No step can be left out: each needs the number of the step before. */
MX_BODY void rw_sum_body(const rw_args *a, int i, double *sum)
{
    uint64_t x = (uint64_t)i;
    for (int64_t n = i == 0 ? a->steps : 1; n > 0; n--) x = x * 6364136223846793005u + x / 3 + 1;
    *sum += 1 / (1 + (double)(x % 1000));
}
MX_REDUCE(1D, rw_sum, MX_SUM, MX_ITEMS_PLAIN)
