/* Assembly: the matrices of elements, blocks of 8 x 8, are added into a sparse matrix of compressed rows,
 *
 *     A(node(e, a), node(e, b)) += block(e, a, b)
 *
 * An item is a row of a block, (e, a). Elements share nodes, so that they add by atomics. A row has its
 * columns in ascending order, so that an entry is found by bisection. */
#pragma once
#include "mesh.h"

MX_ACCESSOR(assemble_blocks, const double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES,
            MESH_NODES)
MX_ACCESSOR(assemble_elements, const int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES)
MX_ACCESSOR(assemble_ints, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct assemble_args {
    assemble_blocks block;
    assemble_elements node;
    assemble_ints begin, column;
    mx_f64_1 value;
} assemble_args;
MX_ARGS(assemble_args, block, node, begin, column, value)
MX_DECLARE_FOR(2D, assemble, assemble_args)
