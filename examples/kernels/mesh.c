#include "mesh.h"
#include "minx/kernel.h"

/* Nodes are numbered along x, then y, then z. So are the elements, and the nodes of an element. */
MX_BODY void mesh_nodes_body(const mesh_nodes_args *a, int e)
{
    const int s = a->side, x = e % s, y = e / s % s, z = e / s / s;
    for (int n = 0; n < MESH_NODES; n++) {
        const int nx = x + n % 2, ny = y + n / 2 % 2, nz = z + n / 4;
        MX_AT(a->node, e, n) = (nz * (s + 1) + ny) * (s + 1) + nx;
    }
}
MX_FOR(1D, mesh_nodes, MX_ITEMS_PLAIN)

/* Along one axis, a node and its neighbours are the nodes first to last. */
MX_BODY int mesh_first(int at) { return at > 0 ? at - 1 : 0; }

MX_BODY int mesh_last(int at, int side) { return at < side ? at + 1 : side; }

MX_BODY int mesh_span(int at, int side) { return mesh_last(at, side) - mesh_first(at) + 1; }

MX_BODY void mesh_count_body(const mesh_count_args *a, int r)
{
    const int s = a->side, n = s + 1;
    MX_AT(a->count, r) = mesh_span(r % n, s) * mesh_span(r / n % n, s) * mesh_span(r / n / n, s);
}
MX_FOR(1D, mesh_count)

MX_BODY void mesh_columns_body(const mesh_columns_args *a, int r)
{
    const int s = a->side, n = s + 1, x = r % n, y = r / n % n, z = r / n / n;
    int k = MX_AT(a->begin, r);
    for (int cz = mesh_first(z); cz <= mesh_last(z, s); cz++)
        for (int cy = mesh_first(y); cy <= mesh_last(y, s); cy++)
            for (int cx = mesh_first(x); cx <= mesh_last(x, s); cx++)
                MX_AT(a->column, k++) = (cz * n + cy) * n + cx;
}
MX_FOR(1D, mesh_columns, MX_ITEMS_PLAIN)
