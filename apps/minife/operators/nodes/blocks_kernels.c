/* y = A x by rows, from the coordinates of nodes: hosts, by blocks of rows. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_nodes.h"
#include "mesh/fe_element_batch.h"

/* One block, as its team sees it. Lines start at node low - 1 along x. */
typedef struct node_block {
    int low[3], count[3];
    double *y; /* [plane % 2][line] */
    double *x; /* [plane % 2][line, from low - 1] */
} node_block;

MX_BODY double *line_of_y(const fe_free_args *a, const node_block *k, int z, int y)
{
    const int line = ((z - k->low[0]) & 1) * a->blocks.size[1] + y - k->low[1];
    return k->y + (int64_t)line * a->blocks.pitch;
}

MX_BODY double *line_of_x(const fe_free_args *a, const node_block *k, int z, int y)
{
    const int line = ((z - k->low[0]) & 1) * (a->blocks.size[1] + 2) + y - k->low[1] + 1;
    return k->x + (int64_t)line * a->blocks.pitch;
}

MX_BODY bool is_held(const fe_mesh *m, int d, int at)
{
    return at >= m->low[d] && at < m->low[d] + m->extent[d];
}

/* x of the nodes around the block in plane z, 0 where the value is given; and sums of 0. */
MX_BODY void begin_plane(const fe_free_args *a, const node_block *k, int z)
{
    const fe_mesh *const m = &a->mesh;
    for (int y = k->low[1]; y < k->low[1] + k->count[1]; y++) {
        double *const sums = line_of_y(a, k, z, y);
        for (int i = 0; i < a->blocks.pitch; i++) sums[i] = 0;
    }
    for (int y = k->low[1] - 1; y <= k->low[1] + k->count[1]; y++) {
        double *const to = line_of_x(a, k, z, y);
        for (int i = 0; i < a->blocks.pitch; i++) to[i] = 0;
        if (!is_held(m, 0, z) || !is_held(m, 1, y)) continue;
        const fe_node first = {{z, y, k->low[2]}};
        const int start = fe_local(m, first);
        MX_SIMD for (int i = 0; i < k->count[2]; i++) to[i + 1] = MX_AT(a->x, start + i);
        for (int side = 0; side < 2; side++) {
            const int x = side == 0 ? k->low[2] - 1 : k->low[2] + k->count[2];
            const fe_node n = {{z, y, x}};
            if (is_held(m, 2, x)) to[x - k->low[2] + 1] = MX_AT(a->x, fe_local(m, n));
        }
        if (a->raw) continue;
        const bool given = z == 0 || z == m->elements[0] || y == 0 || y == m->elements[1];
        for (int i = 0; given && i < a->blocks.pitch; i++) to[i] = 0;
        if (k->low[2] - 1 <= 0) to[1 - k->low[2]] = 0;
        if (k->low[2] + k->count[2] >= m->elements[2]) to[m->elements[2] - k->low[2] + 1] = 0;
    }
}

/* The `count` elements from `low` on, along x. */
MX_BODY void add_elements(const fe_free_args *a, const node_block *k, fe_node low, int count)
{
    fe_lane x[3][8], u[8];
    fe_gather_coordinates(&a->coordinates, &a->mesh, low, count, x);
    const int at = low.at[2] - k->low[2] + 1;
    for (int m = 0; m < 8; m++) {
        const fe_node n = fe_corner_node(low, m);
        const double *const from = line_of_x(a, k, n.at[0], n.at[1]) + at + (m & 1);
        MX_SIMD for (int l = 0; l < FE_LANES; l++) u[m][l] = from[l];
    }
    fe_element_action(x, u);
    for (int m = 0; m < 8; m++) {
        const fe_node n = fe_corner_node(low, m);
        const int z = n.at[0] - k->low[0], y = n.at[1] - k->low[1];
        if (z < 0 || z >= k->count[0] || y < 0 || y >= k->count[1]) continue;
        double *const to = line_of_y(a, k, n.at[0], n.at[1]) + at + (m & 1);
        if (count == FE_LANES) {
            MX_SIMD for (int l = 0; l < FE_LANES; l++) to[l] += u[m][l];
        } else {
            for (int l = 0; l < count; l++) to[l] += u[m][l];
        }
    }
}

