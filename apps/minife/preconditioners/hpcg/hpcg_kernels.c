/* Gauss-Seidel by colours, and injection: see hpcg.c. */
#include "minx/kernel.h"

#include "fe_hpcg_kernels.h"

/* ---- the matrix in the order of colours ---- */

/* What an item of a colour is. */
typedef struct colour_row {
    fe_node node;
    int number; /* of the colour's rows */
    int row;    /* of all rows */
} colour_row;

MX_BODY colour_row find_row(const fe_mesh *m, const fe_colour *c, int i, int j, int k)
{
    const fe_node item = fe_item_at(m, i, j, k);
    colour_row r;
    int at[3];
    for (int d = 0; d < 3; d++) {
        r.node.at[d] = c->low[d] + 2 * item.at[d];
        at[d] = r.node.at[d] - m->first[d];
    }
    r.number = (item.at[0] * c->count[1] + item.at[1]) * c->count[2] + item.at[2];
    r.row = (at[0] * m->count[1] + at[1]) * m->count[2] + at[2];
    return r;
}

MX_BODY bool exists(const fe_mesh *m, fe_node n)
{
    bool inside = true;
    for (int d = 0; d < 3; d++) inside = inside && n.at[d] >= 0 && n.at[d] <= m->elements[d];
    return inside;
}

MX_BODY void fe_colour_rows_body(const fe_colour_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    const colour_row r = find_row(m, &a->colour, i, j, k);
    const fe_stencil around = fe_stencil_of(m, r.node);
    int before = 0, behind = 0;
    for (int slot = 0; slot < 27; slot++) {
        const int d[] = {slot / 9 - 1, slot / 3 % 3 - 1, slot % 3 - 1};
        const fe_node n = {{r.node.at[0] + d[0], r.node.at[1] + d[1], r.node.at[2] + d[2]}};
        const int other = a->colour.number ^ ((d[0] & 1) | (d[1] & 1) << 1 | (d[2] & 1) << 2);
        const bool inside = exists(m, n);
        const int64_t at = MX_AT(a->begin, r.row) + (inside ? fe_entry_of(&around, n) : 0);
        const double value = inside ? MX_AT(a->value, at) : 0;
        const int column = inside ? MX_AT(a->column, at) : r.row;
        if (other > a->colour.number) {
            MX_AT(a->before, r.number, before) = value;
            MX_AT(a->before_column, r.number, before) = column;
            before++;
        } else if (other < a->colour.number) {
            MX_AT(a->behind, r.number, behind) = value;
            MX_AT(a->behind_column, r.number, behind) = column;
            behind++;
        }
    }
}
MX_FOR(3D, fe_colour_rows, MX_ITEMS_PLAIN)

/* ---- sweeps ---- */

/* Adds row `number` of some entries times x. x is gathered: no vectors. */
#define ADD_ROW(sum, values, columns, number)                                                 \
    do {                                                                                      \
        const int entries_ = (int)MX_EXTENT(values, 1);                                       \
        for (int e_ = 0; e_ < entries_; e_++)                                                 \
            (sum) += MX_LOAD(values, number, e_) * MX_AT(a->x, MX_LOAD(columns, number, e_)); \
    } while (0)

MX_BODY void forward(const fe_sweep_args *a, int i, int j, int k, bool from_zero)
{
    const colour_row r = find_row(&a->mesh, &a->colour, i, j, k);
    double before = 0, behind = 0;
    ADD_ROW(before, a->before, a->before_column, r.number);
    if (!from_zero) {
        ADD_ROW(behind, a->behind, a->behind_column, r.number);
        MX_AT(a->u, r.row) = behind;
    }
    MX_AT(a->x, r.row) = (MX_AT(a->b, r.row) - before - behind) / MX_AT(a->diagonal, r.row);
}

MX_BODY void back(const fe_sweep_args *a, int i, int j, int k, bool from_zero)
{
    const colour_row r = find_row(&a->mesh, &a->colour, i, j, k);
    double behind = 0;
    ADD_ROW(behind, a->behind, a->behind_column, r.number);
    const double change = from_zero ? -behind : MX_AT(a->u, r.row) - behind;
    MX_AT(a->x, r.row) += change / MX_AT(a->diagonal, r.row);
}

MX_BODY void fe_sweep_forward_body(const fe_sweep_args *a, int i, int j, int k)
{
    forward(a, i, j, k, false);
}
MX_FOR(3D, fe_sweep_forward, MX_ITEMS_PLAIN)

MX_BODY void fe_sweep_first_body(const fe_sweep_args *a, int i, int j, int k)
{
    forward(a, i, j, k, true);
}
MX_FOR(3D, fe_sweep_first, MX_ITEMS_PLAIN)

MX_BODY void fe_sweep_back_body(const fe_sweep_args *a, int i, int j, int k)
{
    back(a, i, j, k, false);
}
MX_FOR(3D, fe_sweep_back, MX_ITEMS_PLAIN)

MX_BODY void fe_sweep_back_first_body(const fe_sweep_args *a, int i, int j, int k)
{
    back(a, i, j, k, true);
}
MX_FOR(3D, fe_sweep_back_first, MX_ITEMS_PLAIN)

/* ---- injection ---- */

/* The row of the fine node at the place of a coarse row: where each coarse element is two fine ones
 * along each dimension. */
MX_BODY int fine_row(const fe_pair *pair, fe_node coarse)
{
    const fe_node fine = {{2 * coarse.at[0], 2 * coarse.at[1], 2 * coarse.at[2]}};
    return fe_owned_before(&pair->fine, fine);
}

/* Coarse rows have the order of the rows of colour 0. */
MX_BODY void fe_inject_body(const fe_inject_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->pair.coarse, row);
    const int fine = fine_row(&a->pair, node);
    double sum = MX_AT(a->diagonal, fine) * MX_AT(a->x, fine);
    ADD_ROW(sum, a->before, a->before_column, row);
    MX_AT(a->coarse_b, row) =
        fe_fixed(&a->pair.coarse, node) != 0 ? 0 : a->factor * (MX_AT(a->b, fine) - sum);
}
MX_FOR(1D, fe_inject, MX_ITEMS_PLAIN)

MX_BODY void fe_inject_back_body(const fe_inject_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->pair.coarse, row);
    if (fe_fixed(&a->pair.coarse, node) == 0)
        MX_AT(a->x, fine_row(&a->pair, node)) += MX_AT(a->coarse_x, row);
}
MX_FOR(1D, fe_inject_back, MX_ITEMS_PLAIN)
