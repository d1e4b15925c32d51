/* Assembly element by element: atomics, or colours. */
#include "minx/kernel.h"

#include "fe_level_kernels.h"
#include "mesh/fe_hex8.h"

MX_BODY void element_at(const fe_assemble_args *a, fe_node low, fe_element *element)
{
    double x[3][8];
    for (int m = 0; m < 8; m++) {
        const int i = fe_in_box(&a->mesh, fe_corner_node(low, m));
        for (int d = 0; d < 3; d++) x[d][m] = MX_AT(a->coordinates, d, i);
    }
    fe_element_operators(x, a->manufactured, element);
}

/* Where coefficient (m, n) of the element goes; -1: nowhere. */
MX_BODY int64_t place_of(const fe_assemble_args *a, const fe_row_place *row, fe_node low, int m,
                         int n)
{
    const fe_storage *const s = &a->matrix;
    const fe_node node = fe_corner_node(low, m), column = fe_corner_node(low, n);
    if (!fe_has_column(s, node, column)) return -1;
    const fe_stencil around = fe_stencil_of(&a->mesh, node);
    const int number = fe_has_slots(s) ? fe_slot_of(node, column) : fe_entry_of(&around, column);
    return row->first + number * row->step;
}

MX_BODY void fe_assemble_atomic_body(const fe_assemble_args *a, int i, int j, int k)
{
    const fe_node low = fe_item_at(&a->mesh, i, j, k);
    fe_element element;
    element_at(a, low, &element);
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        const bool owned = fe_is_owned(&a->mesh, node);
        if (owned && !a->without_source)
            mx_atomic_add(&MX_AT(a->b, fe_local(&a->mesh, node)), element.source[m]);
        if (a->matrix.kind == FE_STORAGE_NONE || !fe_has_row(&a->matrix, &a->mesh, node)) continue;
        const fe_row_place row = fe_place_of_row(&a->matrix, &a->mesh, node);
        for (int n = 0; n < 8; n++) {
            const int64_t place = place_of(a, &row, low, m, n);
            if (place < 0) continue;
            if (a->matrix.is_f32)
                mx_atomic_add(&MX_AT(a->matrix.f32value, place), (float)element.matrix[m][n]);
            else
                mx_atomic_add(&MX_AT(a->matrix.value, place), element.matrix[m][n]);
        }
    }
}
MX_FOR(3D, fe_assemble_atomic, MX_ITEMS_PLAIN)

MX_BODY void fe_assemble_colour_body(const fe_assemble_args *a, int i, int j, int k)
{
    const fe_node at = fe_item_at(&a->mesh, i, j, k);
    const fe_node low = {
        {a->low[0] + 2 * at.at[0], a->low[1] + 2 * at.at[1], a->low[2] + 2 * at.at[2]}};
    fe_element element;
    element_at(a, low, &element);
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        const bool owned = fe_is_owned(&a->mesh, node);
        if (owned && !a->without_source) MX_AT(a->b, fe_local(&a->mesh, node)) += element.source[m];
        if (a->matrix.kind == FE_STORAGE_NONE || !fe_has_row(&a->matrix, &a->mesh, node)) continue;
        const fe_row_place row = fe_place_of_row(&a->matrix, &a->mesh, node);
        for (int n = 0; n < 8; n++) {
            const int64_t place = place_of(a, &row, low, m, n);
            if (place < 0) continue;
            fe_put(&a->matrix, place, fe_get(&a->matrix, place) + element.matrix[m][n]);
        }
    }
}
MX_FOR(3D, fe_assemble_colour, MX_ITEMS_PLAIN)
