/* Values that are given at nodes of the boundary: kernels/boundary.c. */
#include "fe_level.h"

static mx_err subtract_product(fe_level *level, mx_view given, mx_view product)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    fe_given_args a = {.mesh = *m, .manufactured = level->boundary.manufactured};
    MX_TRY(mx_bind(ctx, given, &a.given));
    MX_TRY(mx_bind(ctx, product, &a.product));
    MX_TRY(mx_bind(ctx, level->views.b, &a.b));
    a.coordinates = level->boundary.coordinates;
    MX_TRY(fe_given_values(fe_box_range(level, NULL, m->extent), &a));
    MX_TRY(fe_apply_raw(level, given, product));
    MX_TRY(fe_given_subtract(mx_range_1d(ctx, 0, fe_rows(m)), &a));
    return mx_fence(ctx);
}

/* b of a matrix that is not stored: less the product with the values that are given. */
static mx_err subtract_given(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const fe_mesh *m = &level->mesh;
    mx_view given = MX_VIEW_NULL, product = MX_VIEW_NULL;
    mx_err err = mx_view_create_1d(ctx, "given values", MX_F64, fe_held(m), &given);
    if (err == MX_OK)
        err = mx_view_create_1d(ctx, "product of given values", MX_F64, fe_rows(m), &product);
    if (err == MX_OK) err = subtract_product(level, given, product);
    (void)mx_view_destroy(&given);
    (void)mx_view_destroy(&product);
    return err;
}

/* Does anything still need the coordinates, when values are imposed? If not, they go first: the
 * values that are given need memory too. */
static bool needs_coordinates(const fe_level *level)
{
    return level->input->problem == FE_PROBLEM_MANUFACTURED || level->op->needs_coordinates;
}

mx_err fe_impose_boundary(fe_level *level)
{
    const mx_ctx ctx = level->base->ctx;
    const bool stored = level->storage.kind != FE_STORAGE_NONE;
    fe_boundary_args *const a = &level->boundary;
    int count[3];
    a->mesh = level->mesh;
    a->manufactured = level->input->problem == FE_PROBLEM_MANUFACTURED;
    fe_box_of_rows(level, &level->storage, a->rows_low, count);
    MX_TRY(fe_bind_storage(level, &a->matrix));
    MX_TRY(mx_bind(ctx, level->views.b, &a->b));
    mx_bind_none(&a->coordinates);
    if (needs_coordinates(level))
        MX_TRY(mx_bind(ctx, level->views.coordinates, &a->coordinates));
    else
        MX_TRY(mx_view_destroy(&level->views.coordinates));
    if (!stored) MX_TRY(subtract_given(level));
    MX_TRY(fe_boundary_source(mx_range_1d(ctx, 0, fe_rows(&level->mesh)), a));
    if (stored) MX_TRY(fe_boundary_matrix(fe_box_range(level, NULL, count), a));
    return mx_fence(ctx);
}
