/* Kernels of subview.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(subview_add_args,
    (mx_f64_2s, part)
    (mx_cf64_1s, row),
    double factor;
);
MX_DECLARE_FOR(2D, subview_add, subview_add_args)

MX_ARGS(subview_same_args, (mx_f64_2, part));
MX_DECLARE_FOR(2D, subview_same, subview_same_args)

MX_ARGS(subview_sum_args, (mx_cf64_1s, row));
MX_DECLARE_REDUCE(1D, subview_sum, subview_sum_args, double)
