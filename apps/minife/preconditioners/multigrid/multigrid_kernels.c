/* Transfers between a level and the next coarser one (mesh/fe_coarse.h), and the coarsest level's
 * solution.
 *
 * The restriction is the transpose of the prolongation. Both are written as sums over what an
 * element gets, so no two items write the same element, and sums have one order. A rank restricts
 * its own fine nodes to all coarse nodes that it holds; a reverse exchange then adds what several
 * ranks have for one node. */
#include "minx/kernel.h"

#include "fe_multigrid_kernels.h"

MX_BODY void fe_restrict_body(const fe_restrict_args *a, int i, int j, int k)
{
    const fe_mesh *const fine = &a->pair.fine, *const coarse = &a->pair.coarse;
    fe_node node = fe_item_at(coarse, i, j, k);
    fe_shared from[3];
    double sum = 0;
    for (int d = 0; d < 3; d++) node.at[d] += coarse->low[d];
    for (int d = 0; d < 3; d++)
        from[d] = fe_shared_fine(node.at[d], fine->elements[d], coarse->elements[d],
                                 fine->first[d] > 1 ? fine->first[d] : 1,
                                 fine->first[d] + fine->count[d] < fine->elements[d]
                                     ? fine->first[d] + fine->count[d]
                                     : fine->elements[d]);
    if (fe_fixed(coarse, node) == 0)
        for (int z = from[0].first; z < from[0].end; z++)
            for (int y = from[1].first; y < from[1].end; y++) {
                const double share =
                    fe_weight(z, node.at[0], fine->elements[0], coarse->elements[0]) *
                    fe_weight(y, node.at[1], fine->elements[1], coarse->elements[1]);
                const int line =
                    ((z - fine->first[0]) * fine->count[1] + y - fine->first[1]) * fine->count[2];
                for (int x = from[2].first; x < from[2].end; x++) {
                    const int row = line + x - fine->first[2];
                    sum += share *
                           fe_weight(x, node.at[2], fine->elements[2], coarse->elements[2]) *
                           (MX_AT(a->b, row) - MX_AT(a->w, row));
                }
            }
    MX_AT(a->coarse, fe_local(coarse, node)) = sum;
}
MX_FOR(3D, fe_restrict, MX_ITEMS_PLAIN)

MX_BODY void fe_prolong_body(const fe_prolong_args *a, int i, int j, int k)
{
    const fe_mesh *const fine = &a->pair.fine, *const coarse = &a->pair.coarse;
    fe_node node = fe_item_at(fine, i, j, k);
    for (int d = 0; d < 3; d++) node.at[d] += fine->first[d];
    if (fe_fixed(fine, node) != 0) return;
    fe_between b[3];
    double sum = 0;
    for (int d = 0; d < 3; d++)
        b[d] = fe_between_coarse(node.at[d], fine->elements[d], coarse->elements[d]);
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 2; y++)
            for (int x = 0; x < 2; x++) {
                const fe_node from = {{b[0].low + z, b[1].low + y, b[2].low + x}};
                sum += b[0].weight[z] * b[1].weight[y] * b[2].weight[x] *
                       MX_AT(a->coarse, fe_local(coarse, from));
            }
    MX_AT(a->x, fe_owned_before(fine, node)) += sum;
}
MX_FOR(3D, fe_prolong, MX_ITEMS_PLAIN)

MX_BODY void fe_bottom_collect_body(const fe_bottom_args *a, int id)
{
    const int *const n = a->mesh.elements;
    const fe_node node = {
        {id / ((n[2] + 1) * (n[1] + 1)), id / (n[2] + 1) % (n[1] + 1), id % (n[2] + 1)}};
    MX_AT(a->all, id) =
        fe_is_owned(&a->mesh, node) ? MX_AT(a->b, fe_owned_before(&a->mesh, node)) : 0;
}
MX_FOR(1D, fe_bottom_collect, MX_ITEMS_PLAIN)

MX_BODY void fe_bottom_solve_body(const fe_bottom_args *a, int i, int j, int k)
{
    const fe_mesh *const m = &a->mesh;
    fe_node node = fe_item_at(m, i, j, k);
    for (int d = 0; d < 3; d++) node.at[d] += m->low[d];
    const int id = (int)fe_id(m, node), nodes = (int)MX_EXTENT(a->all, 0);
    double sum = 0;
    for (int n = 0; n < nodes; n++) sum += MX_AT(a->inverse, id, n) * MX_AT(a->all, n);
    MX_AT(a->x, fe_local(m, node)) = sum;
}
MX_FOR(3D, fe_bottom_solve, MX_ITEMS_PLAIN)
