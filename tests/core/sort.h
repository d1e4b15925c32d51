/* Kernels of sort.c. */
#pragma once
#include "minx/kit/sort.h"
#include "minx/minx.h"

typedef struct so_record {
    int32_t id;
    float weight;
    int32_t rest;
} so_record;

MX_ARGS(so_args, (mx_cf64_2, x) (mx_i32_1, bin));
MX_DECLARE_FOR(1D, so_bins, so_args)
