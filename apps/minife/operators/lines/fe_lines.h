#pragma once
#include "operators/shared/fe_line_kernels.h"

/* lines_kernels.c: on hosts */
FE_DECLARE_PRODUCTS(TEAM, fe_lines, fe_lines_args)
/* row_kernels.c: on devices, row (z, y, x) of the owned rows */
FE_DECLARE_PRODUCTS(3D, fe_lines_row, fe_lines_args)
