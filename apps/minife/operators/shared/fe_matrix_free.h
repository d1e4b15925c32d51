/* What the operators share that compute elements anew: elements and nodes. */
#pragma once
#include "fe_matrix_free_kernels.h"
#include "level/fe_level.h"

/* All but the colours, the blocks and the planes. */
mx_err fe_bind_free(const fe_level *level, const fe_product *product, fe_free_args *args);
fe_work fe_work_of_elements(const fe_level *level);
