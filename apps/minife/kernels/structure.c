/* Tables of the matrix, coordinates of the nodes, and copies of coefficients. */
#include "minx/kernel.h"

#include "fe_level_kernels.h"
#include "mesh/fe_exact.h"

MX_BODY void fe_row_begins_body(const fe_structure_args *a, int row)
{
    MX_AT(a->matrix.begin, row) = row < fe_rows(&a->mesh)
                                      ? fe_entries_before(&a->mesh, fe_node_of_row(&a->mesh, row))
                                      : fe_entries(&a->mesh);
}
MX_FOR(1D, fe_row_begins, MX_ITEMS_PLAIN)

/* How many entries a row has with its padding. */
MX_BODY int padded_entries(const fe_structure_args *a, int row, int entries)
{
    const fe_storage *const s = &a->matrix;
    if (s->kind == FE_STORAGE_ELL) return FE_SLOTS;
    if (s->kind == FE_STORAGE_CSR) return entries;
    const int chunk = row / s->chunk;
    return (int)((MX_AT(s->begin, chunk + 1) - MX_AT(s->begin, chunk)) / s->chunk);
}

/* A row behind the last one, up to the end of a chunk or of the pitch, has padding only. */
MX_BODY void fe_columns_body(const fe_structure_args *a, int row)
{
    const fe_mesh *const m = &a->mesh;
    const bool exists = row < fe_rows(m);
    const fe_node node = fe_node_of_row(m, exists ? row : 0);
    const fe_stencil around = fe_stencil_of(m, node);
    const int entries = exists ? fe_stencil_size(&around) : 0;
    const int self = exists ? row : 0;
    const int padded = padded_entries(a, row, entries);
    fe_row_place p = fe_place_of_row(&a->matrix, m, node);
    if (!exists) p.first += row;
    if (!exists && a->matrix.kind == FE_STORAGE_SELL)
        p.first = MX_AT(a->matrix.begin, row / a->matrix.chunk) + row % a->matrix.chunk;
    int e = 0;
    for (int z = 0; exists && z < around.count[0]; z++)
        for (int y = 0; y < around.count[1]; y++) {
            fe_node n = {{around.low.at[0] + z, around.low.at[1] + y, around.low.at[2]}};
            for (int x = 0; x < around.count[2]; x++) {
                MX_AT(a->column, p.first + e * p.step) = fe_local(m, n);
                n.at[2]++;
                e++;
            }
        }
    for (; e < padded; e++) MX_AT(a->column, p.first + e * p.step) = self;
}
MX_FOR(1D, fe_columns, MX_ITEMS_PLAIN)

/* The local index of a node, or `other` if the rank does not hold it. */
MX_BODY int local_or(const fe_mesh *m, fe_node n, int other)
{
    bool held = true;
    for (int d = 0; d < 3; d++)
        held = held && n.at[d] >= m->low[d] && n.at[d] < m->low[d] + m->extent[d];
    return held ? fe_local(m, n) : other;
}

MX_BODY void fe_line_starts_body(const fe_structure_args *a, int z, int y)
{
    const fe_mesh *const m = &a->mesh;
    const int line = z * (m->extent[1] + 2) + y;
    fe_node n = {{m->low[0] + z - 1, m->low[1] + y - 1, m->first[2]}};
    const int start = local_or(m, n, 0);
    MX_AT(a->line, 0, line) = start;
    n.at[2] = m->first[2] - 1;
    MX_AT(a->line, 1, line) = local_or(m, n, start);
    n.at[2] = m->first[2] + m->count[2];
    MX_AT(a->line, 2, line) = local_or(m, n, start);
}
MX_FOR(2D, fe_line_starts, MX_ITEMS_PLAIN)

MX_BODY void fe_coordinates_body(const fe_coordinates_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node n = fe_item_at(m, i, j, k);
    double at[3];
    for (int d = 0; d < 3; d++) n.at[d] += m->low[d];
    for (int d = 0; d < 3; d++) at[d] = (double)n.at[2 - d] / m->elements[2 - d];
    if (a->distorted) fe_distort(&at[0], &at[1], &at[2]);
    for (int d = 0; d < 3; d++) MX_AT(a->coordinates, d, fe_in_box(m, n)) = at[d];
}
MX_FOR(3D, fe_coordinates, MX_ITEMS_PLAIN)

MX_BODY void fe_copy_diagonal_body(const fe_copy_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    MX_AT(a->to, row) = fe_coefficient(&a->matrix, &a->mesh, node, node);
}
MX_FOR(1D, fe_copy_diagonal, MX_ITEMS_PLAIN)

MX_BODY void fe_copy_entries_body(const fe_copy_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->mesh, row);
    const fe_stencil around = fe_stencil_of(&a->mesh, node);
    const int64_t begin = fe_entries_before(&a->mesh, node);
    for (int e = 0; e < fe_stencil_size(&around); e++)
        MX_AT(a->to, begin + e) =
            fe_coefficient(&a->matrix, &a->mesh, node, fe_node_of_entry(&around, e));
}
MX_FOR(1D, fe_copy_entries, MX_ITEMS_PLAIN)

/* In a row of 27 entries an entry's number is its slot. A ghost's coefficient is read from the row of
 * its column. */
MX_BODY void fe_copy_half_body(const fe_half_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node node = fe_item_at(m, i, j, k);
    for (int d = 0; d < 3; d++) node.at[d] += a->low[d];
    const bool owned = fe_is_owned(m, node);
    const fe_stencil around = fe_stencil_of(m, node);
    const fe_row_place to = fe_place_of_row(&a->to, m, node);
    if (owned && fe_stencil_size(&around) == FE_SLOTS) {
        const fe_row_place from = fe_place_of_row(&a->from, m, node);
        for (int slot = FE_DIAGONAL_SLOT; slot < FE_SLOTS; slot++)
            fe_put(&a->to, to.first + slot * to.step,
                   fe_get(&a->from, from.first + slot * from.step));
        return;
    }
    for (int e = fe_entry_of(&around, node); e < fe_stencil_size(&around); e++) {
        const fe_node other = fe_node_of_entry(&around, e);
        if (!owned && !fe_is_owned(m, other)) continue;
        fe_put(&a->to, to.first + fe_slot_of(node, other) * to.step,
               owned ? fe_coefficient(&a->from, m, node, other)
                     : fe_coefficient(&a->from, m, other, node));
    }
}
MX_FOR(3D, fe_copy_half, MX_ITEMS_PLAIN)
