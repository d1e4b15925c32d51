/* Products with a matrix that is stored by lines (kernels/lines.c), an item for each row. A device
 * has a thread for each, with few registers, so that many of them hide the time that loads take.
 * Neighbouring threads have neighbouring rows of a line, and read all coefficients in sequence.
 *
 * half: the coefficients of the rows in front were read by other threads a plane, a line or a row
 * before, so that most of them are in cache. */
#include "minx/kernel.h"

#include "kernels/fe_product_kernels.h"

/* Where a row is. */
typedef struct row_at {
    int i;         /* its place in the line of rows */
    int line;      /* the line, in fe_lines_args.line, */
    int width;     /* and the lines of a plane there */
    int row;       /* its number */
    int64_t first; /* slot s is at first + s * pitch; half: slot 13 + s */
    /* half: from a line's coefficients to those of the next one along z, y */
    int64_t of_plane, of_line;
} row_at;

MX_BODY row_at find_row(const fe_lines_args *a, int i, int j, int k, int slots)
{
    const fe_mesh *const m = &a->mesh;
    const fe_node n = fe_item_at(m, i, j, k);
    const int z = m->first[0] + n.at[0], y = m->first[1] + n.at[1];
    row_at r;
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
typedef struct three {
    double low, middle, high;
} three;

/* The elements of x at the row's place in line k around, in the order of z, y. */
MX_BODY three elements_at(const fe_lines_args *a, const row_at *r, int k)
{
    const int line = r->line + (k / 3 - 1) * r->width + k % 3 - 1;
    const int middle = MX_AT(a->line, 0, line) + r->i;
    const int low = r->i > 0 ? middle - 1 : MX_AT(a->line, 1, line);
    const int high = r->i + 1 < a->mesh.count[2] ? middle + 1 : MX_AT(a->line, 2, line);
    const three x = {MX_AT(a->x, low), MX_AT(a->x, middle), MX_AT(a->x, high)};
    return x;
}

MX_BODY double times_three(const fe_lines_args *a, int64_t low, int64_t middle, int64_t high,
                           const three *x, bool is_f32)
{
    return FE_VALUE(a, low, is_f32) * x->low + FE_VALUE(a, middle, is_f32) * x->middle +
           FE_VALUE(a, high, is_f32) * x->high;
}

/* Stores y of the row; returns its x . y. */
MX_BODY double full_row(const fe_lines_args *a, int i, int j, int k, bool is_f32)
{
    const row_at r = find_row(a, i, j, k, FE_SLOTS);
    double sum = 0, x = 0;
    MX_UNROLL(9)
    for (int line = 0; line < 9; line++) {
        const int64_t at = r.first + 3 * line * a->pitch;
        const three of_x = elements_at(a, &r, line);
        sum += times_three(a, at, at + a->pitch, at + 2 * a->pitch, &of_x, is_f32);
        if (line == 4) x = of_x.middle;
    }
    MX_AT(a->y, r.row) = sum;
    return x * sum;
}

MX_BODY double half_row(const fe_lines_args *a, int i, int j, int k, bool is_f32)
{
    const row_at r = find_row(a, i, j, k, FE_HALF_SLOTS);
    const three centre = elements_at(a, &r, 4);
    double sum =
        times_three(a, r.first + a->pitch - 1, r.first, r.first + a->pitch, &centre, is_f32);
    MX_UNROLL(4)
    for (int line = 5; line < 9; line++) {
        const three behind = elements_at(a, &r, line), front = elements_at(a, &r, 8 - line);
        const int64_t at = r.first + (3 * line - FE_DIAGONAL_SLOT) * a->pitch,
                      other = at - (line / 3 - 1) * r.of_plane - (line % 3 - 1) * r.of_line;
        sum +=
            times_three(a, at, at + a->pitch, at + 2 * a->pitch, &behind, is_f32) +
            times_three(a, other + 2 * a->pitch - 1, other + a->pitch, other + 1, &front, is_f32);
    }
    MX_AT(a->y, r.row) = sum;
    return centre.middle * sum;
}

FE_DEFINE_ROW_PRODUCTS(fe_lines_row, fe_lines_args, full_row)
FE_DEFINE_ROW_PRODUCTS(fe_half_row, fe_lines_args, half_row)
