/* The matrix of preconditioners that multiply: half of it, in floats (operators/symmetric), whatever
 * the operator stores. They have no use for more digits, and a product reads 14 x 4 bytes a row; csr
 * has 27 x 12. Operators that store nothing stay what they are. */
#pragma once
#include "level/fe_level.h"

enum { FE_HALF_ROW_BYTES = FE_HALF_SLOTS * sizeof(float) };

/* copy: all 0. If the level stores a matrix, but not this one, `copy` becomes the level with it. Else
 * it stays all 0. Collective. */
mx_err fe_half_create(const fe_level *level, fe_level *copy);
void fe_half_destroy(fe_level *copy);
/* coarse: all 0. A level with these elements, and with this matrix; where elements are equal boxes,
 * with their stencil instead (operators/uniform), which stores no matrix. Collective. */
mx_err fe_half_coarse(const fe_level *finer, const mx_gid *elements, fe_level *coarse);
