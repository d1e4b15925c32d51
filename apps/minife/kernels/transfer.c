/* Transfers between a level and the next coarser one (fe_coarse.h), and the coarsest level's solution.
 *
 * The restriction is the transpose of the prolongation. Both are written as sums over what an element gets, so no two items write
 * the same element, and sums have one order. A rank restricts its own fine nodes to all coarse nodes that it holds; a reverse exchange
 * then adds what several ranks have for one node. */
#include "minx/kernel.h"

#include "fe_multigrid_kernels.h"

MX_BODY void fe_restrict_body(const fe_restrict_args *a, int z, int y, int x)
{
    const fe_mesh *const fine = &a->pair.fine, *const coarse = &a->pair.coarse;
    const fe_node node = {{coarse->low[0] + z, coarse->low[1] + y, coarse->low[2] + x}};
    fe_shared from[3];
    double sum = 0;
    for (int d = 0; d < 3; d++)
        from[d] = fe_shared_fine(node.at[d], fine->elements[d], coarse->elements[d],
                                 fine->first[d] > 1 ? fine->first[d] : 1,
                                 fine->first[d] + fine->count[d] < fine->elements[d]
                                     ? fine->first[d] + fine->count[d]
                                     : fine->elements[d]);
    if (fe_fixed(coarse, node) == 0)
        for (int k = from[0].first; k < from[0].end; k++)
            for (int j = from[1].first; j < from[1].end; j++) {
                const double share =
                    fe_weight(k, node.at[0], fine->elements[0], coarse->elements[0]) *
                    fe_weight(j, node.at[1], fine->elements[1], coarse->elements[1]);
                const int line =
                    ((k - fine->first[0]) * fine->count[1] + j - fine->first[1]) * fine->count[2];
                for (int i = from[2].first; i < from[2].end; i++) {
                    const int row = line + i - fine->first[2];
                    sum += share *
                           fe_weight(i, node.at[2], fine->elements[2], coarse->elements[2]) *
                           (MX_AT(a->b, row) - MX_AT(a->w, row));
                }
            }
    MX_AT(a->coarse, fe_local(coarse, node)) = sum;
}
MX_FOR(3D, fe_restrict, MX_ITEMS_PLAIN)

MX_BODY void fe_prolong_body(const fe_prolong_args *a, int z, int y, int x)
{
    const fe_mesh *const fine = &a->pair.fine, *const coarse = &a->pair.coarse;
    const fe_node node = {{fine->first[0] + z, fine->first[1] + y, fine->first[2] + x}};
    if (fe_fixed(fine, node) != 0) return;
    fe_between b[3];
    double sum = 0;
    for (int d = 0; d < 3; d++)
        b[d] = fe_between_coarse(node.at[d], fine->elements[d], coarse->elements[d]);
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                const fe_node from = {{b[0].low + k, b[1].low + j, b[2].low + i}};
                sum += b[0].weight[k] * b[1].weight[j] * b[2].weight[i] *
                       MX_AT(a->coarse, fe_local(coarse, from));
            }
    MX_AT(a->x, (z * fine->count[1] + y) * fine->count[2] + x) += sum;
}
MX_FOR(3D, fe_prolong, MX_ITEMS_PLAIN)

MX_BODY void fe_bottom_collect_body(const fe_bottom_args *a, int id)
{
    const int *const n = a->mesh.elements;
    const fe_node node = {
        {id / ((n[2] + 1) * (n[1] + 1)), id / (n[2] + 1) % (n[1] + 1), id % (n[2] + 1)}};
    MX_AT(a->all, id) = fe_is_own(&a->mesh, node) ? MX_AT(a->b, fe_own_before(&a->mesh, node)) : 0;
}
MX_FOR(1D, fe_bottom_collect, MX_ITEMS_PLAIN)

MX_BODY void fe_bottom_solve_body(const fe_bottom_args *a, int z, int y, int x)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node node = {{m->low[0] + z, m->low[1] + y, m->low[2] + x}};
    const int id = (int)fe_id(m, node), nodes = (int)MX_EXTENT(a->all, 0);
    double sum = 0;
    for (int n = 0; n < nodes; n++) sum += MX_AT(a->inverse, id, n) * MX_AT(a->all, n);
    MX_AT(a->x, fe_local(m, node)) = sum;
}
MX_FOR(3D, fe_bottom_solve, MX_ITEMS_PLAIN)
