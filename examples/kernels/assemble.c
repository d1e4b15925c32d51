#include "assemble.h"
#include "minx/kernel.h"
#include "minx/team.h"

MX_BODY void assemble_body(const assemble_args *a, int e, int i)
{
    const int row = MX_LOAD(a->node, e, i);
    const int begin = MX_LOAD(a->begin, row), end = MX_LOAD(a->begin, row + 1);
    int node[MESH_NODES], at[MESH_NODES];
    for (int j = 0; j < MESH_NODES; j++) {
        node[j] = MX_LOAD(a->node, e, j);
        at[j] = begin;
    }
    for (int k = begin; k < end; k++) {
        const int column = MX_LOAD(a->column, k);
        for (int j = 0; j < MESH_NODES; j++) at[j] += column < node[j];
    }
    for (int j = 0; j < MESH_NODES; j++)
        mx_atomic_add(&MX_AT(a->value, at[j]), MX_LOAD(a->block, e, i, j));
}
MX_FOR(2D, assemble, MX_ITEMS_PLAIN)

/* Where the entry of a column is in a row, which has it: by halves. */
MX_BODY int assemble_find(const assemble_args *a, int begin, int end, int column)
{
    int at = begin;
    for (int length = end - begin; length > 1;) {
        const int half = length / 2;
        at += MX_LOAD(a->column, at + half) <= column ? half : 0;
        length -= half;
    }
    return at;
}

MX_BODY void assemble_team_body(const assemble_args *a, mx_team *t)
{
    const int elements = (int)MX_EXTENT(a->node, 0), e0 = t->league_rank * ASSEMBLE_ELEMENTS;
    const int e1 = e0 + ASSEMBLE_ELEMENTS < elements ? e0 + ASSEMBLE_ELEMENTS : elements;
    MX_TEAM_FOR (t, r, 0, (e1 - e0) * MESH_NODES) {
        const int e = e0 + r / MESH_NODES, i = r % MESH_NODES;
        const int row = MX_LOAD(a->node, e, i);
        const int begin = MX_LOAD(a->begin, row), end = MX_LOAD(a->begin, row + 1);
        MX_VECTOR_FOR (t, j, 0, MESH_NODES) {
            const int k = assemble_find(a, begin, end, MX_LOAD(a->node, e, j));
            mx_atomic_add(&MX_AT(a->value, k), MX_LOAD(a->block, e, i, j));
        }
    }
}
MX_FOR(TEAM, assemble_team)
