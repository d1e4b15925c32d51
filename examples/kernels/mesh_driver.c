#include "mesh.h"

#include <string.h>

/* Creates the rows: count, scan, and then the columns, whose number is the total of the scan. */
static mx_err make_rows(hex_mesh *m, mx_view counts)
{
    const mx_ctx ctx = m->ctx;
    const mx_range_1 nodes = mx_range_1d(ctx, 0, m->nodes);
    mesh_count_args count = {.side = m->side};
    mesh_columns_args columns = {.side = m->side};
    offsets_args scan;
    MX_TRY(mx_view_create_1d(ctx, "begin", MX_I32, m->nodes + 1, &m->begin));
    MX_TRY(mx_bind(ctx, counts, &count.count));
    MX_TRY(mx_bind(ctx, counts, &scan.count));
    MX_TRY(mx_bind(ctx, m->begin, &scan.begin));
    MX_TRY(mx_bind(ctx, m->begin, &columns.begin));
    MX_TRY(mesh_count(nodes, &count));
    MX_TRY(offsets(mx_range_1d(ctx, 0, m->nodes + 1), &scan, &m->entries));
    MX_TRY(mx_view_create_1d(ctx, "column", MX_I32, m->entries, &m->column));
    MX_TRY(mx_bind(ctx, m->column, &columns.column));
    return mesh_columns(nodes, &columns);
}

static mx_err create(hex_mesh *m)
{
    mesh_nodes_args nodes = {.side = m->side};
    mx_view counts;
    MX_TRY(mx_view_create_2d(m->ctx, "node", MX_I32, m->elements, MESH_NODES, &m->node));
    MX_TRY(mx_bind(m->ctx, m->node, &nodes.node));
    MX_TRY(mesh_nodes(mx_range_1d(m->ctx, 0, m->elements), &nodes));
    MX_TRY(mx_view_create_1d(m->ctx, "counts", MX_I32, m->nodes + 1, &counts));
    const mx_err err = make_rows(m, counts);
    MX_TRY(mx_view_destroy(&counts));
    return err == MX_OK ? MX_OK : MX_PASS(err);
}

mx_err mesh_create(mx_ctx ctx, int side, hex_mesh *m)
{
    memset(m, 0, sizeof *m);
    m->ctx = ctx;
    m->side = side;
    m->elements = side * side * side;
    m->nodes = (side + 1) * (side + 1) * (side + 1);
    const mx_err err = create(m);
    if (err == MX_OK) return MX_OK;
    MX_TRY(mesh_destroy(m));
    return MX_PASS(err);
}

mx_err mesh_destroy(hex_mesh *m)
{
    MX_TRY(mx_view_destroy(&m->node));
    MX_TRY(mx_view_destroy(&m->begin));
    return mx_view_destroy(&m->column);
}
