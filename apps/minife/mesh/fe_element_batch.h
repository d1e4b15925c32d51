/* A batch of elements: arrays end with an index of lanes, one for each element, so that hosts
 * vectorise over elements.
 *
 * A trilinear function on an element is a sum of eight modes, products of some of the reference
 * coordinates xi, eta, zeta from -1 to 1. Mode s has xi if bit 0 of s is set, eta if bit 1 is, zeta
 * if bit 2 is. Its derivatives at a point need 3 modes each, where the values at the nodes would
 * need 8. */
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

/* The Jacobian J of a lane at a point: its adjugate, adjugate[d][r] / |J| = the derivative of
 * reference coordinate r by x_d. */
typedef struct fe_jacobian {
    double adjugate[3][3];
    double det;
} fe_jacobian;

/* modes[d]: of the coordinate x_d. */
MX_BODY fe_jacobian fe_jacobian_at(fe_lane (*modes)[8], int l, double xi, double eta, double zeta)
{
    const double a0 = fe_by_xi(modes[0], l, eta, zeta), a1 = fe_by_xi(modes[1], l, eta, zeta),
                 a2 = fe_by_xi(modes[2], l, eta, zeta), b0 = fe_by_eta(modes[0], l, xi, zeta),
                 b1 = fe_by_eta(modes[1], l, xi, zeta), b2 = fe_by_eta(modes[2], l, xi, zeta),
                 c0 = fe_by_zeta(modes[0], l, xi, eta), c1 = fe_by_zeta(modes[1], l, xi, eta),
                 c2 = fe_by_zeta(modes[2], l, xi, eta);
    fe_jacobian j;
    j.adjugate[0][0] = b1 * c2 - b2 * c1;
    j.adjugate[1][0] = b2 * c0 - b0 * c2;
    j.adjugate[2][0] = b0 * c1 - b1 * c0;
    j.adjugate[0][1] = c1 * a2 - c2 * a1;
    j.adjugate[1][1] = c2 * a0 - c0 * a2;
    j.adjugate[2][1] = c0 * a1 - c1 * a0;
    j.adjugate[0][2] = a1 * b2 - a2 * b1;
    j.adjugate[1][2] = a2 * b0 - a0 * b2;
    j.adjugate[2][2] = a0 * b1 - a1 * b0;
    j.det = a0 * j.adjugate[0][0] + a1 * j.adjugate[1][0] + a2 * j.adjugate[2][0];
    return j;
}

MX_BODY void fe_gauss_point(int q, double *point)
{
    for (int d = 0; d < 3; d++) point[d] = fe_corner(q, d) * FE_GAUSS_POINT;
}

/* The nodes of the elements `low`, `low` + 1, ... along x. Lanes from `count` on repeat the last
 * element. */
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

/* One point's share of r = K u, with u and r as modes. */
MX_BODY void fe_add_action(fe_lane (*modes)[8], fe_lane *u, const double *point, fe_lane *r)
{
    const double xi = point[0], eta = point[1], zeta = point[2];
    MX_SIMD for (int l = 0; l < FE_LANES; l++)
    {
        const fe_jacobian j = fe_jacobian_at(modes, l, xi, eta, zeta);
        const double ua = fe_by_xi(u, l, eta, zeta), ub = fe_by_eta(u, l, xi, zeta),
                     uc = fe_by_zeta(u, l, xi, eta), scale = 1 / j.det;
        const double gx =
            (j.adjugate[0][0] * ua + j.adjugate[0][1] * ub + j.adjugate[0][2] * uc) * scale;
        const double gy =
            (j.adjugate[1][0] * ua + j.adjugate[1][1] * ub + j.adjugate[1][2] * uc) * scale;
        const double gz =
            (j.adjugate[2][0] * ua + j.adjugate[2][1] * ub + j.adjugate[2][2] * uc) * scale;
        const double a = j.adjugate[0][0] * gx + j.adjugate[1][0] * gy + j.adjugate[2][0] * gz;
        const double b = j.adjugate[0][1] * gx + j.adjugate[1][1] * gy + j.adjugate[2][1] * gz;
        const double c = j.adjugate[0][2] * gx + j.adjugate[1][2] * gy + j.adjugate[2][2] * gz;
        r[1][l] += a;
        r[2][l] += b;
        r[3][l] += a * eta + b * xi;
        r[4][l] += c;
        r[5][l] += a * zeta + c * xi;
        r[6][l] += b * zeta + c * eta;
        r[7][l] += a * eta * zeta + b * xi * zeta + c * xi * eta;
    }
}

/* u becomes K u of each element. x: coordinates of the nodes; they become modes. */
MX_BODY void fe_element_action(fe_lane (*x)[8], fe_lane *u)
{
    fe_lane r[8];
    for (int d = 0; d < 3; d++) fe_modes(x[d]);
    fe_modes(u);
    for (int s = 0; s < 8; s++)
        for (int l = 0; l < FE_LANES; l++) r[s][l] = 0;
    for (int q = 0; q < 8; q++) {
        double point[3];
        fe_gauss_point(q, point);
        fe_add_action(x, u, point, r);
    }
    /* from the modes to the nodes: the transpose of fe_modes */
    for (int d = 0; d < 3; d++)
        for (int m = 0; m < 8; m++) {
            if ((m >> d & 1) != 0) continue;
            double *const low = r[m], *const high = r[m | 1 << d];
            MX_SIMD for (int l = 0; l < FE_LANES; l++)
            {
                const double a = 0.5 * (low[l] - high[l]), b = 0.5 * (low[l] + high[l]);
                low[l] = a;
                high[l] = b;
            }
        }
    for (int m = 0; m < 8; m++)
        for (int l = 0; l < FE_LANES; l++) u[m][l] = r[m][l];
}
