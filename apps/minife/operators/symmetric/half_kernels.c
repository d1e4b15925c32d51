/* Products on devices, an item for each row: fe_line_rows.h.
 *
 * The coefficients of the rows in front were read by other threads a plane, a line or a row before,
 * so that most of them are in cache. */
#include "minx/kernel.h"

#include "fe_symmetric.h"
#include "operators/shared/fe_line_rows.h"

/* Stores y of the row; returns its x . y. */
MX_BODY double half_row(const fe_lines_args *a, int i, int j, int k, bool is_f32)
{
    const fe_row_at r = fe_find_row(a, i, j, k, FE_HALF_SLOTS);
    const fe_three centre = fe_elements_at(a, &r, 4);
    double sum =
        fe_times_three(a, r.first + a->pitch - 1, r.first, r.first + a->pitch, &centre, is_f32);
    MX_UNROLL(4)
    for (int line = 5; line < 9; line++) {
        const fe_three behind = fe_elements_at(a, &r, line),
                       front = fe_elements_at(a, &r, 8 - line);
        const int64_t at = r.first + (3 * line - FE_DIAGONAL_SLOT) * a->pitch,
                      other = at - (line / 3 - 1) * r.of_plane - (line % 3 - 1) * r.of_line;
        sum += fe_times_three(a, at, at + a->pitch, at + 2 * a->pitch, &behind, is_f32) +
               fe_times_three(a, other + 2 * a->pitch - 1, other + a->pitch, other + 1, &front,
                              is_f32);
    }
    MX_AT(a->y, r.row) = sum;
    return centre.middle * sum;
}

FE_DEFINE_ROW_PRODUCTS(fe_half_row, fe_lines_args, half_row)
