/* The part of the mesh that a rank holds, and the numbers of its nodes. For drivers and kernels.
 *
 * The mesh is a box of elements[0] x elements[1] x elements[2] hexahedra along z, y and x. A node
 * is three numbers (z, y, x) from 0 to elements[d]. Each node belongs to one rank, and a rank's own
 * nodes are a box. It holds, as ghosts, all other nodes of the elements that touch an owned one. So
 * what it holds is a box too:
 *
 *      low            low + extent        local index of a node:
 *       | g g g g g g g g |                owned   0, 1, ... in the order of z, y, x: the rows of the matrix
 *       | g o o o o o o g |                ghosts  behind them, in the order of z, y, x
 *       | g o o o o o o g |
 *       | g g g g g g g g |               At the edge of the domain there are no ghosts.
 *
 * All of these numbers are formulas, so set-up needs no tables, and runs in parallel on every
 * backend. */
#pragma once
#include "minx/detail/language.h"

#include <stdint.h>

typedef struct fe_mesh {
    int elements[3]; /* of the whole domain, along z, y, x */
    int first[3];    /* the first owned node */
    int count[3];    /* owned nodes */
    int low[3];      /* the first node that the rank holds */
    int extent[3];   /* nodes that the rank holds, ghosts included */
    /* ranges over boxes have the indices x, y, z instead of z, y, x: x is contiguous with every layout */
    bool x_first;
} fe_mesh;

typedef struct fe_node {
    int at[3];
} fe_node;

MX_INLINE int fe_rows(const fe_mesh *m) { return m->count[0] * m->count[1] * m->count[2]; }
MX_INLINE int fe_held(const fe_mesh *m) { return m->extent[0] * m->extent[1] * m->extent[2]; }

/* The id of a node in the whole mesh: x is the fastest. */
MX_INLINE int64_t fe_id(const fe_mesh *m, fe_node n)
{
    return ((int64_t)n.at[0] * (m->elements[1] + 1) + n.at[1]) * (m->elements[2] + 1) + n.at[2];
}

MX_INLINE fe_node fe_node_of_row(const fe_mesh *m, int row)
{
    fe_node n;
    n.at[2] = m->first[2] + row % m->count[2];
    row /= m->count[2];
    n.at[1] = m->first[1] + row % m->count[1];
    n.at[0] = m->first[0] + row / m->count[1];
    return n;
}

MX_INLINE bool fe_is_owned(const fe_mesh *m, fe_node n)
{
    bool owned = true;
    for (int d = 0; d < 3; d++)
        owned = owned && n.at[d] >= m->first[d] && n.at[d] < m->first[d] + m->count[d];
    return owned;
}

MX_INLINE int fe_clamp(int n, int high) { return n < 0 ? 0 : n < high ? n : high; }

/* Owned nodes in front of a node of the box, in the order of z, y, x. */
MX_INLINE int fe_owned_before(const fe_mesh *m, fe_node n)
{
    const int z = n.at[0] - m->first[0], y = n.at[1] - m->first[1], x = n.at[2] - m->first[2];
    const bool in_z = z >= 0 && z < m->count[0], in_y = y >= 0 && y < m->count[1];
    int before = fe_clamp(z, m->count[0]) * m->count[1] * m->count[2];
    if (in_z) before += fe_clamp(y, m->count[1]) * m->count[2];
    if (in_z && in_y) before += fe_clamp(x, m->count[2]);
    return before;
}

/* The item (z, y, x) of a range over a box (fe_box_range), from the indices of its body. */
MX_INLINE fe_node fe_item_at(const fe_mesh *m, int i, int j, int k)
{
    const fe_node n = {{m->x_first ? k : i, j, m->x_first ? i : k}};
    return n;
}

/* The local index of a node that the rank holds. */
MX_INLINE int fe_local(const fe_mesh *m, fe_node n)
{
    const int before = fe_owned_before(m, n);
    if (fe_is_owned(m, n)) return before;
    const int z = n.at[0] - m->low[0], y = n.at[1] - m->low[1], x = n.at[2] - m->low[2];
    return fe_rows(m) + (z * m->extent[1] + y) * m->extent[2] + x - before;
}

/* Where the coordinates of a node are: all nodes held, in the order of z, y, x. */
MX_INLINE int fe_in_box(const fe_mesh *m, fe_node n)
{
    return ((n.at[0] - m->low[0]) * m->extent[1] + n.at[1] - m->low[1]) * m->extent[2] + n.at[2] -
           m->low[2];
}

