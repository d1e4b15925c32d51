/* The trilinear hexahedron: its diffusion matrix K_mn = sum over points q of |J| w grad N_m . grad
 * N_n, and its source vector f_m = sum over q of Q |J| w N_m, with 2 x 2 x 2 Gauss points (Reddy
 * and Gartling, The Finite Element Method in Heat Transfer and Fluid Dynamics, equations 3.4.5 and
 * 3.4.7). Conductivity and weights w are 1.
 *
 * Nodes in the order of z, y, x: node 4 c + 2 b + a is at corner (z, y, x) = (c, b, a). */
#pragma once
#include "minx/kernel.h"

#include "fe_exact.h"
#include "fe_mesh.h"

/* 1 / sqrt(3), with the nine digits that the original has: coefficients that would be 0 then are
 * about 1e-10, as in its output. */
#define FE_GAUSS_POINT 0.577350269

typedef struct fe_element {
    double matrix[8][8];
    double source[8];
} fe_element;

/* The coordinate of corner m along direction d (0: x, 1: y, 2: z) of the reference cube, -1 or
 * 1. */
MX_BODY double fe_corner(int m, int d) { return (m >> d & 1) != 0 ? 1.0 : -1.0; }

/* At one point: the gradients of the 8 shape functions by x, y, z, and |J|. `x`: coordinates (x, y,
 * z) of the nodes. */
MX_BODY double fe_gradients(double x[3][8], const double *point, double gradient[3][8])
{
    double by_reference[3][8], j[3][3], inverse[3][3];
    for (int m = 0; m < 8; m++) {
        const double a = 1 + fe_corner(m, 0) * point[0], b = 1 + fe_corner(m, 1) * point[1],
                     c = 1 + fe_corner(m, 2) * point[2];
        by_reference[0][m] = 0.125 * fe_corner(m, 0) * b * c;
        by_reference[1][m] = 0.125 * fe_corner(m, 1) * a * c;
        by_reference[2][m] = 0.125 * fe_corner(m, 2) * a * b;
    }
    for (int r = 0; r < 3; r++)
        for (int d = 0; d < 3; d++) {
            j[r][d] = 0;
            for (int m = 0; m < 8; m++) j[r][d] += by_reference[r][m] * x[d][m];
        }
    for (int r = 0; r < 3; r++)
        for (int d = 0; d < 3; d++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
            inverse[d][r] = j[r1][d1] * j[r2][d2] - j[r1][d2] * j[r2][d1];
        }
    const double det = j[0][0] * inverse[0][0] + j[0][1] * inverse[1][0] + j[0][2] * inverse[2][0];
    const double scale = 1 / det;
    for (int d = 0; d < 3; d++) {
        const double a = inverse[d][0] * scale, b = inverse[d][1] * scale,
                     c = inverse[d][2] * scale;
        for (int m = 0; m < 8; m++)
            gradient[d][m] =
                a * by_reference[0][m] + b * by_reference[1][m] + c * by_reference[2][m];
    }
    return det;
}

/* The shape functions at a point. */
MX_BODY void fe_shapes(const double *point, double *shape)
{
    for (int m = 0; m < 8; m++)
        shape[m] = 0.125 * (1 + fe_corner(m, 0) * point[0]) * (1 + fe_corner(m, 1) * point[1]) *
                   (1 + fe_corner(m, 2) * point[2]);
}

/* manufactured: the source is fe_exact_source; else it is 1. */
MX_BODY void fe_element_operators(double x[3][8], bool manufactured, fe_element *element)
{
    for (int m = 0; m < 8; m++) {
        element->source[m] = 0;
        for (int n = 0; n < 8; n++) element->matrix[m][n] = 0;
    }
    for (int q = 0; q < 8; q++) {
        double point[3], gradient[3][8], shape[8];
        for (int d = 0; d < 3; d++) point[d] = fe_corner(q, d) * FE_GAUSS_POINT;
        const double det = fe_gradients(x, point, gradient);
        fe_shapes(point, shape);
        double at[3] = {0, 0, 0};
        for (int d = 0; d < 3; d++)
            for (int m = 0; m < 8; m++) at[d] += shape[m] * x[d][m];
        const double source = manufactured ? fe_exact_source(at[0], at[1], at[2]) : 1;
        for (int m = 0; m < 8; m++) {
            element->source[m] += det * source * shape[m];
            for (int n = 0; n < 8; n++)
                element->matrix[m][n] +=
                    det * (gradient[0][m] * gradient[0][n] + gradient[1][m] * gradient[1][n] +
                           gradient[2][m] * gradient[2][n]);
        }
    }
}

/* Corner m of the element whose first node is `low`. */
MX_BODY fe_node fe_corner_node(fe_node low, int m)
{
    const fe_node n = {{low.at[0] + (m >> 2 & 1), low.at[1] + (m >> 1 & 1), low.at[2] + (m & 1)}};
    return n;
}

/* The exact solution at a node: i is its fe_in_box. */
MX_BODY double fe_exact_at(const mx_cf64_2 *coordinates, int i)
{
    return fe_exact(MX_AT(*coordinates, 0, i), MX_AT(*coordinates, 1, i),
                    MX_AT(*coordinates, 2, i));
}
