/* For kernel files in 3-D: `a` is the struct of arguments, with a tl_mesh and, for the matrix,
 * v. */
#pragma once

/* The number of row j of plane i. */
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

/* Twice what flows from a cell with v and u to its neighbours a and b on two sides. */
MX_BODY double tl_flow(double v, double v_a, double v_b, double u, double u_a, double u_b)
{
    return (v + v_b) * (u - u_b) + (v + v_a) * (u - u_a);
}

/* Twice the conductivity of the face between the cell in row r and column k and the cell that is dr
 * rows and dk columns away. */
#define TL_FACE_3D(r, k, dr, dk) (MX_AT(a->v, r, k) + MX_AT(a->v, (r) + (dr), (k) + (dk)))

/* Twice what flows from the cell to that one and to the one on the other side, if `u` is the
 * temperature. */
#define TL_FLOW_3D(u, r, k, dr, dk)                                                   \
    (TL_FACE_3D(r, k, dr, dk) * (MX_AT(u, r, k) - MX_AT(u, (r) + (dr), (k) + (dk))) + \
     TL_FACE_3D(r, k, -(dr), -(dk)) * (MX_AT(u, r, k) - MX_AT(u, (r) - (dr), (k) - (dk))))

/* (A u)(r, k): see tl_kernels.h. */
#define TL_APPLY_3D(u, r, k)                                                                       \
    (MX_AT(u, r, k) +                                                                              \
     (a->mesh.rx * TL_FLOW_3D(u, r, k, 0, 1) + a->mesh.ry * TL_FLOW_3D(u, r, k, a->mesh.row, 0)) + \
     a->mesh.rz * TL_FLOW_3D(u, r, k, a->mesh.plane, 0))
