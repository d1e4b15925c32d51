#pragma once
#include "kernels/fe_level_kernels.h"
#include "operators/shared/fe_row_kernels.h"

/* sell: begin(c) of chunk c, c from 0 to the number of chunks, both included; the value is the
 * entries with padding */
MX_DECLARE_SCAN(1D, fe_chunk_begins, fe_structure_args, int64_t)
/* ell and sell; ell is in chunks too */
FE_DECLARE_PRODUCTS(TEAM, fe_chunks, fe_rows_args)