/* The entries of a row: the nodes of the elements around its node, in the order of z, y, x. */
typedef struct fe_stencil {
    fe_node low; /* the first of them */
    int count[3];
} fe_stencil;

MX_INLINE fe_stencil fe_stencil_of(const fe_mesh *m, fe_node n)
{
    fe_stencil s;
    for (int d = 0; d < 3; d++) {
        const int high = n.at[d] < m->elements[d] ? n.at[d] + 1 : n.at[d];
        s.low.at[d] = n.at[d] > 0 ? n.at[d] - 1 : 0;
        s.count[d] = high - s.low.at[d] + 1;
    }
    return s;
}

MX_INLINE int fe_stencil_size(const fe_stencil *s)
{
    return s->count[0] * s->count[1] * s->count[2];
}

/* Which entry of the row node n is. */
MX_INLINE int fe_entry_of(const fe_stencil *s, fe_node n)
{
    return ((n.at[0] - s->low.at[0]) * s->count[1] + n.at[1] - s->low.at[1]) * s->count[2] +
           n.at[2] - s->low.at[2];
}

MX_INLINE fe_node fe_node_of_entry(const fe_stencil *s, int entry)
{
    fe_node n;
    n.at[2] = s->low.at[2] + entry % s->count[2];
    entry /= s->count[2];
    n.at[1] = s->low.at[1] + entry % s->count[1];
    n.at[0] = s->low.at[0] + entry / s->count[1];
    return n;
}

/* Along one dimension: how many nodes are around nodes i of an owned range, summed over those
 * before node n. */
MX_INLINE int64_t fe_around_before(const fe_mesh *m, int d, int n)
{
    return 3 * (int64_t)(n - m->first[d]) - (m->first[d] == 0 && n > 0 ? 1 : 0) -
           (n > m->elements[d] ? 1 : 0);
}

/* How many entries of the row have a column that is a ghost. */
MX_INLINE int fe_ghosts_around(const fe_mesh *m, fe_node n)
{
    const fe_stencil around = fe_stencil_of(m, n);
    int owned = 1;
    for (int d = 0; d < 3; d++) {
        const int low = around.low.at[d], high = low + around.count[d];
        const int first = m->first[d], end = first + m->count[d];
        owned *= (high < end ? high : end) - (low > first ? low : first);
    }
    return fe_stencil_size(&around) - owned;
}

/* Entries of the rows before that of owned node n, in the order of rows. */
MX_INLINE int64_t fe_entries_before(const fe_mesh *m, fe_node n)
{
    const fe_stencil s = fe_stencil_of(m, n);
    const int64_t of_line = fe_around_before(m, 2, m->first[2] + m->count[2]);
    const int64_t of_plane = fe_around_before(m, 1, m->first[1] + m->count[1]) * of_line;
    return fe_around_before(m, 0, n.at[0]) * of_plane +
           s.count[0] * (fe_around_before(m, 1, n.at[1]) * of_line +
                         s.count[1] * fe_around_before(m, 2, n.at[2]));
}

/* Entries of all owned rows. */
MX_INLINE int64_t fe_entries(const fe_mesh *m)
{
    int64_t entries = 1;
    for (int d = 0; d < 3; d++) entries *= fe_around_before(m, d, m->first[d] + m->count[d]);
    return entries;
}

/* The sets of nodes whose value is given. The original has 0 on five faces, and 1 on the face x =
 * 1; edges of that face are in both sets. */
enum { FE_FIXED_AT_0 = 1, FE_FIXED_AT_1 = 2 };

MX_INLINE int fe_fixed(const fe_mesh *m, fe_node n)
{
    const bool low = n.at[0] == 0 || n.at[1] == 0 || n.at[2] == 0;
    const bool high = n.at[0] == m->elements[0] || n.at[1] == m->elements[1];
    return (low || high ? FE_FIXED_AT_0 : 0) | (n.at[2] == m->elements[2] ? FE_FIXED_AT_1 : 0);
}

/* Is the value of the node, or of one in its row, given? */
MX_INLINE bool fe_near_boundary(const fe_mesh *m, fe_node n)
{
    bool near = false;
    for (int d = 0; d < 3; d++) near = near || n.at[d] <= 1 || n.at[d] >= m->elements[d] - 1;
    return near;
}
