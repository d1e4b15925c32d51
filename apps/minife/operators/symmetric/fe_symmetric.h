#pragma once
#include "operators/shared/fe_line_kernels.h"

/* packs_kernels.c: on hosts, form packs */
FE_DECLARE_PRODUCTS(TEAM, fe_packs, fe_lines_args)
/* half_kernels.c: on devices, form half; row (z, y, x) of the owned rows */
FE_DECLARE_PRODUCTS(3D, fe_half_row, fe_lines_args)
