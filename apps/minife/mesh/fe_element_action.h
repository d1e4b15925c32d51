/* K u of one element, for a thread of its own: as fe_element_action (fe_element_batch.h), but what
 * several Gauss points share is computed once. The derivative of a trilinear function by xi depends on eta
 * and zeta only, so that the 8 points have 4 of them. They are numbered by the signs of these two
 * coordinates: bit 0 is set if the first one is positive, bit 1 if the second one is. About 700
 * operations with doubles. Modes have no factors 1/2 here; they follow at the end. */
#pragma once
#include "fe_hex8.h"

/* The derivatives of a function at the 4 places, by direction. */
typedef struct fe_derivatives {
    double along[3][4];
} fe_derivatives;

/* Values at the nodes become 8 times those of the modes. */
MX_BODY void fe_eight_modes(double *v)
{
    for (int d = 0; d < 3; d++)
        for (int m = 0; m < 8; m++) {
            if ((m >> d & 1) != 0) continue;
            const double low = v[m], high = v[m | 1 << d];
            v[m] = low + high;
            v[m | 1 << d] = high - low;
        }
}

/* constant + a p + b q + ab p q at the places (p, q). */
MX_BODY void fe_at_places(double constant, double a, double b, double ab, double *at)
{
    const double g = FE_GAUSS_POINT;
    const double low = constant - g * b, high = constant + g * b;
    const double a_low = a - g * ab, a_high = a + g * ab;
    at[0] = low - g * a_low;
    at[1] = low + g * a_low;
    at[2] = high - g * a_high;
    at[3] = high + g * a_high;
}

/* The transpose of fe_at_places: adds to what the four arguments were. */
MX_BODY void fe_from_places(const double *at, double *constant, double *a, double *b, double *ab)
{
    const double g = FE_GAUSS_POINT;
    const double low = at[0] + at[1], high = at[2] + at[3];
    const double a_low = at[1] - at[0], a_high = at[3] - at[2];
    *constant += low + high;
    *a += g * (a_low + a_high);
    *b += g * (high - low);
    *ab += g * g * (a_high - a_low);
}

MX_BODY fe_derivatives fe_derivatives_of(double *v)
{
    fe_derivatives d;
    fe_eight_modes(v);
    fe_at_places(v[1], v[3], v[5], v[7], d.along[0]);
    fe_at_places(v[2], v[3], v[6], v[7], d.along[1]);
    fe_at_places(v[4], v[5], v[6], v[7], d.along[2]);
    return d;
}

/* Adds |J| J^-1 J^-T grad u of one point to `flux`; p: its places by direction. */
MX_BODY void fe_add_flux(const fe_derivatives *x, const fe_derivatives *u, const int *p,
                         fe_derivatives *flux)
{
    double j[3][3], adjugate[3][3], gradient[3];
    for (int r = 0; r < 3; r++)
        for (int d = 0; d < 3; d++) j[r][d] = x[d].along[r][p[r]];
    for (int r = 0; r < 3; r++)
        for (int d = 0; d < 3; d++) {
            const int r1 = (r + 1) % 3, r2 = (r + 2) % 3, d1 = (d + 1) % 3, d2 = (d + 2) % 3;
            adjugate[d][r] = j[r1][d1] * j[r2][d2] - j[r1][d2] * j[r2][d1];
        }
    const double det =
        j[0][0] * adjugate[0][0] + j[0][1] * adjugate[1][0] + j[0][2] * adjugate[2][0];
    const double scale = mx_recip(det);
    for (int d = 0; d < 3; d++)
        gradient[d] =
            scale * (adjugate[d][0] * u->along[0][p[0]] + adjugate[d][1] * u->along[1][p[1]] +
                     adjugate[d][2] * u->along[2][p[2]]);
    for (int r = 0; r < 3; r++)
        flux->along[r][p[r]] += adjugate[0][r] * gradient[0] + adjugate[1][r] * gradient[1] +
                                adjugate[2][r] * gradient[2];
}

/* u becomes K u. x: coordinates (x, y, z) of the nodes, which are lost. */
MX_BODY void fe_one_action(double (*x)[8], double *u)
{
    fe_derivatives of_x[3], flux;
    for (int d = 0; d < 3; d++) of_x[d] = fe_derivatives_of(x[d]);
    const fe_derivatives of_u = fe_derivatives_of(u);
    for (int r = 0; r < 3; r++)
        for (int p = 0; p < 4; p++) flux.along[r][p] = 0;
    for (int q = 0; q < 8; q++) {
        const int xi = q & 1, eta = q >> 1 & 1, zeta = q >> 2 & 1;
        const int places[] = {eta | zeta << 1, xi | zeta << 1, xi | eta << 1};
        fe_add_flux(of_x, &of_u, places, &flux);
    }
    for (int m = 0; m < 8; m++) u[m] = 0;
    fe_from_places(flux.along[0], &u[1], &u[3], &u[5], &u[7]);
    fe_from_places(flux.along[1], &u[2], &u[3], &u[6], &u[7]);
    fe_from_places(flux.along[2], &u[4], &u[5], &u[6], &u[7]);
    /* to the nodes: the transpose of fe_eight_modes */
    for (int d = 0; d < 3; d++)
        for (int m = 0; m < 8; m++) {
            if ((m >> d & 1) != 0) continue;
            const double low = u[m], high = u[m | 1 << d];
            u[m] = low - high;
            u[m | 1 << d] = low + high;
        }
    /* x, u and the transpose have 8 each: |J| has 8^3, and J^-1 twice 8^-2 */
    for (int m = 0; m < 8; m++) u[m] /= 512;
}
