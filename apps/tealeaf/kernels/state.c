/* What happens to the state of the cells before and after a solve. */
#include "minx/kernel.h"

#include "tl_diagonal.h"
#include "tl_kernels.h"

/* The cell of row j of the arrays and column k, in row `row` of the table. */
MX_BODY void fill_cell(const tl_fill_args *a, int j, int k, int row, tl_filled_sums *s)
{
    const int column = k - a->ghosts;
    int state = a->states - 1;
    while (state > 0 &&
           (column < MX_AT(a->filled, state, row, 0) || column >= MX_AT(a->filled, state, row, 1)))
        state--;
    const double density = MX_AT(a->materials, state, 0), energy = MX_AT(a->materials, state, 1);
    MX_AT(a->density, j, k) = density;
    MX_AT(a->energy, j, k) = energy;
    s->mass += density * a->volume;
    s->energy += density * a->volume * energy;
}

MX_BODY void tl_fill_body(const tl_fill_args *a, int j, int k, tl_filled_sums *s)
{
    fill_cell(a, j, k, j - a->ghosts, s);
}
MX_REDUCE_FIELDS(2D, tl_fill, TL_FILLED)

MX_BODY void tl_fill_3d_body(const tl_fill_args *a, int i, int j, int k, tl_filled_sums *s)
{
    fill_cell(a, TL_ROW(i, j), k, (i - a->ghosts) * a->rows + j - a->ghosts, s);
}
MX_REDUCE_FIELDS(3D, tl_fill_3d, TL_FILLED)

MX_BODY int clamp(int at, int first, int last)
{
    return at < first ? first : at > last ? last : at;
}

/* v of a cell. The other row and column are those of the nearest cell inside of the domain. */
MX_BODY void set_inverse(const tl_inverse_args *a, int row, int k, int inside_row, int inside_k)
{
    const double density = MX_AT(a->density, inside_row, inside_k);
    const double v = a->inverse ? density : 1.0 / density;
    MX_AT(a->v, row, k) = row == inside_row && k == inside_k ? v : -v;
}

MX_BODY void tl_inverse_body(const tl_inverse_args *a, int j, int k)
{
    set_inverse(a, j, k, clamp(j, a->first[1], a->last[1]), clamp(k, a->first[2], a->last[2]));
}
MX_FOR(2D, tl_inverse)

MX_BODY void tl_inverse_3d_body(const tl_inverse_args *a, int i, int j, int k)
{
    const int plane = clamp(i, a->first[0], a->last[0]), row = clamp(j, a->first[1], a->last[1]);
    set_inverse(a, TL_ROW(i, j), k, TL_ROW(plane, row), clamp(k, a->first[2], a->last[2]));
}
MX_FOR(3D, tl_inverse_3d)

MX_BODY void tl_start_body(const tl_start_args *a, int j, int k)
{
    const double u = MX_AT(a->energy, j, k) * MX_AT(a->density, j, k);
    MX_AT(a->u, j, k) = u;
    MX_AT(a->u_start, j, k) = u;
}
MX_FOR(2D, tl_start)
TL_BODY_3D(tl_start, tl_start_args)
MX_FOR(3D, tl_start_3d)

MX_BODY void tl_finish_body(const tl_finish_args *a, int j, int k)
{
    MX_AT(a->energy, j, k) = MX_AT(a->u, j, k) / MX_AT(a->density, j, k);
}
MX_FOR(2D, tl_finish)
TL_BODY_3D(tl_finish, tl_finish_args)
MX_FOR(3D, tl_finish_3d)

MX_BODY void tl_summarise_body(const tl_summary_args *a, int j, int k, tl_summary *s)
{
    const double mass = MX_AT(a->density, j, k) * a->volume;
    s->volume += a->volume;
    s->mass += mass;
    s->energy += mass * MX_AT(a->energy, j, k);
    s->temperature += mass * MX_AT(a->u, j, k);
}
MX_REDUCE_FIELDS(2D, tl_summarise, TL_SUMMARY)
TL_SUM_BODY_3D(tl_summarise, tl_summary_args, tl_summary)
MX_REDUCE_FIELDS(3D, tl_summarise_3d, TL_SUMMARY)

MX_BODY void tl_diagonal_cell(const tl_diagonal_args *a, int row, int k, bool solid)
{
    MX_AT(a->diagonal, row, k) = 1.0 / tl_diagonal_at(&a->mesh, &a->v, row, k, solid);
}
TL_BODIES(tl_diagonal, tl_diagonal_args)
MX_FOR(2D, tl_diagonal)
MX_FOR(3D, tl_diagonal_3d)
