/* Assembly: adds the matrices of elements, blocks of 8 x 8, into a sparse matrix of compressed
 * rows,
 *
 *     A(node(e, a), node(e, b)) += block(e, a, b)
 *
 * Elements share nodes, so items add by atomics. The columns of a matrix row are in ascending
 * order. There are two forms:
 *
 *     assemble        An item is a row (e, a) of a block. One pass over the columns of the matrix row counts, for each of the eight
 *                     entries, the columns that are lower.
 *     assemble_team   The lanes of a thread share a row of a block. Each lane finds its entry by bisection. This is faster on GPUs,
 *                     because neighbouring lanes add to the same matrix row. A team has ASSEMBLE_ELEMENTS elements, and takes the
 *                     rows of their blocks in the order of memory: launch assemble_teams(elements) teams. */
#pragma once
#include "mesh.h"

MX_ACCESSOR(assemble_blocks, const double, 3, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, MESH_NODES,
            MESH_NODES)
MX_ACCESSOR(assemble_nodes, const int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS, MESH_NODES)
MX_ACCESSOR(assemble_i32, const int32_t, 1, MX_LAYOUT_DEFAULT, MX_TRAIT_RANDOM_ACCESS)

MX_ARGS(assemble_args,
    (assemble_blocks, block)
    (assemble_nodes, node)
    (assemble_i32, begin) (assemble_i32, column)
    (mx_f64_1, value)
);
MX_DECLARE_FOR(2D, assemble, assemble_args)
MX_DECLARE_FOR(TEAM, assemble_team, assemble_args)

/* The elements of a team, and the lanes of a thread. */
enum { ASSEMBLE_ELEMENTS = 8, ASSEMBLE_LANES = MESH_NODES };

static inline int64_t assemble_teams(int64_t elements)
{
    return (elements + ASSEMBLE_ELEMENTS - 1) / ASSEMBLE_ELEMENTS;
}
