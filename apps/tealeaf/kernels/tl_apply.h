/* For kernel files: a cell of a line, and the matrix. */
#pragma once
#include "tl_kernels.h"

/* Cell i of a line. A line is the cells along the contiguous index. */
#if MX_INSTANCE_LAYOUT == 1
#define TL_CELL(view, line, i) MX_AT(view, i, line)
#else
#define TL_CELL(view, line, i) MX_AT(view, line, i)
#endif

/* (A u) of a cell, from v and u of the cell and of its neighbours left, right, below and above: see
 * tl_kernels.h. */
MX_BODY double tl_apply(double rx, double ry, double v, double v_left, double v_right,
                        double v_below, double v_above, double u, double u_left, double u_right,
                        double u_below, double u_above)
{
    const double left = rx * (v_left + v), right = rx * (v + v_right);
    const double below = ry * (v_below + v), above = ry * (v + v_above);
    return (1.0 + (right + left) + (above + below)) * u - (right * u_right + left * u_left) -
           (above * u_above + below * u_below);
}

/* (A u)(j, k); `a` is the struct of arguments, with v and a tl_mesh. */
#define TL_APPLY(u, j, k)                                                                         \
    tl_apply(a->mesh.rx, a->mesh.ry, MX_AT(a->v, j, k), MX_AT(a->v, j, k - 1),                    \
             MX_AT(a->v, j, k + 1), MX_AT(a->v, j - 1, k), MX_AT(a->v, j + 1, k), MX_AT(u, j, k), \
             MX_AT(u, j, k - 1), MX_AT(u, j, k + 1), MX_AT(u, j - 1, k), MX_AT(u, j + 1, k))
