/* Assembly by blocks of rows. A team goes through the planes of elements that touch its block, from
 * low to high z, and adds each element to sums in scratch, for two planes of rows. A plane of rows
 * is complete when the elements above it are done; then it is stored. So each coefficient is
 * written once, in any form, and no two teams write the same one.
 *
 * A line of rows has 27 lines of sums, one for each slot, and one for b. Eight elements along x are
 * computed at once, and added as vectors. Elements that touch several blocks are computed in each
 * of them: with blocks of 16 x 8 lines, 1.2 times. */
#include "minx/kernel.h"
#include "minx/team.h"

#include "fe_level_kernels.h"
#include "mesh/fe_element_batch.h"

enum { SOURCE = FE_SLOTS, SUMS = FE_SLOTS + 1 };

/* The upper triangle of the elements' matrices, row by row, and their sources. */
typedef struct element_lanes {
    fe_lane matrix[36];
    fe_lane source[8];
} element_lanes;

/* One block, as its team sees it. */
typedef struct block {
    int low[3], count[3]; /* nodes of its rows */
    double *sums;         /* [plane % 2][line][sum][node along x, from low - 1] */
} block;

MX_BODY double *line_of(const fe_assemble_args *a, const block *k, int z, int y, int sum)
{
    const int64_t line = (int64_t)((z - k->low[0]) & 1) * a->blocks.size[1] + (y - k->low[1]);
    return k->sums + (line * SUMS + sum) * a->blocks.pitch;
}

/* Adds a point's share to the elements' matrices. weight: 0 for lanes without an element, else 1;
 * it becomes |J|. */
MX_BODY void add_point(fe_lane (*modes)[8], const double *point, fe_lane weight,
                       double (*by_reference)[8], fe_lane *matrix)
{
    fe_lane adjugate[3][3], scale, g[3][8], scaled[3][8];
    MX_SIMD for (int l = 0; l < FE_LANES; l++)
    {
        const fe_jacobian j = fe_jacobian_at(modes, l, point[0], point[1], point[2]);
        for (int d = 0; d < 3; d++) {
            adjugate[d][0][l] = j.adjugate[d][0];
            adjugate[d][1][l] = j.adjugate[d][1];
            adjugate[d][2][l] = j.adjugate[d][2];
        }
        scale[l] = weight[l] / j.det;
        weight[l] *= j.det;
    }
    if (by_reference == NULL) return;
    for (int m = 0; m < 8; m++)
        for (int d = 0; d < 3; d++) MX_SIMD for (int l = 0; l < FE_LANES; l++)
            {
                g[d][m][l] = adjugate[d][0][l] * by_reference[0][m] +
                             adjugate[d][1][l] * by_reference[1][m] +
                             adjugate[d][2][l] * by_reference[2][m];
                scaled[d][m][l] = scale[l] * g[d][m][l];
            }
    double *at = matrix[0];
    for (int m = 0; m < 8; m++)
        for (int n = m; n < 8; n++) {
            MX_SIMD for (int l = 0; l < FE_LANES; l++) at[l] += scaled[0][m][l] * g[0][n][l] +
                                                                scaled[1][m][l] * g[1][n][l] +
                                                                scaled[2][m][l] * g[2][n][l];
            at += FE_LANES;
        }
}

MX_BODY void add_source(const fe_assemble_args *a, fe_lane (*modes)[8], const double *point,
                        const double *shape, const fe_lane weight, fe_lane *source)
{
    fe_lane q;
    for (int l = 0; l < FE_LANES; l++) q[l] = weight[l];
    for (int l = 0; a->manufactured && l < FE_LANES; l++) {
        double at[3];
        for (int d = 0; d < 3; d++)
            at[d] = modes[d][0][l] + modes[d][1][l] * point[0] +
                    fe_by_eta(modes[d], l, point[0], point[2]) * point[1] +
                    (modes[d][4][l] + modes[d][5][l] * point[0]) * point[2];
        q[l] *= fe_exact_source(at[0], at[1], at[2]);
    }
    for (int m = 0; m < 8; m++)
        MX_SIMD for (int l = 0; l < FE_LANES; l++) source[m][l] += q[l] * shape[m];
}

