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

/* An item is a row of an element's block. */
MX_BODY void assemble_body(const assemble_args *a, int e, int i)
{
    const int row = MX_AT(a->node, e, i);
    const int begin = MX_LOAD(a->begin, row), end = MX_LOAD(a->begin, row + 1);
    for (int j = 0; j < MESH_NODES; j++) {
        const int k = assemble_find(a, begin, end, MX_AT(a->node, e, j));
        mx_atomic_add(&MX_AT(a->value, k), MX_AT(a->block, e, i, j));
    }
}
MX_FOR(2D, assemble, MX_ITEMS_PLAIN)
