/* The entries of a matrix whose columns are ghosts: see level/overlap.c. */
#include "minx/kernel.h"
#include "minx/scan.h"

#include "fe_overlap_kernels.h"
#include "mesh/fe_hex8.h"

MX_BODY void fe_outer_rows_body(const fe_outer_args *a, int row, int64_t *count, bool final)
{
    if (fe_ghosts_around(&a->mesh, fe_node_of_row(&a->mesh, row)) == 0) return;
    if (final) MX_AT(a->row, *count) = row;
    *count += 1;
}
MX_SCAN(1D, fe_outer_rows, MX_SUM)

MX_BODY void fe_outer_begins_body(const fe_outer_args *a, int i, int64_t *entries, bool final)
{
    if (final) MX_AT(a->begin, i) = *entries;
    if (i < a->rows)
        *entries += fe_ghosts_around(&a->mesh, fe_node_of_row(&a->mesh, MX_AT(a->row, i)));
}
MX_SCAN(1D, fe_outer_begins, MX_SUM)

/* Where an entry is, by its number in the row: behind the first one with a ghost; -1: it has
 * none. */
typedef struct ghost_entries {
    int place[FE_SLOTS];
} ghost_entries;

MX_BODY fe_node corner_of(fe_node low, int corner)
{
    const fe_node n = {
        {low.at[0] + (corner >> 2 & 1), low.at[1] + (corner >> 1 & 1), low.at[2] + (corner & 1)}};
    return n;
}

/* Without a stored matrix: what the element whose first node is `low` adds to the row of its corner
 * `row`. */
MX_BODY void add_element(const fe_outer_args *a, fe_node low, int row, const fe_stencil *around,
                         const ghost_entries *ghosts, int64_t begin)
{
    const fe_mesh *const m = &a->mesh;
    double x[3][8];
    fe_element element;
    for (int d = 0; d < 3; d++)
        if (low.at[d] < 0 || low.at[d] >= m->elements[d]) return;
    for (int k = 0; k < 8; k++) {
        const fe_node n = corner_of(low, k);
        for (int d = 0; d < 3; d++) x[d][k] = (double)n.at[2 - d] / m->elements[2 - d];
        if (a->distorted) fe_distort(&x[0][k], &x[1][k], &x[2][k]);
    }
    fe_element_operators(x, false, &element);
    for (int k = 0; k < 8; k++) {
        const fe_node n = corner_of(low, k);
        const int place = ghosts->place[fe_entry_of(around, n)];
        if (place >= 0 && fe_fixed(m, n) == 0)
            MX_AT(a->value, begin + place) += element.matrix[row][k];
    }
}

MX_BODY void fe_outer_entries_body(const fe_outer_args *a, int i)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node node = fe_node_of_row(m, MX_AT(a->row, i));
    const fe_stencil around = fe_stencil_of(m, node);
    const int entries = fe_stencil_size(&around);
    const int64_t begin = MX_AT(a->begin, i);
    const bool stored = a->matrix.kind != FE_STORAGE_NONE;
    ghost_entries ghosts;
    int count = 0;
    for (int e = 0; e < entries; e++) {
        const fe_node n = fe_node_of_entry(&around, e);
        ghosts.place[e] = fe_is_owned(m, n) ? -1 : count;
        if (ghosts.place[e] < 0) continue;
        MX_AT(a->column, begin + count) = fe_local(m, n);
        MX_AT(a->value, begin + count) = stored ? fe_coefficient(&a->matrix, m, node, n) : 0;
        count++;
    }
    if (stored || fe_fixed(m, node) != 0) return;
    for (int corner = 0; corner < 8; corner++) {
        const fe_node low = {{node.at[0] - (corner >> 2 & 1), node.at[1] - (corner >> 1 & 1),
                              node.at[2] - (corner & 1)}};
        add_element(a, low, corner, &around, &ghosts, begin);
    }
}
MX_FOR(1D, fe_outer_entries, MX_ITEMS_PLAIN)

/* Adds row number i; returns what that adds to x . y. */
MX_BODY double add_row(const fe_add_outer_args *a, int i)
{
    const int row = MX_AT(a->row, i);
    const int64_t end = MX_AT(a->begin, i + 1);
    double sum = 0;
    for (int64_t e = MX_AT(a->begin, i); e < end; e++)
        sum += MX_AT(a->value, e) * MX_AT(a->x, MX_AT(a->column, e));
    MX_AT(a->y, row) += sum;
    return MX_AT(a->x, row) * sum;
}

MX_BODY void fe_add_outer_body(const fe_add_outer_args *a, int i) { (void)add_row(a, i); }
MX_FOR(1D, fe_add_outer, MX_ITEMS_PLAIN)

MX_BODY void fe_add_outer_dot_body(const fe_add_outer_args *a, int i, double *dot)
{
    *dot += add_row(a, i);
}
MX_REDUCE(1D, fe_add_outer_dot, MX_SUM, MX_ITEMS_PLAIN)

MX_BODY void fe_clear_body(const fe_clear_args *a, int i) { MX_AT(a->x, i) = 0; }
MX_FOR(1D, fe_clear)
