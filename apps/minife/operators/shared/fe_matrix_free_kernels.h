/* Products y = A x without a stored matrix: elements are computed anew from the coordinates of
 * their nodes (mesh/fe_element_batch.h, fe_element_action.h). They are those of the assembled
 * system: a node with a given value has the row y = x, and other rows do not see it. With `raw`,
 * nothing is given. */
#pragma once
#include "kernels/fe_level_kernels.h"

MX_ARGS(fe_free_args,
    (mx_cf64_2, coordinates)
    (mx_cf64_1, x)
    (mx_f64_1, y),
    fe_mesh mesh;
    int from[3], to[3]; /* elements: those that touch owned nodes */
    int low[3];         /* elements: of a colour */
    fe_blocks blocks;   /* nodes */
    int first, end;     /* nodes: the planes of rows of the product */
    bool raw;
);
