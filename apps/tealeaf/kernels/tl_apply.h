/* For kernel files: rows of cells, and the matrix. */
#pragma once
#include "tl_kernels.h"

/* Cell i of a line. A line is the cells along the contiguous index. */
#if MX_INSTANCE_LAYOUT == 1
#define TL_CELL(view, line, i) MX_AT(view, i, line)
#else
#define TL_CELL(view, line, i) MX_AT(view, line, i)
#endif

/* The number of row j of plane i; `a` is the struct of arguments, with a tl_mesh. */
#define TL_ROW(i, j) ((i)*a->mesh.plane + (j)*a->mesh.row)

/* The 3-D kernels NAME_3d of what happens to each cell by itself, which the body of NAME says.
 * VALUE is that of a reduction. */
#define TL_BODY_3D(NAME, ARGS)                                      \
    MX_BODY void NAME##_3d_body(const ARGS *a, int i, int j, int k) \
    {                                                               \
        NAME##_body(a, TL_ROW(i, j), k);                            \
    }
#define TL_SUM_BODY_3D(NAME, ARGS, VALUE)                                     \
    MX_BODY void NAME##_3d_body(const ARGS *a, int i, int j, int k, VALUE *v) \
    {                                                                         \
        NAME##_body(a, TL_ROW(i, j), k, v);                                   \
    }

/* The kernels NAME and NAME_3d of what needs the neighbours of a cell: NAME_cell(a, row, k, solid)
 * says what happens to the cell in row number `row` and column k. `solid` is a constant: in 3-D. */
#define TL_BODIES(NAME, ARGS)                                                              \
    MX_BODY void NAME##_body(const ARGS *a, int j, int k) { NAME##_cell(a, j, k, false); } \
    MX_BODY void NAME##_3d_body(const ARGS *a, int i, int j, int k)                        \
    {                                                                                      \
        NAME##_cell(a, TL_ROW(i, j), k, true);                                             \
    }
#define TL_SUM_BODIES(NAME, ARGS, VALUE)                                      \
    MX_BODY void NAME##_body(const ARGS *a, int j, int k, VALUE *v)           \
    {                                                                         \
        NAME##_cell(a, j, k, false, v);                                       \
    }                                                                         \
    MX_BODY void NAME##_3d_body(const ARGS *a, int i, int j, int k, VALUE *v) \
    {                                                                         \
        NAME##_cell(a, TL_ROW(i, j), k, true, v);                             \
    }

/* From a row to the next row of the same plane. */
MX_BODY int tl_next_row(const tl_mesh *m, bool solid) { return solid ? m->row : 1; }

/* Twice what flows from a cell with v and u to its neighbours a and b on two sides, if u is the
 * temperature. */
MX_BODY double tl_flow(double v, double v_a, double v_b, double u, double u_a, double u_b)
{
    return (v + v_b) * (u - u_b) + (v + v_a) * (u - u_a);
}

/* (A u) of a cell in 2-D, from v and u of the cell and of its neighbours left, right, below and
 * above: see tl_kernels.h. */
MX_BODY double tl_apply(double rx, double ry, double v, double v_left, double v_right,
                        double v_below, double v_above, double u, double u_left, double u_right,
                        double u_below, double u_above)
{
    const double left = rx * (v_left + v), right = rx * (v + v_right);
    const double below = ry * (v_below + v), above = ry * (v + v_above);
    return (1.0 + (right + left) + (above + below)) * u - (right * u_right + left * u_left) -
           (above * u_above + below * u_below);
}

/* tl_flow between cell (row, k) and those that are dr rows and dk columns away on both sides. */
MX_BODY double tl_flow_of(const mx_cf64_2 *v, const mx_cf64_2 *u, int row, int k, int dr, int dk)
{
    return tl_flow(MX_AT(*v, row, k), MX_AT(*v, row - dr, k - dk), MX_AT(*v, row + dr, k + dk),
                   MX_AT(*u, row, k), MX_AT(*u, row - dr, k - dk), MX_AT(*u, row + dr, k + dk));
}

/* (A u)(row, k). In 2-D by the weights of the faces: the passes and sweeps, which compute several cells
 * at once, use the same function, so that all get the same bits. In 3-D by what flows, which takes
 * fewer operations with seven points. */
MX_BODY double tl_apply_at(const tl_mesh *m, const mx_cf64_2 *v, const mx_cf64_2 *u, int row, int k,
                           bool solid)
{
    if (!solid)
        return tl_apply(m->rx, m->ry, MX_AT(*v, row, k), MX_AT(*v, row, k - 1),
                        MX_AT(*v, row, k + 1), MX_AT(*v, row - 1, k), MX_AT(*v, row + 1, k),
                        MX_AT(*u, row, k), MX_AT(*u, row, k - 1), MX_AT(*u, row, k + 1),
                        MX_AT(*u, row - 1, k), MX_AT(*u, row + 1, k));
    return MX_AT(*u, row, k) +
           (m->rx * tl_flow_of(v, u, row, k, 0, 1) + m->ry * tl_flow_of(v, u, row, k, m->row, 0)) +
           m->rz * tl_flow_of(v, u, row, k, m->plane, 0);
}
