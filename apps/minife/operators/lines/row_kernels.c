/* Products on devices, an item for each row: fe_line_rows.h. */
#include "minx/kernel.h"

#include "fe_lines.h"
#include "operators/shared/fe_line_rows.h"

/* Stores y of the row; returns its x . y. */
MX_BODY double full_row(const fe_lines_args *a, int i, int j, int k, bool is_f32)
{
    const fe_row_at r = fe_find_row(a, i, j, k, FE_SLOTS);
    double sum = 0, x = 0;
    MX_UNROLL(9)
    for (int line = 0; line < 9; line++) {
        const int64_t at = r.first + 3 * line * a->pitch;
        const fe_three of_x = fe_elements_at(a, &r, line);
        sum += fe_times_three(a, at, at + a->pitch, at + 2 * a->pitch, &of_x, is_f32);
        if (line == 4) x = of_x.middle;
    }
    MX_AT(a->y, r.row) = sum;
    return x * sum;
}

FE_DEFINE_ROW_PRODUCTS(fe_lines_row, fe_lines_args, full_row)
