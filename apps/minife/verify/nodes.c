/* Where the nodes are, and what is given there. */
#include "fe_checks.h"

#include "mesh/fe_exact.h"

#include <string.h>

void fv_find_place(const minife *m, fv_place node, double *at)
{
    for (int d = 0; d < 3; d++) at[d] = (double)node.at[d] / (double)(m->nodes[d] - 1);
    if (fv_input(m)->mesh == FE_MESH_DISTORTED) fe_distort(&at[0], &at[1], &at[2]);
}

void fv_position(const minife *m, fv_place node, double *at)
{
    if (m->places)
        memcpy(at, m->places + 3 * fv_number(m, node), 3 * sizeof *at);
    else
        fv_find_place(m, node, at);
}

bool fv_is_given(const minife *m, fv_place node, double *value, double *eliminated)
{
    bool zero = false, one = false;
    for (int d = 0; d < 3; d++) {
        const bool last = node.at[d] == m->nodes[d] - 1;
        zero = zero || node.at[d] == 0 || (d > 0 && last);
        one = one || (d == 0 && last);
    }
    *value = one ? 1 : 0;
    *eliminated = zero ? 0 : *value;
    if (fv_input(m)->problem == FE_PROBLEM_MANUFACTURED && (zero || one)) {
        double at[3];
        fv_position(m, node, at);
        *value = *eliminated = fe_exact(at[0], at[1], at[2]);
    }
    return zero || one;
}
