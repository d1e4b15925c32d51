#include "minx/kernel.h"
#include "minx/scan.h"

#include "fe_hex8.h"
#include "fe_level_kernels.h"

MX_BODY void fe_row_begins_body(const fe_structure_args *a, int row, int64_t *entries, bool final)
{
    if (final) MX_AT(a->begin, row) = *entries;
    if (row == fe_rows(&a->mesh)) return;
    const fe_stencil s = fe_stencil_of(&a->mesh, fe_node_of_row(&a->mesh, row));
    *entries += fe_stencil_size(&s);
}
MX_SCAN(1D, fe_row_begins, MX_SUM)

MX_BODY void fe_columns_body(const fe_structure_args *a, int row)
{
    const fe_stencil s = fe_stencil_of(&a->mesh, fe_node_of_row(&a->mesh, row));
    const int64_t begin = MX_AT(a->begin, row);
    int64_t entry = begin;
    for (int z = 0; z < s.count[0]; z++)
        for (int y = 0; y < s.count[1]; y++)
            for (int x = 0; x < s.count[2]; x++) {
                const fe_node n = {{s.low.at[0] + z, s.low.at[1] + y, s.low.at[2] + x}};
                MX_AT(a->column, entry) = fe_local(&a->mesh, n);
                MX_AT(a->value, entry) = 0;
                entry++;
            }
}
MX_FOR(1D, fe_columns, MX_ITEMS_PLAIN)

MX_BODY void fe_coordinates_body(const fe_coordinates_args *a, int z, int y, int x)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node n = {{m->low[0] + z, m->low[1] + y, m->low[2] + x}};
    const int i = fe_local(m, n);
    double at[3];
    for (int d = 0; d < 3; d++) at[d] = (double)n.at[2 - d] / m->elements[2 - d];
    if (a->distorted) fe_distort(&at[0], &at[1], &at[2]);
    for (int d = 0; d < 3; d++) MX_AT(a->coordinates, d, i) = at[d];
}
MX_FOR(3D, fe_coordinates, MX_ITEMS_PLAIN)

MX_BODY void element_at(const fe_assemble_args *a, fe_node low, fe_element *element)
{
    double x[3][8];
    for (int m = 0; m < 8; m++) {
        const int i = fe_local(&a->mesh, fe_corner_node(low, m));
        for (int d = 0; d < 3; d++) x[d][m] = MX_AT(a->coordinates, d, i);
    }
    fe_element_operators(x, a->manufactured, element);
}

MX_BODY void fe_assemble_atomic_body(const fe_assemble_args *a, int z, int y, int x)
{
    const fe_node low = {{z, y, x}};
    fe_element element;
    element_at(a, low, &element);
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        if (!fe_is_own(&a->mesh, node)) continue;
        const int row = fe_local(&a->mesh, node);
        const fe_stencil s = fe_stencil_of(&a->mesh, node);
        const int64_t begin = MX_AT(a->begin, row);
        mx_atomic_add(&MX_AT(a->b, row), element.source[m]);
        for (int n = 0; n < 8; n++)
            mx_atomic_add(&MX_AT(a->value, begin + fe_entry_of(&s, fe_corner_node(low, n))),
                          element.matrix[m][n]);
    }
}
MX_FOR(3D, fe_assemble_atomic, MX_ITEMS_PLAIN)

MX_BODY void fe_assemble_colour_body(const fe_assemble_args *a, int z, int y, int x)
{
    const fe_node low = {{a->low[0] + 2 * z, a->low[1] + 2 * y, a->low[2] + 2 * x}};
    fe_element element;
    element_at(a, low, &element);
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        if (!fe_is_own(&a->mesh, node)) continue;
        const int row = fe_local(&a->mesh, node);
        const fe_stencil s = fe_stencil_of(&a->mesh, node);
        const int64_t begin = MX_AT(a->begin, row);
        MX_AT(a->b, row) += element.source[m];
        for (int n = 0; n < 8; n++)
            MX_AT(a->value, begin + fe_entry_of(&s, fe_corner_node(low, n))) +=
                element.matrix[m][n];
    }
}
MX_FOR(3D, fe_assemble_colour, MX_ITEMS_PLAIN)

/* One set of given values: the row of a node in the set becomes u = value; from other rows the set's columns are eliminated. */
MX_BODY void fix_set(const fe_boundary_args *a, int row, fe_node node, int set, double value)
{
    const fe_stencil s = fe_stencil_of(&a->mesh, node);
    const int64_t begin = MX_AT(a->begin, row);
    const bool fixed = (fe_fixed(&a->mesh, node) & set) != 0;
    const int entries = fe_stencil_size(&s), diagonal = fe_entry_of(&s, node);
    double b = MX_AT(a->b, row);
    for (int e = 0; e < entries; e++) {
        const bool column_fixed = (fe_fixed(&a->mesh, fe_node_of_entry(&s, e)) & set) != 0;
        if (!fixed && !column_fixed) continue;
        if (!fixed) b -= MX_AT(a->value, begin + e) * value;
        MX_AT(a->value, begin + e) = fixed && e == diagonal ? 1 : 0;
    }
    MX_AT(a->b, row) = fixed ? value : b;
}

/* The original eliminates the nodes at 0 first. So the edges of the face at 1, which are in both sets, end with u = 1, but their
 * neighbours have lost them with the value 0. */
MX_BODY void fe_boundary_body(const fe_boundary_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    if (!fe_near_boundary(&a->mesh, node)) return;
    fix_set(a, row, node, FE_FIXED_AT_0, 0);
    fix_set(a, row, node, FE_FIXED_AT_1, 1);
}
MX_FOR(1D, fe_boundary, MX_ITEMS_PLAIN)

MX_BODY void fe_boundary_exact_body(const fe_boundary_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    if (!fe_near_boundary(&a->mesh, node)) return;
    const fe_stencil s = fe_stencil_of(&a->mesh, node);
    const int64_t begin = MX_AT(a->begin, row);
    const bool fixed = fe_fixed(&a->mesh, node) != 0;
    const int entries = fe_stencil_size(&s), diagonal = fe_entry_of(&s, node);
    for (int e = 0; e < entries; e++) {
        const fe_node other = fe_node_of_entry(&s, e);
        if (!fixed && fe_fixed(&a->mesh, other) == 0) continue;
        if (!fixed)
            MX_AT(a->b, row) -= MX_AT(a->value, begin + e) *
                                fe_exact_at(&a->coordinates, fe_local(&a->mesh, other));
        MX_AT(a->value, begin + e) = fixed && e == diagonal ? 1 : 0;
    }
    if (fixed) MX_AT(a->b, row) = fe_exact_at(&a->coordinates, row);
}
MX_FOR(1D, fe_boundary_exact, MX_ITEMS_PLAIN)
