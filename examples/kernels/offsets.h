/* From counts to offsets: begin(i) = the sum of count(j) over all j < i. For n counts, run it over
 * n + 1 items, where the last count is 0: begin(n) is then the sum of all counts. */
#pragma once
#include "minx/minx.h"

MX_ARGS(offsets_args, (mx_ci32_1, count) (mx_i32_1, begin));
MX_DECLARE_SCAN(1D, offsets, offsets_args, int32_t)
