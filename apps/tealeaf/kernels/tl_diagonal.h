/* For kernel files: the diagonal of A that preconditioners have. */
#pragma once
#include "tl_apply.h"

#include <math.h>

/* v of a neighbour, for the diagonal. It is negative beyond the edge of the domain; with mirrored
 * boundaries it counts like that of the cell inside. */
MX_BODY double tl_v_of_neighbour(const tl_mesh *m, double v) { return m->mirrors ? fabs(v) : v; }

/* The two neighbours that are dr rows and dk columns away. */
MX_BODY double tl_v_of_pair(const tl_mesh *m, const mx_cf64_2 *v, int row, int k, int dr, int dk)
{
    return tl_v_of_neighbour(m, MX_AT(*v, row - dr, k - dk)) +
           tl_v_of_neighbour(m, MX_AT(*v, row + dr, k + dk));
}

MX_BODY double tl_diagonal_at(const tl_mesh *m, const mx_cf64_2 *v, int row, int k, bool solid)
{
    const double twice = 2.0 * MX_AT(*v, row, k);
    const double flat = 1.0 + m->rx * (twice + tl_v_of_pair(m, v, row, k, 0, 1)) +
                        m->ry * (twice + tl_v_of_pair(m, v, row, k, tl_next_row(m, solid), 0));
    return solid ? flat + m->rz * (twice + tl_v_of_pair(m, v, row, k, m->plane, 0)) : flat;
}
