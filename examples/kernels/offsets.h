/* From counts to offsets: begin(i) = the sum of count(j) over all j < i. For n counts, run over n + 1 items, the last of which
 * counts nothing: begin(n) then is the sum of all. */
#pragma once
#include "minx/minx.h"

typedef struct offsets_args {
    mx_ci32_1 count;
    mx_i32_1 begin;
} offsets_args;
MX_ARGS(offsets_args, count, begin)
MX_DECLARE_SCAN(1D, offsets, offsets_args, int32_t)
