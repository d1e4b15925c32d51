/* Products that go through lines of the mesh: lines, symmetric. */
#pragma once
#include "kernels/fe_product_kernels.h"

MX_ARGS(fe_lines_args,
    (fe_matrix_values, value)
    (fe_matrix_f32values, f32value)
    /* For line (z, y) of the nodes held and one more on each side: the local indices of its
     * nodes at x = first, first - 1 and first + count of the mesh. Those between first and first
     * + count follow the first one. A node that does not exist has any index, because its
     * coefficient is 0. */
    (mx_ci32_2, line)
    (mx_cf64_1, x)
    (mx_f64_1, y),
    fe_mesh mesh;
    int64_t pitch;
    int low[3], width; /* as in fe_storage */
    int first, end;    /* the lines of rows of the product; fe_lines_row, fe_half_row: not used */
    int lines_per_team;
);
