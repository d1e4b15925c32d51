/* The manufactured problem: -div grad u = Q on the unit cube, with u given on its whole boundary,
 *
 *     u = exp(x) sin(2 y + 0.3) cos(1.5 z)        Q = (4 + 2.25 - 1) u
 *
 * and the distorted mesh, whose nodes are moved inside the cube, smoothly, so that elements are no
 * longer boxes. */
#pragma once
#include "minx/math.h"

MX_INLINE double fe_exact(double x, double y, double z)
{
    return exp(x) * sin(2 * y + 0.3) * cos(1.5 * z);
}

MX_INLINE double fe_exact_source(double x, double y, double z) { return 5.25 * fe_exact(x, y, z); }

/* Moves a node along x, y and z by at most 0.04; nodes on the faces of the cube stay. The map is
 * one to one: its derivatives differ from the identity's by at most 0.04 * 2 pi < 1 / 3 each. */
MX_INLINE void fe_distort(double *x, double *y, double *z)
{
    const double two_pi = 6.283185307179586;
    const double move = 0.04 * sin(two_pi * *x) * sin(two_pi * *y) * sin(two_pi * *z);
    *x += move;
    *y -= 0.5 * move;
    *z += 0.75 * move;
}
