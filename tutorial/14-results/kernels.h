/* What driver and kernel file share. */
#pragma once
#include "minx/minx.h"

typedef struct ripple_app_views {
    mx_view u, next; /* own cells from 1 on, ghost cells around them */
} ripple_app_views;

MX_ARGS_FROM(ripple_app_args, ripple_app_views,
    (mx_f64_2, u) (mx_f64_2, next),
    int first[2], n;
    double r;
);
MX_DECLARE_FOR(2D, ripple_app_begin, ripple_app_args)
MX_DECLARE_FOR(2D, ripple_app_step, ripple_app_args)
MX_DECLARE_REDUCE(2D, ripple_app_energy, ripple_app_args, double)