/* The derivatives of the shape functions by the reference coordinates. */
MX_BODY void reference_gradients(const double *point, double (*by_reference)[8])
{
    for (int m = 0; m < 8; m++) {
        const double a = 1 + fe_corner(m, 0) * point[0], b = 1 + fe_corner(m, 1) * point[1],
                     c = 1 + fe_corner(m, 2) * point[2];
        by_reference[0][m] = 0.125 * fe_corner(m, 0) * b * c;
        by_reference[1][m] = 0.125 * fe_corner(m, 1) * a * c;
        by_reference[2][m] = 0.125 * fe_corner(m, 2) * a * b;
    }
}

/* The `count` elements from `low` on, along x. */
MX_BODY void elements_at(const fe_assemble_args *a, fe_node low, int count, element_lanes *e)
{
    fe_lane x[3][8];
    const bool with_matrix = a->matrix.kind != FE_STORAGE_NONE;
    fe_gather_coordinates(&a->coordinates, &a->mesh, low, count, x);
    for (int d = 0; d < 3; d++) fe_modes(x[d]);
    for (int k = 0; k < 36; k++)
        for (int l = 0; l < FE_LANES; l++) e->matrix[k][l] = 0;
    for (int k = 0; k < 8; k++)
        for (int l = 0; l < FE_LANES; l++) e->source[k][l] = 0;
    for (int q = 0; q < 8; q++) {
        double point[3], by_reference[3][8], shape[8];
        fe_lane weight;
        fe_gauss_point(q, point);
        for (int l = 0; l < FE_LANES; l++) weight[l] = l < count ? 1 : 0;
        reference_gradients(point, by_reference);
        add_point(x, point, weight, with_matrix ? by_reference : NULL, e->matrix);
        fe_shapes(point, shape);
        if (!a->without_source) add_source(a, x, point, shape, weight, e->source);
    }
}

MX_BODY void add_lanes(double *sums, const fe_lane values)
{
    MX_SIMD for (int l = 0; l < FE_LANES; l++) sums[l] += values[l];
}

/* Where coefficient (m, n) is in the upper triangle. */
MX_BODY int in_triangle(int m, int n)
{
    const int low = m < n ? m : n, high = m < n ? n : m;
    return low * 8 - low * (low - 1) / 2 + high - low;
}

/* Adds the elements from `low` on to the rows of the block. */
MX_BODY void add_elements(const fe_assemble_args *a, const block *k, fe_node low,
                          const element_lanes *e)
{
    const bool with_matrix = a->matrix.kind != FE_STORAGE_NONE;
    for (int m = 0; m < 8; m++) {
        const fe_node node = fe_corner_node(low, m);
        const int z = node.at[0] - k->low[0], y = node.at[1] - k->low[1];
        if (z < 0 || z >= k->count[0] || y < 0 || y >= k->count[1]) continue;
        const int x = node.at[2] - k->low[2] + 1;
        double *const line = line_of(a, k, node.at[0], node.at[1], 0) + x;
        add_lanes(line + SOURCE * a->blocks.pitch, e->source[m]);
        for (int n = 0; with_matrix && n < 8; n++)
            add_lanes(line + fe_slot_of(node, fe_corner_node(low, n)) * a->blocks.pitch,
                      e->matrix[in_triangle(m, n)]);
    }
}

/* The elements between the planes z and z + 1 of nodes. */
MX_BODY void add_plane(const fe_assemble_args *a, const block *k, int z)
{
    const int low = k->low[2] - 1 > a->from[2] ? k->low[2] - 1 : a->from[2];
    const int end = k->low[2] + k->count[2] < a->to[2] ? k->low[2] + k->count[2] : a->to[2];
    if (z < a->from[0] || z >= a->to[0]) return;
    for (int y = k->low[1] - 1; y < k->low[1] + k->count[1]; y++) {
        if (y < a->from[1] || y >= a->to[1]) continue;
        for (int x = low; x < end; x += FE_LANES) {
            const fe_node node = {{z, y, x}};
            element_lanes e;
            elements_at(a, node, end - x < FE_LANES ? end - x : FE_LANES, &e);
            add_elements(a, k, node, &e);
        }
    }
}

