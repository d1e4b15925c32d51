#include "fe_matrix_free.h"

mx_err fe_bind_free(const fe_level *level, const fe_product *p, fe_free_args *a)
{
    const mx_ctx ctx = level->base->ctx;
    a->mesh = level->mesh;
    a->raw = p->raw;
    for (int d = 0; d < 3; d++) {
        a->from[d] = level->from[d];
        a->to[d] = level->to[d];
    }
    MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    MX_TRY(mx_bind(ctx, p->x, &a->x));
    return mx_bind(ctx, p->y, &a->y);
}

/* Bytes: x, y and the coordinates, once each. Operations for an element, with one for each addition
 * or multiplication: to and from modes 5 fields of 24 of either; at each of 8 points 9 derivatives
 * of coordinates and 3 of u of 6, the adjugate and |J| 32, the reciprocal 1, gradients and fluxes
 * 33, and 22 to add them. */
fe_work fe_work_of_elements(const fe_level *level)
{
    enum { OF_ELEMENT = 5 * 24 * 2 + 8 * (12 * 6 + 32 + 1 + 33 + 22) };
    const double rows = fe_rows(&level->mesh), held = fe_held(&level->mesh);
    double elements = 1;
    for (int d = 0; d < 3; d++) elements *= level->to[d] - level->from[d];
    const fe_work work = {rows * 16 + held * 24, elements * OF_ELEMENT};
    return work;
}
