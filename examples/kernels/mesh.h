/* A mesh of hexahedra, `side` elements along each edge of a cube, and the sparse matrix of its nodes in compressed rows, made on
 * the device by count, scan and fill: row r has the columns of all nodes that share an element with node r, ascending. */
#pragma once
#include "offsets.h"

enum { MESH_NODES = 8 }; /* of an element */
MX_ACCESSOR(mesh_elements, int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES)

/* node(e, a): nodes of element e */
typedef struct mesh_nodes_args {
    mesh_elements node;
    int side;
} mesh_nodes_args;
MX_ARGS(mesh_nodes_args, node)
MX_DECLARE_FOR(1D, mesh_nodes, mesh_nodes_args)

/* count(r): entries of row r */
typedef struct mesh_count_args {
    mx_i32_1 count;
    int side;
} mesh_count_args;
MX_ARGS(mesh_count_args, count)
MX_DECLARE_FOR(1D, mesh_count, mesh_count_args)

/* column(begin(r)) and following: columns of row r */
typedef struct mesh_columns_args {
    mx_ci32_1 begin;
    mx_i32_1 column;
    int side;
} mesh_columns_args;
MX_ARGS(mesh_columns_args, begin, column)
MX_DECLARE_FOR(1D, mesh_columns, mesh_columns_args)

/* What a driver holds. */
typedef struct hex_mesh {
    mx_ctx ctx;
    int side, elements, nodes;
    int32_t entries; /* of the matrix */
    mx_view node;    /* of elements */
    mx_view begin;   /* of nodes, and one more */
    mx_view column;  /* of entries */
} hex_mesh;

/* On failure *m holds nothing. Waits. */
mx_err mesh_create(mx_ctx ctx, int side, hex_mesh *m);
mx_err mesh_destroy(hex_mesh *m);
