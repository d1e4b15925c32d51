#include "assemble.h"
#include "minx/kernel.h"

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

/* An item is a row of an element's block. What it loads is loaded before it searches. */
MX_BODY void assemble_body(const assemble_args *a, int e, int i)
{
    const int row = MX_LOAD(a->node, e, i);
    const int begin = MX_LOAD(a->begin, row), end = MX_LOAD(a->begin, row + 1);
    int column[MESH_NODES];
    for (int j = 0; j < MESH_NODES; j++) column[j] = MX_LOAD(a->node, e, j);
    for (int j = 0; j < MESH_NODES; j++) {
        const double entry = MX_LOAD(a->block, e, i, j);
        const int k = assemble_find(a, begin, end, column[j]);
        mx_atomic_add(&MX_AT(a->value, k), entry);
    }
}
MX_FOR(2D, assemble, MX_ITEMS_PLAIN)
