#pragma once
#include "operators/shared/fe_matrix_free_kernels.h"

/* row r: y = 0, or x where the value is given */
MX_DECLARE_FOR(1D, fe_elements_begin, fe_free_args)
/* elements in the line low + 2 (z, y), all along x: no two lines of a launch share a node */
MX_DECLARE_FOR(2D, fe_elements_line, fe_free_args)
/* element low + 2 (z, y, x) */
MX_DECLARE_FOR(3D, fe_elements_one, fe_free_args)
/* x . y of row r */
MX_DECLARE_REDUCE(1D, fe_elements_dot, fe_free_args, double)
