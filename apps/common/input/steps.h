/* The number of time steps, fixed before the time loop. */
#pragma once
#include <stdint.h>

/* Steps of equal length dt > 0 from time 0: a run ends after the first step that reaches end_time
 * >= 0, or after step end_step. A quotient end_time / dt that differs from a whole number by at
 * most four roundings (relative) is that number: 0.3 / 0.1 is 3, which in double precision is a
 * little less. So times are never added up and compared. */
int64_t app_steps(double dt, double end_time, int64_t end_step);
