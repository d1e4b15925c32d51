/* The kernels of kernels.py, by hand. */
#pragma once
#include "minx/minx.h"
#include "minx/team.h"

MX_ARGS(native_axpy_args,
    (mx_f64_1, y) (mx_cf64_1, x),
    double alpha;
);
MX_ARGS(native_triad_args,
    (mx_f64_1, a) (mx_cf64_1, b) (mx_cf64_1, c),
    double s;
);
MX_ARGS(native_stencil_args,
    (mx_f64_3, out) (mx_cf64_3, u),
    double c;
);
/* Layout right on every backend: the lanes of a team read consecutive columns. */
MX_ARGS(native_yax_args,
    (mx_cf64_2r, y) (mx_cf64_3r, matrix) (mx_cf64_2r, x),
    int unused;
);
MX_ARGS(native_lj_args,
    (mx_f64_2, f) (mx_cf64_2, x)
    (mx_ci32_1, count) (mx_ci32_2, neighbours),
    double cutoff2, lj1, lj2;
);

MX_DECLARE_FOR(1D, native_axpy, native_axpy_args)
MX_DECLARE_FOR(1D, native_triad, native_triad_args)
MX_DECLARE_FOR(3D, native_stencil, native_stencil_args)
MX_DECLARE_REDUCE(TEAM, native_yax, native_yax_args, double)
MX_DECLARE_FOR(1D, native_lj, native_lj_args)
