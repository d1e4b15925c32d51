/* Kernels of races.c. */
#pragma once
#include "minx/minx.h"

MX_ARGS(races_args, (mx_i32_1, y) (mx_ci32_1, x) (mx_i32_1, order) (mx_i32_0, next));
MX_DECLARE_FOR(1D, races_carried, races_args) /* wrong: reads its neighbour's result */
MX_DECLARE_FOR(1D, races_free, races_args)    /* the same from an array that nobody writes */
MX_DECLARE_FOR(1D, races_order, races_args)   /* notes when each item ran */
