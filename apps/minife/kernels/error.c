/* The error of the manufactured problem, and a bound of what float coefficients change. */
#include "minx/kernel.h"

#include "fe_error_kernels.h"
#include "mesh/fe_hex8.h"

MX_BODY void fe_error_l2_body(const fe_error_args *a, int i, int j, int k, double *sum)
{
    const fe_node low = fe_item_at(&a->mesh, i, j, k);
    double at[3][8], u[8];
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        u[m] = MX_AT(a->p, fe_local(&a->mesh, node));
        for (int d = 0; d < 3; d++) at[d][m] = MX_AT(a->coordinates, d, fe_in_box(&a->mesh, node));
    }
    for (int q = 0; q < 8; q++) {
        double point[3], gradient[3][8], shape[8], position[3] = {0, 0, 0}, value = 0;
        for (int d = 0; d < 3; d++) point[d] = fe_corner(q, d) * FE_GAUSS_POINT;
        const double det = fe_gradients(at, point, gradient);
        fe_shapes(point, shape);
        for (int m = 0; m < 8; m++) {
            value += shape[m] * u[m];
            for (int d = 0; d < 3; d++) position[d] += shape[m] * at[d][m];
        }
        const double error = value - fe_exact(position[0], position[1], position[2]);
        *sum += det * error * error;
    }
}
MX_REDUCE(3D, fe_error_l2, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void fe_error_max_body(const fe_error_args *a, int row, double *largest)
{
    const int i = fe_in_box(&a->mesh, fe_node_of_row(&a->mesh, row));
    const double error = fabs(MX_AT(a->p, row) - fe_exact_at(&a->coordinates, i));
    if (!(error <= *largest)) *largest = error;
}
MX_REDUCE(1D, fe_error_max, MX_MAX, MX_ITEMS_PLAIN)

/* The larger of |p| and |the value that is given|, if there is one. */
MX_BODY double magnitude_at(const fe_magnitude_args *a, fe_node n)
{
    const double size = fabs(MX_AT(a->p, fe_local(&a->mesh, n)));
    const int fixed = fe_fixed(&a->mesh, n);
    if (fixed == 0) return size;
    double given = (fixed & FE_FIXED_AT_1) != 0 ? 1 : 0;
    if (a->manufactured) given = fabs(fe_exact_at(&a->coordinates, fe_in_box(&a->mesh, n)));
    return size > given ? size : given;
}

MX_BODY void fe_magnitude_body(const fe_magnitude_args *a, int i, int j, int k, double *sum)
{
    const fe_node low = fe_item_at(&a->mesh, i, j, k);
    double at[3][8], v[8];
    fe_element element;
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        v[m] = magnitude_at(a, node);
        for (int d = 0; d < 3; d++) at[d][m] = MX_AT(a->coordinates, d, fe_in_box(&a->mesh, node));
    }
    fe_element_operators(at, false, &element);
    for (int m = 0; m < 8; m++) {
        double of_row = 0;
        for (int n = 0; n < 8; n++) of_row += fabs(element.matrix[m][n]) * v[n];
        *sum += of_row * of_row;
    }
}
MX_REDUCE(3D, fe_magnitude, MX_SUM, MX_ITEMS_PLAIN)
