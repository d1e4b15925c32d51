#include "steps.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

int64_t app_steps(double dt, double end_time, int64_t end_step)
{
    const double quotient = end_time / dt; /* infinite where it is beyond double precision */
    if (!(quotient < (double)end_step)) return end_step;
    const double nearest = round(quotient);
    const bool is_whole = fabs(quotient - nearest) <= 4 * DBL_EPSILON * quotient;
    return (int64_t)(is_whole ? nearest : ceil(quotient));
}