/* `count` rows from `first` on, whose slots are stored as lines. */
MX_BODY void store_slots(const fe_assemble_args *a, fe_node first, int count, const double *sums)
{
    const fe_storage *const s = &a->matrix;
    const fe_row_place p = fe_place_of_row(s, &a->mesh, first);
    const int last = s->kind == FE_STORAGE_DIAGONAL ? FE_DIAGONAL_SLOT : FE_SLOTS - 1;
    for (int slot = fe_first_slot(s); slot <= last; slot++) {
        const double *const from = sums + slot * a->blocks.pitch;
        const int64_t to = p.first + slot * p.step;
        for (int i = 0; i < count; i++) fe_put(s, to + i, from[i]);
    }
}

/* The same by packs: `count` rows up to the end of a pack at once. */
MX_BODY void store_packs(const fe_assemble_args *a, const block *k, fe_node first,
                         const double *sums)
{
    const int end = first.at[2] + k->count[2];
    while (first.at[2] < end) {
        const int left = FE_PACK - (first.at[2] - a->mesh.low[2]) % FE_PACK;
        const int count = left < end - first.at[2] ? left : end - first.at[2];
        store_slots(a, first, count, sums);
        first.at[2] += count;
        sums += count;
    }
}

/* Rows whose entries are stored. */
MX_BODY void store_entries(const fe_assemble_args *a, const block *k, fe_node first,
                           const double *sums)
{
    for (int i = 0; i < k->count[2]; i++) {
        fe_node node = first;
        node.at[2] += i;
        const fe_stencil around = fe_stencil_of(&a->mesh, node);
        const fe_row_place p = fe_place_of_row(&a->matrix, &a->mesh, node);
        int64_t to = p.first;
        for (int z = 0; z < around.count[0]; z++)
            for (int y = 0; y < around.count[1]; y++) {
                const fe_node n = {{around.low.at[0] + z, around.low.at[1] + y, around.low.at[2]}};
                const double *const from = sums + fe_slot_of(node, n) * a->blocks.pitch + i;
                for (int x = 0; x < around.count[2]; x++) {
                    fe_put(&a->matrix, to, from[x * a->blocks.pitch]);
                    to += p.step;
                }
            }
    }
}

/* The rows of plane z are complete. */
MX_BODY void store_plane(const fe_assemble_args *a, const block *k, int z)
{
    for (int y = k->low[1]; y < k->low[1] + k->count[1]; y++) {
        const fe_node first = {{z, y, k->low[2]}};
        const double *const sums = line_of(a, k, z, y, 0) + 1,
                            *source = sums + SOURCE * a->blocks.pitch;
        if (a->matrix.kind == FE_STORAGE_PACKS)
            store_packs(a, k, first, sums);
        else if (fe_has_slots(&a->matrix))
            store_slots(a, first, k->count[2], sums);
        else if (a->matrix.kind != FE_STORAGE_NONE)
            store_entries(a, k, first, sums);
        for (int i = 0; !a->without_source && i < k->count[2]; i++) {
            const fe_node node = {{z, y, k->low[2] + i}};
            if (fe_is_owned(&a->mesh, node)) MX_AT(a->b, fe_local(&a->mesh, node)) = source[i];
        }
    }
}

MX_BODY void clear_plane(const fe_assemble_args *a, const block *k, int z)
{
    double *const sums = line_of(a, k, z, k->low[1], 0);
    const int count = a->blocks.size[1] * SUMS * a->blocks.pitch;
    MX_SIMD for (int i = 0; i < count; i++) sums[i] = 0;
}

MX_BODY void fe_assemble_block_body(const fe_assemble_args *a, mx_team *t)
{
    const fe_blocks *const b = &a->blocks;
    block k;
    int at = t->league_rank;
    for (int d = 2; d >= 0; d--) {
        const int begin = at % b->blocks[d] * b->size[d];
        k.low[d] = b->low[d] + begin;
        k.count[d] = b->size[d] < b->count[d] - begin ? b->size[d] : b->count[d] - begin;
        at /= b->blocks[d];
    }
    MX_TEAM_SCRATCH(t, 1, mx_f64_1, scratch, (int64_t)2 * b->size[1] * SUMS * b->pitch);
    k.sums = &MX_AT(scratch, 0);
    for (int z = k.low[0] - 1; z < k.low[0] + k.count[0]; z++) {
        clear_plane(a, &k, z + 1);
        add_plane(a, &k, z);
        if (z >= k.low[0]) store_plane(a, &k, z);
    }
}
MX_FOR(TEAM, fe_assemble_block)
