/* A mesh of hexahedra with `side` elements along each edge of a cube, and the sparse matrix of its
 * nodes in compressed rows. Kernels create the matrix by count, scan and fill. Row r has the
 * columns of all nodes that share an element with node r, in ascending order. */
#pragma once
#include "offsets.h"

enum { MESH_NODES = 8 }; /* of an element */
MX_ACCESSOR(mesh_elements, int32_t, 2, MX_LAYOUT_DEFAULT, MX_TRAIT_NONE, MESH_NODES)

/* Sets node(e, a), the nodes of element e. */
MX_ARGS(mesh_nodes_args,
    (mesh_elements, node),
    int side;
);
MX_DECLARE_FOR(1D, mesh_nodes, mesh_nodes_args)

/* Sets count(r), the number of entries of row r. */
MX_ARGS(mesh_count_args,
    (mx_i32_1, count),
    int side;
);
MX_DECLARE_FOR(1D, mesh_count, mesh_count_args)

/* Sets column(begin(r)) and the following elements, the columns of row r. */
MX_ARGS(mesh_columns_args,
    (mx_ci32_1, begin)
    (mx_i32_1, column),
    int side;
);
MX_DECLARE_FOR(1D, mesh_columns, mesh_columns_args)

/* The data of a driver. */
typedef struct hex_mesh {
    mx_ctx ctx;
    int side;
    int elements;
    int nodes;
    int32_t entries; /* of the matrix */
    mx_view node;    /* for each element */
    mx_view begin;   /* for each node, with one more element */
    mx_view column;  /* for each entry */
} hex_mesh;

/* On failure *m has no views. Waits for ctx. */
mx_err mesh_create(mx_ctx ctx, int side, hex_mesh *m);
mx_err mesh_destroy(hex_mesh *m);
