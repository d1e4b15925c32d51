/* expansion.cmake measures what the last line of this file expands to in an instance for hosts. */
#include "minx/kernel.h"

MX_ARGS(sum_args, (mx_cf64_2, x));
MX_DECLARE_REDUCE(2D, sum, sum_args, double)
MX_BODY void sum_body(const sum_args *a, int j, int k, double *total)
{
    *total += MX_AT(a->x, j, k);
}

extern int the_expansion_begins_here;
MX_REDUCE(2D, sum, MX_SUM)
