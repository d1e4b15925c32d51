#pragma once
#include "minx/minx.h"

typedef struct fe_scale_args {
    mx_cf64_1 diagonal, r;
    mx_f64_1 z;
} fe_scale_args;
MX_ARGS(fe_scale_args, diagonal, r, z)
/* z = r / diagonal */
MX_DECLARE_FOR(1D, fe_scale, fe_scale_args)
