/* Several elements at once: arrays end with an index of lanes, one for each element, so that hosts vectorise over elements.
 *
 * A trilinear function on an element is a sum of eight modes, products of some of the reference coordinates xi, eta, zeta from -1 to
 * 1. Mode s has xi if bit 0 of s is set, eta if bit 1 is, zeta if bit 2 is. Its derivatives at a point need 3 modes each, where
 * the values at the nodes would need 8. */
#pragma once
#include "fe_hex8.h"

enum { FE_LANES = 8 };

typedef double fe_lane[FE_LANES];

/* Values at the nodes become those of the modes. */
MX_BODY void fe_modes(fe_lane *v)
{
    for (int d = 0; d < 3; d++)
        for (int m = 0; m < 8; m++) {
            if ((m >> d & 1) != 0) continue;
            double *const low = v[m], *const high = v[m | 1 << d];
            MX_SIMD for (int l = 0; l < FE_LANES; l++)
            {
                const double sum = 0.5 * (low[l] + high[l]), difference = 0.5 * (high[l] - low[l]);
                low[l] = sum;
                high[l] = difference;
            }
        }
}

/* The derivatives of a function, given by its modes, at a point. */
MX_BODY double fe_by_xi(fe_lane *v, int l, double eta, double zeta)
{
    return v[1][l] + v[3][l] * eta + (v[5][l] + v[7][l] * eta) * zeta;
}
MX_BODY double fe_by_eta(fe_lane *v, int l, double xi, double zeta)
{
    return v[2][l] + v[3][l] * xi + (v[6][l] + v[7][l] * xi) * zeta;
}
MX_BODY double fe_by_zeta(fe_lane *v, int l, double xi, double eta)
{
    return v[4][l] + v[5][l] * xi + (v[6][l] + v[7][l] * xi) * eta;
}

/* The Jacobian J at a point: its adjugate, adjugate[d][r] / |J| = the derivative of reference coordinate r by x_d, and |J|. */
typedef struct fe_jacobian {
    fe_lane adjugate[3][3];
    fe_lane det;
} fe_jacobian;

/* modes[d]: of the coordinate x_d. */
MX_BODY void fe_jacobian_at(fe_lane (*modes)[8], const double *point, fe_jacobian *j)
{
    const double xi = point[0], eta = point[1], zeta = point[2];
    MX_SIMD for (int l = 0; l < FE_LANES; l++)
    {
        const double a0 = fe_by_xi(modes[0], l, eta, zeta), a1 = fe_by_xi(modes[1], l, eta, zeta),
                     a2 = fe_by_xi(modes[2], l, eta, zeta), b0 = fe_by_eta(modes[0], l, xi, zeta),
                     b1 = fe_by_eta(modes[1], l, xi, zeta), b2 = fe_by_eta(modes[2], l, xi, zeta),
                     c0 = fe_by_zeta(modes[0], l, xi, eta), c1 = fe_by_zeta(modes[1], l, xi, eta),
                     c2 = fe_by_zeta(modes[2], l, xi, eta);
        const double bc0 = b1 * c2 - b2 * c1, bc1 = b2 * c0 - b0 * c2, bc2 = b0 * c1 - b1 * c0;
        j->adjugate[0][0][l] = bc0;
        j->adjugate[1][0][l] = bc1;
        j->adjugate[2][0][l] = bc2;
        j->adjugate[0][1][l] = c1 * a2 - c2 * a1;
        j->adjugate[1][1][l] = c2 * a0 - c0 * a2;
        j->adjugate[2][1][l] = c0 * a1 - c1 * a0;
        j->adjugate[0][2][l] = a1 * b2 - a2 * b1;
        j->adjugate[1][2][l] = a2 * b0 - a0 * b2;
        j->adjugate[2][2][l] = a0 * b1 - a1 * b0;
        j->det[l] = a0 * bc0 + a1 * bc1 + a2 * bc2;
    }
}

MX_BODY void fe_gauss_point(int q, double *point)
{
    for (int d = 0; d < 3; d++) point[d] = fe_corner(q, d) * FE_GAUSS_POINT;
}

/* The nodes of the elements `low`, `low` + 1, ... along x. Lanes from `count` on repeat the last element. */
MX_BODY void fe_gather_coordinates(const mx_cf64_2 *coordinates, const fe_mesh *mesh, fe_node low,
                                   int count, fe_lane (*x)[8])
{
    for (int m = 0; m < 8; m++) {
        const int first = fe_in_box(mesh, fe_corner_node(low, m));
        for (int d = 0; d < 3; d++) {
            if (count == FE_LANES) {
                MX_SIMD for (int l = 0; l < FE_LANES; l++) x[d][m][l] =
                    MX_AT(*coordinates, d, first + l);
            } else {
                for (int l = 0; l < FE_LANES; l++)
                    x[d][m][l] = MX_AT(*coordinates, d, first + (l < count ? l : count - 1));
            }
        }
    }
}
