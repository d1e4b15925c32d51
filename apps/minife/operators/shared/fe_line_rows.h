/* In kernel files: products with a matrix that is stored by lines, an item for each row. A device
 * has a thread for each, with few registers, so that many of them hide the time that loads take.
 * Neighbouring threads have neighbouring rows of a line, and read all coefficients in sequence. */
#pragma once
#include "minx/kernel.h"

#include "fe_line_kernels.h"

/* Where a row is. */
typedef struct fe_row_at {
    int i;         /* its place in the line of rows */
    int line;      /* the line, in fe_lines_args.line, */
    int width;     /* and the lines of a plane there */
    int row;       /* its number */
    int64_t first; /* slot s is at first + s * pitch; half: slot 13 + s */
    /* half: from a line's coefficients to those of the next one along z, y */
    int64_t of_plane, of_line;
} fe_row_at;

MX_BODY fe_row_at fe_find_row(const fe_lines_args *a, int i, int j, int k, int slots)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node n = fe_item_at(m, i, j, k);
    const int z = m->first[0] + n.at[0], y = m->first[1] + n.at[1];
    fe_row_at r;
    r.i = n.at[2];
    r.width = m->extent[1] + 2;
    r.line = (z - m->low[0] + 1) * r.width + y - m->low[1] + 1;
    r.row = (n.at[0] * m->count[1] + n.at[1]) * m->count[2] + r.i;
    r.of_line = a->width;
    r.of_plane = slots * a->pitch;
    r.first =
        (z - a->low[0]) * r.of_plane + (y - a->low[1]) * r.of_line + m->first[2] - a->low[2] + r.i;
    return r;
}

/* Of three neighbours along x. */
typedef struct fe_three {
    double low, middle, high;
} fe_three;

/* The elements of x at the row's place in line k around, in the order of z, y. */
MX_BODY fe_three fe_elements_at(const fe_lines_args *a, const fe_row_at *r, int k)
{
    const int line = r->line + (k / 3 - 1) * r->width + k % 3 - 1;
    const int middle = MX_AT(a->line, 0, line) + r->i;
    const int low = r->i > 0 ? middle - 1 : MX_AT(a->line, 1, line);
    const int high = r->i + 1 < a->mesh.count[2] ? middle + 1 : MX_AT(a->line, 2, line);
    const fe_three x = {MX_AT(a->x, low), MX_AT(a->x, middle), MX_AT(a->x, high)};
    return x;
}

MX_BODY double fe_times_three(const fe_lines_args *a, int64_t low, int64_t middle, int64_t high,
                              const fe_three *x, bool is_f32)
{
    return FE_VALUE(a, low, is_f32) * x->low + FE_VALUE(a, middle, is_f32) * x->middle +
           FE_VALUE(a, high, is_f32) * x->high;
}