/* The elements between the planes z and z + 1 of nodes. */
MX_BODY void add_plane(const fe_free_args *a, const node_block *k, int z)
{
    const int low = k->low[2] - 1 > a->from[2] ? k->low[2] - 1 : a->from[2];
    const int end = k->low[2] + k->count[2] < a->to[2] ? k->low[2] + k->count[2] : a->to[2];
    if (z < a->from[0] || z >= a->to[0]) return;
    for (int y = k->low[1] - 1; y < k->low[1] + k->count[1]; y++) {
        if (y < a->from[1] || y >= a->to[1]) continue;
        for (int x = low; x < end; x += FE_LANES) {
            const fe_node n = {{z, y, x}};
            add_elements(a, k, n, end - x < FE_LANES ? end - x : FE_LANES);
        }
    }
}

/* The rows of plane z are complete; returns their x . y. */
MX_BODY double store_plane(const fe_free_args *a, const node_block *k, int z)
{
    const fe_mesh *const m = &a->mesh;
    double dot = 0;
    for (int y = k->low[1]; y < k->low[1] + k->count[1]; y++) {
        const double *const sums = line_of_y(a, k, z, y) + 1;
        const fe_node first = {{z, y, k->low[2]}};
        const int row = fe_local(m, first);
        const bool given = z == 0 || z == m->elements[0] || y == 0 || y == m->elements[1];
        double of_line = 0;
        MX_SIMD_SUM(of_line)
        for (int i = 0; i < k->count[2]; i++) {
            const int at = k->low[2] + i;
            const bool fixed = !a->raw && (given || at == 0 || at == m->elements[2]);
            const double x = MX_AT(a->x, row + i), value = fixed ? x : sums[i];
            MX_AT(a->y, row + i) = value;
            of_line += x * value;
        }
        dot += of_line;
    }
    return dot;
}

/* scratch: 4 size[1] + 4 lines */
MX_BODY double all_planes(const fe_free_args *a, int number, double *scratch)
{
    const fe_blocks *const b = &a->blocks;
    node_block k;
    double dot = 0;
    int at = number;
    for (int d = 2; d >= 0; d--) {
        const int begin = at % b->blocks[d] * b->size[d];
        k.low[d] = b->low[d] + begin;
        k.count[d] = b->size[d] < b->count[d] - begin ? b->size[d] : b->count[d] - begin;
        at /= b->blocks[d];
    }
    k.y = scratch;
    k.x = k.y + (int64_t)2 * b->size[1] * b->pitch;
    begin_plane(a, &k, k.low[0] - 1);
    for (int z = k.low[0] - 1; z < k.low[0] + k.count[0]; z++) {
        begin_plane(a, &k, z + 1);
        add_plane(a, &k, z);
        if (z >= k.low[0]) dot += store_plane(a, &k, z);
    }
    return dot;
}

MX_BODY int64_t block_scratch(const fe_free_args *a)
{
    return (int64_t)(4 * a->blocks.size[1] + 4) * a->blocks.pitch;
}

MX_BODY void fe_nodes_block_body(const fe_free_args *a, mx_team *t)
{
    MX_TEAM_SCRATCH(t, 1, mx_f64_1, scratch, block_scratch(a));
    (void)all_planes(a, t->league_rank, &MX_AT(scratch, 0));
}
MX_FOR(TEAM, fe_nodes_block)

MX_BODY void fe_nodes_block_dot_body(const fe_free_args *a, mx_team *t, double *dot)
{
    MX_TEAM_SCRATCH(t, 1, mx_f64_1, scratch, block_scratch(a));
    *dot += all_planes(a, t->league_rank, &MX_AT(scratch, 0));
}
MX_REDUCE(TEAM, fe_nodes_block_dot, MX_SUM)
