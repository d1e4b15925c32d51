/* Gauss-Seidel by colours, and injection: see hpcg.c. */
#include "minx/kernel.h"

#include "fe_hpcg_kernels.h"

MX_BODY void fe_sweep_body(const fe_sweep_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node node = fe_item_at(m, i, j, k);
    for (int d = 0; d < 3; d++) node.at[d] = a->low[d] + 2 * node.at[d];
    const int row = fe_owned_before(m, node);
    const int64_t begin = MX_AT(a->begin, row);
    const int entries = (int)(MX_AT(a->begin, row + 1) - begin);
    const fe_stencil around = fe_stencil_of(m, node);
    const double diagonal = MX_AT(a->value, begin + fe_entry_of(&around, node));
    double sum = 0;
    MX_HOST_UNROLL(4) /* a row has at most 27 entries, and x is gathered: no vectors */
    for (int e = 0; e < entries; e++)
        sum += MX_AT(a->value, begin + e) * MX_AT(a->x, MX_AT(a->column, begin + e));
    MX_AT(a->x, row) += (MX_AT(a->b, row) - sum) / diagonal;
}
MX_FOR(3D, fe_sweep, MX_ITEMS_PLAIN)

/* The row of the fine node at the place of a coarse row: where each coarse element is two fine ones
 * along each dimension. */
MX_BODY int fine_row(const fe_pair *pair, fe_node coarse)
{
    const fe_node fine = {{2 * coarse.at[0], 2 * coarse.at[1], 2 * coarse.at[2]}};
    return fe_owned_before(&pair->fine, fine);
}

MX_BODY void fe_inject_body(const fe_inject_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->pair.coarse, row);
    const int fine = fine_row(&a->pair, node);
    MX_AT(a->coarse_b, row) = fe_fixed(&a->pair.coarse, node) != 0
                                  ? 0
                                  : a->factor * (MX_AT(a->b, fine) - MX_AT(a->w, fine));
}
MX_FOR(1D, fe_inject, MX_ITEMS_PLAIN)

MX_BODY void fe_inject_back_body(const fe_inject_args *a, int row)
{
    const fe_node node = fe_node_of_row(&a->pair.coarse, row);
    if (fe_fixed(&a->pair.coarse, node) == 0)
        MX_AT(a->x, fine_row(&a->pair, node)) += MX_AT(a->coarse_x, row);
}
MX_FOR(1D, fe_inject_back, MX_ITEMS_PLAIN)
