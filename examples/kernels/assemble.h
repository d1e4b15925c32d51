/* Assembly: adds the matrices of elements, blocks of 8 x 8, into a sparse matrix of compressed rows,
 *
 *     A(node(e, a), node(e, b)) += block(e, a, b)
 *
 * An item is a row (e, a) of a block. Elements share nodes, so items add by atomics. The columns of a matrix row are in ascending
 * order, so an entry is found by bisection. */
#pragma once
#include "mesh.h"

MX_ACCESSOR(assemble_blocks, const double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES,
            MESH_NODES)
MX_ACCESSOR(assemble_elements, const int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES)
MX_ACCESSOR(assemble_i32, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

typedef struct assemble_args {
    assemble_blocks block;
    assemble_elements node;
    assemble_i32 begin, column;
    mx_f64_1 value;
} assemble_args;
MX_ARGS(assemble_args, block, node, begin, column, value)
MX_DECLARE_FOR(2D, assemble, assemble_args)
