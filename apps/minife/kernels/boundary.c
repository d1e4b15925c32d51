/* Given values at nodes of the boundary: the row of such a node becomes u = value, and its columns
 * go to b.
 *
 * The original eliminates the nodes at 0 first. So the edges of the face at 1, which are in both
 * sets, end with u = 1, but their neighbours have lost them with the value 0. */
#include "minx/kernel.h"

#include "fe_level_kernels.h"
#include "mesh/fe_hex8.h"

/* The value of a given node in its own row. */
MX_BODY double given_value(const fe_boundary_args *a, fe_node n)
{
    if (a->manufactured) return fe_exact_at(&a->coordinates, fe_in_box(&a->mesh, n));
    return (fe_fixed(&a->mesh, n) & FE_FIXED_AT_1) != 0 ? 1 : 0;
}

/* The value with which other rows lose it. */
MX_BODY double eliminated_value(const fe_boundary_args *a, fe_node n)
{
    if (a->manufactured) return fe_exact_at(&a->coordinates, fe_in_box(&a->mesh, n));
    return (fe_fixed(&a->mesh, n) & FE_FIXED_AT_0) != 0 ? 0 : 1;
}

MX_BODY void fe_boundary_source_body(const fe_boundary_args *a, int row)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node node = fe_node_of_row(m, row);
    if (!fe_near_boundary(m, node)) return;
    if (fe_fixed(m, node) != 0) {
        MX_AT(a->b, row) = given_value(a, node);
        return;
    }
    if (a->matrix.kind == FE_STORAGE_NONE) return;
    const fe_stencil s = fe_stencil_of(m, node);
    double b = MX_AT(a->b, row);
    for (int e = 0; e < fe_stencil_size(&s); e++) {
        const fe_node other = fe_node_of_entry(&s, e);
        if (fe_fixed(m, other) == 0) continue;
        b -= fe_coefficient(&a->matrix, m, node, other) * eliminated_value(a, other);
    }
    MX_AT(a->b, row) = b;
}
MX_FOR(1D, fe_boundary_source, MX_ITEMS_PLAIN)

MX_BODY void fe_boundary_matrix_body(const fe_boundary_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node node = fe_item_at(m, i, j, k);
    for (int d = 0; d < 3; d++) node.at[d] += a->rows_low[d];
    if (!fe_near_boundary(m, node)) return;
    const fe_stencil s = fe_stencil_of(m, node);
    const fe_row_place p = fe_place_of_row(&a->matrix, m, node);
    const bool fixed = fe_fixed(m, node) != 0, slots = fe_has_slots(&a->matrix);
    for (int e = 0; e < fe_stencil_size(&s); e++) {
        const fe_node other = fe_node_of_entry(&s, e);
        if (!fixed && fe_fixed(m, other) == 0) continue;
        const int slot = fe_slot_of(node, other);
        if (!fe_has_column(&a->matrix, node, other)) continue;
        fe_put(&a->matrix, p.first + (slots ? slot : e) * p.step, slot == FE_DIAGONAL_SLOT ? 1 : 0);
    }
}
MX_FOR(3D, fe_boundary_matrix, MX_ITEMS_PLAIN)

/* ---- without a stored matrix ---- */

MX_BODY void fe_given_values_body(const fe_given_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node n = fe_item_at(m, i, j, k);
    for (int d = 0; d < 3; d++) n.at[d] += m->low[d];
    const int fixed = fe_fixed(m, n);
    double value = 0;
    if (fixed != 0)
        value = a->manufactured                ? fe_exact_at(&a->coordinates, fe_in_box(m, n))
                : (fixed & FE_FIXED_AT_0) != 0 ? 0
                                               : 1;
    MX_AT(a->given, fe_local(m, n)) = value;
}
MX_FOR(3D, fe_given_values, MX_ITEMS_PLAIN)

MX_BODY void fe_given_subtract_body(const fe_given_args *a, int row)
{
    const fe_node n = fe_node_of_row(&a->mesh, row);
    if (fe_fixed(&a->mesh, n) == 0 && fe_near_boundary(&a->mesh, n))
        MX_AT(a->b, row) -= MX_AT(a->product, row);
}
MX_FOR(1D, fe_given_subtract, MX_ITEMS_PLAIN)
