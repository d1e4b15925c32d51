/* Transfers between a level and the next coarser one (mesh/fe_coarse.h), and the coarsest level's
 * solution.
 *
 * The restriction is the transpose of the prolongation. Both are written as sums over what an
 * element gets, so no two items write the same element, and sums have one order. A rank restricts
 * its own fine nodes to all coarse nodes that it holds; a reverse exchange then adds what several
 * ranks have for one node. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_multigrid_kernels.h"

/* A coarse element has at most two fine ones along each dimension, so that a coarse node has a share
 * in so many fine ones. */
enum { MAX_SHARED = 4 };

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
    if (fe_fixed(coarse, node) == 0) {
        double weight[MAX_SHARED];
        for (int x = 0; x < from[2].end - from[2].first; x++)
            weight[x] =
                fe_weight(from[2].first + x, node.at[2], fine->elements[2], coarse->elements[2]);
        for (int z = from[0].first; z < from[0].end; z++)
            for (int y = from[1].first; y < from[1].end; y++) {
                const double share =
                    fe_weight(z, node.at[0], fine->elements[0], coarse->elements[0]) *
                    fe_weight(y, node.at[1], fine->elements[1], coarse->elements[1]);
                const int row =
                    ((z - fine->first[0]) * fine->count[1] + y - fine->first[1]) * fine->count[2] +
                    from[2].first - fine->first[2];
                for (int x = 0; x < from[2].end - from[2].first; x++)
                    sum += share * weight[x] * (MX_AT(a->b, row + x) - MX_AT(a->w, row + x));
            }
    }
    MX_AT(a->coarse, fe_local(coarse, node)) = sum;
}
MX_FOR(3D, fe_restrict, MX_ITEMS_PLAIN)

/* The coarse lines around a fine one, and their shares in it. */
typedef struct lines_around {
    fe_line line[4];
    double weight[4];
} lines_around;

MX_BODY lines_around find_lines(const fe_pair *pair, int z, int y)
{
    const fe_mesh *const fine = &pair->fine, *const coarse = &pair->coarse;
    const fe_between bz = fe_between_coarse(z, fine->elements[0], coarse->elements[0]),
                     by = fe_between_coarse(y, fine->elements[1], coarse->elements[1]);
    lines_around l;
    for (int k = 0; k < 4; k++) {
        l.line[k] = fe_line_of(coarse, bz.low + k / 2, by.low + k % 2);
        l.weight[k] = bz.weight[k / 2] * by.weight[k % 2];
    }
    return l;
}

/* The coarse nodes at x in all lines around. */
MX_BODY double in_lines(const fe_prolong_args *a, const lines_around *l, int x)
{
    double sum = 0;
    MX_UNROLL(4)
    for (int k = 0; k < 4; k++) sum += l->weight[k] * MX_AT(a->coarse, fe_on_line(&l->line[k], x));
    return sum;
}

MX_BODY void fe_prolong_body(const fe_prolong_args *a, mx_team *t)
{
    const fe_mesh *const fine = &a->pair.fine, *const coarse = &a->pair.coarse;
    const int first = t->league_rank * a->lines_per_team, lines = fine->count[0] * fine->count[1];
    const int last = first + a->lines_per_team < lines ? first + a->lines_per_team : lines;
    const int behind = fine->first[2] + fine->count[2];
    const int begin = fine->first[2] > 1 ? fine->first[2] : 1,
              end = behind < fine->elements[2] ? behind : fine->elements[2];
    MX_TEAM_FOR (t, number, first, last) {
        const int z = fine->first[0] + number / fine->count[1],
                  y = fine->first[1] + number % fine->count[1];
        const fe_node node = {{z, y, 1}};
        const int line = number * fine->count[2] - fine->first[2];
        if (begin >= end || fe_fixed(fine, node) != 0) continue;
        const lines_around l = find_lines(&a->pair, z, y);
        MX_VECTOR_FOR (t, x, begin, end) {
            const fe_between b = fe_between_coarse(x, fine->elements[2], coarse->elements[2]);
            MX_AT(a->x, line + x) +=
                b.weight[0] * in_lines(a, &l, b.low) + b.weight[1] * in_lines(a, &l, b.low + 1);
        }
    }
}
MX_FOR(TEAM, fe_prolong)

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
