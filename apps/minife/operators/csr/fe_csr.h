#pragma once
#include "operators/shared/fe_row_kernels.h"

FE_DECLARE_PRODUCTS(TEAM, fe_csr, fe_rows_args)
