#pragma once
#include "minx/minx.h"

MX_ARGS(fe_scale_args, (mx_cf64_1, diagonal) (mx_cf64_1, r) (mx_f64_1, z));
/* z = r / diagonal */
MX_DECLARE_FOR(1D, fe_scale, fe_scale_args)
