/* y = A x element by element: y = 0, each element adds K u to the rows of its nodes, colour after
 * colour, and x . y at the end. */
#include "minx/kernel.h"

#include "fe_elements.h"
#include "mesh/fe_element_action.h"
#include "mesh/fe_element_batch.h"

MX_BODY void fe_elements_begin_body(const fe_free_args *a, int row)
{
    const bool given = !a->raw && fe_fixed(&a->mesh, fe_node_of_row(&a->mesh, row)) != 0;
    MX_AT(a->y, row) = given ? MX_AT(a->x, row) : 0;
}
MX_FOR(1D, fe_elements_begin, MX_ITEMS_PLAIN)

/* The value that an element sees at a node. */
MX_BODY double seen(const fe_free_args *a, fe_node n)
{
    const bool given = !a->raw && fe_fixed(&a->mesh, n) != 0;
    return given ? 0 : MX_AT(a->x, fe_local(&a->mesh, n));
}

/* An element adds to the row of this node. */
MX_BODY void add(const fe_free_args *a, fe_node n, double value)
{
    if (!fe_is_owned(&a->mesh, n) || (!a->raw && fe_fixed(&a->mesh, n) != 0)) return;
    MX_AT(a->y, fe_local(&a->mesh, n)) += value;
}

/* Are the nodes n and those after it along x, one for each lane, own and without given values? */
MX_BODY bool is_inside(const fe_free_args *a, fe_node n)
{
    const fe_mesh *const m = &a->mesh;
    fe_node last = n;
    last.at[2] += FE_LANES - 1;
    return fe_is_owned(m, n) && fe_is_owned(m, last) &&
           (a->raw || (fe_fixed(m, n) == 0 && fe_fixed(m, last) == 0));
}

/* `count` elements from `low` on, along x. */
MX_BODY void several_elements(const fe_free_args *a, fe_node low, int count)
{
    fe_lane x[3][8], u[8];
    bool inside[8];
    fe_gather_coordinates(&a->coordinates, &a->mesh, low, count, x);
    for (int m = 0; m < 8; m++) {
        fe_node n = fe_corner_node(low, m);
        inside[m] = count == FE_LANES && is_inside(a, n);
        if (inside[m]) {
            const int at = fe_local(&a->mesh, n);
            MX_SIMD for (int l = 0; l < FE_LANES; l++) u[m][l] = MX_AT(a->x, at + l);
            continue;
        }
        for (int l = 0; l < FE_LANES; l++) {
            u[m][l] = l < count ? seen(a, n) : 0;
            n.at[2]++;
        }
    }
    fe_element_action(x, u);
    for (int m = 0; m < 8; m++) {
        fe_node n = fe_corner_node(low, m);
        if (inside[m]) {
            const int at = fe_local(&a->mesh, n);
            MX_SIMD for (int l = 0; l < FE_LANES; l++) MX_AT(a->y, at + l) += u[m][l];
            continue;
        }
        for (int l = 0; l < count; l++) {
            add(a, n, u[m][l]);
            n.at[2]++;
        }
    }
}

MX_BODY void fe_elements_line_body(const fe_free_args *a, int z, int y)
{
    for (int x = a->from[2]; x < a->to[2]; x += FE_LANES) {
        const fe_node low = {{a->low[0] + 2 * z, a->low[1] + 2 * y, x}};
        several_elements(a, low, a->to[2] - x < FE_LANES ? a->to[2] - x : FE_LANES);
    }
}
MX_FOR(2D, fe_elements_line, MX_ITEMS_PLAIN)

MX_BODY void fe_elements_one_body(const fe_free_args *a, int i, int j, int k)
{
    const fe_node item = fe_item_at(&a->mesh, i, j, k);
    const fe_node low = {
        {a->low[0] + 2 * item.at[0], a->low[1] + 2 * item.at[1], a->low[2] + 2 * item.at[2]}};
    double x[3][8], u[8];
    for (int m = 0; m < 8; m++) {
        const fe_node n = fe_corner_node(low, m);
        const int place = fe_in_box(&a->mesh, n);
        u[m] = seen(a, n);
        for (int d = 0; d < 3; d++) x[d][m] = MX_AT(a->coordinates, d, place);
    }
    fe_one_action(x, u);
    for (int m = 0; m < 8; m++) add(a, fe_corner_node(low, m), u[m]);
}
MX_FOR(3D, fe_elements_one, MX_ITEMS_PLAIN)

MX_BODY void fe_elements_dot_body(const fe_free_args *a, int row, double *dot)
{
    *dot += MX_AT(a->x, row) * MX_AT(a->y, row);
}
MX_REDUCE(1D, fe_elements_dot, MX_SUM)
